"""Which statements an answer may rest on: by source, licence, layer, day, confidence and cited document.

Filters become conditions on the steps of a plan; a triple passes if one single assertion passes all of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from clew.answer.plans.assertions.provenance import AS_OF, LAYER
from clew.answer.plans.condition import Condition
from clew.answer.plans.operators import BOUNDS
from clew.answer.plans.plan import Plan, Step
from clew.answer.statements.column_words import is_end
from clew.errors import InputError
from clew.graph import Where

__all__ = ["COMPARED", "Filters", "Qualifier", "meets_qualifiers", "with_filters"]

COMPARED = {">": "above", ">=": "of at least", "<": "below", "<=": "of at most", "=": "of", "<>": "other than"}


@dataclass(frozen=True, slots=True)
class Qualifier:
    """What a qualifier of a statement must be, such as a frequency above one half, or a sex.

    `relations` are the relationships whose statements have it: it is asked of their steps alone. Of those with one
    number in `either`, alternatives for one condition of a question, a plan has to have one single step that fits;
    with `optional` it need not have any, since the word that says it may mean something else.
    """

    key: str  # as queries name it, such as q_frequency
    operator: str
    value: str | float | tuple[str | None, ...]
    shared: bool = False  # the value is a share, which 3/5 states too
    relations: frozenset[str] = field(default=frozenset(), repr=False)
    either: int = 0
    optional: bool = False

    def __str__(self) -> str:
        name = self.key.removeprefix("q_").replace("_", " ")
        if self.shared and isinstance(self.value, int | float):
            compared = "of" if (self.operator, self.value) == (">=", 1) else COMPARED[self.operator]
            return f"with a {name} {compared} {self.value:.0%}"
        if self.operator in ("IS NULL", "IS NOT NULL"):
            there, what = self.operator == "IS NOT NULL", "end" if is_end(self.key) else name
            return f"with {('an' if what[:1] in 'aeiou' else 'a') if there else 'no'} {what} stated"
        if self.operator in BOUNDS:
            return f"with {'an' if name[:1] in 'aeiou' else 'a'} {name} {COMPARED[self.operator]} {self.value}"
        values = self.condition("").values
        return f"with the {name} {_any('none stated' if each is None else str(each) for each in values)}"

    def fits(self, step: Step) -> bool:
        """Whether it can be asked of a step."""
        return bool(step.relations) and not step.repeated and self.relations.issuperset(step.relations)

    def condition(self, step: str) -> Condition:
        return Condition(step, self.key, self.operator, self.value, shared=self.shared)


@dataclass(frozen=True, slots=True)
class Filters:
    """What assertions must be like; of several sources, licences or documents one is enough.

    >>> str(Filters(layer="curated", as_of="2015-12-31"))
    'only statements of the layer curated, as of 2015-12-31'
    """

    layer: str = "all"  # all, curated or no-extracted
    sources: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    as_of: str | None = None  # a day such as 2020-05-01
    min_confidence: float | None = None
    cites: tuple[str, ...] = ()  # documents, such as PMID:8281149
    qualifiers: tuple[Qualifier, ...] = ()  # of the statements of some relations

    def __post_init__(self) -> None:
        Where(layer=self.layer, as_of=self.as_of)  # which says what is wrong with them

    def __bool__(self) -> bool:
        return self != Filters()

    def __str__(self) -> str:
        said = [
            *([f"of the layer {self.layer}"] if self.layer != "all" else []),
            *([f"from {_any(self.sources)}"] if self.sources else []),
            *([f"under {_any(self.licences)}"] if self.licences else []),
            *([f"as of {self.as_of}"] if self.as_of else []),
            *([f"with a confidence of {self.min_confidence:g} or more"] if self.min_confidence is not None else []),
            *([f"citing {_any(self.cites)}"] if self.cites else []),
            *map(str, self.qualifiers),
        ]
        return f"only statements {', '.join(said)}" if said else "all statements"

    def also(self, other: "Filters") -> "Filters":
        """These filters, with those that `other` sets in their place."""
        plain = Filters()
        changed = {
            name: getattr(other, name)
            for name in Filters.__dataclass_fields__
            if getattr(other, name) != getattr(plain, name)
        }
        return replace(self, **changed)

    def conditions(self, step: str) -> Iterator[Condition]:
        """What they say of a step of that name."""
        for key, values in (("source", self.sources), ("license", self.licences), ("evidence", self.cites)):
            if values:
                yield Condition(step, key, "IN", values) if len(values) > 1 else Condition(step, key, "=", values[0])
        if self.layer != "all":
            yield Condition(step, LAYER, "=", self.layer)
        if self.as_of is not None:
            yield Condition(step, AS_OF, "=", self.as_of)
        if self.min_confidence is not None:
            yield Condition(step, "confidence", ">=", self.min_confidence)

    @property
    def where(self) -> Where:
        """The same for the engine's own walks, which know neither licences nor documents."""
        if self.licences or self.cites or self.qualifiers:
            raise InputError(
                "paths can be held to sources, a layer, a day and a confidence, "
                "not to licences, documents or qualifiers"
            )
        return Where(
            layer=self.layer,
            sources=self.sources or None,
            as_of=self.as_of,
            min_confidence=self.min_confidence,
        )


def with_filters(plan: Plan, filters: Filters) -> Plan:
    """The plan whose every single step passes the filters; hierarchies, which are followed repeatedly, are exempt."""
    if not filters or plan.kind == "path":
        return plan
    qualifiers = list(_applying(plan, filters))
    taken = {step.name for part in plan.parts for step in part.steps} | {slot.name for slot in plan.slots}
    names = (name for number in count(1) if (name := f"r{number}") not in taken)

    everywhere = filters != Filters(qualifiers=filters.qualifiers)

    def named(step: Step) -> Step:
        concerned = everywhere or any(each.fits(step) for each in qualifiers)
        return step if step.name or step.repeated or not concerned else replace(step, name=next(names))

    parts = []
    for part in plan.parts:
        steps = tuple(map(named, part.steps))
        added = [condition for step in steps if not step.repeated for condition in filters.conditions(step.name)]
        added += [each.condition(step.name) for step in steps for each in qualifiers if each.fits(step)]
        parts.append(replace(part, steps=steps, conditions=(*part.conditions, *added)))
    return replace(plan, parts=tuple(parts))


def meets_qualifiers(plan: Plan, filters: Filters) -> bool:
    """Whether a plan has a statement that each qualifier can be asked of."""
    met = list(_applying(plan, filters))
    return all(
        each.optional or each in met or (each.either and any(other.either == each.either for other in met))
        for each in filters.qualifiers
    )


def _applying(plan: Plan, filters: Filters) -> Iterator[Qualifier]:
    """The qualifiers that a plan has steps for; where there is a choice, one step alone."""
    steps = [step for part in plan.parts for step in part.steps]
    for each in filters.qualifiers:
        alike = [other for other in filters.qualifiers if each.either and other.either == each.either] or [each]
        fitting = sum(any(other.fits(step) for other in alike) for step in steps)
        own = any(each.fits(step) for step in steps)
        if own and (fitting == 1 or not (each.either or each.optional)):
            yield each


def _any(values: Iterable[str]) -> str:
    return " or ".join(values)
