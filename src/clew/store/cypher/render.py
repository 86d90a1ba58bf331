"""A statement in the dialect of one store, with the meaning it has in Neo4j.

Every dialect allows the same functions, requires an upper bound on variable-length relationships, names every column
as it was written, and matches symmetric relations in both directions. A dialect is a function from tree to tree.
"""

from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from clew.errors import QueryError, UnknownName
from clew.store.cypher import syntax as s
from clew.store.cypher.ladybug import to_ladybug
from clew.store.cypher.write import write
from clew.store.deadline import Deadline

__all__ = ["AGGREGATES", "DIALECTS", "FUNCTIONS", "LONGEST_WALK", "render"]

LONGEST_WALK = 30  # hops of a variable-length relationship; Ladybug's maximum
MAX_RELATIONSHIPS = 64  # of one MATCH; each pair of them may need a condition that they differ
LONGEST_SENT = 4_000_000  # characters; a dialect may repeat an expression, and nested ones grow exponentially
AGGREGATES = ("avg", "collect", "count", "max", "min", "sum")
FUNCTIONS = {  # case-insensitive name: allowed numbers of arguments
    **dict.fromkeys(AGGREGATES, (1, 1)),
    "abs": (1, 1),
    "ceil": (1, 1),
    "coalesce": (1, 99),
    "date": (1, 1),
    "floor": (1, 1),
    "head": (1, 1),
    "labels": (1, 1),
    "last": (1, 1),
    "left": (2, 2),
    "length": (1, 1),
    "ltrim": (1, 1),
    "nodes": (1, 1),
    "range": (2, 3),
    "relationships": (1, 1),
    "replace": (3, 3),
    "right": (2, 2),
    "rtrim": (1, 1),
    "sign": (1, 1),
    "size": (1, 1),
    "sqrt": (1, 1),
    "substring": (2, 3),
    "tail": (1, 1),
    "tolower": (1, 1),
    "toupper": (1, 1),
    "trim": (1, 1),
    "type": (1, 1),
}
OTHER_NAMES = {"lower": "toLower", "upper": "toUpper", "rels": "relationships"}
SPELLED = {"tolower": "toLower", "toupper": "toUpper"}


def render(
    statement: s.Statement,
    dialect: str = "neo4j",
    *,
    symmetric: frozenset[str] = frozenset(),
    deadline: Deadline | None = None,
) -> str:
    """The text to send to a store. Relationships of `symmetric` types are matched in both directions.

    >>> from clew.store.cypher.parse import parse
    >>> render(parse("MATCH (a)-[:INTERACTS]->(b) RETURN b.name"), symmetric=frozenset({"INTERACTS"}))
    'MATCH (a)-[:INTERACTS]-(b)\\nRETURN b.name AS `b.name`'
    """
    if dialect not in DIALECTS:
        raise UnknownName(f"no dialect is called {dialect!r}: known: {', '.join(DIALECTS)}")

    def common(part: Any) -> Any:
        match part:
            case s.Call():
                return _counted(_known(part))
            case s.Match(patterns) | s.Subquery(_, patterns):
                _check_length(patterns)
            case s.PatternExpression(pattern) | s.PatternComprehension(pattern):
                _check_length((pattern,))
            case s.RelationshipPattern():
                return _undirected(_bounded(part), symmetric)
            case s.Return(projection):
                named = tuple(replace(item, alias=item.column) for item in projection.items)
                return s.Return(replace(projection, items=named))
        return part

    shared = s.rewrite(statement, common)
    if deadline is not None:
        deadline.check()
    return write(DIALECTS[dialect](shared), longest=LONGEST_SENT, deadline=deadline)


def _known(call: s.Call) -> s.Call:
    name = OTHER_NAMES.get(call.function.lower(), call.function).lower()
    if name not in FUNCTIONS:
        close = get_close_matches(name, FUNCTIONS, n=1)
        hint = f"did you mean {SPELLED.get(close[0], close[0])}? " if close else ""
        raise QueryError(
            f"the function {call.function} is not among the functions that work the same on every store: {hint}"
            f"{', '.join(SPELLED.get(known, known) for known in FUNCTIONS)}"
        )
    least, most = FUNCTIONS[name]
    if not least <= len(call.arguments) <= most:
        expected = str(least) if least == most else f"{least} to {most}"
        raise QueryError(f"{call.function} takes {expected} arguments, not {len(call.arguments)}")
    if call.distinct and name not in AGGREGATES:
        raise QueryError(f"{call.function} takes no DISTINCT: {', '.join(AGGREGATES)} do")
    return replace(call, function=SPELLED.get(name, name))


def _counted(call: s.Call) -> s.Expression:
    """The size of a pattern is its number of matches."""
    match call:
        case s.Call("size", (s.PatternExpression(pattern),)):
            return s.Subquery("COUNT", (pattern,), None)
    return call


def _check_length(patterns: tuple[s.Pattern, ...]) -> None:
    count = sum(len(pattern.relationships) for pattern in patterns)
    if count > MAX_RELATIONSHIPS:
        raise QueryError(
            f"a MATCH has at most {MAX_RELATIONSHIPS} relationships, not {count}: use a variable length such as *1..4"
        )


def _bounded(relationship: s.RelationshipPattern) -> s.RelationshipPattern:
    if relationship.longest is None or relationship.longest > LONGEST_WALK:
        raise QueryError(f"give a variable-length relationship an upper bound of at most {LONGEST_WALK}, such as *1..4")
    return relationship


def _undirected(relationship: s.RelationshipPattern, symmetric: frozenset[str]) -> s.RelationshipPattern:
    if relationship.types and symmetric.issuperset(relationship.types):
        return replace(relationship, direction="both")
    return relationship


def _unchanged(statement: s.Statement) -> s.Statement:
    return statement


DIALECTS: dict[str, Callable[[s.Statement], s.Statement]] = {"neo4j": _unchanged, "ladybug": to_ladybug}
