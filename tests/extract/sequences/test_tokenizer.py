"""The tokenizer: its special numbers, that training repeats itself, and that offsets fit the text."""

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.extract.sequences.tokenizer import (
    CONTINUES,
    MASK,
    NONE,
    PAD,
    SPECIALS,
    UNKNOWN,
    encode,
    load_tokenizer,
    make_tokenizer,
    save_tokenizer,
    train_tokenizer,
)
from clew.extract.toy import toy_corpus

TEXTS = [json.loads(line)["text"] for line in toy_corpus().read_text("utf-8").splitlines()]
TOKENIZER = train_tokenizer(TEXTS)


def test_special_entries_have_their_numbers() -> None:
    assert [TOKENIZER.token_to_id(special) for special in SPECIALS] == list(range(7))
    assert (PAD, UNKNOWN, MASK, NONE) == (0, 1, 4, 6)


def test_a_small_corpus_has_a_small_vocabulary() -> None:
    assert 300 < TOKENIZER.get_vocab_size() < 5000
    assert train_tokenizer(TEXTS, vocabulary_size=300).get_vocab_size() == 300


def test_special_words_in_a_text_are_only_words() -> None:
    ((tokens, _),) = encode(TOKENIZER, ["[MASK] [PAD] [END]"])
    assert not set(tokens) & {0, 4, 5}


TRAIN = """
import hashlib, json, sys
from clew.extract.sequences.tokenizer import train_tokenizer
texts = [json.loads(line)["text"] for line in open(sys.argv[1], encoding="utf-8")]
print(hashlib.sha256(train_tokenizer(texts).to_str().encode()).hexdigest())
"""


def test_training_gives_the_same_in_every_process() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = {
        subprocess.run(
            [sys.executable, "-c", TRAIN, str(toy_corpus())],
            env={**environment, "PYTHONHASHSEED": str(seed)}, capture_output=True, check=True, timeout=120,
        ).stdout
        for seed in range(3)
    }  # fmt: skip
    assert len(found) == 1


def test_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    save_tokenizer(TOKENIZER, tmp_path / "tokenizer.json")
    assert load_tokenizer(tmp_path / "tokenizer.json").to_str() == TOKENIZER.to_str()


def test_a_foreign_vocabulary_is_renumbered(tmp_path: Path) -> None:
    entries = ["[unused1]", "gout", "[MASK]", "##s", "[UNK]", "[", "pain"]
    content = {"model": {"type": "WordPiece", "vocab": {entry: number for number, entry in enumerate(entries)}}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    tokenizer = load_tokenizer(tmp_path / "tokenizer.json")
    assert [tokenizer.id_to_token(number) for number in range(7, 11)] == ["gout", "##s", "[", "pain"]
    assert tokenizer.get_vocab_size() == 11


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"model": {"type": "BPE", "vocab": {"a": 1}}}', '{"model": {"vocab": ["a"]}}']
)
def test_what_is_no_tokenizer_is_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        load_tokenizer(tmp_path / "tokenizer.json")


def test_refusals() -> None:
    with pytest.raises(InputError, match="there is no file"):
        load_tokenizer(Path("absent/tokenizer.json"))
    with pytest.raises(InputError, match="without a single letter"):
        train_tokenizer(["  ", ""])
    with pytest.raises(InputError, match="8 to 65536 entries, not 7"):
        train_tokenizer(TEXTS, vocabulary_size=7)
    with pytest.raises(InputError, match="at most 65536"):
        make_tokenizer([f"word{number}" for number in range(70_000)])


def plain(text: str) -> str:
    """What the tokenizer makes of letters: decomposed, without marks, small."""
    return "".join(each for each in unicodedata.normalize("NFD", text) if unicodedata.category(each) != "Mn").lower()


WORDS = st.sampled_from(
    ["Colchicine", "gout", "PAIN", "Ménière", "non-alcoholic", "(2.5 mg)", "α", "x" * 120, "[MASK]"]
)


@given(st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=12))
def test_a_token_is_what_stands_at_its_place(words: list[str]) -> None:
    text = " ".join(words)
    ((tokens, places),) = encode(TOKENIZER, [text])
    before = (0, 0)
    for token, (start, end) in zip(tokens, places, strict=True):
        assert before[0] <= start <= end <= len(text)
        assert before[1] <= end
        before = (start, end)
        if token != UNKNOWN and text[start:end].isascii():
            written = "".join(filter(str.isprintable, text[start:end]))  # control characters are skipped inside words
            assert TOKENIZER.id_to_token(token).removeprefix(CONTINUES) == written.lower()
        elif token != UNKNOWN and text[start:end].isalpha():
            assert TOKENIZER.id_to_token(token).removeprefix(CONTINUES) in plain(text[start:end])


@given(st.lists(WORDS, max_size=12))
def test_a_word_alone_has_the_tokens_it_has_in_its_text(words: list[str]) -> None:
    text = " ".join(words)
    ((tokens, places),) = encode(TOKENIZER, [text])
    names = [TOKENIZER.id_to_token(token) for token in tokens]
    at = 0
    while at < len(names):
        last = at + 1
        while last < len(names) and names[last].startswith(CONTINUES):
            last += 1
        ((alone, _),) = encode(TOKENIZER, [text[places[at][0] : places[last - 1][1]]])
        assert alone == tokens[at:last]
        at = last


def test_many_texts_keep_their_order() -> None:
    texts = [f"gout {number}" for number in range(2500)]
    many = [tokens for tokens, _ in encode(TOKENIZER, texts)]
    assert len(many) == 2500
    assert many[2400] == next(encode(TOKENIZER, [texts[2400]]))[0]
