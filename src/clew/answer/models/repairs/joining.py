"""Queries that a model writes nearly correctly, repaired where there is only one way to do so.

MATCH (staff)-[:WORKS_AT]->(branch) RETURN reading_group, in a graph where one relation alone connects reading groups
and branches or staff, means the reading groups of the branch. In: a statement. Out: the statement with that step.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from clew.answer.models.repairs.fitting import label_of, only_step
from clew.answer.models.shown_schema import ShownSchema
from clew.answer.plans.cypher.read_conditions import conjuncts
from clew.store.cypher import syntax as s

__all__ = [
    "bridge_names",
    "columns_own_steps",
    "join_variables",
    "known_parameters",
    "one_of_several",
    "with_columns",
    "without_columns",
]

SEVERAL = re.compile(r"\((\w+(?:\|\w+)+)(?=[ )])")  # (nurse|doctor)
EITHER = "either"


def one_of_several(text: str) -> str:
    """The query with a single variable for an entity of one of several types.

    >>> one_of_several("MATCH (nurse|doctor)-[:WORKS_ON]->(ward {id: $ward1}) RETURN nurse, doctor")
    'MATCH (either)-[:WORKS_ON]->(ward {id: $ward1}) RETURN either, either'
    """
    for number, found in enumerate(list(SEVERAL.finditer(text))):
        own = f"{EITHER}{number or ''}"
        text = text.replace(found[0], f"({own}", 1)
        for name in found[1].split("|"):
            if not re.search(rf"\({name}\b", text):
                text = re.sub(rf"(?<![$:\w'.|]){name}\b", own, text)
    return text


def known_parameters(statement: s.Statement, known: Collection[str]) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with its unknown parameters replaced by those it does not use, if there are as many of each."""
    used = dict.fromkeys(each.name for each in s.walk(statement) if isinstance(each, s.Parameter))
    unknown, free = [name for name in used if name not in known], [name for name in known if name not in used]
    if not unknown or len(unknown) != len(free):
        return statement, ()
    meant = dict(zip(unknown, free, strict=True))

    def change(part: Any) -> Any:
        return s.Parameter(meant.get(part.name, part.name)) if isinstance(part, s.Parameter) else part

    changed: s.Statement = s.rewrite(statement, change)
    return changed, tuple(f"${name} read as ${other}" for name, other in meant.items())


def join_variables(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with a step for each variable that no pattern matches, and what was added, in words."""
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


def bridge_names(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with named entities as their own type, where a variable says another, and what was changed.

    MATCH (baker)-[:WINNER_OF]->(series {id: $show1}) means a series of that show, if one relation alone joins series
    and shows; in (series)-[:PART_OF]->(series2 {id: $show1}) the second is the show itself, if PART_OF leads to shows.
    An entity without a type may be of the type that the variable says. What is added inside a condition stays there.
    """
    repairs: list[str] = []

    def bridged(part: s.Pattern, added: list[s.Pattern]) -> s.Pattern:
        elements = list(part.elements)
        for at, entity in enumerate(elements):
            match entity:
                case s.EntityPattern(str() as name, _, s.MapLiteral((("id", s.Parameter(parameter)),))):
                    label, own = schema.label_of(name), schema.label_of(parameter.rstrip("0123456789"))
                    if label is None or own is None or own == label or schema.untyped in (label, own):
                        continue
                    if len(elements) > 1 and _fits(part, at, own, schema):
                        elements[at] = replace(entity, labels=(own,))
                        repairs.append(f"{name} read as {own}")
                        continue
                    joined = list(_joining_steps(label, own, schema))
                    if len(joined) == 1:
                        held = replace(entity, variable=f"{parameter}held", labels=(own,))
                        added.append(s.Pattern((s.EntityPattern(name), joined[0], held)))
                        repairs.append(f"{name} joined with ${parameter} by {joined[0].types[0]}")
                        elements[at] = replace(entity, properties=None)
                    elif not joined and _has_only_step(part, at, own, schema):
                        elements[at] = replace(entity, labels=(own,))
                        repairs.append(f"{name} read as {own}")
        return replace(part, elements=tuple(elements))

    def change(part: Any) -> Any:
        if not isinstance(part, s.Match | s.Subquery):
            return part
        added: list[s.Pattern] = []
        patterns = [bridged(each, added) for each in part.patterns]
        return replace(part, patterns=(*patterns, *added))

    changed: s.Statement = s.rewrite(statement, change)
    return changed, tuple(repairs)


def _fits(pattern: s.Pattern, at: int, label: str, schema: ShownSchema) -> bool:
    """Whether the steps at an entity of a pattern can have a label at that end, or at the other: that is put right."""
    for beside, far in ((at - 1, at - 2), (at + 1, at + 2)):
        if not 0 <= far < len(pattern.elements):
            continue
        step, other = pattern.elements[beside], pattern.elements[far]
        assert isinstance(step, s.RelationshipPattern)
        assert isinstance(other, s.EntityPattern)
        ends = {schema.label_of(other.variable or ""), label}
        if not any({each.subject, each.object} == ends for each in schema.joins if each.relationship in step.types[:1]):
            return False
    return True


def _has_only_step(pattern: s.Pattern, at: int, label: str, schema: ShownSchema) -> bool:
    """Whether the entity at the end of a pattern would be of a label that one relation alone connects with the next."""
    beside = at - 2 if at else at + 2
    if at not in (0, len(pattern.elements) - 1) or not 0 <= beside < len(pattern.elements):
        return False
    other = pattern.elements[beside]
    assert isinstance(other, s.EntityPattern)
    next_label = label_of(other, schema)
    return next_label is not None and only_step(next_label, label, schema) is not None


def _joining_steps(label: str, other: str, schema: ShownSchema) -> Iterator[s.RelationshipPattern]:
    """The steps from one label to another."""
    for join in schema.joins:
        if (join.subject, join.object) == (label, other):
            yield s.RelationshipPattern("out", types=(join.relationship,))
        if (join.object, join.subject) == (label, other):
            yield s.RelationshipPattern("in", types=(join.relationship,))


def with_columns(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with columns written for entities read from the only step there that has them, and which."""
    entities = {each.variable for each in s.walk(statement) if isinstance(each, s.EntityPattern)}
    wanted = dict.fromkeys(
        (each.of.name, each.key)
        for each in s.walk(statement)
        if isinstance(each, s.Property) and isinstance(each.of, s.Variable) and each.of.name in entities
    )
    owners: dict[tuple[str, str], list[s.RelationshipPattern]] = {}
    for pattern in (each for each in s.walk(statement) if isinstance(each, s.Pattern)):
        for at, step in enumerate(pattern.relationships):
            ends = {each.variable for each in pattern.entities[at : at + 2]}
            for name, key in wanted:
                if name in ends and schema.column(step.types, key) is not None:
                    owners.setdefault((name, key), []).append(step)
    only = {pair: steps[0] for pair, steps in owners.items() if len(steps) == 1}
    names = {id(step): step.variable or f"step{at}" for at, step in enumerate(only.values())}

    def change(part: Any) -> Any:
        if isinstance(part, s.Property) and isinstance(part.of, s.Variable) and (part.of.name, part.key) in only:
            return s.Property(s.Variable(names[id(only[part.of.name, part.key])]), part.key)
        return replace(part, variable=names[id(part)]) if id(part) in names else part

    changed: s.Statement = s.rewrite(statement, change) if only else statement
    return changed, tuple(f"{key} of {name} read as that of {' or '.join(only[name, key].types)}" for name, key in only)


def without_columns(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement without conditions that a column is empty which its relation does not have: a club has no end."""
    types = {each.variable: each.types for each in s.walk(statement) if isinstance(each, s.RelationshipPattern)}
    repairs: list[str] = []

    def is_idle(condition: s.Expression) -> bool:
        match condition:
            case s.IsNull(s.Property(s.Variable(name), key), negated=False) if key.startswith("q_") and types.get(name):
                return schema.column(types[name], key) is None
        return False

    def change(part: Any) -> Any:
        if not isinstance(part, s.Match | s.Subquery):
            return part
        kept = [each for each in conjuncts(part.where) if not is_idle(each)]
        if len(kept) == len(list(conjuncts(part.where))):
            return part
        repairs.append("a column that its relation does not have is empty")
        return replace(part, where=s.conjunction(*kept))

    changed: s.Statement = s.rewrite(statement, change)
    return changed, tuple(repairs)


def columns_own_steps(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with each step that lacks a wanted column read as the one relation between its labels that has it.

    "Until when did A play for B" is about the former club, where only that has a column for the end.
    """
    wanted: dict[str, set[str]] = {}
    for each in s.walk(statement):
        if isinstance(each, s.Property) and isinstance(each.of, s.Variable) and each.key.startswith("q_"):
            wanted.setdefault(each.of.name, set()).add(each.key)
    repairs: list[str] = []

    def change(part: Any) -> Any:
        if not isinstance(part, s.RelationshipPattern) or len(part.types) != 1 or part.variable not in wanted:
            return part
        keys = wanted[part.variable]
        if all(schema.column(part.types, key) is not None for key in keys):
            return part
        own = {(join.subject, join.object) for join in schema.joins if join.relationship == part.types[0]}
        others = {join.relationship for join in schema.joins if (join.subject, join.object) in own}
        fit = [name for name in sorted(others) if all(schema.column([name], key) is not None for key in keys)]
        if len(fit) != 1:
            return part
        repairs.append(f"{part.types[0]} read as {fit[0]}, which has {', '.join(sorted(keys))}")
        return replace(part, types=(fit[0],))

    changed: s.Statement = s.rewrite(statement, change) if wanted else statement
    return changed, tuple(repairs)


def _steps(name: str, label: str, matched: list[str], schema: ShownSchema) -> Iterator[tuple[s.Pattern, str]]:
    """The ways to connect a variable with one that is matched."""
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
