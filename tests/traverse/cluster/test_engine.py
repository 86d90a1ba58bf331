"""Parts that are lost in the middle of a walk are made again, and the result is the same; bad input is one sentence."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import ClewError, InputError, MissingDependency, UnknownName
from clew.traverse.cluster.engine import ClusterEngine
from clew.traverse.cluster.graph import ClusterGraph
from clew.traverse.cluster.placement import Placement
from engines import PartsHere, parts_here


class Dying(PartsHere):
    """Loses a part before some of the calls: of those it is given, or before every third."""

    def __init__(self, placement: Placement, at: frozenset[int] | None) -> None:
        super().__init__(placement)
        self.at, self.calls, self.lost, self.revived = at, 0, 0, 0

    def call(self, part: int, method: str, *arguments: Any, returns: int = 1) -> Any:
        self.calls += 1
        if self.calls % 3 == 0 if self.at is None else self.calls in self.at:
            self.parts[self.calls % len(self.parts)] = self.make(self.calls % len(self.parts))
            self.lost += 1
        return super().call(part, method, *arguments, returns=returns)

    def revive(self) -> None:
        self.revived += 1


def test_a_lost_part_changes_no_result(sixteen: Path) -> None:
    made: list[Dying] = []

    def start(placement: Placement) -> Dying:
        made.append(Dying(placement, frozenset({15, 50, 90, 150, 230, 320})))
        return made[0]

    cluster, memory = ClusterEngine(ClusterGraph(sixteen), 3, start), clew.open(sixteen)
    rng = np.random.default_rng(4)
    queries = [np.unique(rng.integers(0, memory.counts["entities"], 4)).astype(np.int32) for _ in range(300)]
    for k, mode in ((2, "exact"), (3, "within"), (2, "shortest")):
        options = {"mode": mode, "direction": "both", "max_degree": 60}
        found, expected = (each.hop_batch(queries, k, **options) for each in (cluster, memory))
        assert np.array_equal(found.ids, expected.ids)
        ids, distance = cluster.distances(queries[0], k)
        assert np.array_equal([ids, distance], memory.distances(queries[0], k))
    near = memory.hop(queries[1], 2)
    assert np.array_equal(cluster.hop_triples(near, 2).numbers, memory.hop_triples(near, 2).numbers)
    assert made[0].lost >= 4
    assert made[0].revived >= 3


def test_actors_that_always_end_are_an_error(sixteen: Path) -> None:
    cluster = ClusterEngine(ClusterGraph(sixteen), 2, lambda placement: Dying(placement, None))
    with pytest.raises(ClewError, match="lost 10 times in one query"):
        cluster.hop("X:1", 3)


def test_parts_forget_frontiers_that_are_gone(sixteen: Path) -> None:
    cluster = parts_here(3)(sixteen)
    for k in range(1, 6):
        cluster.hop(["X:1", "X:2"], k, mode="within", direction="both")
    actors = cluster._graph.actors
    cluster.hop("X:1", 1)  # the first step tells the parts what is gone
    assert all(len(part._frontiers) < 6 and not part._own for part in actors.parts)


def test_bad_input_is_one_sentence(sixteen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tmp_path / "whole.clew"
    clew.build(pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]}), out=whole)
    with pytest.raises(InputError, match=r"has one partition, and .* build it with partitions=16"):
        clew.open(whole, engine="ray")
    with pytest.raises(UnknownName, match="no engine is called 'rya': did you mean 'ray'"):
        clew.open(sixteen, engine="rya")
    with pytest.raises(InputError, match=r"given as ray:HOST:PORT, such as ray:10.0.0.1:6379, not 'ray:somewhere'"):
        clew.open(sixteen, engine="ray:somewhere")
    with pytest.raises(ClewError, match=r"no Ray cluster can be reached at 127.0.0.1:9 \(Connection refused\)"):
        clew.open(sixteen, engine="ray:127.0.0.1:9")
    with pytest.raises(InputError, match="actors= is for engine='ray'"):
        clew.open(sixteen, actors=2)
    with pytest.raises(InputError, match="leave backend='numpy' out"):
        clew.open(sixteen, engine="ray", backend="numpy")
    with pytest.raises(InputError, match="actors must be a number above 0, not 0"):
        clew.open(sixteen, engine="ray", actors=0)
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    with pytest.raises(MissingDependency, match="pip install 'clew\\[ray\\]'"):
        clew.open(sixteen, engine="ray", actors=2)
