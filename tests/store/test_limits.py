"""Queries that are too much: an answer or one sentence, in time and within the memory limit, and the store goes on."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import clew
from clew.errors import ClewError, QueryError, StoreError
from clew.store.embedded import EmbeddedStore, build_embedded
from clew.store.process.child import OWN_MEMORY

MEMORY = 512 << 20
HUNGRY = [
    "WITH 2000000000 AS n RETURN size(range(0, n))",
    "UNWIND [2000000000] AS n RETURN size(range(0, n))",
    "MATCH (g) WITH count(g) * 1000000000 AS n RETURN size(range(0, n))",
    "RETURN size(range(0, 100000 * 100000))",
    "UNWIND [150000000] AS n RETURN collect(n) + range(0, n)",
    "UNWIND range(1, 9000000) AS i RETURN collect(toUpper('some text')), collect(i)",
    "UNWIND range(1, 3000) AS i UNWIND range(1, 3000) AS j RETURN i + j AS x, 'text' AS t ORDER BY t, x SKIP 8999990",
    "RETURN range(1, 9999999) AS x",
    "WITH range(1, 5000000) AS x RETURN [y IN x | [y, y, y]] AS z",
]
DEEP = {
    "40 hops": "MATCH (a)" + "-->()" * 40 + " RETURN count(*)",
    "1,000 hops": "MATCH (a)" + "-->()" * 1000 + " RETURN count(*)",
    "hops in a condition": "MATCH (a) WHERE (a)" + "-->()" * 1000 + " RETURN count(*)",
    "NOT": "MATCH (n) WHERE " + "NOT " * 5000 + "n.name = 'x' RETURN n",
    "CASE": "RETURN " + "CASE WHEN true THEN " * 190 + "1" + " ELSE 2 END" * 190 + " AS x",
    "comparisons in comparisons": "RETURN " + "(1 < " * 60 + "2" + " < 3)" * 60 + " AS x",
    "elements of elements": "RETURN [1]" + "[0]" * 60 + " AS x",
    "brackets": "RETURN " + "(" * 4000 + "1" + ")" * 4000 + " AS x",
    "lists": "RETURN " + "[" * 4000 + "1" + "]" * 4000 + " AS x",
    "maps": "RETURN " + "{a: " * 3000 + "1" + "}" * 3000 + " AS x",
    "signs": "RETURN " + "-" * 4000 + "1 AS x",
    "AND": "MATCH (n) WHERE " + " AND ".join(f"n.name <> '{at}'" for at in range(1600)) + " RETURN count(*)",
    "sum": "RETURN " + "+".join(["1"] * 4999) + " AS x",
    "numbers": "RETURN [" + ",".join(["1"] * 40_000) + "] AS x",
    "UNION": " UNION ".join(["RETURN 1 AS x"] * 600),
    "clauses": "WITH 1 AS a " * 1000 + "RETURN a",
    "columns": "RETURN " + ", ".join(f"{at} AS x{at}" for at in range(2400)),
    "a string without end": "RETURN '" + "x" * 90_000,
    "a comment without end": "RETURN 1 AS x /*" + "*" * 90_000,
    "a lone surrogate": "RETURN '\ud800' AS x",
    "an escaped lone surrogate": r"RETURN '\ud800' AS x",
    "a map that looks like a relationship": "RETURN {_SRC: 1, _LABEL: 'x'} AS x",
}


@pytest.fixture(scope="module")
def store(lasting: clew.Engine) -> Iterator[EmbeddedStore]:
    build_embedded(lasting)
    with EmbeddedStore(lasting, memory=MEMORY) as opened:
        opened.run("RETURN 1 AS x")
        yield opened


def said(store: EmbeddedStore, query: str, *, timeout: float) -> str:
    """The error of a query, or nothing."""
    try:
        store.run(query, timeout=timeout)
    except ClewError as error:
        return str(error)
    return ""


def children() -> Iterator[int]:
    """Resident memory of each process of a store of ours, in bytes; a test before may have left other children."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rsplit(")", 1)[1].split()[1])
            if parent == os.getpid() and b"store/process/child.py" in (status.parent / "cmdline").read_bytes():
                yield int((status.parent / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            continue  # it has just ended


@contextmanager
def peak() -> Iterator[list[int]]:
    """The largest memory of any child meanwhile."""
    largest, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            largest[0] = max([largest[0], *children()])

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield largest
    finally:
        over.set()
        thread.join()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells a process's memory in /proc")
@pytest.mark.parametrize("query", HUNGRY)
def test_memory_is_limited_whatever_the_query(store: EmbeddedStore, query: str) -> None:
    begun = time.monotonic()
    with peak() as largest:
        assert "\n" not in said(store, query, timeout=5)
    assert largest[0] < MEMORY + OWN_MEMORY
    assert time.monotonic() - begun < 6
    assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]


def test_the_limit_is_named(store: EmbeddedStore) -> None:
    with pytest.raises(StoreError, match="more memory than the 512 MiB"):
        store.run(HUNGRY[0])


@pytest.mark.parametrize("case", DEEP)
def test_deep_and_long_queries_are_answered_or_refused_in_time(store: EmbeddedStore, case: str) -> None:
    begun = time.monotonic()
    assert "\n" not in said(store, DEEP[case], timeout=2)
    assert time.monotonic() - begun < 3
    assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("1,000 hops", "at most 64 relationships, not 1000"),
        ("NOT", "more than 150 deep"),
        ("CASE", "more than 150 deep"),
        ("comparisons in comparisons", "more than 50,000"),
        ("numbers", "more than 10,000 tokens"),
        ("a lone surrogate", "lone surrogate"),
    ],
)
def test_what_is_refused_names_the_limit(store: EmbeddedStore, case: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        store.run(DEEP[case])


def test_many_brackets_and_long_chains_are_no_trouble(store: EmbeddedStore) -> None:
    assert store.run(DEEP["brackets"]).rows == [(1,)]
    several = " OR ".join(f"n.id = 'X:{at}'" for at in range(300))
    assert store.run(f"MATCH (n) WHERE {several} OR n.id = 'G:1' RETURN n.id").rows == [("G:1",)]


def test_surrogate_pairs_are_characters(store: EmbeddedStore) -> None:
    assert store.run(r"RETURN '\ud83e\uddec' AS x").rows == [("🧬",)]


def test_parameters_have_limits(store: EmbeddedStore) -> None:
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    cyclic: list[object] = []
    cyclic.append(cyclic)
    for value in (deep, cyclic, [0] * 250_001, {1: 2}, {"_SRC": 1}, {"\ud800": 1}):
        with pytest.raises(QueryError, match=r"\$x"):
            store.run("RETURN $x AS x", {"x": value})


def test_time_counts_from_the_first_character(make: Callable[..., clew.Engine]) -> None:
    graph = make()
    build_embedded(graph)
    slow = "MATCH (n) WHERE " + " OR ".join(f"n.name = 'name {at}'" for at in range(1100)) + " RETURN n"
    with EmbeddedStore(graph) as store:
        begun = time.monotonic()
        with pytest.raises(ClewError, match=r"stopped after 0\.01 s"):
            store.run(slow, timeout=0.01)
        assert time.monotonic() - begun < 1
