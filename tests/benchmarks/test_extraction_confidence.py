"""The choice of confidence: statements as the product makes them, counted for what they stand for; places of tails."""

import argparse
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.extraction_confidence import ABOUT, STATEMENTS, TAILS, ask, choose
from benchmarks.extraction_confidence_places import WEIGHTS, try_places
from benchmarks.extraction_confidence_statements import (
    GRID,
    WAYS,
    Tally,
    Weights,
    measure,
    tally_relations,
    weigh_statements,
)
from benchmarks.extraction_pairs import Pairs, are_entailed
from benchmarks.extraction_sample import MENTIONS_ONLY

from clew.extract.filter.tails import FilterSettings
from clew.extract.filter.triples import prepare_triples, read_triples
from clew.extract.predict.decoder import BEAM, MENTION
from clew.extract.predict.predictions import prepare_predictions, read_predictions
from clew.extract.predict.queries import read_queries
from clew.extract.predict.query_arrays import read_query_arrays
from clew.extract.predict.tails import prepare_tails, read_tails
from clew.extract.ranking.examples import FOLDS
from clew.extract.seed.hierarchy import TAXONOMIC
from clew.graph import Graph, Staged
from clew.graph.build import build_graph
from clew.graph.staging import Problems

NAN = float("nan")
FOLD = 1


@pytest.fixture(scope="module")
def seed(short_run: Path) -> Graph:
    return Graph(short_run / "seed.clew")


@pytest.fixture(scope="module")
def asked(short_run: Path, seed: Graph, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both runs of questions about one fold, weighed by the model itself."""
    out = tmp_path_factory.mktemp("asked")
    ask(
        argparse.Namespace(
            run=short_run, seed_graph=seed.path, model=short_run / "model", out=out, fold=FOLD, documents=60
        )
    )
    for name in (STATEMENTS, TAILS):
        prepare_predictions(out / name, model=short_run / "model", device="cpu", k=8)
    return out


def test_ways_join_what_both_ends_say_and_leave_one_end_as_it_is() -> None:
    joined = {name: way(np.array([0.4, 0.3]), np.array([0.9, NAN])).tolist() for name, way in WAYS.items()}
    assert all(each[1] == 0.3 for each in joined.values())
    firsts = {name: round(each[0], 3) for name, each in joined.items()}
    assert firsts == {"from one end": 0.4, "greater": 0.9, "mean": 0.65, "geometric mean": 0.6, "lesser": 0.4}


def test_a_statement_counts_for_what_it_stands_for() -> None:
    rows = pa.table(
        {
            "document": ["a", "a", "b", "b", "c", "d"],
            "subject": ["zinc", "zinc", "iron", "gold", "iron", "lead"],
            "relation": ["treats", "induces", "treats", "treats", "treats", "treats"],
            "object": ["rash", "rash", "rash", "pain", "rash", "pain"],
            "answered": [True, True, True, True, True, False],
            "worded so": [True] * 6,
            "true": [True, False, False, True, False, True],
            "counts": [True] * 6,
        }
    )
    confidence = np.array([0.9, 0.5, 0.6, 0.3, 0.8, 0.7])
    # c was not drawn, so what it says wrongly counts nothing; zinc induces rash is opposed by what is surer.
    curve = measure(rows, confidence, Weights(true=3.0), ["a", "b"], symmetric=frozenset())
    at = {each: int(np.flatnonzero(each == GRID)[0]) for each in (0.3, 0.5, 0.7)}
    assert curve.precision[at[0.7]] == 1.0
    assert curve.precision[at[0.5]] == pytest.approx(3 / 4)
    assert curve.precision[at[0.3]] == pytest.approx(6 / 7)
    assert curve.f1[at[0.3]] == pytest.approx(2 * (6 / 7) * (2 / 3) / (6 / 7 + 2 / 3))
    assert curve.recall[at[0.3]] == pytest.approx(2 / 3)  # a query that [NONE] wins says nothing
    assert curve.average_precision == pytest.approx((1 + 6 / 7) / 3)
    assert (curve.low <= curve.precision)[: at[0.7]].all()
    said = measure(rows, confidence, Weights(true=3.0), ["a", "b"], symmetric=frozenset(), none=False)
    assert said.recall[at[0.3]] == 1.0


def test_kinds_silence_other_statements_but_are_not_counted() -> None:
    rows = pa.table(
        {
            "document": ["a", "a", "a", "b"],
            "subject": ["flu", "flu", "zinc", "zinc"],
            "relation": ["is_a", "presents", "treats", "treats"],
            "object": ["cold", "cold", "flu", "cold"],
            "answered": [True, True, True, True],
            "worded so": [True] * 4,
            "true": [True, False, True, False],
            "counts": [False, True, True, True],
        }
    )
    confidence = np.array([0.9, 0.7, 0.6, 0.6])
    given = rows, confidence, Weights(true=2.0), ["a", "b"]
    curve = measure(*given, symmetric=frozenset())
    assert (curve.true[0], curve.wrong[0], curve.recall[0]) == (1, 1, 1.0)
    assert tally_relations(*given, symmetric=frozenset(), at=[0.5, 0.8]) == [
        Tally("treats", 0.5, there=1, true=1, wrong=1, precision=2 / 3),
        Tally("treats", 0.8, there=1, true=0, wrong=0, precision=1.0),
    ]


def test_what_its_sentence_words_otherwise_is_missed_and_silences_nothing() -> None:
    rows = pa.table(
        {
            "document": ["a", "a", "b"],
            "subject": ["zinc", "zinc", "iron"],
            "relation": ["induces", "treats", "treats"],
            "object": ["rash", "rash", "pain"],
            "answered": [True] * 3,
            "worded so": [False, True, False],
            "true": [False, True, True],
            "counts": [True] * 3,
        }
    )
    confidence = np.array([0.9, 0.6, 0.8])
    for none in (True, False):
        curve = measure(rows, confidence, Weights(1.0), ["a", "b"], symmetric=frozenset(), none=none)
        assert (curve.true[0], curve.wrong[0], curve.recall[0]) == (1, 0, 0.5)


def test_statements_are_those_of_the_product(short_run: Path, seed: Graph, asked: Path) -> None:
    host = asked / STATEMENTS
    prepare_tails(host, seed, settings=MENTIONS_ONLY)
    prepare_triples(host, seed, model="it", settings=FilterSettings(beta=0.0, least=0.3, most=100))
    made = read_triples(host)
    pairs = Pairs(short_run, seed)
    ends = made["subject"].to_pylist(), made["object"].to_pylist()
    mask = pairs.held_out(*ends, FOLD) & ~pairs.shown(*ends) & ~pairs.planted(*ends)
    of_kinds = np.isin(made["relation"].to_pylist(), list(TAXONOMIC))
    assert (mask & of_kinds).any()
    mask &= ~of_kinds  # made, but not measured
    assert 0 < mask.sum() < len(mask)
    weights = read_predictions(host)["weights"].combine_chunks().flatten().to_numpy()
    rows = weigh_statements(host, weights, seed, pairs, fold=FOLD)
    confidence = WAYS["mean"](rows["own"].to_numpy(), rows["back"].to_numpy())
    everywhere = set(rows["document"].to_pylist())
    curve = measure(rows, confidence, Weights(1.0), everywhere, symmetric=read_queries(host)[1].symmetric)
    at = int(np.flatnonzero(GRID == 0.3)[0])
    assert curve.true[at] + curve.wrong[at] == mask.sum()
    assert curve.true[at] == (mask & np.asarray(made["known"])).sum()


def test_true_tails_are_asked_for_and_places_tried(seed: Graph, asked: Path) -> None:
    about = json.loads((asked / ABOUT).read_text("utf-8"))
    assert about["of them in no leaf"] < about["known statements"]
    assert about["queries with a true tail"] == len(read_query_arrays(asked / TAILS / "queries"))
    trials = try_places(asked / TAILS, seed)
    assert [each.queries for each in trials] == [about["queries with a true tail"]] * len(trials)
    assert trials[0].place == "mentions alone"
    assert all(0 < each.reciprocal <= 1 and each.first <= each.reciprocal for each in trials)
    assert (trials[-1].place, trials[-1].weight) == (BEAM, max(WEIGHTS))
    assert set(read_tails(asked / TAILS)["decoder"].to_pylist()) == {MENTION, BEAM}  # as the last trial left it


def test_the_choice_is_printed_and_kept(
    short_run: Path, seed: Graph, asked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / STATEMENTS).mkdir()
    weights = read_predictions(asked / STATEMENTS)["weights"].combine_chunks().flatten().to_numpy()
    np.save(tmp_path / STATEMENTS / "weights.npy", weights)
    given = {"run": short_run, "seed_graph": seed.path, "model": short_run / "model", "asked": asked, "said": tmp_path}
    choose(argparse.Namespace(**given, json=tmp_path / "found.json"))
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    best = max(found["ways"], key=lambda name: found["ways"][name]["average precision"])
    assert found["best"]["way"] == best
    assert f"| {best} |" in capsys.readouterr().out


def test_every_pair_is_held_out_by_the_folds_of_its_ends(short_run: Path, seed: Graph) -> None:
    pairs, ids = Pairs(short_run, seed), seed.entities["id"].to_pylist()
    held = [fold for fold in range(FOLDS) if pairs.held_out([ids[7]], [ids[11]], fold)[0]]
    assert held == [1, 2]


def test_what_follows_by_is_a_is_entailed(tmp_path: Path) -> None:
    said = [("flu", "is_a", "infection"), ("infection", "is_a", "disease"), ("infection", "presents", "high fever"),
            ("high fever", "is_a", "fever")]  # fmt: skip
    subjects, relations, objects = zip(*said, strict=True)
    triples = pa.table({"subject": subjects, "relation": relations, "object": objects})
    build_graph(Staged(triples), tmp_path / "graph", problems=Problems("refuse"))
    asked = [("flu", "is_a", "disease"), ("flu", "presents", "fever"), ("disease", "is_a", "flu"),
             ("disease", "presents", "fever"), ("flu", "presents", "flu")]  # fmt: skip
    assert are_entailed(Graph(tmp_path / "graph"), *zip(*asked, strict=True)).tolist() == [
        True,
        True,
        False,
        False,
        False,
    ]
