"""A graph as a NetworkX MultiDiGraph in memory: nodes by id, one edge per assertion with the relation as its key."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from clew.errors import MissingDependency
from clew.graph.contents import GraphContents
from clew.graph.staging import QUALIFIER_PREFIX, Relation
from clew.graph.writers.blocks import assertion_blocks, entity_blocks

if TYPE_CHECKING:
    import networkx

__all__ = ["to_networkx"]

ENDS = ("subject", "object", "subject_name", "object_name")


def to_networkx(contents: GraphContents) -> "networkx.MultiDiGraph":
    """The whole graph; `clew.build` takes it back. Absent values are left out."""
    try:
        import networkx
    except ImportError as error:
        raise MissingDependency("a NetworkX graph needs networkx: pip install 'clew[networkx]'") from error
    flags = [Relation(r.name, r.negated, r.symmetric, r.transitive, r.inverse) for r in contents.schema.relations]
    sources = [asdict(source) for source in contents.snapshot.sources]
    made = networkx.MultiDiGraph(clew={"relations": [asdict(flag) for flag in flags], "sources": sources})
    for block in entity_blocks(contents):
        made.add_nodes_from((row.pop("id"), _present(row)) for row in block.to_pylist())
    for block in assertion_blocks(contents):
        made.add_edges_from((row["subject"], row["object"], _present(row, ENDS)) for row in block.to_pylist())
    return made


def _present(row: dict[str, Any], ends: tuple[str, ...] = ()) -> dict[str, Any]:
    """Without what is absent; qualifiers under their plain names."""
    kept = ((name, value) for name, value in row.items() if value is not None and name not in ends)
    return {name.removeprefix(QUALIFIER_PREFIX): value for name, value in kept}
