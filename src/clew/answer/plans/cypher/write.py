"""A plan → the Cypher statement that says it; `read_plan` gives the plan back."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from clew.answer.plans.condition import Asked, Condition, Joint, Value
from clew.answer.plans.operators import TEXTUAL
from clew.answer.plans.plan import ABSENT, COUNTED, OPTIONAL, REQUIRED, Measure, Part, Plan, Slot, Step
from clew.store.cypher import syntax as s

__all__ = ["BLOCK", "PASSES", "SHARE", "shifted", "write_statement"]

NUMBER = "number"
ANSWER = "answer"
ENTITY_KEYS = ("id", "name")
PASSES = "PASSES"  # operator of a condition on a triple's number, never read: see `assertions/provenance.py`
SHARE = "share"  # function of plans: the share that a text states
BLOCK = 256  # triples to a string of signs: what stores find fastest


def write_statement(plan: Plan, *, keys: tuple[str, ...] = ENTITY_KEYS) -> s.Statement:
    """The statement of a plan; an asked slot without a property comes as its `keys`, one column each.

    >>> from clew.answer.plans.cypher.read import read_plan
    >>> from clew.store.cypher import parse, write
    >>> print(write(write_statement(read_plan(parse("MATCH (g:Gene)--(d {name: 'Gout'}) RETURN count(g)")))))
    MATCH (g:Gene)--({name: 'Gout'})
    RETURN count(DISTINCT g) AS number
    """
    writer = _Writer(plan)
    clauses = [*writer.matches(), *writer.wanted(keys)]
    return _unnamed(s.Statement((s.Query(tuple(clauses)),)))


def _unnamed(statement: s.Statement) -> s.Statement:
    """Without names for entities that are mentioned only once."""
    parts = list(s.walk(statement))
    mentioned = Counter(part.name for part in parts if isinstance(part, s.Variable))
    mentioned += Counter(part.variable or "" for part in parts if isinstance(part, s.EntityPattern))

    def change(part: Any) -> Any:
        if isinstance(part, s.EntityPattern) and mentioned[part.variable or ""] == 1:
            return replace(part, variable=None)
        return part

    changed: s.Statement = s.rewrite(statement, change)
    return changed


class _Writer:
    """Writes part after part; a slot is described where it is first met."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.waiting = {slot.name: slot for slot in plan.slots}
        self.steps = {step.name for part in plan.parts for step in part.steps if step.name}

    def matches(self) -> Iterator[s.Clause]:
        inner = [part for part in self.plan.parts if part.kind in (ABSENT, COUNTED)]
        parts = [each for part in self.plan.parts if part not in inner for each in self._branches(part)]
        absent = [part for part in inner if not part.inside]
        lonely = self._lonely(parts, inner)
        if lonely or not parts:
            parts = [part for part in parts if part.kind == REQUIRED] + [
                part for part in parts if part.kind != REQUIRED
            ]
            if not parts or parts[0].kind != REQUIRED:
                parts.insert(0, Part(REQUIRED))
        last = max((number for number, part in enumerate(parts) if part.kind == REQUIRED), default=0)
        for number, part in enumerate(parts):
            yield self._match(part, absent if number == last else [], lonely if number == 0 else [])

    def _branches(self, part: Part) -> list[Part]:
        """A required part as several, where two steps may be one triple: within MATCH they never are.

        So steps to named entities, and steps from what is asked for: "a disease with A and also a disease with B" may
        be one disease.
        """
        if part.kind != REQUIRED or self.plan.kind == "path":
            return [part]
        held = {each.of: each.value for each in part.conditions if each.key == "id" and not each.negated}
        up = {step.subject: step for step in part.steps if step.repeated and step.object in held}
        steps = [each for each in part.steps if each not in up.values()]
        groups: list[list[Step]] = [[]]
        waiting = dict(up)
        wanted = self.plan.wanted
        for step in steps:
            if any(_may_be_one(step, other, held, up, wanted) for other in groups[-1]):
                groups.append([])
            groups[-1] += [step, *(waiting.pop(end) for end in step.ends if end in waiting)]
        groups[-1] += waiting.values()
        if len(groups) == 1:
            return [part]
        known: set[str] = set()
        made, left = [], list(part.conditions)
        for group in groups:
            known |= {name for step in group for name in (*step.ends, step.name)}
            here = [each for each in left if {each.of, *each.others} <= known or group is groups[-1]]
            left = [each for each in left if each not in here]
            made.append(Part(REQUIRED, tuple(group), tuple(here)))
        return made

    def _lonely(self, parts: list[Part], absent: list[Part]) -> list[str]:
        """Slots that stand by themselves: what is asked for must be found even if no step leads to it."""
        joined = {end for part in parts for step in part.steps for end in (step.subject, step.object)}
        inner = {end for part in absent for step in part.steps for end in (step.subject, step.object)}
        inner |= {part.count.of for part in absent if part.count}
        wanted = self.plan.wanted
        wanted |= {condition.of for part in parts for condition in part.conditions}
        return [
            slot.name
            for slot in self.plan.slots
            if slot.name not in joined and (slot.name in wanted or slot.name not in inner)
        ]

    def _match(self, part: Part, absent: list[Part], lonely: list[str]) -> s.Match:
        inline, other = self._split(part.conditions)
        patterns = self._patterns(part.steps, inline)
        mentioned = dict.fromkeys((*lonely, *(condition.of for condition in part.conditions)))
        missing = [name for name in mentioned if name in self.waiting or (not patterns and name not in self.steps)]
        patterns += [s.Pattern((self._entity(name, inline),)) for name in missing]
        where = [_condition(each) for each in (*other, *_left(inline)) if not each.says_there_is_one]
        where += self._inner(absent)
        return s.Match(tuple(patterns), s.conjunction(*where), optional=part.kind == OPTIONAL)

    def _inner(self, parts: Iterable[Part]) -> Iterator[s.Expression]:
        """What must not exist, and what is counted; of two counts that are compared, the one with the operator."""
        for part in parts:
            count, other = part.count, self.plan.compared_with(part)
            if count is None:
                yield s.Unary("NOT", self._exists(part.steps, part.conditions, self.plan.inner(part)))
            elif count.operator:
                number = self._counted(part, count.of)
                than = s.Literal(count.number) if other is None else self._counted(other, str(count.number))
                yield s.Binary(count.operator, number, than)

    def _exists(self, steps: Iterable[Step], conditions: Iterable[Condition], inner: Iterable[Part]) -> s.Expression:
        """That there are such steps, or without any that the conditions hold."""
        inline, other = self._split(conditions)
        patterns = self._patterns(steps, inline)
        where = [*(_condition(condition) for condition in (*other, *_left(inline))), *self._inner(inner)]
        if where and not patterns:
            return _joined("AND", where)
        return s.Subquery("EXISTS", tuple(patterns), s.conjunction(*where))

    def _counted(self, part: Part, of: str) -> s.Expression:
        """The number of entities, not of matches: all but one step to what is counted stands in EXISTS."""
        own = {end for step in part.steps for end in step.ends} & self.waiting.keys()
        near = [step for step in part.steps if of in step.ends and not (set(step.ends) - {of}) & own]
        first = (
            near[:1] if near and len(near[0].relations) == 1 and not (near[0].repeated or near[0].either_way) else []
        )
        beside = {of, *(step.name for step in first if step.name), *(end for step in first for end in step.ends)}
        plain = [each for each in part.conditions if {each.of, *each.others} <= beside]
        inline, other = self._split(plain)
        patterns = self._patterns(first, inline) or [s.Pattern((self._entity(of, inline),))]
        where = [_condition(condition) for condition in (*other, *_left(inline))]
        rest = [step for step in part.steps if step not in first]
        if rest:
            left = [each for each in part.conditions if each not in plain]
            where.append(self._exists(rest, left, self.plan.inner(part)))
        else:
            where += self._inner(self.plan.inner(part))
        return s.Subquery("COUNT", tuple(patterns), s.conjunction(*where))

    def _split(self, conditions: Iterable[Condition]) -> tuple[dict[str, list[Condition]], list[Condition]]:
        """Plain equalities of slots, which stand inside their brackets, and all other conditions."""
        inline: dict[str, list[Condition]] = {}
        other: list[Condition] = []
        for condition in conditions:
            changed = condition.negated or condition.ignoring_case or condition.sized or condition.numeric
            changed = changed or condition.or_absent
            plain = condition.operator == "=" and not changed
            literal = isinstance(condition.value, str | int | float)
            if plain and literal and condition.of not in self.steps:
                inline.setdefault(condition.of, []).append(condition)
            else:
                other.append(condition)
        return inline, other

    def _patterns(self, steps: Iterable[Step], inline: dict[str, list[Condition]]) -> list[s.Pattern]:
        """Steps joined end to end where one begins at the slot where the last one ended."""
        patterns: list[list[Any]] = []
        last = None
        for step in steps:
            start, end, direction = step.subject, step.object, "both" if step.either_way else "out"
            if last == step.object and last != step.subject and not step.either_way:
                start, end, direction = step.object, step.subject, "in"
            if last != start or self.plan.kind == "path":
                patterns.append([self._entity(start, inline)])
            patterns[-1] += [_relationship(step, direction), self._entity(end, inline)]
            last = end
        kind = "one" if self.plan.kind == "path" else ""
        path = "path" if kind else None
        return [s.Pattern(tuple(elements), path, kind) for elements in patterns]

    def _entity(self, name: str, inline: dict[str, list[Condition]]) -> s.EntityPattern:
        slot = self.waiting.pop(name, Slot(name))
        found = inline.pop(name, [])
        entries = tuple((condition.key, s.Literal(condition.value)) for condition in found)  # type: ignore[arg-type]
        return s.EntityPattern(name, slot.types, s.MapLiteral(entries) if entries else None)

    # what is wanted -----------------------------------------------------------------------------------------------

    def wanted(self, keys: tuple[str, ...]) -> Iterator[s.Clause]:
        plan = self.plan
        if plan.having is not None and plan.having.of:
            yield _grouped([plan.having.of], plan.having.measure)
        elif plan.having is not None:
            yield _returned([s.Item(_bounds(plan.having.measure, _measure(plan.having.measure)), ANSWER)])
            return
        if plan.kind in ("exists", "lacks"):
            compared = ">" if plan.kind == "exists" else "="
            yield _returned([s.Item(s.Binary(compared, s.CountAll(), s.Literal(0)), ANSWER)])
            return
        if plan.kind == "path":
            yield _returned([s.Item(s.Variable("path"), "path")])
            return
        measured = plan.measure
        grouped = measured is not None and measured.operator is not None and bool(plan.asked)
        if measured is not None and grouped:
            yield _grouped(dict.fromkeys(asked.of for asked in plan.asked), measured)
        columns = [item for asked in plan.asked for item in _columns(asked, keys)]
        if measured is not None:
            value = s.Variable(NUMBER) if grouped else _measure(measured)
            columns.append(s.Item(value, NUMBER))
        order = tuple(s.Order(_sorted(sort.by), sort.descending) for sort in plan.sort)
        yield s.Return(
            s.Projection(
                tuple(columns),
                distinct=measured is None and self._sorted_by_what_is_asked(keys),
                order=order,
                skip=s.Literal(plan.skip) if plan.skip else None,
                limit=None if plan.limit is None else s.Literal(plan.limit),
            )
        )

    def _sorted_by_what_is_asked(self, keys: tuple[str, ...]) -> bool:
        """DISTINCT allows no other order."""
        asked = {replace(each, key=key) for each in self.plan.asked for key in ([each.key] if each.key else keys)}
        return all(sort.by is None or replace(sort.by, key=sort.by.key or "name") in asked for sort in self.plan.sort)


def _grouped(names: Iterable[str], measured: Measure) -> s.With:
    """The counts that the rows are chosen by."""
    items = [s.Item(s.Variable(name), None, name) for name in names]
    items.append(s.Item(_measure(measured), NUMBER))
    return s.With(s.Projection(tuple(items)), _bounds(measured, s.Variable(NUMBER)))


def _bounds(measured: Measure, number: s.Expression) -> s.Expression:
    """That a measure is within its bounds."""
    wanted = (
        (each, _subcount(value) if isinstance(value, Plan) else s.Literal(value)) for each, value in measured.bounds
    )
    return _joined("AND", [s.Binary(operator, number, value) for operator, value in wanted])


def _may_be_one(
    one: Step, other: Step, held: Mapping[str, Value], up: Mapping[str, Step], wanted: Collection[str]
) -> bool:
    """Whether two steps lead from one slot to named entities, or to subclasses of them, that may be the same, or from
    what is asked for to two things that are not named."""
    shared = set(one.ends) & set(other.ends)
    if len(shared) != 1 or set(one.relations).isdisjoint(other.relations) or one.repeated or other.repeated:
        return False
    (here,) = shared
    ends = [step.object if step.subject == here else step.subject for step in (one, other)]
    named = [end in held or end in up for end in ends]
    if here in wanted and not any(named):
        return not set(ends) & set(wanted)
    if not all(named):
        return False
    ids = [set(value if isinstance(value, tuple) else (value,)) for end in ends if (value := held.get(end)) is not None]
    return len(ids) < 2 or not ids[0].isdisjoint(ids[1])


def _subcount(plan: Plan) -> s.Expression:
    """How many a plan counts, inside another."""
    match, *_ = _Writer(plan).matches()
    assert isinstance(match, s.Match)
    return s.Subquery("COUNT", match.patterns, match.where)


def _returned(items: list[s.Item]) -> s.Return:
    return s.Return(s.Projection(tuple(items)))


def _left(inline: dict[str, list[Condition]]) -> list[Condition]:
    """Equalities about slots that this part does not introduce."""
    return [condition for conditions in inline.values() for condition in conditions]


def _relationship(step: Step, direction: str) -> s.RelationshipPattern:
    return s.RelationshipPattern(
        direction,
        variable=step.name or None,
        types=step.relations,
        repeated=step.repeated,
        shortest=step.shortest,
        longest=step.longest,
    )


def _condition(condition: Condition) -> s.Expression:
    whole = _positive(condition)
    if condition.or_absent:
        return s.Binary("OR", s.IsNull(_property(Asked(condition.of, condition.key)), negated=False), whole)
    return s.Unary("NOT", whole) if condition.negated else whole


def _positive(condition: Condition) -> s.Expression:
    if condition.operator == "DIFFERS":
        return s.Binary("<>", s.Variable(condition.of), s.Variable(str(condition.value)))
    left = _property(Asked(condition.of, condition.key, condition.sized, condition.numeric))
    if condition.operator == PASSES:
        return _passes(left, str(condition.value))
    if isinstance(condition.value, Joint):  # whose rows are in a parameter
        return s.Binary("IN", s.ListLiteral(tuple(map(_property, condition.value.columns))), s.Parameter(condition.key))
    if condition.operator in ("IS NULL", "IS NOT NULL"):
        return s.IsNull(left, negated=condition.operator == "IS NOT NULL")
    if condition.ignoring_case:
        left = s.Call("toLower", (left,))
    if condition.shared:
        left = s.Call(SHARE, (left,))
    if condition.operator == "HOLDS":
        return s.Binary("IN", _value(condition.value), left)
    if condition.operator in TEXTUAL and isinstance(condition.value, tuple):
        return _joined("OR", [s.Binary(condition.operator, left, _value(each)) for each in condition.value])
    return s.Binary(condition.operator, left, _value(condition.value))


def _passes(number: s.Expression, parameter: str) -> s.Expression:
    """That the sign of a triple is 1 in the strings that a parameter holds."""
    block = s.Index(s.Parameter(parameter), s.Binary("/", number, s.Literal(BLOCK)))
    sign = s.Call("substring", (block, s.Binary("%", number, s.Literal(BLOCK)), s.Literal(1)))
    return s.Binary("=", sign, s.Literal("1"))


def _value(value: Any) -> s.Expression:
    if isinstance(value, Asked):
        return shifted(_property(value), value)
    return s.ListLiteral(tuple(map(s.Literal, value))) if isinstance(value, tuple) else s.Literal(value)


def shifted(column: s.Expression, other: Asked) -> s.Expression:
    """A column that something is compared with, multiplied and with a number added or taken away."""
    many = column if other.times == 1 else s.Binary("*", s.Literal(other.times), column)
    return s.Binary("+" if other.plus > 0 else "-", many, s.Literal(abs(other.plus))) if other.plus else many


def _property(column: Asked) -> s.Expression:
    found = s.Property(s.Variable(column.of), column.key or "name")
    if column.numeric:
        return s.Call("toFloat", (found,))
    return s.Call("size", (found,)) if column.sized else found


def _joined(operator: str, conditions: list[s.Expression]) -> s.Expression:
    whole, *rest = conditions
    for condition in rest:
        whole = s.Binary(operator, whole, condition)
    return whole


def _columns(asked: Asked, keys: tuple[str, ...]) -> Iterator[s.Item]:
    wanted = (asked.key,) if asked.key is not None else keys
    for key in wanted:
        name = f"{asked.of}.{key} size" if asked.sized else f"{asked.of}.{key}"
        yield s.Item(_property(replace(asked, key=key)), name, name)


def _measure(measure: Measure) -> s.Expression:
    of: s.Expression = s.Variable(measure.of)
    if measure.key is not None:
        of = _property(Asked(measure.of, measure.key, numeric=measure.numeric))
    return s.Call(measure.function, (of,), distinct=measure.function in ("count", "collect"))


def _sorted(by: Asked | None) -> s.Expression:
    if by is None:
        return s.Variable(NUMBER)
    return _property(by)
