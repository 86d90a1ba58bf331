"""A NetworkX graph, directed or not, with parallel edges or not, as a graph.

Nodes become entities by their text, edges statements. The relation is the attribute `relation`, `predicate`, `label` or
`type` of an edge, in a multigraph else its key if that is text, else related_to. An undirected graph has symmetric
relations only.
"""

from typing import Any

import pyarrow as pa

from clew.errors import InputError
from clew.graph.readers.parts import Part, check_entities, check_triples
from clew.graph.readers.property_graphs.columns import (
    UNNAMED_RELATION,
    as_column,
    attribute_names,
    entity_column,
    relation_key,
    statement_column,
)
from clew.graph.staging import Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

TEXT = pa.string()
FLAGS = "clew"  # attribute of a graph that `to_networkx` gives it: relations and sources


def read(source: Any, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Stage a NetworkX graph."""
    if not (hasattr(source, "is_multigraph") and hasattr(source, "adj")):
        raise InputError(f"the networkx format takes a NetworkX graph from Python, got {type(source).__name__}")
    progress("reading nodes", 0, 2)
    nodes = list(source.nodes(data=True))
    if len({str(node) for node, _ in nodes}) < len(nodes):
        raise InputError("two nodes of the network have the same text, such as 1 and '1': rename one of them")
    entities = check_entities(Part("network, node", _entities(nodes), _place), problems)
    progress("reading edges", 1, 2)
    edges = _edges(source)
    triples = check_triples(Part("network, edge", _triples(edges), _place), problems)
    declared = source.graph.get(FLAGS, {})
    relations = [Relation(**each) for each in declared.get("relations", ())]
    if not source.is_directed():
        relations = [Relation(name, symmetric=True) for name in triples.table["relation"].unique().to_pylist()]
    progress("read a network", 2, 2)
    sources = [Source(**each) for each in declared.get("sources", ())]
    origins = (Origin((part.name,), (0,), (part.line,)) for part in (triples, entities))
    return Staged(triples.table, entities.table, relations, sources, *origins)


def _place(row: int) -> int:
    return row + 1


def _entities(nodes: list[tuple[Any, dict[str, Any]]]) -> pa.Table:
    names = attribute_names(attributes for _, attributes in nodes)
    columns: dict[str, pa.Array] = {"id": pa.array([str(node) for node, _ in nodes], TEXT)}
    for name in names:
        columns[entity_column(name, names)] = as_column([attributes.get(name) for _, attributes in nodes])
    return pa.table(columns)


def _edges(source: Any) -> list[tuple[Any, Any, Any, dict[str, Any]]]:
    """Subject, object, key and attributes; an edge of a simple graph has no key."""
    if source.is_multigraph():
        return list(source.edges(keys=True, data=True))
    return [(subject, object_, None, attributes) for subject, object_, attributes in source.edges(data=True)]


def _triples(edges: list[tuple[Any, Any, Any, dict[str, Any]]]) -> pa.Table:
    names = attribute_names(attributes for *_, attributes in edges)
    key = relation_key(names)
    stated = [_relation(each, attributes.get(key) if key else None) for _, _, each, attributes in edges]
    columns: dict[str, pa.Array] = {
        "subject": pa.array([str(subject) for subject, *_ in edges], TEXT),
        "relation": pa.array(stated, TEXT),
        "object": pa.array([str(object_) for _, object_, *_ in edges], TEXT),
    }
    for name in names:
        if name != key:
            columns[statement_column(name)] = as_column([attributes.get(name) for *_, attributes in edges])
    return pa.table(columns)


def _relation(key: Any, stated: Any) -> str:
    if stated is not None and str(stated):
        return str(stated)
    return key if isinstance(key, str) and key else UNNAMED_RELATION
