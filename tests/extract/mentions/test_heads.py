"""Heads: which names count, where they stand among the tokens, and what marked mentions change."""

from pathlib import Path

import pyarrow as pa
import pytest

from clew.errors import InputError
from clew.extract.mentions.heads import HeadSettings, _is_variant, find_heads
from clew.extract.sequences.spans import SequenceTokens
from clew.link import Linker
from clew.traverse import GraphEngine
from extract.seeds import make_seed, make_sequences

TEXTS = (
    "Aspirin gave bleeding in patients at rest. REST and TNF rose; GAVE was seen.",
    "Gastric antral vascular ectasia (GAVE) is a disease. Acetylsalicylic acid worsened the GAVE of all.",
    "",
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> GraphEngine:
    return make_seed(tmp_path_factory.mktemp("heads"))


@pytest.fixture(scope="module")
def linker(graph: GraphEngine) -> Linker:
    return Linker(graph)


def test_heads_stand_where_the_text_says_and_on_its_tokens(linker: Linker) -> None:
    documents, sequences = make_sequences(TEXTS)
    heads, counts = find_heads(documents, SequenceTokens(sequences), linker)
    texts = dict(zip(documents["document"].to_pylist(), documents["text"].to_pylist(), strict=True))
    rows = sequences.to_pylist()
    for head in heads.to_pylist():
        sequence = rows[head["sequence"]]
        assert texts[sequence["document"]][head["start"] : head["end"]] == head["text"]
        assert sequence["starts"][head["first"]] == head["start"]
        assert sequence["ends"][head["last"] - 1] == head["end"]
    assert heads["head"].to_pylist() == list(range(heads.num_rows))
    assert counts["heads"] == heads.num_rows
    assert counts["documents without a sequence"] == 1


def test_common_words_and_symbols_in_other_letters_are_no_heads(linker: Linker) -> None:
    documents, sequences = make_sequences(TEXTS[:1])
    strict, lax = (
        find_heads(documents, SequenceTokens(sequences), linker, settings=HeadSettings(stop_names=stop))[0]
        for stop in (True, False)
    )
    found = {"Aspirin": "C:1", "bleeding": "D:1", "TNF": "G:2"}
    assert dict(zip(strict["text"].to_pylist(), strict["entity"].to_pylist(), strict=True)) == found
    found |= {"REST": "G:1", "GAVE": "D:4"}
    assert dict(zip(lax["text"].to_pylist(), lax["entity"].to_pylist(), strict=True)) == found


def test_an_abbreviation_counts_where_the_text_defines_it(linker: Linker) -> None:
    documents, sequences = make_sequences(TEXTS[1:2])
    heads, counts = find_heads(documents, SequenceTokens(sequences), linker)
    short = [head for head in heads.to_pylist() if head["text"] == "GAVE"]
    assert [(head["entity"], head["method"]) for head in short] == [("D:4", "abbreviation")] * 2
    assert counts["too common a word"] == 1  # disease
    kept, _ = find_heads(documents, SequenceTokens(sequences), linker, settings=HeadSettings(stop_names=False))
    assert "disease" in kept["text"].to_pylist()


def test_a_name_that_lies_across_two_sequences_is_counted_and_left_out(linker: Linker) -> None:
    documents, sequences = make_sequences(["one two three gastric ulcer"], length=4)
    heads, counts = find_heads(documents, SequenceTokens(sequences), linker)
    assert heads.num_rows == 0
    assert counts["outside the sequences, or not on the borders of tokens"] == 1


def test_marked_mentions_go_first_and_unlinked_ones_only_fill_gaps(linker: Linker) -> None:
    documents, sequences = make_sequences(["Aspirin tablets gave bleeding."])
    mentions = pa.table(
        {
            "document": ["T0", "T0", "T0"],
            "start": [0, 8, 21],
            "end": [15, 15, 29],
            "entity": ["MESH:D001241", None, None],
            "type": ["Chemical", None, None],
        }
    )
    heads, _ = find_heads(documents, SequenceTokens(sequences), linker, mentions=mentions)
    rows = [(head["text"], head["entity"], head["method"]) for head in heads.to_pylist()]
    assert rows == [("Aspirin tablets", "C:1", "given"), ("bleeding", "D:1", "exact name")]


def test_the_text_of_a_sequence_skips_what_was_left_out(tmp_path: Path) -> None:
    text = "Gout hurts. This was left out. Fever too."
    sequences = pa.table(
        {"document": ["T0"], "starts": [[0, 5, 10, 31, 37, 40]], "ends": [[4, 10, 11, 36, 40, 41]]},
        schema=pa.schema([("document", pa.string()), ("starts", pa.list_(pa.int32())), ("ends", pa.list_(pa.int32()))]),
    )
    assert SequenceTokens(sequences).text(0, text) == "Gout hurts. Fever too."


def test_a_table_of_mentions_must_have_its_columns(linker: Linker) -> None:
    documents, sequences = make_sequences(["Aspirin."])
    with pytest.raises(InputError, match="entity, type"):
        find_heads(
            documents,
            SequenceTokens(sequences),
            linker,
            mentions=pa.table({"document": ["T0"], "start": [0], "end": [7]}),
        )


@pytest.mark.parametrize(
    ("text", "symbol", "same"),
    [
        ("Nrf2", "NRF2", True),
        ("mTOR", "MTOR", True),
        ("PlGF", "PLGF", True),
        ("Rest", "REST", False),
        ("p65", "P65", False),
    ],
)
def test_a_gene_may_be_written_as_that_of_a_mouse(text: str, symbol: str, same: bool) -> None:
    assert _is_variant(text, symbol) is same
