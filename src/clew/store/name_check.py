"""Names in a query that the graph does not have: labels, relationships and properties, each with what comes close."""

from collections.abc import Collection
from difflib import get_close_matches

from clew.errors import QueryError
from clew.store.cypher import Statement
from clew.store.cypher import syntax as s
from clew.store.layout import StoreSchema

__all__ = ["check_names"]

LISTED = 12  # known names in an error where nothing comes close
ENTITY_KEYS = ("id", "name")
RELATIONSHIP_KEYS = ("triple",)


def check_names(statement: Statement, schema: StoreSchema) -> None:
    """Raise `QueryError` for the first name that no entity or relationship of the graph has, with a suggestion."""
    labels = [label.name for label in schema.labels]
    relationships = [each.name for each in schema.relationships]
    keys = {
        "entity": [*ENTITY_KEYS, *(each.name for each in schema.properties)],
        "relationship": [
            *RELATIONSHIP_KEYS,
            *dict.fromkeys(p.name for r in schema.relationships for p in r.properties),
        ],
    }
    variables: dict[str, str] = {}
    for part in s.walk(statement):
        match part:
            case s.EntityPattern(variable, named, properties):
                _check(named, labels, "label")
                _check(_keys(properties), keys["entity"], "property")
                variables[variable or ""] = "entity"
            case s.RelationshipPattern(variable=variable, types=named, properties=properties):
                _check(named, relationships, "relationship")
                _check(_keys(properties), keys["relationship"], "property")
                variables[variable or ""] = "relationship"
            case s.HasLabels(_, named):
                _check(named, labels, "label")
    for part in s.walk(statement):
        match part:
            case s.Property(s.Variable(name), key) if name in variables:
                _check((key,), keys[variables[name]], "property")


def _keys(properties: s.Expression | None) -> tuple[str, ...]:
    return tuple(key for key, _ in properties.entries) if isinstance(properties, s.MapLiteral) else ()


def _check(names: Collection[str], known: Collection[str], what: str) -> None:
    folded = {each.casefold(): each for each in known}
    for name in names:
        if name in known:
            continue
        close = [folded[each] for each in get_close_matches(name.casefold(), folded, n=2, cutoff=0.6)]
        if close:
            raise QueryError(f"this graph has no {what} {name}: did you mean {' or '.join(close)}?")
        listed = list(known)
        shown = ", ".join(listed[:LISTED]) + (", …" if len(listed) > LISTED else "")
        raise QueryError(f"this graph has no {what} {name}: it has {shown or 'none'}")
