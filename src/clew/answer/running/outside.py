"""Conditions outside of what a graph records, where finding nothing means that the graph does not cover it.

In: a plan that finds nothing. Out: its conditions on a year, a day or a number below the least or above the greatest
that the column holds for these types or relations, and on a text that none of them has. The graph knows the value of
an entity that the question names, so there a no is a no.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.answer.lexicon.numbers import as_number
from clew.answer.plans.condition import Condition
from clew.answer.plans.operators import BOUNDS
from clew.answer.plans.plan import COUNTED, REQUIRED, Part, Plan, Step
from clew.answer.wording.value_words import figure, title_of
from clew.graph import GraphContents, read_triples
from clew.store.layout import StoreSchema

__all__ = ["Outside", "find_outside"]

DAY, YEAR = re.compile(r"\d{4}-\d{2}(?:-\d{2})?.*"), re.compile(r"1\d{3}|20\d{2}")
QUALIFIER = "q_"  # before the name of a column of statements
MOST_TRIPLES = 2_000_000  # of graphs whose statements are looked through
Bound = str | int | float


@dataclass(frozen=True, slots=True)
class Recorded:
    """The values of a column: of days, years and numbers the least and the greatest, of texts all in lower case."""

    kind: str  # time, number or text
    least: Bound = ""
    most: Bound = ""
    texts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Outside:
    """A column, what a question wants of it, and what the graph has recorded of it instead."""

    column: str
    wanted: str
    recorded: Recorded

    @property
    def is_uncovered(self) -> bool:
        """Whether the graph cannot tell; a number beyond all others is simply that of none."""
        return self.recorded.kind != "number"

    def __str__(self) -> str:
        if self.recorded.kind == "text":
            return f"no {self.column} in this graph is {self.wanted}"
        least, most = (_shown(each, self.recorded.kind) for each in (self.recorded.least, self.recorded.most))
        return f"records of {self.column} run from {least} to {most}; {self.wanted} is outside"


Column = tuple[str, tuple[str, ...], str]  # of entities, statements or objects; of which types or relations; its name
_known: "WeakKeyDictionary[GraphContents, dict[Column, Recorded | None]]" = WeakKeyDictionary()


def find_outside(plan: Plan, contents: GraphContents, schema: StoreSchema) -> tuple[Outside, ...]:
    """The conditions of a plan that no recorded value comes near, each column once."""
    parts = [part for part in plan.parts if part.kind in (REQUIRED, COUNTED) and not part.inside]
    named = _named(parts)
    conditions = [each for part in parts for each in part.conditions if each.of not in named and _is_plain(each)]
    found: dict[tuple[str, str], Outside] = {}
    for each in conditions:
        column = _column(each, plan, parts)
        recorded = None if column is None else _recorded(column, contents, schema)
        if recorded is not None and _is_outside(each, recorded):
            beside = [other for other in conditions if (other.of, other.key) == (each.of, each.key)]
            title = _title(each, parts, schema)
            found.setdefault((each.of, each.key), Outside(title, _wanted(beside, recorded), recorded))
    return tuple(found.values())


def _named(parts: Sequence[Part]) -> set[str]:
    """The slots that an entity is named for, and the steps between two of these."""
    ids = [each for part in parts for each in part.conditions if each.key == "id" and each.operator in ("=", "IN")]
    slots = {each.of for each in ids if not each.negated}
    return slots | {step.name for part in parts for step in part.steps if slots.issuperset(step.ends)}


def _is_plain(condition: Condition) -> bool:
    """Whether a condition compares a property with a value or some values."""
    values, unusual = condition.values, condition.negated or condition.sized or condition.shared
    plain = all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in values)
    return bool(values) and plain and not unusual and condition.operator in ("=", "IN", "STARTS WITH", *BOUNDS)


def _column(condition: Condition, plan: Plan, parts: Sequence[Part]) -> Column | None:
    """The column that a condition is about; None for names and ids, which are no values."""
    steps = [step for part in parts for step in part.steps if step.relations and not step.repeated]
    if all(slot.name != condition.of for slot in plan.slots):
        named = _relations(step for step in steps if step.name == condition.of)
        return ("statements", named, condition.key) if named and condition.key.startswith(QUALIFIER) else None
    if condition.key == "name" and (condition.numeric or condition.operator in BOUNDS):  # a year that is an entity
        leading = _relations(step for step in steps if step.object == condition.of)
        return ("objects", leading, "name") if leading else None
    types = tuple(sorted(plan.slot(condition.of).types))
    return None if condition.key in ("id", "name") or not types else ("entities", types, condition.key)


def _relations(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(sorted({name for step in steps for name in step.relations}))


def _recorded(column: Column, contents: GraphContents, schema: StoreSchema) -> Recorded | None:
    known = _known.setdefault(contents, {})
    if column not in known:
        few = contents.counts["triples"] <= MOST_TRIPLES
        known[column] = _summed_up(set(_values(column, contents, schema))) if few else None
    return known[column]


def _values(column: Column, contents: GraphContents, schema: StoreSchema) -> Iterator[str]:
    """The distinct values of a column as texts; of lists none."""
    of, names, key = column
    if of == "entities":
        called = next((each.column for each in schema.properties if each.name == key), key)
        types = pa.array([schema.type_of(name) for name in names])
        for block in contents.scan_entities(["id", "type", called]):
            if called in block.schema.names:
                own = pc.is_in(block.column("type").cast(pa.string()), value_set=types)
                yield from _texts(block.column(called).filter(own))
        return
    relationships = [schema.relationship(name) for name in names]
    relations = [each.relation for each in relationships]
    if of == "objects":
        numbers = read_triples(contents, relations=relations)["number"].to_numpy()
        yield from _texts(contents.describe(np.unique(contents.triple_columns(numbers).object))["name"])
        return
    called = next((own.column for each in relationships for own in each.properties if own.name == key), "")
    if called:
        yield from _texts(read_triples(contents, relations=relations, assertions=[called])[called])


def _texts(values: pa.Array | pa.ChunkedArray) -> Iterator[str]:
    if not pa.types.is_list(values.type) and not pa.types.is_large_list(values.type):
        yield from (each for each in pc.unique(values.cast(pa.string())).to_pylist() if each)


def _summed_up(texts: set[str]) -> Recorded | None:
    """What some values are, and how far they go; None if there are none."""
    if not texts:
        return None
    if all(map(DAY.fullmatch, texts)):
        return Recorded("time", min(texts), max(texts))
    numbers = [number for text in texts if (number := as_number(text)) is not None]
    if len(numbers) == len(texts):
        kind = "time" if all(map(YEAR.fullmatch, texts)) else "number"
        return Recorded(kind, min(numbers), max(numbers))
    return Recorded("text", texts=frozenset(text.lower() for text in texts))


def _is_outside(condition: Condition, recorded: Recorded) -> bool:
    value, operator = condition.value, condition.operator
    if recorded.kind == "text":
        unknown = all(str(each).lower() not in recorded.texts for each in condition.values)
        return operator in ("=", "IN") and unknown
    if isinstance(value, tuple):
        return operator == "IN" and all(_is_beyond("=", each, recorded) for each in value)
    return _is_beyond("=" if operator == "STARTS WITH" else operator, value, recorded)


def _is_beyond(operator: str, value: object, recorded: Recorded) -> bool:
    """Whether everything that a comparison lets pass is below the least value or above the greatest."""
    least, most = recorded.least, recorded.most
    if isinstance(least, str):  # days, of which the question may want a whole year
        wanted: Bound = str(value)
        if operator == "=":
            least, most = least[: len(str(value))], str(most)[: len(str(value))]
    else:
        number = as_number(value)
        if number is None:
            return False
        wanted = number
    return {
        "=": lambda: _less(wanted, least) or _less(most, wanted),
        "<": lambda: not _less(least, wanted),
        "<=": lambda: _less(wanted, least),
        ">": lambda: not _less(wanted, most),
        ">=": lambda: _less(most, wanted),
    }[operator]()


def _less(one: Bound, other: Bound) -> bool:
    return str(one) < str(other) if isinstance(one, str) or isinstance(other, str) else one < other


def _title(condition: Condition, parts: Sequence[Part], schema: StoreSchema) -> str:
    """What the column is called: its own name, or that of the relation that leads to it."""
    if condition.key != "name":
        return title_of(condition.key)
    step = next(step for part in parts for step in part.steps if step.object == condition.of)
    return schema.relationship(step.relations[0]).called.replace("_", " ")


def _wanted(conditions: Sequence[Condition], recorded: Recorded) -> str:
    """What some conditions on one column want, as people say it: 2014, from 2031 on, above 500."""
    bounds = {each.operator: each.value for each in conditions}
    first, last = bounds.get(">="), bounds.get("<")
    if all(str(each).isdecimal() for each in (first, last)) and int(str(last)) == int(str(first)) + 1:
        return str(first)
    return " and ".join(_said(each, recorded.kind) for each in conditions)


def _said(condition: Condition, kind: str) -> str:
    timed = kind == "time"
    said = " or ".join(_shown(each, kind) for each in condition.values)
    words = {
        "<": "before" if timed else "below",
        "<=": "up to" if timed else "at most",
        ">": "after" if timed else "above",
        ">=": "from" if timed else "at least",
    }
    return f"{words[condition.operator]} {said}" if condition.operator in words else said


def _shown(value: object, kind: str) -> str:
    return figure(value) if kind == "number" and isinstance(value, int | float) else str(value)
