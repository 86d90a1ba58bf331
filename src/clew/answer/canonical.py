"""Two plans that say the same become one: slots renamed, parts sorted, columns reduced to what they show.

Slots are told apart by what is said of them and of their neighbours, round by round; those that stay alike are tried in
every order, and the smallest plan wins.
"""

from dataclasses import astuple, replace
from itertools import islice, permutations, product
from typing import Any

from clew.answer.plan import REQUIRED, Asked, Condition, Part, Plan, Step

__all__ = ["canonical", "same"]

IDENTITY = (None, "id", "name")  # columns that only show which entity it is
MOST_ORDERS = 5_000  # of slots that stay alike; plans have few


def same(one: Plan, other: Plan) -> bool:
    """Whether two plans say the same.

    >>> from clew.answer.read import read_plan
    >>> from clew.store.cypher import parse
    >>> a = read_plan(parse("MATCH (g:Gene)-[:CAUSES]->(d {name: 'Gout'}) RETURN DISTINCT g.id"))
    >>> b = read_plan(parse("MATCH (x)<-[:CAUSES]-(y:Gene) WHERE x.name = 'Gout' RETURN y.name"))
    >>> same(a, b)
    True
    """
    return canonical(one) == canonical(other)


def canonical(plan: Plan) -> Plan:
    """The plan in its one normal form."""
    plan = _plain(plan)
    classes = _classes(plan)
    orders = product(*(permutations(names) for names in classes))
    return min((_named(plan, [n for names in order for n in names]) for order in islice(orders, MOST_ORDERS)), key=_key)


def _key(plan: Plan) -> str:
    return repr(astuple(plan))


def _plain(plan: Plan) -> Plan:
    """One required part, steps that go either way with their ends in order, each asked slot once."""
    others = tuple(part for part in plan.parts if part.kind != REQUIRED)
    asked = tuple(dict.fromkeys(Asked(each.of) if each.key in IDENTITY else each for each in plan.asked))
    parts = tuple(
        replace(part, conditions=tuple(map(_condition, part.conditions))) for part in (plan.required, *others)
    )
    used = {step.name for part in parts for step in part.steps} & _spoken_of(plan)
    parts = tuple(
        replace(part, steps=tuple(replace(each, name=each.name if each.name in used else "") for each in part.steps))
        for part in parts
    )
    return replace(plan, parts=parts, asked=asked)


def _spoken_of(plan: Plan) -> set[str]:
    names = {each.of for each in plan.asked} | {condition.of for part in plan.parts for condition in part.conditions}
    return names | ({plan.measure.of} if plan.measure else set())


def _condition(condition: Condition) -> Condition:
    """A list of one is that one; lists are sets; NOT <> is =."""
    value = condition.value
    operator, negated = condition.operator, condition.negated
    if operator == "IN" and isinstance(value, tuple):
        value = tuple(sorted(set(value), key=repr))
        if len(value) == 1:
            operator, value = "=", value[0]
    opposite = {"=": "<>", "<>": "=", "IS NULL": "IS NOT NULL", "IS NOT NULL": "IS NULL"}
    if negated and operator in opposite:
        operator, negated = opposite[operator], False
    return replace(condition, operator=operator, value=value, negated=negated)


def _classes(plan: Plan) -> list[list[str]]:
    """Slots in groups that nothing tells apart, the groups in an order that does not depend on names."""
    colour: dict[str, Any] = {slot.name: repr((slot.types, _said_of(plan, slot.name))) for slot in plan.slots}
    for _ in plan.slots:
        around: dict[str, list[str]] = {name: [] for name in colour}
        for part in plan.parts:
            for step in part.steps:
                kind = (part.kind, step.relations, step.shortest, step.longest)
                ways = ("either", "either") if step.either_way else ("out", "in")
                around[step.subject].append(repr((ways[0], kind, colour[step.object])))
                around[step.object].append(repr((ways[1], kind, colour[step.subject])))
        ranks = {key: rank for rank, key in enumerate(sorted({repr((colour[n], sorted(around[n]))) for n in colour}))}
        colour = {name: ranks[repr((colour[name], sorted(around[name])))] for name in colour}
    groups: dict[Any, list[str]] = {}
    for name in sorted(colour):
        groups.setdefault(colour[name], []).append(name)
    return [groups[key] for key in sorted(groups)]


def _said_of(plan: Plan, name: str) -> list[str]:
    """Everything but steps that speaks of a slot, without its name."""
    said = [f"asked {place} {each.key}" for place, each in enumerate(plan.asked) if each.of == name]
    if plan.measure is not None and plan.measure.of == name:
        said.append(f"measured {plan.measure.key}")
    for part in plan.parts:
        for condition in part.conditions:
            if condition.operator == "DIFFERS" and name in (condition.of, condition.value):
                said.append("differs")
            elif condition.of == name:
                said.append(f"{part.kind} {replace(condition, of='')!r}")
    return sorted(said)


def _named(plan: Plan, order: list[str]) -> Plan:
    names = {old: f"s{number}" for number, old in enumerate(order)}
    steps = sorted(
        (step for part in plan.parts for step in part.steps if step.name),
        key=lambda step: (names[step.subject], step.relations, names[step.object]),
    )
    names |= {step.name: f"r{number}" for number, step in enumerate(steps)}
    renamed = plan.renamed(names)
    parts = tuple(sorted((_sorted(part) for part in renamed.parts), key=repr))
    return replace(renamed, slots=tuple(sorted(renamed.slots)), parts=parts)


def _sorted(part: Part) -> Part:
    steps = sorted(set(map(_turned, part.steps)))
    conditions = sorted(set(map(_ordered, part.conditions)), key=repr)
    return replace(part, steps=tuple(steps), conditions=tuple(conditions))


def _turned(step: Step) -> Step:
    if step.either_way and step.object < step.subject:
        return replace(step, subject=step.object, object=step.subject)
    return step


def _ordered(condition: Condition) -> Condition:
    if condition.operator == "DIFFERS" and str(condition.value) < condition.of:
        return replace(condition, of=str(condition.value), value=condition.of)
    return condition
