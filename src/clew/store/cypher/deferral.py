"""Conditions on relationships, placed where Ladybug evaluates them correctly.

Ladybug 0.22 loses and invents rows when it filters relationships and then reads further ones from both of their ends,
or from one end where they come from several tables (types, pairs of labels, directions). So conditions on
relationships of three or more, and of two on those of several tables, become one, which also mentions all other
relationships of its MATCH, without effect, and WITH separates it from the next MATCH: the filter then comes last.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clew.store.cypher import syntax as s

__all__ = ["defer_conditions"]

OWN_VARIABLE = "clew_d"  # prefix of the names given to anonymous relationships


def defer_conditions(query: s.Query) -> s.Query:
    """The query with every condition that Ladybug would evaluate wrongly in a place where it does not."""
    names = (f"{OWN_VARIABLE}{number}" for number in range(1, 1_000_000))

    def change(part: Any) -> Any:
        return _deferred(part, names) if isinstance(part, s.Match | s.Subquery) else part

    changed: s.Query = s.rewrite(query, change)
    return _separated(changed)


def _deferred(part: Any, names: Iterator[str]) -> Any:
    """A MATCH or subquery whose conditions on relationships mention all of these, where that matters."""
    number = sum(len(pattern.relationships) for pattern in part.patterns)
    if number < 2:
        return part
    patterns = _named(part.patterns, names)
    risky = _of_several_tables(patterns) if number == 2 else _all(patterns)
    patterns, inline = _without_properties(patterns, risky)
    conditions = [*inline, *_conjuncts(part.where)]
    if not any(risky & _variables(condition) for condition in conditions):
        return part
    relationships = [each for pattern in patterns for each in pattern.relationships]
    deferred = [condition for condition in conditions if risky & _variables(condition)]
    others = [condition for condition in conditions if not risky & _variables(condition)]
    together = s.conjunction(*deferred)  # one condition, since each by itself would have to mention all relationships
    mentioned = _variables(together)
    missing = [each for each in relationships if each.variable not in mentioned]
    if not missing and len(deferred) > 1:
        missing = relationships[-1:]  # without an OR, Ladybug would take the conjunction apart
    for each in missing:
        together = s.Binary("OR", together, _never(each))  # type: ignore[arg-type]
    return replace(part, patterns=patterns, where=s.conjunction(*others, together))


def _all(patterns: tuple[s.Pattern, ...]) -> set[str | None]:
    return {each.variable for pattern in patterns for each in pattern.relationships}


def _of_several_tables(patterns: tuple[s.Pattern, ...]) -> set[str | None]:
    """Relationships that Ladybug may read from more than one table: each holds a type between two labels, one way."""
    elements = [each for pattern in patterns for each in pattern.elements]
    labelled = {each.variable for each in elements if isinstance(each, s.EntityPattern) and len(each.labels) == 1} - {
        None
    }
    found: set[str | None] = set()
    for pattern in patterns:
        for before, each, after in zip(pattern.elements, pattern.elements[1:], pattern.elements[2:], strict=False):
            if isinstance(each, s.RelationshipPattern):
                ends = [end.variable in labelled or len(end.labels) == 1 for end in (before, after)]  # type: ignore[union-attr]
                if each.direction == "both" or len(each.types) != 1 or not all(ends):
                    found.add(each.variable)
    return found


def _named(patterns: tuple[s.Pattern, ...], names: Iterator[str]) -> tuple[s.Pattern, ...]:
    """Patterns whose relationships all have variables."""

    def change(part: Any) -> Any:
        if isinstance(part, s.RelationshipPattern) and part.variable is None:
            return replace(part, variable=next(names))
        return part

    named: tuple[s.Pattern, ...] = s.rewrite(patterns, change)
    return named


def _without_properties(
    patterns: tuple[s.Pattern, ...], risky: set[str | None]
) -> tuple[tuple[s.Pattern, ...], list[s.Expression]]:
    """Patterns, and the conditions in the brackets of some relationships apart."""
    conditions: list[s.Expression] = []

    def change(part: Any) -> Any:
        match part:
            case s.RelationshipPattern(variable=str(name), repeated=False, properties=s.MapLiteral(entries)):
                if name in risky:
                    conditions.extend(s.Binary("=", s.Property(s.Variable(name), key), value) for key, value in entries)
                    return replace(part, properties=None)
        return part

    changed = s.rewrite(patterns, change)
    return changed, conditions


def _never(relationship: s.RelationshipPattern) -> s.Expression:
    """A condition on a relationship that never holds."""
    variable = s.Variable(str(relationship.variable))
    if relationship.repeated:
        return s.Binary("<", s.Call("size", (variable,)), s.Literal(0))
    return s.IsNull(s.Call("id", (variable,)), negated=False)


def _conjuncts(condition: s.Expression | None) -> list[s.Expression]:
    """The operands of AND, in order."""
    found: list[s.Expression] = []
    stack = [] if condition is None else [condition]
    while stack:
        match stack.pop():
            case s.Binary("AND", left, right):
                stack += [right, left]
            case other:
                found.append(other)
    return found


def _variables(part: Any) -> set[str | None]:
    return {each.name for each in s.walk(part) if isinstance(each, s.Variable)}


def _separated(query: s.Query) -> s.Query:
    """The query with WITH after every MATCH that filters relationships and is followed by MATCH or UNWIND."""
    scope: list[str] = []
    clauses: list[s.Clause] = []
    for clause, following in zip(query.clauses, (*query.clauses[1:], None), strict=True):
        clauses.append(clause)
        match clause:
            case s.Match(patterns, where):
                scope = list(dict.fromkeys([*scope, *s.declared(patterns)]))  # a variable may stand in it twice
                named = {each.variable for pattern in patterns for each in pattern.relationships}
                inline = any(each.properties is not None for pattern in patterns for each in pattern.relationships)
                if isinstance(following, s.Match | s.Unwind) and (inline or named & _variables(where)):
                    items = tuple(s.Item(s.Variable(name), None, name) for name in scope)
                    clauses.append(s.With(s.Projection(items)))
            case s.Unwind(_, variable):
                scope += [variable]
            case s.With(projection):
                scope = [item.column for item in projection.items]
    return s.Query(tuple(clauses))
