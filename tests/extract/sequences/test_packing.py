"""The sequences stage: packing, places in the text, whole documents of gold corpora, and going on after a kill."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import DerivedError, InputError
from clew.extract.corpus import CorpusSettings, prepare_corpus, read_documents, read_sentences
from clew.extract.sequences import packing
from clew.extract.sequences.packing import SequenceSettings, Tokens, pack, prepare_sequences, read_sequences
from clew.extract.sequences.tokenizer import CONTINUES, encode, load_tokenizer, train_tokenizer
from clew.extract.toy import toy_corpus

CONTINUING = frozenset({1})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("toy") / "run"
    prepare_corpus([toy_corpus()], run)
    prepare_sequences(run)
    return run


def tokens_of(ids: list[int], first: int) -> Tokens:
    return Tokens(ids, list(range(first, first + len(ids))), list(range(first + 1, first + len(ids) + 1)))


@given(st.lists(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=1, max_size=30), max_size=8), st.integers(1, 12))
def test_packing_loses_nothing_and_fills_no_more_than_fits(ids: list[list[int]], length: int) -> None:
    sentences, at = [], 0
    for each in ids:
        sentences.append(tokens_of(each, at))
        at += len(each)
    packed = list(pack(sentences, length, CONTINUING))
    assert [token for each in packed for token in each.ids] == [token for each in ids for token in each]
    assert [start for each in packed for start in each.starts] == list(range(at))
    assert all(1 <= len(each) <= length and len(each.ids) == len(each.ends) for each in packed)


@given(st.lists(st.integers(1, 12), max_size=10), st.integers(12, 20))
def test_sentences_that_fit_stay_whole_and_sequences_are_full(sizes: list[int], length: int) -> None:
    sentences, at = [], 0
    for size in sizes:
        sentences.append(tokens_of([0] * size, at))
        at += size
    packed = list(pack(sentences, length, CONTINUING))
    bounds = {each.starts[0] for each in packed}
    assert bounds <= {sentence.starts[0] for sentence in sentences}
    for one, following in pairwise(packed):
        next_sentence = next(each for each in sentences if each.starts[0] == following.starts[0])
        assert len(one) + len(next_sentence) > length


def test_a_long_sentence_is_cut_between_words() -> None:
    packed = list(pack([tokens_of([0, 0, 1, 1, 0, 1], 0)], 3, CONTINUING))
    assert [each.ids for each in packed] == [[0], [0, 1, 1], [0, 1]]
    assert [len(each) for each in pack([tokens_of([0] + [1] * 9, 0)], 4, CONTINUING)] == [4, 4, 2]  # one endless word


def test_every_token_is_at_its_place_in_a_kept_sentence(run: Path) -> None:
    tokenizer = load_tokenizer(run / "sequences" / "tokenizer.json")
    texts = dict(zip(*(read_documents(run)[name].to_pylist() for name in ("document", "text")), strict=True))
    spans: dict[str, list[tuple[int, int]]] = {}
    expected: dict[str, list[int]] = {}
    for row in read_sentences(run).to_pylist():
        if row["kept"]:
            spans.setdefault(row["document"], []).append((row["start"], row["end"]))
            ((tokens, _),) = encode(tokenizer, [texts[row["document"]][row["start"] : row["end"]]])
            expected.setdefault(row["document"], []).extend(tokens)
    found: dict[str, list[int]] = {}
    for number, row in enumerate(read_sequences(run).to_pylist()):
        assert row["sequence"] == number
        assert 1 <= len(row["tokens"]) == len(row["starts"]) == len(row["ends"]) <= 128
        text = texts[row["document"]]
        for token, start, end in zip(row["tokens"], row["starts"], row["ends"], strict=True):
            assert tokenizer.id_to_token(token).removeprefix(CONTINUES) == text[start:end].lower()
            assert any(first <= start < end <= last for first, last in spans[row["document"]])
        assert row["starts"] == sorted(row["starts"])
        found.setdefault(row["document"], []).extend(row["tokens"])
    assert found == expected


def test_counts_and_types(run: Path) -> None:
    counts = prepare_sequences(run)
    table = read_sequences(run)
    assert counts["sequences"] == table.num_rows
    assert counts["tokens"] == sum(map(len, table["tokens"].to_pylist()))
    assert counts["documents"] == 118
    assert counts["unknown"] == 0
    assert [str(each.type) for each in table.schema][:3] == ["int32", "string", "list<element: uint16>"]


def test_excluded_sentences_come_only_when_kept(tmp_path: Path, run: Path) -> None:
    whole = tmp_path / "whole"
    prepare_corpus([toy_corpus()], whole, settings=CorpusSettings(keep=("negated", "speculative", "animal")))
    assert prepare_sequences(whole)["tokens"] > prepare_sequences(run)["tokens"] + 100


def test_a_given_tokenizer_is_used(tmp_path: Path, run: Path) -> None:
    given_one = tmp_path / "given.json"
    given_one.write_text(train_tokenizer(["gout pain gout pain"]).to_str())
    copy = tmp_path / "run"
    prepare_corpus([toy_corpus()], copy)
    counts = prepare_sequences(copy, settings=SequenceSettings(tokenizer=given_one))
    assert counts["unknown"] > 1000
    assert counts["vocabulary"] < 40
    given_one.write_text(train_tokenizer(["other words other words"]).to_str())
    assert prepare_sequences(copy, settings=SequenceSettings(tokenizer=given_one)) != counts  # it has changed


def test_finished_parts_are_not_made_again(tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "run"
    prepare_corpus([toy_corpus()], copy)
    monkeypatch.setattr(packing, "PART_DOCUMENTS", 40)

    def die(task: str, done: int, total: int | None) -> None:
        if done == 80:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare_sequences(copy, progress=die)
    told: list[tuple[str, int]] = []
    prepare_sequences(copy, progress=lambda task, done, total: told.append((task, done)))
    assert told == [("making sequences", 118)]  # neither the tokenizer nor the first eighty documents
    assert read_sequences(copy).equals(read_sequences(run))
    assert not (copy / ".sequences.parts").exists()


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(DerivedError, match="not finished: run `clew extract run`"):
        prepare_sequences(tmp_path)
    with pytest.raises(InputError, match="8 to 1024 tokens"):
        SequenceSettings(length=4)
    (tmp_path / "a.txt").write_text("Aspirin might help.")
    prepare_corpus([tmp_path / "a.txt"], tmp_path / "run")
    with pytest.raises(InputError, match=r"none of the 1 sentences .* was kept \(speculative: 1\)"):
        prepare_sequences(tmp_path / "run")
    with pytest.raises(InputError, match="there is no file"):
        prepare_sequences(tmp_path / "run", settings=SequenceSettings(tokenizer=tmp_path / "absent"))
