"""Examples for candidate ranking: folds of whole documents, and rows that name every candidate pair."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.aggregation import read_candidates
from clew.evaluate.extraction.bc5cdr.examples import FOLDS, fold_of, make_examples
from clew.evaluate.extraction.bc5cdr.questions import ask_about
from clew.extract.chains.graphs import SLOTS

RELATIONS = ["is_a", "induces", "treats"]


@pytest.fixture(scope="module")
def made(train: list[Abstract], dev: list[Abstract], tokenizer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bc5cdr") / "arrays"
    make_examples(train, dev, out, tokenizer=tokenizer, relations=RELATIONS)
    return out


def test_every_candidate_pair_is_asked_about(made: Path, train: list[Abstract], dev: list[Abstract]) -> None:
    for part, abstracts in (("train", train), ("dev", dev)):
        asked = read_candidates(made / f"scoring-{part}")
        wanted = {(each.document, *pair) for each in abstracts for pair in each.pairs()}
        assert set(asked.pairs) <= wanted
        assert len(wanted - set(asked.pairs)) <= 2
        assert set(asked.member_pair.tolist()) == set(range(len(asked.pairs)))


def test_rows_say_what_the_gold_says(made: Path, train: list[Abstract]) -> None:
    asked = read_candidates(made / "scoring-train")
    gold = np.load(made / "scoring-train" / "row_gold.npy")
    induces = {each.document: each.induces for each in train}
    holds = np.array([pair[1:] in induces[pair[0]] for pair in asked.pairs])
    named = np.zeros(len(gold), bool)
    np.logical_or.at(named, asked.member_row, holds[asked.member_pair])
    tails = asked.row_tail > 0
    assert ((gold == 1) == (named & (asked.row_seen == 1)))[tails].all()
    nothing = np.ones(len(asked.query_document), bool)
    np.logical_and.at(nothing, asked.row_query[tails], gold[tails] == 0)
    assert (gold[~tails] == nothing).all()
    assert (np.load(made / "scoring-dev" / "row_gold.npy") == -1).all()


def test_folds_are_equal_parts_and_whole_documents(made: Path, train: list[Abstract]) -> None:
    folds = fold_of(len(train))
    assert np.bincount(folds).tolist() == [100] * FOLDS
    asked = read_candidates(made / "scoring-train")
    assert (asked.query_fold == folds[asked.query_document]).all()
    assert (read_candidates(made / "scoring-dev").query_fold == -1).all()


def test_what_is_gold_is_named_in_the_sequence(made: Path, tokenizer: Path) -> None:
    folder = made / "scoring-train"
    rows = {path.stem: np.load(path) for path in folder.glob("*.npy")}
    texts = [rows["roots"][start:end].tolist() for start, end in pairwise(rows["offsets"])]
    loaded = Tokenizer.from_file(str(tokenizer))
    gold = np.flatnonzero((rows["row_gold"] == 1) & (rows["row_tail"] > 0))
    assert 0.05 < len(gold) / len(rows["row_gold"]) < 0.5
    seen = 0
    for at in gold[::20].tolist():
        tail = rows["tail"][rows["row_tail"][at], : rows["tail_length"][rows["row_tail"][at]]]
        sequence = texts[rows["query_sequence"][rows["row_query"][at]]]
        seen += loaded.decode(tail.tolist()) in loaded.decode(sequence)
    assert seen > 0.95 * len(gold[::20])  # but for odd cuts into tokens


def test_only_names_that_the_sequence_holds_are_learnt(train: list[Abstract], tokenizer: Path) -> None:
    questions = ask_about(train[:40], Tokenizer.from_file(str(tokenizer)), length=64)
    hidden = 0
    for query in questions.queries:
        induces, tails = train[query.document].induces, questions.tails[query.document]
        gold = {
            at
            for at, tail in enumerate(tails)
            if {(chemical, disease) for chemical in query.chemicals for disease in tail.diseases} & induces
        }
        assert questions.named(query) == gold & query.seen
        hidden += bool(gold - query.seen)
    assert hidden > 10


def test_bare_mentions_stand_alone_and_come_last(made: Path) -> None:
    asked = read_candidates(made / "scoring-dev")
    folder = made / "scoring-dev"
    first, last, sequence = (np.load(folder / f"query_{name}.npy") for name in ("first", "last", "sequence"))
    lengths = np.diff(np.load(folder / "offsets.npy"))
    bare = asked.query_bare == 1
    assert bare.any()
    assert (np.diff(bare.astype(int)) >= 0).all()
    assert (first[bare] == 0).all()
    assert (last[bare] == lengths[sequence[bare]]).all()
    assert (np.diff(sequence) >= 0).all()
    assert np.load(folder / "tail.npy").shape[1] == SLOTS


def test_a_model_without_the_relation_is_refused(train: list[Abstract], tokenizer: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no relation 'induces'"):
        make_examples(train[:1], train[1:2], tmp_path / "out", tokenizer=tokenizer, relations=["treats"])
