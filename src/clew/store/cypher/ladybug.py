"""Neo4j semantics in Ladybug's dialect.

Ladybug silently answers some queries differently: one relationship may match twice in a pattern, variable-length
relationships may repeat a relationship, lists and strings are indexed from one, an empty sum is null. The rewrites here
remove each difference.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from clew.errors import QueryError
from clew.store.cypher import syntax as s
from clew.store.cypher.deferral import defer_conditions

__all__ = ["to_ladybug"]

OWN_VARIABLE = "clew_r"  # prefix of the names given to anonymous relationships
ONE = s.Literal(1)
EVERYTHING = s.Literal(2**62)
SHORTEST = {"one": "SHORTEST", "all": "ALL SHORTEST"}


def to_ladybug(statement: s.Statement) -> s.Statement:
    """The same statement for Ladybug."""
    _check(statement)
    queries = tuple(defer_conditions(_distinct_relationships(_named_columns(query))) for query in statement.queries)
    repeated = frozenset(
        each.variable
        for each in s.walk(queries)
        if isinstance(each, s.RelationshipPattern) and each.repeated and each.variable is not None
    )

    def change(part: Any) -> Any:
        match part:
            case s.Variable(name) if name in repeated:
                return s.Call("rels", (part,))
            case s.Item(s.Call("rels", (s.Variable() as variable,)), None):
                return replace(part, expression=variable)  # WITH passes it on unchanged
            case s.With(projection) if projection.order and projection.skip is None and projection.limit is None:
                return replace(part, projection=replace(projection, limit=EVERYTHING))  # else it is rejected
            case s.Call():
                return _call(part)
            case s.Index(of, at):
                return _element(of, at)
            case s.Slice(of, start, end):
                return _slice(of, start, end)
            case s.HasLabels(of, labels):
                return s.Binary("IN", s.Call("label", (of,)), s.ListLiteral(tuple(map(s.Literal, labels))))
            case s.ListComprehension():
                return _comprehension(part)
            case s.PatternExpression(pattern):
                return s.Subquery("EXISTS", (pattern,), None)
            case s.RelationshipPattern(repeated=True, manner=""):
                return replace(part, manner="TRAIL")
            case s.Pattern(kind=kind) if kind:
                return _shortest(part)
        return part

    return replace(statement, queries=s.rewrite(queries, change))


def _check(statement: s.Statement) -> None:
    """Reject what Ladybug cannot express exactly."""
    if any(isinstance(part, s.PatternComprehension) for part in s.walk(statement)):
        raise QueryError("the embedded store has no pattern comprehensions: use OPTIONAL MATCH and collect()")
    for query in statement.queries:
        ordered = False
        for clause in query.clauses:
            if ordered and any(isinstance(part, s.Call) and part.function == "collect" for part in s.walk(clause)):
                raise QueryError("collect() has no defined order in the embedded store: use ORDER BY in RETURN instead")
            ordered = ordered or (isinstance(clause, s.With) and bool(clause.projection.order))


# patterns -------------------------------------------------------------------------------------------------------


def _shortest(pattern: s.Pattern) -> s.Pattern:
    elements = tuple(
        replace(each, repeated=True, manner=SHORTEST[pattern.kind]) if isinstance(each, s.RelationshipPattern) else each
        for each in pattern.elements
    )
    return replace(pattern, elements=elements, kind="")


def _distinct_relationships(query: s.Query) -> s.Query:
    """Within one MATCH all relationships are distinct: add conditions where two could match the same one."""
    names = (f"{OWN_VARIABLE}{number}" for number in range(1, 1_000_000))

    def change(part: Any) -> Any:
        match part:
            case s.Match() | s.Subquery():
                patterns, conditions = _named(part.patterns, names)
                return replace(part, patterns=patterns, where=s.conjunction(part.where, *conditions))
            case s.PatternExpression(pattern):
                patterns, conditions = _named((pattern,), names)
                return s.Subquery("EXISTS", patterns, s.conjunction(*conditions))
        return part

    changed: s.Query = s.rewrite(query, change)
    return changed


def _named(patterns: tuple[s.Pattern, ...], names: Iterator[str]) -> tuple[tuple[s.Pattern, ...], list[s.Expression]]:
    """Patterns with names for relationships that could match the same one, and the conditions that prevent it."""
    placed = [
        (row, column, each)
        for row, pattern in enumerate(patterns)
        if not pattern.kind
        for column, each in enumerate(pattern.elements)
        if isinstance(each, s.RelationshipPattern)
    ]
    pairs = [(a, b) for a, b in combinations(placed, 2) if _may_coincide(a[2], b[2])]
    grid = [list(pattern.elements) for pattern in patterns]
    for row, column, each in {place[:2]: place for pair in pairs for place in pair}.values():
        if each.variable is None:
            grid[row][column] = replace(each, variable=next(names))
    conditions = [_disjoint(grid[a[0]][a[1]], grid[b[0]][b[1]]) for a, b in pairs]
    named = tuple(replace(pattern, elements=tuple(row)) for pattern, row in zip(patterns, grid, strict=True))
    return named, conditions


def _may_coincide(one: s.RelationshipPattern, other: s.RelationshipPattern) -> bool:
    return not one.types or not other.types or not set(one.types).isdisjoint(other.types)


def _disjoint(one: Any, other: Any) -> s.Expression:
    """The condition that two relationship variables, single or variable-length, are disjoint."""
    left, right = s.Variable(one.variable), s.Variable(other.variable)
    if one.repeated and other.repeated:
        each = s.Variable(f"{OWN_VARIABLE}_each")
        return s.Quantifier("none", each.name, left, s.Binary("IN", each, right))
    if one.repeated:
        return s.Unary("NOT", s.Binary("IN", right, left))
    if other.repeated:
        return s.Unary("NOT", s.Binary("IN", left, right))
    return s.Binary("<>", s.Call("id", (left,)), s.Call("id", (right,)))  # cheaper than comparing all properties


# columns ----------------------------------------------------------------------------------------------------------


def _named_columns(query: s.Query) -> s.Query:
    """The query with * expanded, so that names added here are never returned."""
    scope: list[str] = []
    clauses: list[s.Clause] = []
    for clause in query.clauses:
        match clause:
            case s.Match(patterns):
                scope = list(dict.fromkeys([*scope, *s.declared(patterns)]))  # a variable may stand in it twice
            case s.Unwind(_, variable):
                scope += [variable]
            case s.With(projection) | s.Return(projection):
                if projection.everything:
                    projection = replace(projection, everything=False, items=(*_all(scope), *projection.items))
                    clause = replace(clause, projection=projection)
                scope = [item.column for item in projection.items]
        clauses.append(clause)
    return s.Query(tuple(clauses))


def _all(scope: list[str]) -> tuple[s.Item, ...]:
    if not scope:
        raise QueryError("there is nothing for * to return")
    return tuple(s.Item(s.Variable(name), name, name) for name in scope)


# functions --------------------------------------------------------------------------------------------------------


def _call(call: s.Call) -> s.Expression:
    match call:
        case s.Call("labels", (of,)):
            return s.ListLiteral((s.Call("label", (of,)),))
        case s.Call("type", (of,)):
            return s.Call("label", (of,))
        case s.Call("relationships", arguments):
            return s.Call("rels", arguments)
        case s.Call("sum"):
            return s.Call("coalesce", (call, s.Literal(0)))
        case s.Call("substring", (text, start, *length)):
            count = length[0] if length else s.Call("size", (text,))
            return s.Call("substring", (text, _plus_one(start), count))
        case s.Call("head", (of,)):
            return _element(of, s.Literal(0))
        case s.Call("last", (of,)):
            return _element(of, s.Literal(-1))
        case s.Call("tail", (of,)):
            return _slice(of, ONE, None)
    return call


def _plus_one(number: s.Expression) -> s.Expression:
    if isinstance(number, s.Literal) and isinstance(number.value, int):
        return s.Literal(number.value + 1)
    return s.Binary("+", number, ONE)


def _from_one(at: s.Expression) -> s.Expression:
    """A zero-based position as a one-based one; negative positions are the same in both."""
    if isinstance(at, s.Literal) and isinstance(at.value, int):
        return s.Literal(at.value + 1 if at.value >= 0 else at.value)
    return s.Case(None, ((s.Binary(">=", at, s.Literal(0)), _plus_one(at)),), at)


def _element(of: s.Expression, at: s.Expression) -> s.Expression:
    """One element, or null if there is none; Ladybug's own look-up fails there, even under a CASE that excludes it."""
    position = _from_one(at)
    found = s.Call("list_any_value", (s.Call("list_slice", (of, position, position)),))
    size = s.Call("size", (of,))
    if isinstance(at, s.Literal) and isinstance(at.value, int):
        there: s.Expression = s.Binary(">=", size, s.Literal(at.value + 1 if at.value >= 0 else -at.value))
    else:
        there = s.Binary("AND", s.Binary("<", at, size), s.Binary(">=", at, s.Unary("-", size)))
    return s.Case(None, ((there, found),), None)


def _slice(of: s.Expression, start: s.Expression | None, end: s.Expression | None) -> s.Expression:
    """From start up to but excluding end; list_slice is one-based and includes both."""
    size = s.Call("size", (of,))
    first = ONE if start is None else _from_one(start)
    last: s.Expression = size
    if isinstance(end, s.Literal) and isinstance(end.value, int):
        last = end if end.value >= 0 else s.Binary("-", size, s.Literal(-end.value))
    elif end is not None:
        last = s.Case(None, ((s.Binary(">=", end, s.Literal(0)), end),), s.Binary("+", size, end))
    if isinstance(start, s.Literal) and isinstance(start.value, int) and start.value < 0:
        first = s.Binary("+", size, s.Literal(start.value + 1))
    elif isinstance(first, s.Case):
        first = s.Case(None, first.branches, s.Binary("+", s.Binary("+", size, start or ONE), ONE))
    from_start = s.Case(None, ((s.Binary("<", first, ONE), ONE),), first)
    empty = s.Call("list_slice", (of, s.Literal(2), ONE))
    taken = s.Call("list_slice", (of, from_start, last))
    return s.Case(None, ((s.Binary("<", last, from_start), empty),), taken)


def _comprehension(part: s.ListComprehension) -> s.Expression:
    items = part.items
    if part.where is not None:
        items = s.Call("list_filter", (items, s.Lambda(part.variable, part.where)))
    if part.value is not None:
        items = s.Call("list_transform", (items, s.Lambda(part.variable, part.value)))
    return items
