"""From log-probabilities to pairs: aggregations by hand, thresholds chosen without their fold, dev once."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.aggregation import (
    AGGREGATIONS,
    IN_DOCUMENT,
    Aggregation,
    Candidates,
    aggregate,
    read_candidates,
    uniform_scores,
)
from clew.evaluate.extraction.bc5cdr.examples import fold_of, write_scoring
from clew.evaluate.extraction.bc5cdr.questions import ask_about
from clew.evaluate.extraction.bc5cdr.scoring import log_dev, score_bc5cdr
from clew.evaluate.extraction.bc5cdr.selection import (
    Choice,
    aggregate_all,
    apply_choice,
    choose,
    cross_validate,
)

NEVER = -1e9


def asked() -> Candidates:
    """One document, chemical C in two sequences and alone; tails [NONE], x (disease X), long y (diseases Y and X)."""
    return Candidates(
        query_document=np.zeros(3, np.int32),
        query_bare=np.array([0, 0, 1], np.int8),
        query_fold=np.zeros(3, np.int8),
        row_query=np.repeat(np.arange(3, dtype=np.int32), 3),
        row_tail=np.tile(np.arange(3, dtype=np.int32), 3),
        row_seen=np.array([1, 1, 1, 1, 1, 0, 1, 0, 0], np.int8),
        tail_length=np.array([1, 1, 3], np.int8),
        member_row=np.array([1, 2, 2, 4, 5, 5, 7, 8, 8], np.int32),
        member_pair=np.array([0, 0, 1, 0, 0, 1, 0, 0, 1], np.int32),
        pairs=(("1", "C", "X"), ("1", "C", "Y")),
    )


def scores() -> np.ndarray:
    return np.log(np.array([0.5, 0.25, 0.125, 0.125, 0.5, 0.25, 0.25, 0.5, 0.25], np.float32))


HALF, QUARTER, EIGHTH = np.log(0.5), np.log(0.25), np.log(0.125)


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        (Aggregation("log p", "max", "all sequences"), (HALF, QUARTER)),
        (Aggregation("log p", "sum", "all sequences"), (np.log(0.25 + 0.125 + 0.5 + 0.25), np.log(0.125 + 0.25))),
        (Aggregation("log p", "max", "sequences with the disease"), (HALF, EIGHTH)),
        (Aggregation("log p", "mean", "sequences with the disease"), (np.mean([QUARTER, EIGHTH, HALF]), EIGHTH)),
        (Aggregation("log p per token", "max", "all sequences"), (HALF / 2, QUARTER / 4)),
        (Aggregation("log p / p(none)", "max", "all sequences"), (np.log(4.0), np.log(2.0))),
        (Aggregation("share", "max", "all sequences"), (np.log(0.5 / 0.875), np.log(0.25 / 0.875))),
        (Aggregation("log p / p without context", "max", "all sequences"), (0.0, 0.0)),
    ],
)
def test_each_aggregation_by_hand(aggregation: Aggregation, expected: tuple[float, float]) -> None:
    found = aggregate(asked(), scores(), aggregation)
    if aggregation.weight == "log p per token":
        assert found.tolist() == pytest.approx([max(HALF / 2, EIGHTH / 4, QUARTER / 4), QUARTER / 4])
    else:
        assert found.tolist() == pytest.approx(list(expected))


def test_pairs_can_be_compared_within_their_document() -> None:
    made = asked()
    aggregation = Aggregation("log p", "max", "all sequences", IN_DOCUMENT)
    assert aggregate(made, scores(), aggregation).tolist() == pytest.approx([np.log(2 / 3), np.log(1 / 3)])
    apart = replace(made, pairs=(("1", "C", "X"), ("2", "C", "Y")))
    assert aggregate(apart, scores(), aggregation).tolist() == pytest.approx([0.0, 0.0])


def test_a_model_that_knows_nothing_counts_mentions() -> None:
    aggregation = Aggregation("log p", "sum", "sequences with the disease")
    assert aggregate(asked(), uniform_scores(asked()), aggregation).tolist() == pytest.approx([np.log(3), 0.0])


def test_a_pair_that_no_row_weighs_is_never_predicted() -> None:
    made = asked()
    made.row_seen[:] = 0
    assert aggregate(made, scores(), Aggregation("log p", "sum", "sequences with the disease")).tolist() == [
        NEVER,
        NEVER,
    ]
    with pytest.raises(InputError, match="expected"):
        aggregate(made, scores()[:4], AGGREGATIONS[0])


@pytest.fixture(scope="module")
def small(train: list[Abstract], tokenizer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    questions = ask_about(train[:60], Tokenizer.from_file(str(tokenizer)))
    write_scoring(folder / "scoring-train", questions, 0, fold_of(60))
    write_scoring(folder / "scoring-dev", ask_about(train[60:120], Tokenizer.from_file(str(tokenizer))), 0, None)
    return folder


def informed(folder: Path, abstracts: list[Abstract], *, noise: float, seed: int = 0) -> np.ndarray:
    """Scores of a model that knows the gold as far as noise lets it."""
    made = read_candidates(folder)
    induces = {each.document: each.induces for each in abstracts}
    named = np.zeros(len(made.row_query), bool)
    holds = np.array([pair[1:] in induces[pair[0]] for pair in made.pairs])
    np.logical_or.at(named, made.member_row, holds[made.member_pair])
    found = np.where(named, -1.0, -5.0) + np.random.default_rng(seed).normal(0, noise, len(named))
    return found.astype(np.float32)


def test_a_model_that_knows_is_found_right_and_one_that_does_not_is_not(small: Path, train: list[Abstract]) -> None:
    rows = {}
    for name, noise in (("knows", 0.01), ("guesses", 1000.0)):
        given = [informed(small / f"scoring-{part}", train, noise=noise) for part in ("train", "dev")]
        scored = score_bc5cdr(small, train[:60], train[60:120], *given)
        rows[name] = {(row.name, row.part): row.figures.f1.mean for row in scored}
    assert rows["knows"]["model", "dev"] > 0.95
    assert rows["knows"]["model", "train, cross-validated"] > 0.95
    assert rows["knows"]["model, pairs of one sentence", "dev"] < rows["knows"]["model", "dev"]
    assert rows["guesses"]["model", "dev"] < 0.45
    control = "control: uniform scores", "dev"
    assert rows["knows"][control] == rows["guesses"][control] < 0.6


def test_the_threshold_is_the_best_there_is(small: Path, train: list[Abstract]) -> None:
    made = read_candidates(small / "scoring-train")
    given = informed(small / "scoring-train", train, noise=3.0)
    induces = {each.document: each.induces for each in train[:60]}
    gold = np.array([pair[1:] in induces[pair[0]] for pair in made.pairs])
    total = sum(map(len, induces.values()))
    weighed = aggregate_all(made, given)
    assert tuple(weighed) == AGGREGATIONS
    choice = choose(weighed, gold, total=total)
    for score in weighed.values():
        for threshold in np.unique(score):
            chosen = score >= threshold
            assert 2 * (chosen & gold).sum() / (chosen.sum() + total) <= choice.f1 + 1e-12
    predicted = apply_choice(made, weighed, choice)
    hits = sum(len(pairs & induces[document]) for document, pairs in predicted.items())
    assert 2 * hits / (sum(map(len, predicted.values())) + total) == pytest.approx(choice.f1)


def test_folds_are_scored_with_what_others_chose(small: Path, train: list[Abstract]) -> None:
    """The gold of a fold must not move what is predicted for it."""
    made = read_candidates(small / "scoring-train")
    given = informed(small / "scoring-train", train, noise=3.0)
    induces = {each.document: each.induces for each in train[:60]}
    folds = {pair[0]: int(fold) for pair, fold in zip(made.pairs, made.pair_fold, strict=True)}
    weighed = aggregate_all(made, given)
    before = cross_validate(made, weighed, induces)
    emptied = {document: frozenset() if folds.get(document) == 0 else pairs for document, pairs in induces.items()}
    after = cross_validate(made, weighed, emptied)
    first = [document for document, fold in folds.items() if fold == 0]
    assert [before.get(each) for each in first] == [after.get(each) for each in first]
    assert before != after


def test_equal_scores_are_predicted_together() -> None:
    made, given = asked(), np.zeros(9, np.float32)
    weighed = aggregate_all(made, given, [Aggregation("log p", "max", "all sequences")])
    choice = choose(weighed, np.array([True, False]), total=1)
    assert choice.f1 == pytest.approx(2 / 3)
    assert apply_choice(made, weighed, choice) == {"1": {("C", "X"), ("C", "Y")}}
    assert apply_choice(made, weighed, Choice(choice.aggregation, 1.0, 0.0)) == {}


def test_dev_is_logged_once_a_configuration(small: Path, train: list[Abstract], tmp_path: Path) -> None:
    given = [informed(small / f"scoring-{part}", train, noise=1.0) for part in ("train", "dev")]
    rows = score_bc5cdr(small, train[:60], train[60:120], *given)
    log = tmp_path / "log.jsonl"
    log_dev(log, "paper, +train", given[1:], rows)
    log_dev(log, "paper, +train", given[1:], rows)  # the same again adds nothing
    log_dev(log, "paper, no H-GAT", [given[1] * 2], rows)
    entries = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [each["configuration"] for each in entries] == ["paper, +train", "paper, no H-GAT"]
    assert {row["part"] for each in entries for row in each["rows"]} == {"dev"}
    with pytest.raises(InputError, match="scored once"):
        log_dev(log, "paper, +train", [given[1] * 2], rows)
    assert all(one["when"] <= other["when"] for one, other in pairwise(entries))
