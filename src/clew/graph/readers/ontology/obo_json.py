"""OBO graphs, the JSON form of OBO and OWL ontologies: nodes with labels and synonyms, edges between them.

The file is held in memory while it is read. Logical definitions, property chains and individuals are not read.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.graph.readers.ontology.curies import Curies, local_name
from clew.graph.readers.ontology.terms import Ontology, Term, keep_old_ids, stage_terms
from clew.graph.readers.source_files import check_file, open_bytes, reading
from clew.graph.staging import Problems, Relation, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

SCOPES = {
    "hasExactSynonym": "EXACT",
    "hasNarrowSynonym": "NARROW",
    "hasBroadSynonym": "BROAD",
    "hasRelatedSynonym": "RELATED",
}
REPLACED_BY = "http://purl.obolibrary.org/obo/IAO_0100001"


def read(source: Path | str, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Stage the graphs of one file."""
    path = check_file(source)
    progress(f"reading {path.name}", 0, 1)
    try:
        with reading(path, "JSON"), open_bytes(path) as stream:
            document = json.load(stream)
        graphs = [_Graph(each, path.name, problems) for each in document["graphs"]]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} cannot be read as an OBO graph in JSON: {error or type(error).__name__}") from error
    if not any(graph.terms for graph in graphs):
        raise InputError(f"{path} has no terms: expected an OBO graph with nodes of type CLASS")
    staged = stage_terms(_ontology(path, document["graphs"], graphs), problems)
    progress(f"read {path.name}", 1, 1)
    return staged


def _ontology(path: Path, given: list[dict[str, Any]], graphs: "Iterable[_Graph]") -> Ontology:
    terms: dict[str, Term] = {}
    relations: dict[str, Relation] = {}
    replaced: list[tuple[str, str]] = []
    obsolete = 0
    for graph in graphs:
        terms |= graph.terms
        relations |= graph.relations
        replaced += graph.replaced
        obsolete += graph.obsolete
    meta = given[0].get("meta") or {}
    stated = {local_name(each["pred"]): each["val"] for each in meta.get("basicPropertyValues", ())}
    version = (
        (meta.get("version") or stated.get("versionInfo") or "").removesuffix(".json").removesuffix(f"/{path.stem}")
    )
    name = local_name(given[0].get("id") or path.stem).partition(".")[0].upper()
    return Ontology(
        path.name,
        name,
        version.rpartition("/")[2] or None,
        stated.get("license"),
        terms,
        keep_old_ids(terms, replaced),
        relations,
        obsolete,
    )


class _Graph:
    """One graph of a file; places are numbers of nodes and edges, since JSON has no lines to name."""

    def __init__(self, graph: dict[str, Any], file: str, problems: Problems) -> None:
        self.terms: dict[str, Term] = {}
        self.relations: dict[str, Relation] = {}
        self.replaced: list[tuple[str, str]] = []
        self.obsolete = 0
        self._curie = Curies().curie
        for number, node in enumerate(graph.get("nodes") or (), 1):
            if not isinstance(node.get("id"), str):
                problems.add("malformed row", f"{file}:node {number}", "a node without an id")
            elif node.get("type") == "PROPERTY":
                self._add_relation(node)
            elif node.get("type") == "CLASS":
                self._add_term(node, number)
        for number, edge in enumerate(graph.get("edges") or (), 1):
            if not all(isinstance(edge.get(part), str) for part in ("sub", "pred", "obj")):
                problems.add("malformed row", f"{file}:edge {number}", "an edge without sub, pred or obj")
                continue
            subject, relation, target = (self._curie(edge[part]) for part in ("sub", "pred", "obj"))
            term = self.terms.get(subject)
            if term is not None and relation == "is_a":
                term.parents.append((target, number))
            elif term is not None:
                term.relationships.append((relation, target, number))

    def _add_relation(self, node: dict[str, Any]) -> None:
        identifier = self._curie(node["id"])
        self.relations[identifier] = Relation("_".join((node.get("lbl") or local_name(identifier)).split()))

    def _add_term(self, node: dict[str, Any], number: int) -> None:
        meta = node.get("meta") or {}
        stated = [(each["pred"], each["val"]) for each in meta.get("basicPropertyValues", ())]
        identifier = self._curie(node["id"])
        if meta.get("deprecated"):
            self.obsolete += 1
            self.replaced += [(identifier, self._curie(value)) for pred, value in stated if pred == REPLACED_BY]
            return
        values = {local_name(pred): value for pred, value in stated}
        synonyms = [(SCOPES.get(each["pred"], "RELATED"), each["val"]) for each in meta.get("synonyms", ())]
        self.replaced += [(value, identifier) for pred, value in stated if local_name(pred) == "hasAlternativeId"]
        self.terms[identifier] = Term(
            identifier,
            number,
            node.get("lbl"),
            (meta.get("definition") or {}).get("val"),
            "\n".join(meta.get("comments") or ()) or None,
            values.get("hasOBONamespace"),
            sorted(synonyms, key=lambda each: each[0] != "EXACT"),
            [each["val"] for each in meta.get("xrefs", ())],
            [local_name(each) for each in meta.get("subsets", ())],
        )
