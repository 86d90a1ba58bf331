"""The WordPiece tokenizer of a run: trained on its corpus, or made from the vocabulary of a tokenizer.json.

Small letters, accents stripped, words cut at spaces and punctuation. The first seven numbers are SPECIALS; they stand
in the vocabulary only, so that a text in which somebody wrote "[MASK]" is read as what it says.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.errors import InputError
from clew.files import write_text
from clew.json_files import read_json

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = [
    "CLS",
    "CONTINUES",
    "END",
    "MASK",
    "NONE",
    "PAD",
    "SEP",
    "SPECIALS",
    "TOKENIZER",
    "UNKNOWN",
    "VOCABULARY_SIZE",
    "encode",
    "load_tokenizer",
    "make_tokenizer",
    "save_tokenizer",
    "train_tokenizer",
]

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[END]", "[NONE]")
PAD, UNKNOWN, CLS, SEP, MASK, END, NONE = range(len(SPECIALS))
TOKENIZER = "tokenizer.json"
VOCABULARY_SIZE = 30_522
LARGEST_VOCABULARY = 1 << 16  # tokens are stored in 16 bits
CONTINUES = "##"
BRACKETED = re.compile(r"\[[^\[\]]+\]")  # special entries, ours or others'
ALPHABET = 1000  # characters at most; what is rarer becomes [UNK]
LONGEST_WORD = 100  # characters; a longer one becomes [UNK]
RARE = 2  # a piece must be met so often
BATCH = 1000  # texts encoded at once

Encoded = tuple[list[int], list[tuple[int, int]]]  # tokens, and where each stands in its text


def train_tokenizer(texts: Iterable[str], *, vocabulary_size: int = VOCABULARY_SIZE) -> "Tokenizer":
    """A tokenizer whose vocabulary is learnt from texts; smaller than asked for where they give no more pieces.

    The same texts give the same vocabulary in every process: the library numbers pieces of one letter in the order in
    which it happens to meet them and settles ties by number, so they are numbered beforehand.
    """
    from tokenizers.trainers import WordPieceTrainer

    if not len(SPECIALS) < vocabulary_size <= LARGEST_VOCABULARY:
        raise InputError(f"a vocabulary has {len(SPECIALS) + 1} to {LARGEST_VOCABULARY} entries, not {vocabulary_size}")
    texts = list(texts)
    tokenizer = make_tokenizer([])
    letters = _count_letters(texts, tokenizer)
    alphabet = sorted(letter for letter, _ in sorted(letters.items(), key=lambda each: (-each[1], each[0]))[:ALPHABET])
    if not alphabet:
        raise InputError("no tokenizer can be trained on texts without a single letter")
    trainer = WordPieceTrainer(
        vocab_size=max(vocabulary_size, len(SPECIALS) + 2 * len(alphabet)),
        min_frequency=RARE,
        show_progress=False,
        special_tokens=[*SPECIALS, *(CONTINUES + letter for letter in alphabet)],
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
    )
    tokenizer.train_from_iterator(texts, trainer)
    return make_tokenizer(_in_order(tokenizer.get_vocab(with_added_tokens=True)))


def load_tokenizer(path: Path) -> "Tokenizer":
    """The tokenizer with the WordPiece vocabulary of a tokenizer.json; its special entries give way to ours."""
    try:
        content: Any = read_json(Path(path))
        model = content["model"]
        kind, vocabulary = model.get("type", "WordPiece"), model["vocab"]
        entries = _in_order(vocabulary)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no tokenizer.json: {error or type(error).__name__}") from error
    if kind != "WordPiece" or model.get("continuing_subword_prefix", CONTINUES) != CONTINUES:
        raise InputError(f"{path} holds a {kind} model, expected WordPiece with pieces that go on with {CONTINUES}")
    return make_tokenizer(entries)


def make_tokenizer(entries: Sequence[str]) -> "Tokenizer":
    """The tokenizer with these entries after SPECIALS."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    ours = [*SPECIALS, *(entry for entry in entries if not BRACKETED.fullmatch(entry))]
    if len(ours) > LARGEST_VOCABULARY:
        raise InputError(f"a vocabulary of {len(ours)} entries, expected at most {LARGEST_VOCABULARY}")
    vocabulary = {entry: number for number, entry in enumerate(ours)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token=SPECIALS[UNKNOWN], max_input_chars_per_word=LONGEST_WORD))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


def save_tokenizer(tokenizer: "Tokenizer", path: Path) -> None:
    """Write a tokenizer.json."""
    write_text(path, tokenizer.to_str())


def encode(tokenizer: "Tokenizer", texts: Iterable[str]) -> Iterator[Encoded]:
    """Tokens of each text, with the characters each stands for."""
    texts = iter(texts)
    while batch := list(islice(texts, BATCH)):
        for found in tokenizer.encode_batch(batch, add_special_tokens=False):
            yield found.ids, found.offsets


def _count_letters(texts: Sequence[str], tokenizer: "Tokenizer") -> Counter[str]:
    letters: Counter[str] = Counter()
    for text in texts:
        letters.update(tokenizer.normalizer.normalize_str(text))
    for letter in [letter for letter in letters if letter.isspace()]:
        del letters[letter]
    return letters


def _in_order(vocabulary: dict[str, int]) -> list[str]:
    return sorted(vocabulary, key=lambda entry: (vocabulary[entry], entry))
