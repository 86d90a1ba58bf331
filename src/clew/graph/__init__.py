"""What a graph is and where it lives: a directory of mapped arrays and columns, immutable once written."""

from clew.graph.assertions import Assertion, Where
from clew.graph.model import Graph
from clew.graph.staging import Relation, Source, Staged

__all__ = ["Assertion", "Graph", "Relation", "Source", "Staged", "Where"]
