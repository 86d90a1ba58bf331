"""The libraries Clew is measured against, each used as someone who knows it well would use it.

Every peer is prepared on distinct (subject, object) pairs and gives the ends of walks of exactly k steps.
"""

from benchmarks.khop.peers.peer import Peer
from clew.registry import Entry, Registry

__all__ = ["FAST", "OPTIONAL", "PEERS", "Peer", "load_peers"]

PEERS = Registry(
    "peer",
    {
        name: Entry(f"benchmarks.khop.peers.{target}", summary, extra="bench")
        for name, target, summary in (
            ("igraph", "with_igraph:IGraph", "adjacency lists and Python sets"),
            ("networkx", "with_networkx:NetworkX", "a dictionary of sets"),
            ("python-graphblas", "with_graphblas:GraphBLAS", "any_pair products, push or pull, two threads"),
            ("scipy q@A", "with_scipy:SciPyAdjacency", "sparse products, dense from where they win"),
            ("scipy incidence", "with_scipy:SciPyIncidence", "q·SUB·OBJ over all triples in the order they came"),
            ("scipy incidence, sorted", "with_scipy:SciPySortedIncidence", "the same over triples sorted by subject"),
            ("networkit", "with_networkit:NetworKit", "its neighbour iterators and Python sets"),
            ("rustworkx", "with_rustworkx:RustworkX", "its successor lists and Python sets"),
            ("numpy", "with_numpy:NumPy", "a gather over compressed rows"),
            ("graph-tool", "with_graph_tool:GraphTool", "neighbour arrays, then its adjacency operator"),
        )
    },
)
OPTIONAL = frozenset({"graph-tool"})  # Debian packages it for its own Python only
FAST = ("python-graphblas", "scipy q@A", "numpy")  # those that were the best at some hop of two or more


def load_peers(names: tuple[str, ...] | None = None) -> tuple[list[Peer], list[str]]:
    """New peers of those names (all without), and a note for each optional one that is absent.

    A mandatory peer that is absent raises `MissingDependency`: a run without it would prove less than it says.
    """
    peers, notes = [], []
    for name in names or tuple(PEERS):
        make = PEERS.load(name)
        absence = make.absent() if name in OPTIONAL else None
        if absence is None:
            peers.append(make())
        else:
            notes.append(f"{name} is left out: {absence}")
    return peers, notes
