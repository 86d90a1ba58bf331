"""What a graph is and where it lives: a directory of mapped arrays and columns, immutable once written."""

from clew.graph.assertions import Assertion, Where
from clew.graph.contents import GraphContents, Reader, TripleColumns, read_entities, read_triples
from clew.graph.model import Graph
from clew.graph.snapshot import Snapshot
from clew.graph.staging import Relation, Source, Staged

__all__ = [
    "Assertion",
    "Graph",
    "GraphContents",
    "Reader",
    "Relation",
    "Snapshot",
    "Source",
    "Staged",
    "TripleColumns",
    "Where",
    "read_entities",
    "read_triples",
]
