"""Run by Debian's Python: holds a graph in graph-tool, walks it on request and times each walk itself."""

import gc
import json
import sys
import time

import graph_tool
import graph_tool.spectral
import numpy as np

# Measured on the heavy-tailed graph, ms at hops 1-5, two busy cores: neighbour arrays into sets 0.035 / 0.84 /
# 52 / 454 / 888; joined and sorted 0.021 / 0.57 / 44 / 370 / 674; sorted, then the adjacency operator from
# 5,000 ids on 0.022 / 0.54 / 24 / 32 / 41 (kept).


def distinct(ids):
    """Each id once, ascending."""
    ids.sort()
    first = np.empty(len(ids), bool)
    first[:1] = True
    np.not_equal(ids[1:], ids[:-1], out=first[1:])
    return ids[first]


def walk(graph, operator, seeds, k, operator_above):
    """Ends of walks of exactly k steps."""
    frontier, hop, nothing = seeds, 0, np.empty(0, np.int64)
    while hop < k and len(frontier) <= operator_above:
        rows = [graph.get_out_neighbors(entity) for entity in frontier.tolist()]
        frontier = distinct(np.concatenate(rows)) if rows else nothing
        hop += 1
    if hop == k:
        return frontier
    marks = np.zeros(graph.num_vertices())
    marks[frontier] = 1
    for _ in range(hop, k):
        marks = (operator.matvec(marks) > 0).astype(float)
    return marks.nonzero()[0]


def main():
    """The first line names the graph; every later line asks for one walk."""
    out = sys.stdout.buffer
    request = json.loads(sys.stdin.readline())
    graph = graph_tool.Graph(directed=True)
    graph.add_vertex(request["entities"])
    graph.add_edge_list(np.load(request["pairs"]))
    operator_above = request["operator_above"]
    operator = graph_tool.spectral.adjacency(graph, operator=True)
    gc.disable()
    out.write(json.dumps({"version": graph_tool.__version__}).encode() + b"\n")
    out.flush()
    for line in sys.stdin:
        request = json.loads(line)
        seeds = np.array(request["seeds"], np.int64)
        start = time.perf_counter()
        ids = walk(graph, operator, seeds, request["k"], operator_above)
        seconds = time.perf_counter() - start
        out.write(json.dumps({"seconds": seconds, "count": len(ids)}).encode() + b"\n")
        out.write(ids.astype(np.int64).tobytes())
        out.flush()


if __name__ == "__main__":
    main()
