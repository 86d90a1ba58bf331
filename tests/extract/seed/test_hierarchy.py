"""Kinds by a seed's own hierarchy: what it entails, and what it has no room for."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.extract.filter.masks import FilteredTable
from clew.extract.filter.tails import FilterSettings, filter_triples
from clew.extract.predict.decoder import MENTION
from clew.extract.seed.hierarchy import Closure, Hierarchy
from clew.extract.seed.signatures import Signatures
from clew.graph import read_entities
from extract.seeds import make_seed

PLACED = [f"D:{at}" for at in range(1, 6)]


def test_siblings_and_what_is_turned_round_find_no_room(tmp_path: Path) -> None:
    graph = make_seed(tmp_path, [("D:2", "is_a", "D:3"), ("D:4", "is_a", "D:3"), ("D:3", "is_a", "D:6")])
    stated = [("D:2", "D:3"), ("D:2", "D:6"), ("D:2", "D:4"), ("D:3", "D:2"), ("D:4", "D:6")]
    subjects, objects = (list(each) for each in zip(*stated, strict=True))
    room = Hierarchy(graph).has_room_for(subjects, ["is_a"] * len(stated), objects)
    assert room.tolist() == [True, True, False, False, True]


def test_nothing_is_said_of_other_relations_and_of_ends_without_a_place(tmp_path: Path) -> None:
    graph = make_seed(tmp_path, [("D:2", "is_a", "D:3"), ("C:1", "induces", "D:5")])
    subjects, objects = ["D:2", "D:5", "D:3", "CLEW:new"], ["D:3", "D:3", "C:1", "D:3"]
    room = Hierarchy(graph).has_room_for(subjects, ["induces", "is_a", "is_a", "is_a"], objects)
    assert room.tolist() == [True] * 4


def test_a_seed_without_a_hierarchy_has_room_for_all(tmp_path: Path) -> None:
    graph = make_seed(tmp_path, [("C:1", "induces", "D:5")])
    assert Hierarchy(graph).has_room_for(["D:1"], ["is_a"], ["D:2"]).tolist() == [True]
    assert Hierarchy(graph).has_room_for([], [], []).tolist() == []


def test_a_wrong_kind_is_left_out_before_it_silences_another_relation(tmp_path: Path) -> None:
    graph = make_seed(tmp_path, [("D:2", "is_a", "D:6"), ("D:5", "is_a", "D:6"), ("D:5", "presents", "D:4")])
    signatures = Signatures({"is_a": {("Disease", "Disease"): 2}, "presents": {("Disease", "Disease"): 1}})
    said = {
        "query": [0, 1], "document": ["d", "d"], "asked": ["is_a", "presents"], "relation": ["is_a", "presents"],
        "head_text": ["gastric ulcer"] * 2, "tail_text": ["fever"] * 2, "tail_linked": [True] * 2,
        "decoder": [MENTION] * 2, "subject": ["D:2"] * 2, "subject_type": ["Disease"] * 2, "object": ["D:5"] * 2,
        "object_type": ["Disease"] * 2, "confidence": pa.array([0.9, 0.7], pa.float32()),
    }  # fmt: skip
    kept = {}
    for hierarchy in (None, Hierarchy(graph)):
        sieve = FilteredTable(pa.table(said))
        filter_triples(sieve, signatures, FilterSettings(), hierarchy=hierarchy)
        kept[hierarchy is None] = sieve.table["relation"].to_pylist()
    assert kept == {True: ["is_a"], False: ["presents"]}
    assert sieve.left_out["absent from the seed hierarchy"] == 1


@settings(max_examples=20, deadline=None)
@given(steps=st.sets(st.tuples(st.sampled_from(PLACED), st.sampled_from(PLACED)), min_size=1, max_size=8))
def test_room_is_what_a_matrix_of_steps_reaches(steps: set[tuple[str, str]], tmp_path_factory) -> None:
    """Rings and self-loops among them."""
    graph = make_seed(tmp_path_factory.mktemp("seed"), [(start, "is_a", end) for start, end in sorted(steps)])
    reach = np.eye(len(PLACED), dtype=int)
    for start, end in steps:
        reach[PLACED.index(start), PLACED.index(end)] = 1
    reach = np.linalg.matrix_power(reach, len(PLACED)) > 0
    placed = {each for step in steps for each in step}
    pairs = [(start, end) for start in PLACED for end in PLACED]
    room = Hierarchy(graph).has_room_for([a for a, _ in pairs], ["is_a"] * len(pairs), [b for _, b in pairs])
    for (start, end), free in zip(pairs, room.tolist(), strict=True):
        both = start in placed and end in placed
        assert free == (not both or bool(reach[PLACED.index(start), PLACED.index(end)]))
    numbers = read_entities(graph, ("id",))["id"].to_pylist()
    below = Closure(graph, 0, up=False)
    for end in PLACED:
        found = {numbers[each] for each in below(numbers.index(end))}
        assert found == {start for start in PLACED if reach[PLACED.index(start), PLACED.index(end)]}
