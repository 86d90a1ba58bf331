"""Every mode, direction and filter on one dense graph, engine by engine, and proof that a broken backend is noticed.

Random small graphs rarely have the cycles that tell first arrivals from later ones; this graph has many of them.
`pytest tests/conformance/test_every_walk.py -k NAME` runs one backend.
"""

import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.graph import Graph
from clew.traverse import GraphEngine
from clew.traverse.backends.numpy import NumpyBackend
from clew.traverse.partitioned import many
from clew.traverse.walk import DIRECTIONS, MODES
from engines import ENGINES, LIVING, partitioned, parts_here
from graphs import RELATIONS, TYPES, keywords, write
from oracle import Filter, Oracle, RawGraph, Row

Case = tuple[tuple[str, ...], int, str, Filter]


def _dense() -> RawGraph:
    drawn = random.Random(1)
    ids = [f"X:{number}" for number in range(14)]
    pairs = [drawn.sample(ids, 2) for _ in range(34)] + [["X:3", "X:3"]]
    rows = [Row(subject=a, relation=drawn.choice(RELATIONS), object=b) for a, b in pairs]
    types = {each: TYPES[number % len(TYPES)] for number, each in enumerate(ids)}
    return RawGraph(types, rows, symmetric=frozenset({"resembles"}), negated=frozenset({"lacks"}))


def _cases() -> Iterator[Case]:
    narrow: tuple[dict[str, Any], ...] = (
        {},
        {"relations": (frozenset({"has", "resembles"}),)},
        {"types": frozenset({"Gene"})},
        {"through": frozenset({"Gene", "Disease"})},
        {"max_degree": 5},
    )
    for seeds, k, mode, direction, given in product((("X:0",), ("X:1", "X:7")), range(5), MODES, DIRECTIONS, narrow):
        yield seeds, k, mode, Filter(direction=direction, **given)


RAW = _dense()
EXPECTED = [(case, Oracle(RAW).hop(set(case[0]), *case[1:])) for case in _cases()]


def differences(graph: GraphEngine) -> list[Case]:
    """The cases that an engine answers otherwise than the oracle, alone or in a batch."""
    found = []
    for case, expected in EXPECTED:
        seeds, k, mode, filter = case
        options = keywords(filter)
        one = graph.hop(list(seeds), k, mode=mode, **options).ids
        many = graph.hop_batch([["X:5"], list(seeds)], k, mode=mode, **options)[1].ids
        if set(graph.describe(one)["id"].to_pylist()) != expected or not np.array_equal(one, many):
            found.append(case)
    return found


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dense") / "dense.clew"
    write(RAW, path, partitions=2)
    return path


@pytest.mark.parametrize("name", [*ENGINES, *LIVING])
def test_every_walk_equals_the_oracle(dense: Path, name: str) -> None:
    assert differences((ENGINES | LIVING)[name](dense)) == []


def test_lists_and_frontiers_of_the_backend_agree(dense: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small frontiers are lists in the engines over partitions; here none is."""
    monkeypatch.setattr(many, "FEW", 0)
    for make in (partitioned("numba", 2), parts_here(2)):
        assert differences(make(dense)) == []


BROKEN: dict[str, Callable[..., Any]] = {
    "without": lambda self, frontier, other: frontier,
    "union": lambda self, frontier, other: frontier,
    "keep": lambda self, frontier, allowed, exempt=None: frontier,
    "copy": lambda self, frontier: frontier,
    "join": lambda self, found, into: found,
}


@pytest.mark.parametrize("method", BROKEN)
def test_a_broken_backend_is_noticed(dense: Path, method: str) -> None:
    broken = type("Broken", (NumpyBackend,), {method: BROKEN[method]})()
    assert differences(clew.Engine(Graph(dense), backend=broken, segments=2))
