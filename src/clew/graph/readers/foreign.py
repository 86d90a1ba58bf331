"""Formats that Clew does not read: what a file is, by its name, and what to do with it today."""

from pathlib import Path

from clew.errors import InputError
from clew.graph.readers.source_files import plain_suffix

__all__ = ["FOREIGN", "unreadable"]

GUIDE = "docs/your-own-graph.md shows how"
RDF = f"convert it to a table of subject, relation and object with rdflib ({GUIDE})"
NETWORK = f"convert it to a table of subject, relation and object with networkx ({GUIDE})"
ONTOLOGY = (
    f"convert it to KGX (kgx transform) or to a table ({GUIDE}); the Human Phenotype Ontology itself is read "
    "as `hpo`, or from a directory with hp.obo and its annotation files"
)
KGX_NAMES = "name KGX files NAME_nodes.jsonl and NAME_edges.jsonl, or convert it to a table"
FOREIGN = {  # suffix → what it is, what to do
    ".ttl": ("RDF (Turtle)", RDF),
    ".nt": ("RDF (N-Triples)", RDF),
    ".nq": ("RDF (N-Quads)", RDF),
    ".rdf": ("RDF (RDF/XML)", RDF),
    ".jsonld": ("RDF (JSON-LD)", RDF),
    ".owl": ("an OWL ontology", ONTOLOGY),
    ".obo": ("an OBO ontology", ONTOLOGY),
    ".gml": ("a GML network", NETWORK),
    ".graphml": ("a GraphML network", NETWORK),
    ".json": ("JSON", KGX_NAMES),
    ".jsonl": ("JSON Lines", KGX_NAMES),
    ".xlsx": ("an Excel workbook", "save the sheet as CSV"),
    ".xls": ("an Excel workbook", "save the sheet as CSV"),
}


def unreadable(path: Path, readable: str) -> InputError:
    """The error for a file that is no table: the name of its format where the suffix tells it."""
    what, advice = FOREIGN.get(plain_suffix(path), ("", ""))
    if what:
        return InputError(f"{path} is {what}, which Clew does not read yet: {advice}")
    return InputError(f"the format of {path} cannot be told from its name: expected {readable}")
