"""How engines are compared: the same answers first, then rounds in which each runs once on the same query."""

import gc
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.khop.clew_graph import OpenedGraph, curie_numbers
from benchmarks.khop.peers import FAST, Peer
from benchmarks.khop.peers.peer import as_array
from benchmarks.statistics import median, median_ratio, percentile95

__all__ = [
    "CLEW",
    "CLEW_NAMES",
    "FULL",
    "QUICK",
    "WARM_BELOW",
    "WARM_SECONDS",
    "Contender",
    "Disagreement",
    "Effort",
    "clew_contender",
    "figures",
    "names_contender",
    "no_collections",
    "peer_contender",
    "plan",
    "prove_agreement",
    "time_rounds",
]

CLEW, CLEW_NAMES = "clew", "clew, names out"
CLAIMED = ("scipy incidence",)  # named by a claim
WARM_BELOW = 0.02  # seconds: a longer run fills the caches by itself
WARM_SECONDS = 0.003  # what warming up lasts, or until the queries set apart for it are through


class Disagreement(AssertionError):
    """Two engines gave different answers: there is nothing to time."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured."""

    often: int  # queries for the engines that may decide a claim
    seldom: int  # queries at least, for the others
    seconds: float  # for one of the others at one hop: as many queries as fit
    near: float  # an engine within this many times the best peer may decide a claim
    checks: int  # queries on which all must agree, at every hop
    tuning: int  # queries on which a peer may sweep its settings
    claimed: bool  # whether the engines named by a claim are timed often too, however slow


FULL = Effort(often=40, seldom=3, seconds=3.0, near=8, checks=2, tuning=12, claimed=True)
QUICK = Effort(often=30, seldom=1, seconds=0.5, near=3, checks=1, tuning=3, claimed=False)


@dataclass(frozen=True, slots=True)
class Contender:
    """An engine on one graph: `run` gives seconds and a result for a query and k, `ids` the result's ids, sorted."""

    name: str
    run: Callable[[int, int], tuple[float, Any]]
    ids: Callable[[Any], np.ndarray]


def peer_contender(peer: Peer, queries: Sequence[np.ndarray]) -> Contender:
    """A prepared peer."""
    return Contender(peer.name, lambda query, k: peer.timed(queries[query], k), as_array)


def clew_contender(opened: OpenedGraph, queries: Sequence[np.ndarray], options: Mapping[str, Any]) -> Contender:
    """`graph.hop(seeds, k=k).ids` with some filter."""
    seeds, hop, options = [opened.seeds(query) for query in queries], opened.engine.hop, dict(options)

    def run(query: int, k: int) -> tuple[float, np.ndarray]:
        start = time.perf_counter()
        ids = hop(seeds[query], k=k, **options).ids
        return time.perf_counter() - start, ids

    return Contender(CLEW, run, opened.back)


def names_contender(opened: OpenedGraph, queries: Sequence[np.ndarray]) -> Contender:
    """`graph.hop(seeds, k=k).entities`: the Arrow table with names."""
    seeds, hop = [opened.seeds(query) for query in queries], opened.engine.hop

    def run(query: int, k: int) -> tuple[float, Any]:
        start = time.perf_counter()
        entities = hop(seeds[query], k=k).entities
        return time.perf_counter() - start, entities

    def ids(entities: Any) -> np.ndarray:
        return np.sort(curie_numbers(entities.column("id").combine_chunks()))

    return Contender(CLEW_NAMES, run, ids)


def prove_agreement(
    contenders: Sequence[Contender], queries: Sequence[int], hops: Sequence[int]
) -> dict[tuple[str, int], float]:
    """Raise `Disagreement` unless all give the same sets; returns the least seconds each took at each hop."""
    seconds: dict[tuple[str, int], float] = {}
    for query in queries:
        for k in hops:
            expected: tuple[str, np.ndarray] | None = None
            for contender in contenders:
                spent, result = contender.run(query, k)
                seconds[contender.name, k] = min(spent, seconds.get((contender.name, k), np.inf))
                ids = contender.ids(result)
                if expected is None:
                    expected = contender.name, ids
                elif not np.array_equal(ids, expected[1]):
                    raise Disagreement(
                        f"query {query}, hop {k}: {contender.name} gives {len(ids)} entities and {expected[0]} "
                        f"{len(expected[1])}, {len(np.intersect1d(ids, expected[1]))} of them in common"
                    )
    return seconds


def plan(seconds: Mapping[tuple[str, int], float], k: int, effort: Effort) -> dict[str, int]:
    """Queries per engine at hop k: many for those that may decide a claim, for the rest what fits into their time."""
    here = {name: spent for (name, hop), spent in seconds.items() if hop == k}
    near = effort.near * min(spent for name, spent in here.items() if name not in (CLEW, CLEW_NAMES))
    always = (CLEW, CLEW_NAMES, *FAST, *(CLAIMED if effort.claimed else ()))
    return {
        name: effort.often
        if name in always or spent <= near
        else int(np.clip(effort.seconds / spent, effort.seldom, effort.often))
        for name, spent in here.items()
    }


def time_rounds(
    contenders: Sequence[Contender],
    counts: Mapping[str, int],
    k: int,
    queries: Sequence[int],
    *,
    warm: Collection[str],
    warmers: Sequence[int],
    seed: int,
) -> dict[str, np.ndarray]:
    """Milliseconds of each engine on the first of the queries; a round is one query, its engines in shuffled order.

    An engine in `warm` first answers some of the `warmers`, untimed and never timed: so its caches are as a program
    that uses it would find them, though the engine before it filled them with something else.
    """
    random = np.random.default_rng([seed, k])
    spent: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for number, query in enumerate(queries[: max(counts.values())]):
        taking_part = [contender for contender in contenders if number < counts.get(contender.name, 0)]
        sizes = set()
        for place in random.permutation(len(taking_part)):
            contender = taking_part[place]
            if contender.name in warm:
                _warm_up(contender, k, warmers)
            seconds, result = contender.run(query, k)
            spent[contender.name].append(seconds * 1000)
            sizes.add(len(result))
            del result
        if len(sizes) > 1:
            raise Disagreement(f"query {query}, hop {k}: results of sizes {sorted(sizes)}")
    return {name: np.array(times) for name, times in spent.items() if times}


def _warm_up(contender: Contender, k: int, warmers: Sequence[int]) -> None:
    left = WARM_SECONDS
    for query in warmers:
        left -= contender.run(query, k)[0]
        if left < 0:
            break


def figures(milliseconds: Mapping[str, np.ndarray], **labels: Any) -> list[dict[str, Any]]:
    """A row per engine: median, 95th percentile, and how many times Clew's its time is, query by query."""
    rows = []
    for name, times in milliseconds.items():
        ratio = median_ratio(times, milliseconds[CLEW][: len(times)])
        rows.append(
            {
                "engine": name,
                **labels,
                "median_ms": round(median(times), 5),
                "p95_ms": round(percentile95(times), 5),
                "ratio": round(ratio.median, 4),
                "low": round(ratio.low, 4),
                "high": round(ratio.high, 4),
                "n": ratio.n,
            }
        )
    return rows


@contextmanager
def no_collections() -> Iterator[None]:
    """Keep Python's cycle collector out of the timings; millions of lists would make it slow and irregular."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
