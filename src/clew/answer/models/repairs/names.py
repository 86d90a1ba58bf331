"""Queries that leave out a name of their question, repaired where only one reading is left.

"Services that call at both Genoa and Piraeus", written with Genoa twice, means Piraeus the second time.
In: a statement, and the names of the question. Out: the statement with that name, or what "or" joins with one it has.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from clew.answer.models.schema_grammar import Placeholder
from clew.answer.models.shown_schema import ShownSchema
from clew.answer.reading.question import Anchor
from clew.store.cypher import syntax as s

__all__ = ["alike_properties", "joined_by_or", "said_twice", "two_by_one_variable"]

OR = re.compile(r"[\s,;]*\bor\b(\s+(the|a|an|in|of|at|by|with|for|from|to))*\s*", re.IGNORECASE)
COMPARED = ("=", "<>", "<", "<=", ">", ">=")


def said_twice(statement: s.Statement, known: Sequence[Placeholder]) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with the name that it leaves out where it says the same of another one twice.

    MATCH (x)-[:CALLS_AT]->(port {id: $port1}), (x)-[:CALLS_AT]->(port2 {id: $port1}) means $port2 in the end.
    """
    free = _left_out(statement, known)
    if len(free) != 1:
        return statement, ()
    twice = _repeated(statement, free[0], known)
    if twice is None:
        return statement, ()
    name, variable, step = twice
    seen = [0]

    def change(part: Any) -> Any:
        if not isinstance(part, s.Pattern):
            return part
        elements = list(part.elements)
        for at, entity in enumerate(elements):
            if isinstance(entity, s.EntityPattern) and _is_said(entity, name, variable) and _steps_at(part, at) & step:
                seen[0] += 1
                if seen[0] == 2:
                    named = s.MapLiteral((("id", s.Parameter(free[0].name)),))
                    elements[at] = s.EntityPattern(f"{free[0].name}too", entity.labels, named)
        return replace(part, elements=tuple(elements))

    changed: s.Statement = s.rewrite(statement, change)
    return changed, (f"the second ${name} read as ${free[0].name}",)


def two_by_one_variable(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with a variable of its own for each name, where one variable is said to be two of them.

    MATCH (x)-[:CALLS_AT]->(port {id: $port1}), (x)-[:CALLS_AT]->(port {id: $port2}): no port is both.
    """
    named: dict[str, str] = {}
    apart: dict[str, str] = {}

    def change(part: Any) -> Any:
        match part:
            case s.EntityPattern(str() as variable, _, s.MapLiteral((("id", s.Parameter(name)),))):
                if named.setdefault(variable, name) != name:
                    apart[name] = variable
                    return replace(part, variable=f"{name}too")
        return part

    changed: s.Statement = s.rewrite(statement, change)
    return changed, tuple(f"${name} is another {variable}" for name, variable in apart.items())


def _left_out(statement: s.Statement, known: Sequence[Placeholder]) -> list[Placeholder]:
    """The names that a statement mentions in none of their meanings, if these are one each."""
    used = {each.name for each in s.walk(statement) if isinstance(each, s.Parameter)}
    said = {each.text for each in known if each.name in used}
    meanings = Counter(each.text for each in known)
    return [each for each in known if each.text not in said and meanings[each.text] == 1]


def _repeated(
    statement: s.Statement, free: Placeholder, known: Sequence[Placeholder]
) -> tuple[str, str, frozenset[str]] | None:
    """A name of the same type of which one relation is stated twice, with its variable and that relation."""
    patterns = [each for each in s.walk(statement) if isinstance(each, s.Pattern)]
    for other in known:
        if not _are_alike(other, free) or other.text == free.text:
            continue
        variables = {_variable(entity) for part in patterns for entity in part.entities if _names(entity, other.name)}
        steps: Counter[str] = Counter()
        for part in patterns:
            for at, entity in enumerate(part.elements):
                if isinstance(entity, s.EntityPattern) and any(
                    _is_said(entity, other.name, each) for each in variables
                ):
                    steps.update(_steps_at(part, at))
        twice = frozenset(step for step, number in steps.items() if number == 2)
        if variables and twice:
            return other.name, min(variables), twice
    return None


def _are_alike(one: Placeholder, other: Placeholder) -> bool:
    """Whether two names are of one type, or one of them may be of any."""
    return one.labels == other.labels or not one.labels or not other.labels


def _variable(entity: s.EntityPattern) -> str:
    return entity.variable or ""


def _names(entity: s.EntityPattern, name: str) -> bool:
    match entity.properties:
        case s.MapLiteral((("id", s.Parameter(said)),)):
            return said == name
    return False


def _is_said(entity: s.EntityPattern, name: str, variable: str) -> bool:
    return _names(entity, name) or (bool(variable) and entity.variable == variable)


def _steps_at(pattern: s.Pattern, at: int) -> frozenset[str]:
    """The relations at an entity of a pattern."""
    beside = (pattern.elements[each] for each in (at - 1, at + 1) if 0 <= each < len(pattern.elements))
    return frozenset("|".join(each.types) for each in beside if isinstance(each, s.RelationshipPattern))


def joined_by_or(
    statement: s.Statement, named: Mapping[Anchor, Mapping[Placeholder, Any]], text: str
) -> dict[str, tuple[str, ...]]:
    """The names that a statement leaves out, by the one that "or" joins them with: ($cargo2 or) $cargo3.

    Not where that one itself is asked for: which of the two it is.
    """
    known = [each for own in named.values() for each in own]
    free = {each.text: each.name for each in _left_out(statement, known)}
    used = {each.name for each in s.walk(statement) if isinstance(each, s.Parameter)}
    asked = _asked(statement)
    listed = sorted(named, key=lambda each: each.start)
    found: dict[str, tuple[str, ...]] = {}
    for one, other in pairwise(listed):
        said = next((each for each in named[one] if each.name in used), None)
        left = next((each for each in named[other] if free.get(each.text) == each.name), None)
        if said is None or left is None or not _are_alike(said, left) or not OR.fullmatch(text[one.end : other.start]):
            continue
        if not any(_names(entity, said.name) and entity.variable in asked for entity in _entities(statement)):
            found[said.name] = (*found.get(said.name, ()), left.name)
    return found


def _entities(statement: s.Statement) -> list[s.EntityPattern]:
    return [each for each in s.walk(statement) if isinstance(each, s.EntityPattern)]


def _asked(statement: s.Statement) -> set[str]:
    """The variables that are returned, or whose properties are."""
    ends = [each for each in s.walk(statement) if isinstance(each, s.Return)]
    return {each.name for end in ends for each in s.walk(end) if isinstance(each, s.Variable)}


def alike_properties(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with properties compared with properties: `town.county = town2` means that of the other town."""
    matched = {each.variable for each in _entities(statement)}
    repairs: list[str] = []

    def change(part: Any) -> Any:
        match part:
            case s.Binary(operator, s.Property(s.Variable(), key) as left, s.Variable(name)) if operator in COMPARED:
                label = schema.label_of(name)
                if name in matched and label is not None and schema.field([label], key) is not None:
                    repairs.append(f"{name} read as {name}.{key}")
                    return s.Binary(operator, left, s.Property(s.Variable(name), key))
        return part

    changed: s.Statement = s.rewrite(statement, change)
    return changed, tuple(repairs)
