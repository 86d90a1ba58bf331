"""Whether a graph can answer a question at all, from its gold query alone and before anything is asked.

In: a gold query. Out: what it names that the graph does not have: types, relations, entities by name or id.
"""

from collections.abc import Iterator

from clew.graph import GraphContents
from clew.store.cypher import Statement
from clew.store.cypher import syntax as s
from clew.store.layout import StoreSchema

__all__ = ["missing_parts"]


def missing_parts(statement: Statement, contents: GraphContents, schema: StoreSchema) -> tuple[str, ...]:
    """What a query names that is not in the graph, each once; nothing where the graph has all of it."""
    labels = {label.name for label in schema.labels}
    relations = {each.name for each in schema.relationships}
    typed: dict[str, tuple[str, ...]] = {}  # variable → its labels, wherever they stand
    found: dict[str, None] = {}
    for part in s.walk(statement):
        if isinstance(part, s.EntityPattern):
            if part.variable is not None and part.labels:
                typed[part.variable] = part.labels
            found.update(dict.fromkeys(f"type {each}" for each in part.labels if each not in labels))
        elif isinstance(part, s.RelationshipPattern):
            found.update(dict.fromkeys(f"relation {each}" for each in part.types if each not in relations))
    for key, value, given in _named(statement, typed):
        types = {schema.type_of(label) for label in given}
        if not _is_there(key, value, types, contents):
            found[f"{' or '.join(sorted(types)) or 'entity'} {value!r}"] = None
    return tuple(found)


def _named(statement: Statement, typed: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Property, value and labels of every entity that a query names, in its pattern or in a condition."""
    for part in s.walk(statement):
        match part:
            case s.EntityPattern(variable, labels, s.MapLiteral(entries)):
                of = labels or typed.get(variable or "", ())
                for key, value in entries:
                    if isinstance(value, s.Literal) and key in ("id", "name"):
                        yield key, str(value.value), of
            case s.Binary("=", s.Property(s.Variable(name), "id" | "name" as key), s.Literal(literal)):
                yield key, str(literal), typed.get(name, ())
            case s.Binary("IN", s.Property(s.Variable(name), "id" | "name" as key), s.ListLiteral(items)):
                for item in items:
                    if isinstance(item, s.Literal):
                        yield key, str(item.value), typed.get(name, ())


def _is_there(key: str, value: str, types: set[str], contents: GraphContents) -> bool:
    if key == "id":
        entities = [each for each in contents.lookup([value]).tolist() if each >= 0]
    else:
        entities = contents.lookup_name(value)
    if not entities or not types:
        return bool(entities)
    return not types.isdisjoint(contents.describe(entities)["type"].to_pylist())
