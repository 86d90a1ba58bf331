"""Planted facts: nothing between a held-out pair stays, nor what entails it, and unseen heads are unseen."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.held_out import HoldOutSettings, entailing_triples, hold_out_facts
from clew.graph import read_entities
from clew.traverse import GraphEngine
from extract.seeds import ENTITIES, make_seed

CHEMICALS, DISEASES = [f"C:{at}" for at in (1, 2, 3)], [f"D:{at}" for at in range(1, 7)]


def number(graph: GraphEngine, subject: str, relation: str, object_: str) -> int:
    ids, names = read_entities(graph, ("id",))["id"].to_pylist(), [each.name for each in graph.schema.relations]
    stated = graph.triple_columns()
    rows = zip(stated.subject.tolist(), stated.relation.tolist(), stated.object.tolist(), strict=True)
    return list(rows).index((ids.index(subject), names.index(relation), ids.index(object_)))


def test_what_is_said_of_a_kind_entails_what_is_removed(tmp_path: Path) -> None:
    graph = make_seed(
        tmp_path,
        [
            ("C:1", "is_a", "C:3"),
            ("C:3", "induces", "D:2"),  # aspirin is a salicylate, gastric ulcer is an ulcer: entails C:1 induces D:3
            ("C:1", "induces", "D:3"),
            ("C:1", "treats", "D:2"),
            ("D:2", "is_a", "D:3"),
            ("D:3", "is_a", "D:6"),
            ("D:2", "is_a", "D:6"),
        ],
    )
    removed = np.array([number(graph, "C:1", "induces", "D:3"), number(graph, "D:2", "is_a", "D:6")])
    expected = {
        number(graph, "C:3", "induces", "D:2"),
        number(graph, "D:2", "is_a", "D:3"),
        *removed.tolist(),
    }
    assert set(entailing_triples(graph, removed).tolist()) == expected


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(CHEMICALS), st.sampled_from(("induces", "treats")), st.sampled_from(DISEASES)),
        min_size=6,
        max_size=18,
        unique=True,
    ),
    st.integers(0, 5),
)
def test_no_trace_of_a_planted_pair_is_offered(
    tmp_path_factory: pytest.TempPathFactory, triples: list[tuple[str, str, str]], chance: int
) -> None:
    graph = make_seed(tmp_path_factory.mktemp("planted"), triples)
    ids = read_entities(graph, ("id",))["id"].to_pylist()
    sequence, entity = [], []
    for at, (subject, _, object_) in enumerate(triples):
        sequence += [at, at]
        entity += [ids.index(subject), ids.index(object_)]
    planting = HoldOutSettings(share=0.5, seed=chance, fewest=1)
    removed, facts, counts = hold_out_facts(graph, np.array(sequence), np.array(entity), settings=planting)
    offered = collect_candidate_triples(graph, without=removed, fewest=1)
    left = set(zip(offered.subject.tolist(), offered.object.tolist(), strict=True))
    touched = {each for pair in left for each in pair}
    for fact in facts.to_pylist():
        ends = ids.index(fact["subject"]), ids.index(fact["object"])
        assert ends not in left
        assert ends[::-1] not in left
        at = [row for row, each in enumerate(sequence) if each == fact["sequence"]]
        assert {entity[row] for row in at} == set(ends)
        assert entity[fact["head"]] == ends[0]
        if fact["unseen"]:
            assert ends[0] not in touched
        stated = {(s, r, o) for s, r, o in triples} | {
            (o, {"induces": "induced_by", "treats": "treated_by"}[r], s) for s, r, o in triples
        }
        assert (fact["subject"], fact["relation"], fact["object"]) in stated
    assert counts["facts to be found"] == facts.num_rows
    assert counts["pairs held out"] >= counts["pairs to be found, head seen"]


def test_the_same_seed_plants_the_same(tmp_path: Path) -> None:
    graph = make_seed(tmp_path)
    sequence, entity = np.zeros(len(ENTITIES), np.int64), np.arange(len(ENTITIES))
    first, second = (
        hold_out_facts(graph, sequence, entity, settings=HoldOutSettings(share=0.6, fewest=1)) for _ in range(2)
    )
    assert np.array_equal(first[0], second[0])
    assert first[1].equals(second[1])


def test_an_odd_share_is_refused() -> None:
    with pytest.raises(InputError):
        HoldOutSettings(share=1.0)
