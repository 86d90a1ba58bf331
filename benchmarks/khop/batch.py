"""A batch of 150 queries: Clew's `hop_batch` against what each peer does best with many queries.

clew bench batch --quick --json batch.json
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.khop import synthetic as bench_graphs
from benchmarks.khop.claims import batch_claims
from benchmarks.khop.clew_graph import OpenedGraph, build_and_open
from benchmarks.khop.peers import FAST, Peer, load_peers
from benchmarks.khop.peers.peer import as_array
from benchmarks.khop.rounds import CLEW, WARM_BELOW, WARM_SECONDS, Disagreement, figures, no_collections
from benchmarks.khop.synthetic import BenchGraph
from benchmarks.report import environment, markdown
from clew.progress import Progress, silent

__all__ = ["run", "show"]

show = markdown

HOPS = (1, 2, 3, 4, 5)
CHEAP_SECONDS = 2.0  # a hop whose repeats cost less than this is repeated more often,
MOST_REPEATS = 60  # up to so often


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured. A peer that loops over its queries may be timed on some; its figure is then scaled up."""

    repeats: int
    sampled_repeats: int
    sample: int  # queries
    seconds: float  # a peer is sampled if its batch would take longer than this
    far: float  # and if it is this many times slower than the best peer


FULL = Effort(repeats=15, sampled_repeats=2, sample=10, seconds=5.0, far=4)
QUICK = Effort(repeats=9, sampled_repeats=7, sample=30, seconds=1.0, far=0)


@dataclass(frozen=True, slots=True)
class _Engine:
    """`run` gives seconds and a result for the first so many queries and k, `ids` a sorted array per query.

    `warm` answers another batch, of queries that are never timed.
    """

    name: str
    run: Callable[[int, int], tuple[float, Any]]
    ids: Callable[[Any], list[np.ndarray]]
    warm: Callable[[int], Any]


def run(*, quick: bool = False, graphs: Sequence[str] = ("heavy",), progress: Progress = silent) -> dict[str, Any]:
    """Make the graphs, prove that all engines agree on the batch, time them, and judge the claims."""
    load_peers()  # a missing peer is known before anything long is begun
    effort = QUICK if quick else FULL
    rows: list[dict[str, Any]] = []
    described, notes, versions = {}, [], {}
    for name in graphs:
        progress(f"making the {name} graph", 0, None)
        graph = bench_graphs.load(name)
        described[name] = graph.describe()
        peers, absent = load_peers(FAST if quick else None)
        notes += [note for note in absent if note not in notes]
        with tempfile.TemporaryDirectory() as directory, no_collections():
            progress(f"building the {name} graph with clew", 0, None)
            opened = build_and_open(graph, Path(directory))
            try:
                found = _measure(graph, opened, peers, effort, progress)
                versions |= {peer.name: peer.version for peer in peers if hasattr(peer, "version")}
            finally:
                for peer in peers:
                    peer.close()
            rows += [{**row, "graph": name, "filter": "none"} for row in found]
            del opened
    return {
        "benchmark": "batch",
        "graph": described,
        "agree": True,  # otherwise `Disagreement` was raised
        **environment(versions),
        "quick": quick,
        "rows": rows,
        "claims": batch_claims(rows),
        "notes": notes,
    }


def _measure(
    graph: BenchGraph, opened: OpenedGraph, peers: Sequence[Peer], effort: Effort, progress: Progress
) -> list[dict[str, Any]]:
    pairs, triples = graph.pairs(), graph.ends()
    for number, peer in enumerate(peers):
        progress(f"preparing {peer.name}", number, len(peers))
        peer.prepare(graph.entities, *(triples if peer.wants_triples else pairs), tuning=graph.tuning)
    warmers = graph.tuning
    engines = [_clew_engine(opened, graph.queries, warmers)]
    engines += [_peer_engine(peer, graph.queries, warmers) for peer in peers]
    rows = []
    for k in HOPS:
        progress(f"batches at hop {k}", k, HOPS[-1])
        sizes = _sizes(engines, k, len(graph.queries), effort)
        _prove_agreement(engines, sizes, k)
        milliseconds = _rounds(engines, sizes, k, len(graph.queries), effort)
        found = figures(milliseconds, hop=k, mode="exact")
        rows += [{**row, "queries": sizes[row["engine"]]} for row in found]
    return rows


def _clew_engine(opened: OpenedGraph, queries: Sequence[np.ndarray], warmers: Sequence[np.ndarray]) -> _Engine:
    seeds, hop_batch = [opened.seeds(query) for query in queries], opened.engine.hop_batch
    others = [opened.seeds(query) for query in warmers]

    def run(count: int, k: int) -> tuple[float, Any]:
        asked = seeds[:count]
        start = time.perf_counter()
        many = hop_batch(asked, k=k)
        ids, offsets = many.ids, many.offsets
        return time.perf_counter() - start, (ids, offsets)

    def ids(result: tuple[np.ndarray, np.ndarray]) -> list[np.ndarray]:
        return [opened.back(part) for part in np.split(result[0], result[1][1:-1])]

    return _Engine(CLEW, run, ids, lambda k: hop_batch(others, k=k).ids)


def _peer_engine(peer: Peer, queries: Sequence[np.ndarray], warmers: Sequence[np.ndarray]) -> _Engine:
    return _Engine(
        peer.name,
        lambda count, k: peer.timed_batch(queries[:count], k),
        lambda many: [as_array(ids) for ids in many],
        lambda k: peer.timed_batch(warmers, k),
    )


def _sizes(engines: Sequence[_Engine], k: int, asked: int, effort: Effort) -> dict[str, int]:
    """How many queries each engine is timed on: all, but for slow peers."""
    engines[0].run(effort.sample, k)  # Clew compiles now
    predicted = {engine.name: engine.run(effort.sample, k)[0] * asked / effort.sample for engine in engines}
    best = min(seconds for name, seconds in predicted.items() if name != CLEW)
    limit = max(effort.seconds, effort.far * best)
    return {name: effort.sample if name != CLEW and seconds > limit else asked for name, seconds in predicted.items()}


def _prove_agreement(engines: Sequence[_Engine], sizes: dict[str, int], k: int) -> None:
    """Raise `Disagreement` unless every query has the same ids in every engine."""
    expected: list[np.ndarray] = []
    for engine in engines:
        count = sizes[engine.name]
        _, result = engine.run(count, k)
        found = engine.ids(result)
        expected = expected or found
        for query, ids in enumerate(found):
            if not np.array_equal(ids, expected[query]):
                raise Disagreement(
                    f"query {query} of the batch, hop {k}: {engine.name} gives {len(ids)} entities and "
                    f"{engines[0].name} {len(expected[query])}"
                )


def _rounds(
    engines: Sequence[_Engine], sizes: dict[str, int], k: int, asked: int, effort: Effort
) -> dict[str, np.ndarray]:
    """Milliseconds for the whole batch; each repeat runs every engine once, in shuffled order.

    As in the rounds of single queries, an engine that is done sooner than its caches would fill answers other queries
    first, untimed.
    """
    random = np.random.default_rng([2, k])
    spent: dict[str, list[float]] = {engine.name: [] for engine in engines}
    once = {engine.name: engine.run(sizes[engine.name], k)[0] for engine in engines}
    warm = {name for name, seconds in once.items() if seconds < WARM_BELOW}
    repeats = int(np.clip(CHEAP_SECONDS / sum(once.values()), effort.repeats, MOST_REPEATS))
    for repeat in range(repeats):
        for place in random.permutation(len(engines)):
            engine = engines[place]
            if sizes[engine.name] < asked and repeat >= effort.sampled_repeats:
                continue
            begun = time.perf_counter()
            while engine.name in warm and time.perf_counter() - begun < WARM_SECONDS:
                engine.warm(k)
            seconds, result = engine.run(sizes[engine.name], k)
            del result
            spent[engine.name].append(seconds * 1000 * asked / sizes[engine.name])
    return {name: np.array(times) for name, times in spent.items()}
