"""GraphML: nodes and edges of XML with typed attributes, read one element at a time.

Attributes become columns as those of NetworkX do; nested graphs, hyperedges and ports are not read and counted. A graph
whose edges are undirected has symmetric relations. Entities of XML are refused.
"""

import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, iterparse

import pyarrow as pa

from clew.errors import InputError
from clew.graph.readers.conversion import LIST_SEPARATOR
from clew.graph.readers.own.declarations import beside, read_declarations
from clew.graph.readers.parts import Part, check_entities, check_triples
from clew.graph.readers.property_graphs.columns import (
    UNNAMED_RELATION,
    as_column,
    entity_column,
    relation_key,
    statement_column,
)
from clew.graph.readers.rdf.xml_entities import GuardedXml
from clew.graph.readers.source_files import check_file, open_bytes, reading
from clew.graph.staging import Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent

__all__ = ["LISTS", "read"]

TEXT = pa.string()
LISTS = ("synonyms", "xrefs", "evidence")  # GraphML has no lists: in our own exports they are the text of a JSON list
PARSERS: dict[str, Any] = {"int": int, "long": int, "float": float, "double": float}
TRUTH = {"true": True, "1": True, "false": False, "0": False}
Key = tuple[str, str]  # name and type of an attribute


def read(source: Path | str, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Stage one file, also with .gz."""
    path = check_file(source)
    progress(f"reading {path.name}", 0, 1)
    elements = _Elements(path, problems)
    elements.read()
    if not elements.found:
        raise InputError(f"{path} is no GraphML: it has no element graph")
    entities = check_entities(Part(f"{path}, node", elements.nodes.table(entity_column), _place), problems)
    stated = elements.edges.table(lambda name, present: statement_column(name))
    triples = check_triples(Part(f"{path}, edge", stated, _place), problems)
    relations, sources = _declared(path)
    if elements.undirected:
        relations = [Relation(name, symmetric=True) for name in triples.table["relation"].unique().to_pylist()]
    progress(f"read {path.name}", 1, 1)
    origins = (Origin((part.name,), (0,), (part.line,)) for part in (triples, entities))
    return Staged(triples.table, entities.table, relations, sources, *origins)


def _declared(path: Path) -> tuple[list[Relation], list[Source]]:
    declared = beside(path)
    return read_declarations(declared) if declared.is_file() else ([], [])


def _place(row: int) -> int:
    return row + 1


class _Rows:
    """Rows of text and of attributes, kept by column."""

    def __init__(self, *fixed: str) -> None:
        self.fixed: dict[str, list[str | None]] = {name: [] for name in fixed}
        self.attributes: dict[str, dict[int, Any]] = {}
        self.count = 0

    def add(self, texts: dict[str, str | None], attributes: dict[str, Any]) -> None:
        for name, values in self.fixed.items():
            values.append(texts[name])
        for name, value in attributes.items():
            self.attributes.setdefault(name, {})[self.count] = value
        self.count += 1

    def table(self, rename: Any) -> pa.Table:
        columns = {name: pa.array(values, TEXT) for name, values in self.fixed.items()}
        for name, values in self.attributes.items():
            columns[rename(name, self.attributes)] = as_column([values.get(row) for row in range(self.count)])
        return pa.table(columns)


class _Elements:
    """The nodes and edges of a file."""

    def __init__(self, path: Path, problems: Problems) -> None:
        self.path, self.problems = path, problems
        self.nodes, self.edges = _Rows("id"), _Rows("subject", "relation", "object")
        self.keys: dict[str, Key] = {}
        self.found = self.undirected = False
        self.depth = 0  # of graphs
        self.graph: Element | None = None

    def read(self) -> None:
        """Read the file; each element is forgotten once it was seen."""
        try:
            with reading(self.path, "GraphML"), open_bytes(self.path) as stream:
                for event, element in iterparse(GuardedXml(stream, self.path), ("start", "end")):
                    self._see(event, element, element.tag.rpartition("}")[2])
        except (ParseError, ValueError) as error:
            raise InputError(f"{self.path} cannot be read as GraphML: {error}") from error

    def _see(self, event: str, element: Element, tag: str) -> None:
        if tag == "graph":
            self.depth += 1 if event == "start" else -1
            if event == "start" and self.depth == 1:
                self.graph, self.found = element, True
                self.undirected = element.get("edgedefault") == "undirected"
            return
        if event == "start":
            return
        if tag == "key":
            key = element.get("id", "")
            self.keys[key] = (element.get("attr.name") or key, element.get("attr.type") or "string")
        elif tag in ("node", "edge"):
            self._add(element, tag)
            element.clear()
            if self.graph is not None and self.depth == 1:
                self.graph.clear()  # it would keep every node and edge
        elif tag in ("hyperedge", "port"):
            self.problems.note(f"{tag} of GraphML left out", str(self.path), "Clew has no such thing")

    def _add(self, element: Element, tag: str) -> None:
        attributes = {}
        for data in element:
            if data.tag.rpartition("}")[2] == "data" and data.get("key") in self.keys:
                name, kind = self.keys[data.get("key", "")]
                value = self._value("".join(data.itertext()), name if name in LISTS else kind, tag)
                if value is not None:
                    attributes[name] = value
        if tag == "node":
            self.nodes.add({"id": element.get("id")}, attributes)
            return
        key = relation_key(attributes)
        relation = str(attributes.pop(key)) if key else UNNAMED_RELATION
        self.edges.add(
            {"subject": element.get("source"), "relation": relation, "object": element.get("target")}, attributes
        )

    def _value(self, text: str, kind: str, tag: str) -> Any:
        if not text:
            return None
        try:
            if kind in LISTS:
                return json.loads(text) if text.startswith("[") else text.split(LIST_SEPARATOR)
            return TRUTH[text.strip().lower()] if kind == "boolean" else PARSERS.get(kind, str)(text)
        except (ValueError, KeyError):
            rows = self.nodes if tag == "node" else self.edges
            self.problems.add("malformed value", f"{self.path}, {tag}:{rows.count + 1}", f"{text[:40]!r} is no {kind}")
            return None
