"""Variables that a query mentions but does not match, joined to its pattern where there is only one way to do so.

MATCH (staff)-[:WORKS_AT]->(branch) RETURN reading_group, in a graph where one relation alone connects reading groups
and branches or staff, means the reading groups of the branch. In: a statement. Out: the same with that step.
"""

from collections.abc import Iterator
from dataclasses import replace

from clew.answer.models.shown_schema import ShownSchema
from clew.store.cypher import syntax as s

__all__ = ["join_variables"]


def join_variables(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with a step for each variable that nothing matches, and what was added, in words."""
    matched = dict.fromkeys(each.variable for each in s.walk(statement) if isinstance(each, s.EntityPattern))
    mentioned = dict.fromkeys(each.name for each in s.walk(statement) if isinstance(each, s.Variable))
    added: list[s.Pattern] = []
    repairs: list[str] = []
    for name in mentioned:
        label = None if name in matched else schema.label_of(name)
        steps = [] if label is None else list(_steps(name, label, [each for each in matched if each], schema))
        if len(steps) == 1:
            pattern, repair = steps[0]
            added.append(pattern)
            repairs.append(repair)
    return (_with(statement, tuple(added)), tuple(repairs)) if added else (statement, ())


def _steps(name: str, label: str, matched: list[str], schema: ShownSchema) -> Iterator[tuple[s.Pattern, str]]:
    """The ways to join a variable with one that is matched."""
    for other in matched:
        for join in schema.joins:
            for here, there, way in ((join.subject, join.object, "out"), (join.object, join.subject, "in")):
                if (here, there) == (label, schema.label_of(other)):
                    step = s.RelationshipPattern(way, types=(join.relationship,))
                    pattern = s.Pattern((s.EntityPattern(name), step, s.EntityPattern(other)))
                    yield pattern, f"{name} joined with {other} by {join.relationship}"


def _with(statement: s.Statement, patterns: tuple[s.Pattern, ...]) -> s.Statement:
    """The statement with further patterns in its first MATCH."""
    first, *others = statement.queries
    clauses = list(first.clauses)
    at = next((number for number, each in enumerate(clauses) if isinstance(each, s.Match)), None)
    if at is None:
        return statement
    match = clauses[at]
    assert isinstance(match, s.Match)
    clauses[at] = replace(match, patterns=(*match.patterns, *patterns))
    return replace(statement, queries=(replace(first, clauses=tuple(clauses)), *others))
