"""Values of entities when a plan runs: conditions on the numbers that texts state, and rows with a value each.

Stores hold what tables say, often numbers as text. Conditions on numbers become the ids of the entities that meet them;
orders, aggregates and values that are asked for are made from the rows of a plan.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.answer.lexicon.numbers import as_number
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import REQUIRED, Measure, Part, Plan
from clew.graph import GraphContents
from clew.store.layout import StoreSchema

__all__ = [
    "Valued",
    "aggregated",
    "aggregates",
    "hold_values",
    "is_of_another",
    "value_column",
    "valued_rows",
    "with_value",
]

NUMERIC = r"^\s*[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][-+]?\d+)?\s*$"
AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {"sum": sum, "avg": fmean, "min": min, "max": max}
EXTREMES = {"min": 0, "max": -1}
Floats = NDArray[np.float64]
_columns: "WeakKeyDictionary[GraphContents, dict[str, Floats]]" = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Valued:
    """An entity with one value, as the store has it."""

    id: str
    name: str
    value: object

    @property
    def number(self) -> int | float | None:
        return as_number(self.value)


def valued_rows(rows: Iterable[Sequence[object]]) -> list[Valued]:
    """Rows of an id, a name, perhaps more, and a value; columns of statements are lists, a value for each assertion."""
    return [
        Valued(str(id), str(name), each)
        for id, name, *_, value in rows
        for each in (value if isinstance(value, list | tuple) else (value,))
    ]


def value_column(plan: Plan) -> Asked | None:
    """The values that come with the rows of a plan: those asked for, sorted by or aggregated."""
    if plan.kind != "rows":
        return None
    if plan.attribute is not None:
        return plan.attribute
    measure = plan.measure
    if measure is not None:
        counts = measure.function in ("count", "collect") or not (measure.numeric or plan.asked)
        return None if counts else Asked(measure.of, measure.key, numeric=measure.numeric)
    by = plan.sort[0].by if len(plan.sort) == 1 and len(plan.asked) == 1 else None
    return by if by is not None and (by.numeric or by.key not in (None, "id", "name")) else None


def with_value(plan: Plan, column: Asked) -> Plan:
    """The plan whose rows are entities, each with its value, without order and limit."""
    roots = [column.of]
    if plan.measure is None and plan.attribute is None:
        roots = [plan.asked[0].of]
    elif plan.measure is not None:  # an aggregate of what entities lead to, or of statements: each counts for itself
        named = next((step for step in plan.required.steps if step.name == column.of), None)
        led = (step.subject for step in plan.required.steps if step.object == column.of)
        roots = [next(led, column.of)] if named is None else [named.subject, named.object]
        if plan.asked:  # for each of what is asked for
            roots = list(dict.fromkeys((plan.asked[0].of, *(roots if named is not None else [column.of]))))
    asked = (*map(Asked, roots), replace(column, numeric=False))
    return replace(plan, asked=asked, measure=None, sort=(), skip=0, limit=None)


def is_of_another(plan: Plan, column: Asked) -> bool:
    """Whether rows are sorted by a value of something other than what they list: authors by the length of a book."""
    if plan.measure is not None:
        return False
    steps = {step.object: step.subject for step in plan.required.steps} if column.key == "name" else {}
    return steps.get(column.of, column.of) != plan.asked[0].of


def aggregated(measure: Measure, rows: Iterable[Valued]) -> int | float | None:
    """The sum, average, least or greatest of the values of some rows."""
    numbers = [number for row in rows if (number := row.number) is not None]
    if not numbers:
        return None
    found = AGGREGATES[measure.function](numbers)
    return int(found) if float(found).is_integer() else found


def aggregates(measure: Measure, rows: Iterable[Valued]) -> list[Valued]:
    """The entities of some rows, each with the aggregate of its values, if it passes; of texts the first or last."""
    own: dict[str, list[Valued]] = {}
    for row in rows:
        own.setdefault(row.id, []).append(row)
    found = []
    for id, values in own.items():
        texts = [] if measure.numeric or measure.function not in EXTREMES else sorted(str(row.value) for row in values)
        stated = [text for text in texts if text not in ("", "None")]
        value = stated[EXTREMES[measure.function]] if stated else aggregated(measure, values)
        if value is not None and (measure.operator is None or measure.passes(value)):
            found.append(Valued(id, values[0].name, value))
    return found


def hold_values(plan: Plan, contents: GraphContents, schema: StoreSchema) -> Plan:
    """The plan with each condition on a number of entities as the ids that meet it."""
    if not any(condition.numeric for part in plan.parts for condition in part.conditions):
        return plan
    parts = tuple(
        replace(part, conditions=tuple(_held(each, plan, contents, schema) for each in part.conditions))
        for part in plan.parts
    )
    return _without_compared(replace(plan, parts=parts), plan)


def _held(condition: Condition, plan: Plan, contents: GraphContents, schema: StoreSchema) -> Condition:
    if not condition.numeric or all(slot.name != condition.of for slot in plan.slots):  # of a step: `provenance`
        return condition
    column = _numbers(condition.key, contents, schema)
    meets = _compared(column, condition, plan, contents, schema)
    labels = plan.slot(condition.of).types
    if labels:
        kinds = [list(contents.schema.types).index(schema.type_of(label)) for label in labels]
        meets &= np.isin(contents.types_of(), kinds)
    ids = contents.describe(np.flatnonzero(meets))["id"].to_pylist()
    return Condition(condition.of, "id", "IN", tuple(map(str, ids)))


def _compared(
    column: Floats, condition: Condition, plan: Plan, contents: GraphContents, schema: StoreSchema
) -> NDArray[np.bool_]:
    wanted = condition.value
    if isinstance(wanted, Asked):
        other = _numbers(wanted.key or "name", contents, schema)[contents.lookup(plan.held(wanted.of))]
        other = other[~np.isnan(other)]
        if not len(other):
            return np.zeros(len(column), bool)
        number = float(other[0]) * wanted.times + wanted.plus
    elif isinstance(wanted, int | float):
        number = float(wanted)
    else:
        return np.zeros(len(column), bool)
    compare = {
        "=": np.equal, "<>": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    }[condition.operator]  # fmt: skip
    stated = ~np.isnan(column)
    met = np.asarray(compare(column, number), bool)
    return np.asarray((stated & (~met if condition.negated else met)) | (condition.or_absent & ~stated), bool)


def _without_compared(held: Plan, plan: Plan) -> Plan:
    """Without slots whose values others were compared with, where nothing else needs them."""
    compared = {each.value.of for part in plan.parts for each in part.conditions if isinstance(each.value, Asked)}
    needed = {end for part in held.parts for step in part.steps for end in step.ends}
    needed |= {asked.of for asked in held.asked} | ({held.measure.of} if held.measure else set())
    gone = compared - needed
    parts = tuple(
        replace(part, conditions=tuple(each for each in part.conditions if each.of not in gone)) for part in held.parts
    )
    slots = tuple(slot for slot in held.slots if slot.name not in gone)
    return replace(held, slots=slots, parts=tuple(each for each in parts if each != Part(REQUIRED)))


def _numbers(key: str, contents: GraphContents, schema: StoreSchema) -> Floats:
    """The number that a property of each entity states; not a number where it states none."""
    known = _columns.setdefault(contents, {})
    if key not in known:
        column = next((each.column for each in schema.properties if each.name == key), key)
        blocks = [_floats(block, column) for block in contents.scan_entities(["id", column])]  # no table is empty
        known[key] = np.concatenate(blocks)
    return known[key]


def _floats(block: pa.RecordBatch, column: str) -> Floats:
    if column not in block.schema.names:
        return np.full(len(block), np.nan)
    values = block.column(column)
    if pa.types.is_floating(values.type) or pa.types.is_integer(values.type):
        found = values.cast(pa.float64())
    else:
        texts = values.cast(pa.string())
        stated = pc.match_substring_regex(texts, NUMERIC)
        plain = pc.replace_substring(pc.utf8_trim_whitespace(texts), ",", "")
        found = pc.if_else(stated, plain, pa.scalar(None, pa.string())).cast(pa.float64())
    return np.asarray(found.fill_null(float("nan")), np.float64)
