"""A plan against what the graph has: slips with one reading are repaired and said, the rest is one sentence each.

Repaired: a label, relation or property in other letters or with a small misspelling, an everyday name of a relation,
a step the wrong way round. Labels and relations are those of the store's schema.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches

from clew.answer.plans.assertions.provenance import AS_OF, LAYER, STEP_KEYS
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import Measure, Plan, Slot, Step
from clew.errors import QueryError
from clew.graph.assertions import LAYERS
from clew.store.layout import StoreSchema, upper_snake

__all__ = ["Checked", "check_plan"]

NEAR = 0.8  # similarity of a misspelling, as difflib measures it
BUILT_IN = ("id", "name")


@dataclass(frozen=True, slots=True)
class Checked:
    """A plan that fits the graph, and what was changed to make it fit, in words."""

    plan: Plan
    repairs: tuple[str, ...]


def check_plan(plan: Plan, schema: StoreSchema, *, other_names: Mapping[str, Iterable[str]] | None = None) -> Checked:
    """Fit a plan to a schema; raises `QueryError` with everything that has no single repair.

    `other_names` gives everyday names of labels and relationship names ({"ASSOCIATED_WITH": ["causes", "linked to"]}).
    """
    checker = _Checker(schema, _by_other_name(other_names or {}))
    fitted = checker.plan(plan)
    if checker.faults:
        raise QueryError("; ".join(dict.fromkeys(checker.faults)))
    return Checked(fitted, tuple(dict.fromkeys(checker.repairs)))


def _by_other_name(other_names: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, others in other_names.items():
        for other in others:
            found.setdefault(upper_snake(other), []).append(name)
    return found


@dataclass(slots=True)
class _Checker:
    schema: StoreSchema
    other_names: Mapping[str, list[str]]
    repairs: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def plan(self, plan: Plan) -> Plan:
        plan = replace(plan, slots=tuple(map(self._slot, plan.slots)))
        types = {slot.name: slot.types for slot in plan.slots}
        parts = tuple(
            replace(
                part,
                steps=tuple(self._step(step, types) for step in part.steps),
                conditions=tuple(self._condition(condition, plan) for condition in part.conditions),
            )
            for part in plan.parts
        )
        asked = tuple(replace(each, key=self._key(each.of, each.key, plan)) for each in plan.asked)
        measure = plan.measure and self._measure(plan.measure, plan)
        having = plan.having and replace(plan.having, measure=self._measure(plan.having.measure, plan))
        sort = tuple(
            replace(each, by=each.by and replace(each.by, key=self._key(each.by.of, each.by.key, plan)))
            for each in plan.sort
        )
        return replace(plan, parts=parts, asked=asked, measure=measure, sort=sort, having=having)

    def _measure(self, measure: Measure, plan: Plan) -> Measure:
        return replace(measure, key=self._key(measure.of, measure.key, plan))

    def _slot(self, slot: Slot) -> Slot:
        known = [label.name for label in self.schema.labels]
        return replace(slot, types=tuple(self._named(name, known, "label") for name in slot.types))

    def _named(self, name: str, known: list[str], what: str) -> str:
        """The known name that is meant; a fault where none or several could be."""
        if name in known:
            return name
        meant = _alike(name, known, upper_snake) or [
            other for other in self.other_names.get(upper_snake(name), ()) if other in known
        ]
        meant = meant or get_close_matches(name, known, n=2, cutoff=NEAR)
        if len(meant) == 1:
            self.repairs.append(f"{what} {name} read as {meant[0]}")
            return meant[0]
        self.faults.append(f"the graph has no {what} {name}{_hint(meant, known)}")
        return name

    def _step(self, step: Step, types: Mapping[str, tuple[str, ...]]) -> Step:
        known = [each.name for each in self.schema.relationships]
        before = len(self.faults)
        step = replace(step, relations=tuple(self._named(name, known, "relationship") for name in step.relations))
        if len(self.faults) > before or step.either_way:
            return step
        subject, object_ = types[step.subject], types[step.object]
        if self._joins(step, subject, object_):
            return step
        if self._joins(step, object_, subject):
            self.repairs.append(f"{' or '.join(step.relations)} turned round")
            return replace(step, subject=step.object, object=step.subject)
        ends = [f"{e.subject} → {e.object}" for name in step.relations for e in self.schema.relationship(name).ends]
        shown = ", ".join(ends[:4]) + ", …" * (len(ends) > 4)
        self.faults.append(f"{' or '.join(step.relations)} does not join {_of(subject)} and {_of(object_)}: {shown}")
        return step

    def _joins(self, step: Step, subjects: tuple[str, ...], objects: tuple[str, ...]) -> bool:
        """Whether any relationship of the step leads from one of these labels to one of those."""
        if not step.relations or (step.shortest == 0 and (not subjects or not objects or set(subjects) & set(objects))):
            return True
        found = [self.schema.relationship(name) for name in step.relations]
        if step.repeated:  # what lies between may be anything
            return any(not subjects or e.subject in subjects for r in found for e in r.ends) and any(
                not objects or e.object in objects for r in found for e in r.ends
            )
        return any(
            (not subjects or ends.subject in subjects) and (not objects or ends.object in objects)
            for relationship in found
            for ends in relationship.ends
        ) or (self.schema.symmetric.issuperset(step.relations) and self._joins_turned(step, subjects, objects))

    def _joins_turned(self, step: Step, subjects: tuple[str, ...], objects: tuple[str, ...]) -> bool:
        return any(
            (not subjects or ends.object in subjects) and (not objects or ends.subject in objects)
            for name in step.relations
            for ends in self.schema.relationship(name).ends
        )

    def _condition(self, condition: Condition, plan: Plan) -> Condition:
        if condition.operator == "DIFFERS":
            return condition
        value = condition.value
        if isinstance(value, Asked):
            value = replace(value, key=self._key(value.of, value.key, plan))
        fitted = replace(condition, key=self._key(condition.of, condition.key, plan) or condition.key, value=value)
        if fitted.key in (LAYER, AS_OF) and not any(slot.name == fitted.of for slot in plan.slots):
            self._check_provenance(fitted)
        return fitted

    def _check_provenance(self, condition: Condition) -> None:
        """What is no property but said of assertions: which layer they are of, and the day on which they held."""
        if condition.operator != "=" or condition.negated:
            self.faults.append(f"{condition.key} is compared with = only")
        elif condition.key == LAYER and condition.value not in LAYERS:
            self.faults.append(f"no layer is called {condition.value!r}: known: {', '.join(LAYERS)}")
        elif condition.key == AS_OF and not _is_day(condition.value):
            self.faults.append(f"{AS_OF} takes a day such as 2020-05-01, not {condition.value!r}")

    def _key(self, of: str, key: str | None, plan: Plan) -> str | None:
        if key is None:
            return None
        if any(slot.name == of for slot in plan.slots):
            return self._named(key, [*BUILT_IN, *(each.name for each in self.schema.properties)], "property")
        names = dict.fromkeys(each.name for r in self.schema.relationships for each in r.properties)
        return self._named(key, [*STEP_KEYS, *names], "property")


def _is_day(value: object) -> bool:
    try:
        return date.fromisoformat(str(value)) is not None
    except ValueError:
        return False


def _alike(name: str, known: list[str], form: Callable[[str], str]) -> list[str]:
    return [each for each in known if form(each) == form(name)]


def _of(labels: tuple[str, ...]) -> str:
    return " or ".join(labels) or "anything"


def _hint(meant: list[str], known: list[str]) -> str:
    if meant:
        return f": {' or '.join(meant)}?"
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return f": it has {shown}"
