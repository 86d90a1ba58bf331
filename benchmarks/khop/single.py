"""Single hops: Clew and its peers on the same queries, plain on both graphs and filtered on the heavy-tailed one.

clew bench khop --quick --json khop.json
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.khop import synthetic as bench_graphs
from benchmarks.khop.claims import hop_claims
from benchmarks.khop.clew_graph import TEN_RELATIONS, OpenedGraph, build_and_open, ten_relations
from benchmarks.khop.peers import FAST, Peer, load_peers
from benchmarks.khop.rounds import (
    FULL,
    QUICK,
    WARM_BELOW,
    Contender,
    Effort,
    clew_contender,
    figures,
    names_contender,
    no_collections,
    peer_contender,
    plan,
    prove_agreement,
    time_rounds,
)
from benchmarks.khop.synthetic import BenchGraph
from benchmarks.report import environment, markdown
from clew.progress import Progress, silent

__all__ = ["run", "show"]

show = markdown

HOPS = (1, 2, 3, 4, 5)
FILTERED_HOPS = (3, 4, 5)
NAMES_HOP = 5
APART = 20  # of the queries: to prove agreement and to warm up, never timed
FILTERS: dict[str, dict[str, Any]] = {
    "10 of 300 relations": {"relations": ten_relations()},
    "curated": {"layer": "curated"},
    "both directions": {"direction": "both"},
}


def run(
    *, quick: bool = False, graphs: Sequence[str] = ("heavy", "flat"), progress: Progress = silent
) -> dict[str, Any]:
    """Make the graphs, prove that all engines agree, time them, and judge the claims."""
    effort = QUICK if quick else FULL
    load_peers()  # a missing peer is known before anything long is begun
    rows: list[dict[str, Any]] = []
    described, notes, versions = {}, [], {}
    for name in graphs:
        progress(f"making the {name} graph", 0, None)
        graph = bench_graphs.load(name)
        described[name] = graph.describe()
        with tempfile.TemporaryDirectory() as directory, no_collections():
            progress(f"building the {name} graph with clew", 0, None)
            opened = build_and_open(graph, Path(directory))
            filters = ("none", *FILTERS) if name == "heavy" else ("none",)
            for filtered in filters:
                everyone = not quick or (name == "heavy" and filtered == "none")
                spend = effort if filtered == "none" else replace(effort, claimed=False)
                found = _measure(graph, opened, filtered, spend, None if everyone else FAST, progress)
                rows += found[0]
                notes += [note for note in found[1] if note not in notes]
                versions.update(found[2])
            del opened
    return {
        "benchmark": "khop",
        "graph": described,
        "agree": True,  # otherwise `Disagreement` was raised
        **environment(versions),
        "quick": quick,
        "rows": rows,
        "claims": hop_claims(rows),
        "notes": notes,
    }


def _measure(
    graph: BenchGraph,
    opened: OpenedGraph,
    filtered: str,
    effort: Effort,
    names: tuple[str, ...] | None,
    progress: Progress,
) -> tuple[list[dict[str, Any]], list[str], dict[str, str]]:
    """Rows of one graph under one filter; the peers get a copy filtered beforehand."""
    where = f"{graph.name} graph" + ("" if filtered == "none" else f", {filtered}")
    peers, notes = load_peers(names)
    try:
        _prepare(graph, filtered, peers, effort, where, progress)
        contenders = [clew_contender(opened, graph.queries, FILTERS.get(filtered, {}))]
        contenders += [peer_contender(peer, graph.queries) for peer in peers]
        names_out = [names_contender(opened, graph.queries)] if filtered == "none" else []
        hops = HOPS if filtered == "none" else FILTERED_HOPS
        rows = _time(contenders, names_out, hops, effort, len(graph.queries), where, progress)
        versions = {peer.name: peer.version for peer in peers if hasattr(peer, "version")}
    finally:
        for peer in peers:
            peer.close()
    return [{**row, "graph": graph.name, "filter": filtered} for row in rows], notes, versions


def _prepare(
    graph: BenchGraph, filtered: str, peers: Sequence[Peer], effort: Effort, where: str, progress: Progress
) -> None:
    keep, both = None, filtered == "both directions"
    if filtered == "curated":
        keep = graph.curated
    elif filtered == "10 of 300 relations":
        keep = np.isin(graph.relation, list(TEN_RELATIONS))
    pairs, triples = graph.pairs(keep=keep, both=both), graph.ends(keep=keep, both=both)
    for number, peer in enumerate(peers):
        progress(f"preparing {peer.name}, {where}", number, len(peers))
        peer.prepare(graph.entities, *(triples if peer.wants_triples else pairs), tuning=graph.tuning[: effort.tuning])


def _time(
    contenders: list[Contender],
    names_out: list[Contender],
    hops: Sequence[int],
    effort: Effort,
    asked: int,
    where: str,
    progress: Progress,
) -> list[dict[str, Any]]:
    """Agreement on queries set apart, which also touches everything once, then rounds on the others."""
    progress(f"proving agreement, {where}", 0, None)
    apart = range(asked - APART, asked)
    checks = apart[: effort.checks]
    for k in hops:
        contenders[0].run(checks[0], k)  # Clew compiles now, so that what follows tells how fast it is
    seconds = prove_agreement(contenders, checks, hops)
    seconds |= prove_agreement([contenders[0], *names_out], checks, (NAMES_HOP,)) if names_out else {}
    rows = []
    for k in hops:
        progress(f"timing hop {k}, {where}", k, hops[-1])
        counts = plan(seconds, k, effort)
        taking_part = contenders + (names_out if k == NAMES_HOP else [])
        order = np.random.default_rng(k).permutation(asked - APART).tolist()
        warm = {name for (name, hop), spent in seconds.items() if hop == k and spent < WARM_BELOW}
        spent = time_rounds(taking_part, counts, k, order, warm=warm, warmers=apart, seed=1)
        rows += figures(spent, hop=k, mode="exact")
    return rows
