"""The compiled look-up of ids against NumPy's bisection and the plain one."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.errors import AmbiguousName, UnknownName
from clew.traverse.backends.numba_ids import lower_bound

ODD = ["x:é", "𝔊", "a b", "zero\0byte", ""]


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9) | st.integers(2**64 - 9, 2**64 - 1), max_size=200))
def test_the_place_of_a_hash(values: list[int]) -> None:
    hashes = np.sort(np.array(values, np.uint64))
    for value in [0, 2**64 - 1, *values, *(each - 1 for each in values if each)]:
        assert lower_bound(hashes, np.uint64(value)) == np.searchsorted(hashes, np.uint64(value))


@pytest.mark.parametrize("wide", [False, True])
def test_seeds_by_id_in_every_form(tmp_path: Path, wide: bool) -> None:
    ids = [*(f"E:{number:05d}" for number in range(3000)), *ODD[:-1]]
    table = pa.table({"subject": ids, "relation": ["r"] * len(ids), "object": ids[1:] + ids[:1]})
    clew.build(table, out=tmp_path / "g.clew", wide=wide)
    plain, graph = clew.open(tmp_path / "g.clew", backend="numpy"), clew.open(tmp_path / "g.clew", backend="numba")
    rng = np.random.default_rng(1)
    for _ in range(20):
        wanted = [ids[at] for at in rng.choice(len(ids), 30)]
        expected = plain.resolve(wanted)
        assert np.array_equal(graph.resolve(wanted), expected)
        ends = plain.hop(wanted, 2).ids
        for form in (wanted, tuple(wanted), expected, expected.tolist(), [wanted[0], *expected.tolist()[1:]]):
            found = graph.hop(form, 2)
            assert np.array_equal(found.ids, ends)
            assert np.array_equal(found.seeds, np.unique(expected))
    for unknown in (["E:00001", "nothing"], ["E:00001\0E:00002"], ["\ud800"], [""]):
        with pytest.raises(UnknownName):
            graph.hop(unknown, 2)


def test_names_are_looked_up_where_no_id_fits(tmp_path: Path) -> None:
    entities = pa.table({"id": ["a", "b", "c"], "name": ["one", "two", "two"], "type": ["T"] * 3})
    triples = pa.table({"subject": ["a", "b"], "relation": ["r", "r"], "object": ["b", "c"]})
    clew.build(triples, entities=entities, out=tmp_path / "g.clew")
    graph = clew.open(tmp_path / "g.clew", backend="numba")
    for _ in range(3):
        assert list(graph.hop(["one", "b"])) == ["b", "c"]
        assert list(graph.hop("one")) == ["b"]
        with pytest.raises(AmbiguousName):
            graph.hop(["a", "two"])
