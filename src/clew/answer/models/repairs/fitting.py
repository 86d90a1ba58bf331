"""Relations of a written query that do not connect its types, read as the one that does.

MATCH (room)-[:WING]->(wing), in a graph where PART_OF alone connects rooms and wings, means that relation;
(town)-[:PART_OF]->(region), where towns are part of counties and these of regions, means several steps; and
(work)-[:HANGS_IN]->(wing), where works hang in rooms and these are part of wings, means a room of the wing.
In: a statement. Out: the statement with such steps, and what was changed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from clew.answer.lexicon.forms import plain_name, stem
from clew.answer.models.shown_schema import Join, ShownSchema
from clew.answer.plans.schema.containment import is_within
from clew.store.cypher import syntax as s

__all__ = ["fitting_relations", "label_of", "only_step"]

Ends = tuple[str, str]
Element = s.EntityPattern | s.RelationshipPattern


def fitting_relations(statement: s.Statement, schema: ShownSchema) -> tuple[s.Statement, tuple[str, ...]]:
    """The statement with each relation that does not connect its labels read as several steps or as the only other."""
    repairs: list[str] = []

    def change(part: object) -> object:
        if not isinstance(part, s.Pattern):
            return part
        elements: list[Element | tuple[Element, ...]] = list(part.elements)
        for at in range(1, len(elements) - 1, 2):
            before, step, after = elements[at - 1 : at + 2]
            assert isinstance(before, s.EntityPattern)
            assert isinstance(step, s.RelationshipPattern)
            assert isinstance(after, s.EntityPattern)
            left, right = label_of(before, schema), label_of(after, schema)
            if left is None or right is None or schema.untyped in (left, right) or not _is_plain(step):
                continue
            named = (before.properties is not None, after.properties is not None)
            fitted = _fitted(step, (left, right), named, schema)
            if fitted is not None:
                elements[at] = fitted
                longer = " in several steps" if fitted.repeated else ""
                repairs.append(f"{step.types[0]} read as {fitted.types[0]}{longer} between {left} and {right}")
            elif (within := _into(step, (left, right), schema)) is not None:
                elements[at] = within
                repairs.append(f"{step.types[0]} read as leading into {right if step.direction == 'out' else left}")
        return replace(part, elements=tuple(_flat(elements)))

    changed: s.Statement = s.rewrite(statement, change)
    return (changed, tuple(repairs)) if repairs else (statement, ())


def label_of(entity: s.EntityPattern, schema: ShownSchema) -> str | None:
    """The label of an entity in a pattern, as written or as its variable says."""
    return entity.labels[0] if len(entity.labels) == 1 else schema.label_of(entity.variable or "")


def only_step(left: str, right: str, schema: ShownSchema) -> s.RelationshipPattern | None:
    """The step from one label to another, where there is a single one."""
    found = [
        s.RelationshipPattern(way, types=(join.relationship,))
        for join in schema.joins
        for way, ends in (("out", (join.subject, join.object)), ("in", (join.object, join.subject)))
        if ends == (left, right)
    ]
    return found[0] if len(found) == 1 else None


def _is_plain(step: s.RelationshipPattern) -> bool:
    return len(step.types) == 1 and not step.repeated and step.properties is None


def _fitted(
    step: s.RelationshipPattern, labels: Ends, named: tuple[bool, bool], schema: ShownSchema
) -> s.RelationshipPattern | None:
    """The step that is meant; None where it connects these labels already, or where it is not clear which one."""
    own = [join for join in schema.joins if join.relationship == step.types[0]]
    if any(labels in ((join.subject, join.object), (join.object, join.subject)) for join in own):
        return None
    for way, (start, end) in (("out", labels), ("in", labels[::-1])):
        if end in set(_led_to(start, own)):
            return replace(step, direction=way, repeated=True, shortest=1, longest=None)
    other = only_step(*labels, schema) if _says_no_more(step, labels, named, own) else None
    return None if other is None else replace(step, direction=other.direction, types=other.types)


def _into(step: s.RelationshipPattern, labels: Ends, schema: ShownSchema) -> tuple[Element, ...] | None:
    """The steps to something that lies in the one at the end, where it is that to which the relation leads."""
    if step.direction not in ("out", "in") or step.variable is not None:
        return None
    start, end = labels if step.direction == "out" else labels[::-1]
    inner = {join.object for join in schema.joins if (join.subject, join.relationship) == (start, step.types[0])}
    lying = {join.relationship for join in schema.joins if is_within(join.relationship)}
    for name in sorted(lying):
        inside = [join for join in schema.joins if join.relationship == name]
        if end not in inner and any(end in set(_led_to(each, inside)) for each in inner):
            within = s.RelationshipPattern(step.direction, types=(name,), repeated=True, longest=None)
            steps: tuple[Element, ...] = (step, s.EntityPattern(), within)
            return steps if step.direction == "out" else steps[::-1]
    return None


def _flat(elements: Iterable[Element | tuple[Element, ...]]) -> Iterator[Element]:
    for each in elements:
        yield from each if isinstance(each, tuple) else (each,)


def _says_no_more(step: s.RelationshipPattern, labels: Ends, named: tuple[bool, bool], own: list[Join]) -> bool:
    """Whether a relation says only what it leads to: by its name, or since it fits all but a name of another type."""
    if not own:
        return stem(plain_name(step.types[0])) in {stem(plain_name(label)) for label in labels}
    ends = {end for join in own for end in (join.subject, join.object)}
    return any(named) and [label in ends for label in labels] == [not each for each in named]


def _led_to(start: str, joins: list[Join]) -> Iterator[str]:
    """The labels that a relation leads to from one, in any number of steps."""
    found, ahead = {start}, [start]
    while ahead:
        here = ahead.pop()
        for join in joins:
            if join.subject == here and join.object not in found:
                found.add(join.object)
                ahead.append(join.object)
                yield join.object
