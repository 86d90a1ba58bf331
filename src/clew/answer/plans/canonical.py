"""Canonical form of a plan: equivalent plans become equal (slots renamed, parts sorted, columns reduced).

Slots are partitioned by colour refinement over their conditions and neighbours; slots that remain indistinguishable are
tried in every order, and the smallest plan is the canonical one.
"""

from dataclasses import astuple, replace
from itertools import islice, permutations, product
from typing import Any

from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.operators import TEXTUAL, TURNED
from clew.answer.plans.plan import OPTIONAL, REQUIRED, Count, Having, Measure, Part, Plan, Step

__all__ = ["canonical", "same"]

IDENTITY = (None, "id", "name")  # columns that only identify an entity
EVEN = ("=", "<>")  # operators whose sides can change places
SETS = ("IN", *TEXTUAL)  # operators that ignore the order of their values
MOST_ORDERS = 5_000  # orders of indistinguishable slots to try; plans have few


def same(one: Plan, other: Plan) -> bool:
    """Whether two plans are equivalent.

    >>> from clew.answer.plans.cypher.read import read_plan
    >>> from clew.store.cypher import parse
    >>> a = read_plan(parse("MATCH (g:Gene)-[:CAUSES]->(d {name: 'Gout'}) RETURN DISTINCT g.id"))
    >>> b = read_plan(parse("MATCH (x)<-[:CAUSES]-(y:Gene) WHERE x.name = 'Gout' RETURN y.name"))
    >>> same(a, b)
    True
    """
    return canonical(one) == canonical(other)


def canonical(plan: Plan) -> Plan:
    """The plan in canonical form."""
    plan = _plain(_measured(plan))
    classes = _classes(plan)
    orders = product(*(permutations(names) for names in classes))
    found = [_named(plan, [n for names in order for n in names]) for order in islice(orders, MOST_ORDERS)]
    return found[0] if len(found) == 1 else min(found, key=_key)


def _key(plan: Plan) -> str:
    return repr(astuple(plan))


def _measured(plan: Plan) -> Plan:
    """A bound on what is counted for the only thing asked as one on a measure: shops that sell at least three books."""
    counted = [part for part in plan.parts if part.count is not None]
    asked = {each.of for each in plan.asked}
    if plan.kind != "rows" or plan.measure is not None or plan.having is not None:
        return plan
    if len(asked) != 1 or len(counted) != 1 or any(each.key not in IDENTITY for each in plan.asked):
        return plan
    (part,) = counted
    if part.name or part.inside or part.count is None:
        return plan
    bound, rest = _count(part.count), [each for each in plan.parts if each is not part]
    around = asked | {name for each in rest for name in _mentioned(each)}
    if not isinstance(bound.number, int) or bound.number < 1 or bound.operator not in (">=", "="):
        return plan
    if _mentioned(part) & around != asked:
        return plan
    measure = Measure("count", bound.of, operator=bound.operator, value=bound.number)
    return replace(plan, parts=(*rest, replace(part, kind=REQUIRED, count=None)), measure=measure)


def _mentioned(part: Part) -> set[str]:
    """The slots and steps of a part and of its conditions."""
    steps = {name for step in part.steps for name in (*step.ends, step.name) if name}
    return steps | {name for each in part.conditions for name in (each.of, *each.others)}


def _plain(plan: Plan) -> Plan:
    """Merge the required parts, order the ends of undirected steps, keep each requested slot once."""
    others = tuple(part for part in plan.parts if part.kind != REQUIRED)
    shown = (
        Asked(each.of) if each.key in IDENTITY and not (each.sized or each.numeric) else each for each in plan.asked
    )
    asked = tuple(dict.fromkeys(shown))
    parts = tuple(
        replace(part, conditions=tuple(map(_condition, part.conditions)), count=part.count and _count(part.count))
        for part in (plan.required, *others)
    )
    parts = (_without_idle(parts[0], others), *(_without_own_ends(part) for part in parts[1:]))
    used = {step.name for part in parts for step in part.steps} & _is_needed(plan)
    parts = tuple(
        replace(part, steps=tuple(replace(each, name=each.name if each.name in used else "") for each in part.steps))
        for part in parts
    )
    slots = tuple(replace(slot, types=tuple(sorted(set(slot.types)))) for slot in plan.slots)
    measure = plan.measure and _measure(plan.measure)
    having = plan.having and Having(plan.having.of, _measure(plan.having.measure))
    return _greater_first(replace(plan, slots=slots, parts=parts, asked=asked, measure=measure, having=having))


def _measure(measure: Measure) -> Measure:
    """The same with its bounds in order."""
    if not measure.bounds:
        return measure
    bounds = (_whole(*each) if measure.function == "count" else each for each in measure.bounds)
    (operator, value), *others = sorted(bounds, key=repr)
    return replace(measure, operator=operator, value=value, further=tuple(others))


def _count(count: Count) -> Count:
    operator, number = _whole(count.operator, count.number)
    return replace(count, operator=operator, number=number)


def _whole(operator: str, number: Any) -> tuple[str, Any]:
    """A bound on a whole number: more than two is at least three."""
    if operator in (">", "<") and isinstance(number, int):
        return f"{operator}=", number + (1 if operator == ">" else -1)
    return operator, number


def _greater_first(plan: Plan) -> Plan:
    """The plan in which of two counts the greater one has the operator, and of equal ones that of the first slot."""

    def turned(part: Part) -> Part:
        other = plan.compared_with(part)
        if part.count is None or other is None or other.count is None:
            return part
        first = part.count if part.count.operator else other.count
        if first.operator in (">", ">=") or (first.operator in EVEN and first.of < str(first.number)):
            return part
        turned = Count(part.count.of, TURNED[first.operator], first.of)
        return replace(part, count=turned if first is other.count else Count(part.count.of))

    return replace(plan, parts=tuple(map(turned, plan.parts)))


def _counted(plan: Plan, part: Part) -> str:
    """What a plan says of the count of a part, without the names of slots."""
    other = plan.compared_with(part)
    if part.count is None or other is None or other.count is None:
        return f"{part.count.operator} {part.count.number}" if part.count is not None else ""
    operator = part.count.operator or other.count.operator
    return operator if part.count.operator or operator in EVEN else f"beside {operator}"


def _without_idle(required: Part, others: tuple[Part, ...]) -> Part:
    """Drop existence conditions that another condition or step implies."""
    plain = [each for each in required.conditions if not each.says_there_is_one]
    sure = {end for step in required.steps for end in step.ends} | {each.of for each in plain}
    in_doubt = {end for part in others if part.kind == OPTIONAL for step in part.steps for end in step.ends} - sure
    kept = [each for each in required.conditions if not each.says_there_is_one or each.of in in_doubt]
    return replace(required, conditions=tuple(kept))


def _without_own_ends(part: Part) -> Part:
    """Drop existence conditions on the ends of the part's own steps: a step that is matched has both."""
    ends = {end for step in part.steps for end in step.ends}
    kept = (each for each in part.conditions if not (each.says_there_is_one and each.of in ends))
    return replace(part, conditions=tuple(kept))


def _is_needed(plan: Plan) -> set[str]:
    names = plan.wanted
    for part in plan.parts:
        for condition in part.conditions:
            names |= {condition.of, *condition.others}
    return names | {sort.by.of for sort in plan.sort if sort.by is not None}


def _condition(condition: Condition) -> Condition:
    """Normalise values and operators: [x] is x, lists are sets, NOT <> is =, and unequal ids are unequal entities."""
    value = condition.value
    operator, negated = condition.operator, condition.negated
    if operator in SETS and isinstance(value, tuple):
        value = tuple(sorted(set(value), key=repr))
        if len(value) == 1:
            operator, value = "=" if operator == "IN" else operator, value[0]
    opposite = {"=": "<>", "<>": "=", "IS NULL": "IS NOT NULL", "IS NOT NULL": "IS NULL"}
    if negated and operator in opposite:
        operator, negated = opposite[operator], False
    if operator == "<>" and condition.key == "id" and isinstance(value, Asked) and value == Asked(value.of, "id"):
        return Condition(condition.of, "", "DIFFERS", value.of)
    return replace(condition, operator=operator, value=value, negated=negated)


def _classes(plan: Plan) -> list[list[str]]:
    """Groups of indistinguishable slots, in an order that does not depend on slot names."""
    colour: dict[str, Any] = {slot.name: repr((slot.types, _said_of(plan, slot.name))) for slot in plan.slots}
    for _ in plan.slots:
        around: dict[str, list[str]] = {name: [] for name in colour}
        for part in plan.parts:
            for step in part.steps:
                where = (part.kind, bool(part.inside), _counted(plan, part))
                kind = (where, sorted(step.relations), step.shortest, step.longest, _said_of(plan, step.name))
                directions = ("either", "either") if step.either_way else ("out", "in")
                around[step.subject].append(repr((directions[0], kind, colour[step.object])))
                around[step.object].append(repr((directions[1], kind, colour[step.subject])))
        ranks = {key: rank for rank, key in enumerate(sorted({repr((colour[n], sorted(around[n]))) for n in colour}))}
        colour = {name: ranks[repr((colour[name], sorted(around[name])))] for name in colour}
    groups: dict[Any, list[str]] = {}
    for name in sorted(colour):
        groups.setdefault(colour[name], []).append(name)
    return [groups[key] for key in sorted(groups)]


def _said_of(plan: Plan, name: str) -> list[str]:
    """Everything except steps that refers to a slot or a named step, with the name removed."""
    if not name:
        return []
    said = [f"asked {place} {each.key} {each.sized}" for place, each in enumerate(plan.asked) if each.of == name]
    said += [f"sorted {place}" for place, sort in enumerate(plan.sort) if sort.by is not None and sort.by.of == name]
    said += [f"measured {place} {each.key}" for place, each in enumerate(plan.measures) if each.of == name]
    said += ["chosen"] if plan.having is not None and plan.having.of == name else []
    for part in plan.parts:
        if part.count is not None and part.count.of == name:
            said.append(f"counted {_counted(plan, part)}")
        for condition in part.conditions:
            value = condition.value
            if condition.operator == "DIFFERS":
                said += ["differs"] if name in (condition.of, value) else []
            elif isinstance(value, Asked):
                said += ["compared"] if name in (condition.of, value.of) else []
            elif condition.of == name:
                said.append(f"{part.kind} {replace(condition, of='')!r}")
    return sorted(said)


def _named(plan: Plan, order: list[str]) -> Plan:
    names = {old: f"s{number}" for number, old in enumerate(order)}
    steps = sorted(
        (
            sorted((names[step.subject], names[step.object])),
            sorted(step.relations),
            names[step.subject] if not step.either_way else "",
            part.kind,
            _said_of(plan, step.name),
            step.name,
        )
        for part in plan.parts
        for step in part.steps
        if step.name
    )
    names |= {name: f"r{number}" for number, (*_, name) in enumerate(steps)}
    renamed = _greater_first(plan.renamed(names))
    return replace(renamed, slots=tuple(sorted(renamed.slots)), parts=tuple(_nested(renamed, "", "")))


def _nested(plan: Plan, inside: str, called: str) -> list[Part]:
    """The parts inside one, sorted, each followed by those inside it; names say where a part stands."""
    here = []
    for part in plan.parts:
        if part.inside == inside:
            own = replace(_sorted(part), name="", inside="")
            here.append((repr((own, _nested(plan, part.name, "") if part.name else [])), own, part.name))
    found = []
    for number, (_, own, name) in enumerate(sorted(here, key=lambda each: each[0])):
        new = f"{called}p{number}"
        below = _nested(plan, name, new) if name else []
        found += [replace(own, name=new if below else "", inside=called), *below]
    return found


def _sorted(part: Part) -> Part:
    steps = sorted(set(map(_turned, part.steps)))
    conditions = sorted(set(map(_ordered, part.conditions)), key=repr)
    return replace(part, steps=tuple(steps), conditions=tuple(conditions))


def _turned(step: Step) -> Step:
    step = replace(step, relations=tuple(sorted(set(step.relations))))
    if step.either_way and step.object < step.subject:
        return replace(step, subject=step.object, object=step.subject)
    return step


def _ordered(condition: Condition) -> Condition:
    value = condition.value
    if condition.operator == "DIFFERS" and str(value) < condition.of:
        return replace(condition, of=str(value), value=condition.of)
    if isinstance(value, Asked) and condition.operator in TURNED and not condition.ignoring_case:
        here = Asked(condition.of, condition.key, condition.sized, condition.numeric)
        return condition.turned if repr(replace(value, plus=0, times=1)) < repr(here) else condition
    return condition
