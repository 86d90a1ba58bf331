"""A heavy-tailed graph on which no constant was chosen, and 30 queries for every engine, the slowest too.

python -m benchmarks.khop.held_out [SEED]
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.khop.clew_graph import build_and_open
from benchmarks.khop.peers import load_peers
from benchmarks.khop.peers.peer import as_array
from benchmarks.khop.rounds import CLEW, Disagreement, no_collections
from benchmarks.khop.synthetic import heavy_tailed
from benchmarks.statistics import median_ratio

__all__ = ["run"]

PEERS = ("numpy", "python-graphblas", "scipy incidence")  # the best at some hop, and the paper's form
QUERIES, WARMERS = 30, 6


def run(seed: int) -> None:
    """Time Clew and the peers query by query, each after a few other queries, and print the ratios."""
    graph = heavy_tailed(seed=seed)
    with tempfile.TemporaryDirectory() as directory, no_collections():
        opened = build_and_open(graph, Path(directory))
        peers, _ = load_peers(PEERS)
        for peer in peers:
            peer.prepare(graph.entities, *(graph.ends() if peer.wants_triples else graph.pairs()), tuning=graph.tuning)
        warmers = graph.tuning[:WARMERS]
        for k in range(1, 6):
            spent: dict[str, list[float]] = {name: [] for name in (CLEW, *PEERS)}
            for query in graph.queries[:QUERIES]:
                seeds = opened.seeds(query)
                for each in warmers:
                    opened.engine.hop(opened.seeds(each), k=k)
                start = time.perf_counter()
                ids = opened.engine.hop(seeds, k=k).ids
                spent[CLEW].append(time.perf_counter() - start)
                for peer in peers:
                    for each in warmers if peer.name != "scipy incidence" else ():
                        peer.exact(each, k)
                    seconds, found = peer.timed(query, k)
                    spent[peer.name].append(seconds)
                    if not np.array_equal(np.sort(as_array(found)), np.sort(opened.back(ids))):
                        raise Disagreement(f"hop {k}: {peer.name} differs")
            ours = np.array(spent[CLEW])
            ratios = (median_ratio(np.array(spent[name]), ours) for name in PEERS)
            shown = ", ".join(
                f"{n} {r.median:.2f} [{r.low:.2f}, {r.high:.2f}]" for n, r in zip(PEERS, ratios, strict=True)
            )
            print(f"hop {k}: clew {np.median(ours) * 1e3:.3f} ms; times clew: {shown}", flush=True)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 19)
