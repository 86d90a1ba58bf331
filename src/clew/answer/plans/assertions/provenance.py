"""Conditions of a plan on its steps: which triples have one single assertion that meets them all.

    MATCH (d:Disease)-[r:HAS_PHENOTYPE]->(p) WHERE r.source = 'HPO' AND r.layer = 'curated' RETURN d

Stores keep the provenance of a triple as parallel lists, of which no two can be asked about at once; so the triples
that pass are worked out here, and the store is told which they are by strings of 0 and 1.
"""

import operator as compare
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.answer.lexicon.numbers import as_number
from clew.answer.plans.assertions.shares import holds_of_share
from clew.answer.plans.condition import Asked, Condition, Joint
from clew.answer.plans.cypher.write import BLOCK, PASSES
from clew.answer.plans.operators import TEXTUAL
from clew.answer.plans.plan import REQUIRED, Part, Plan
from clew.errors import QueryError
from clew.graph import GraphContents, Where, read_triples
from clew.graph.assertions import Assertions
from clew.store.layout import StoreSchema

__all__ = [
    "AS_OF",
    "LAYER",
    "STEP_KEYS",
    "TRIPLE",
    "Restricted",
    "assertions_of",
    "find_passing",
    "meeting_rows",
    "passing_triples",
    "restrict_to_assertions",
    "step_columns",
]

TRIPLE, LAYER, AS_OF = STEP_KEYS = ("triple", "layer", "as_of")  # of every step, beside what its assertions have
WEIGHED = ("source", "agent_type", "knowledge_level", "valid_from", "valid_to")  # columns of layers and days
REMEMBERED = 16  # choices of triples kept for each graph
Mask = NDArray[np.bool_]
TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": compare.eq,
    "<>": compare.ne,
    "<": compare.lt,
    "<=": compare.le,
    ">": compare.gt,
    ">=": compare.ge,
    "IN": lambda value, wanted: value in wanted,
    "CONTAINS": lambda value, wanted: wanted in value,
    "STARTS WITH": lambda value, wanted: value.startswith(wanted),
    "ENDS WITH": lambda value, wanted: value.endswith(wanted),
    "=~": lambda value, wanted: re.fullmatch(wanted, value) is not None,
    "HOLDS": compare.eq,
}
_known: "WeakKeyDictionary[GraphContents, dict[tuple[Condition, ...], Mask]]" = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Restricted:
    """A plan whose conditions on steps are about the numbers of triples, and the parameters that hold these."""

    plan: Plan
    parameters: Mapping[str, Sequence[Any]]


def restrict_to_assertions(plan: Plan, contents: GraphContents, schema: StoreSchema) -> Restricted:
    """The plan as a store can run it."""
    steps = {step.name for part in plan.parts for step in part.steps if step.name}
    conditions = [condition for part in plan.parts for condition in part.conditions]
    if not any(each.of in steps or isinstance(each.value, Joint) for each in conditions):
        return Restricted(plan, {})
    for part in plan.parts:
        for step in part.steps:
            if step.repeated and any(condition.of == step.name for each in plan.parts for condition in each.conditions):
                raise QueryError(f"{step.name} stands for several triples: conditions on provenance are about one")
    parameters: dict[str, Sequence[Any]] = {}
    required = [plan.required] if any(part.kind == REQUIRED for part in plan.parts) else []
    parts = [*required, *(part for part in plan.parts if part.kind != REQUIRED)]
    held = tuple(_held(part, steps, parameters, contents, schema) for part in parts)
    return Restricted(replace(plan, parts=held), parameters)


def passing_triples(plan: Plan, contents: GraphContents, schema: StoreSchema) -> dict[str, Mask]:
    """The triples that each named step of a plan may use; a step without conditions is left out."""
    steps = {step.name for part in plan.parts for step in part.steps if step.name}
    return {
        step: _remembered(tuple(replace(each, of="") for each in conditions), contents, schema)
        for part in (plan.required, *(part for part in plan.parts if part.kind != REQUIRED))
        for step, conditions in _by_step(part, steps).items()
    }


def _held(
    part: Part, steps: set[str], parameters: dict[str, Sequence[Any]], contents: GraphContents, schema: StoreSchema
) -> Part:
    joint = [each for each in part.conditions if isinstance(each.value, Joint)]
    kept = [condition for condition in part.conditions if condition.of not in steps and condition not in joint]
    for each in joint:
        assert isinstance(each.value, Joint)
        name = f"clew_joint{len(parameters)}"
        parameters[name] = [list(row) for row in each.value.rows]
        kept.append(replace(each, key=name, value=Joint(each.value.columns)))
    for step, conditions in _by_step(part, steps).items():
        name = f"clew_passing{len(parameters)}"
        mask = _remembered(tuple(replace(each, of="") for each in conditions), contents, schema)
        parameters[name] = _blocks(mask)
        kept.append(Condition(step, TRIPLE, PASSES, name))
    return replace(part, conditions=tuple(kept))


def _by_step(part: Part, steps: set[str]) -> dict[str, list[Condition]]:
    """The conditions of a part on each step."""
    found: dict[str, list[Condition]] = {}
    for condition in part.conditions:
        if condition.of in steps and not isinstance(condition.value, Joint):
            found.setdefault(condition.of, []).append(condition)
    return found


def _remembered(conditions: tuple[Condition, ...], contents: GraphContents, schema: StoreSchema) -> Mask:
    known = _known.setdefault(contents, {})
    mask = known.get(conditions)
    if mask is None:
        if len(known) >= REMEMBERED:
            known.clear()
        mask = known[conditions] = find_passing(conditions, contents, schema)
    return mask


def _blocks(mask: Mask) -> list[str]:
    """Which triples pass, as strings of `BLOCK` signs."""
    signs = np.where(mask, ord("1"), ord("0")).astype(np.uint8).tobytes().decode("ascii")
    return [signs[start : start + BLOCK] for start in range(0, len(signs), BLOCK)] or ["0"]


def find_passing(conditions: Iterable[Condition], contents: GraphContents, schema: StoreSchema) -> Mask:
    """The triples with one assertion that meets all conditions on a step."""
    conditions = list(conditions)
    columns = step_columns(schema)
    needed = {columns[each.key] for each in conditions if each.key in columns}
    table = read_triples(contents, assertions=[*needed, *WEIGHED, "negated"])
    mask = np.zeros(contents.counts["triples"], bool)
    mask[table["number"].to_numpy()[meeting_rows(conditions, table, contents, schema)]] = True
    return mask


def assertions_of(triples: Sequence[int], contents: GraphContents) -> pa.Table:
    """All assertions of some triples, which are given in order."""
    return contents.assertion_table(np.asarray(triples, np.int64))


def meeting_rows(
    conditions: Iterable[Condition], table: pa.Table, contents: GraphContents, schema: StoreSchema
) -> Mask:
    """Which assertions of some triples meet all conditions on a step; of negated ones only if a triple has no other."""
    columns = step_columns(schema)
    owner, negated = table["number"].to_numpy(), _negated(table)  # (assertions,) the triple that each states
    rows = ~negated | ~np.isin(owner, owner[~negated]) if negated.any() else ~negated
    weighed: dict[str, str] = {}
    for condition in conditions:
        if condition.key in (LAYER, AS_OF):
            if weighed.setdefault(condition.key, str(condition.value)) != str(condition.value):
                raise QueryError(f"one assertion has one {condition.key}: two were asked for")
        elif condition.key == TRIPLE:
            rows &= _meeting(pa.chunked_array([pa.array(owner)]), condition)
        else:
            rows &= _rows(condition, table, columns)
    if weighed:
        each = Assertions([table], np.arange(len(table) + 1), contents.snapshot.sources)
        rows &= each.passing(Where(layer=weighed.get(LAYER, "all"), as_of=weighed.get(AS_OF), negated=True))
    return rows


def step_columns(schema: StoreSchema) -> dict[str, str]:
    """The columns of assertions by the names of properties."""
    return {each.name: each.column for relationship in schema.relationships for each in relationship.properties}


def _negated(table: pa.Table) -> Mask:
    if "negated" not in table.column_names:
        return np.zeros(len(table), bool)
    return np.asarray(table["negated"].fill_null(False).to_numpy(), bool)


def _rows(condition: Condition, table: pa.Table, columns: Mapping[str, str]) -> Mask:
    """The assertions that meet a condition on one of their columns, which `columns` has by the names of properties."""
    column = columns.get(condition.key)
    if column is None:  # nothing in the graph says anything of the kind
        return np.full(len(table), condition.or_absent or (condition.operator == "IS NULL") != condition.negated, bool)
    values = table[column]
    if pa.types.is_list(values.type):
        return _any_of_each(values, condition)
    return _meeting(values, condition)


def _any_of_each(lists: pa.ChunkedArray, condition: Condition) -> Mask:
    """Rows of which one element meets the condition: one of the documents that are cited."""
    array = lists.combine_chunks()
    lengths = np.asarray(pc.fill_null(pc.list_value_length(array), 0))
    if condition.operator in ("IS NULL", "IS NOT NULL"):
        return np.asarray((lengths == 0) == ((condition.operator == "IS NULL") != condition.negated))
    owner = np.repeat(np.arange(len(array)), lengths)
    plain = replace(condition, negated=False)
    found = np.zeros(len(array), bool)
    found[owner[_meeting(pa.chunked_array([array.flatten()]), plain)]] = True
    if condition.or_absent:
        return np.asarray(found | (lengths == 0))
    return found if not condition.negated else ~found & (lengths > 0)


def _meeting(column: pa.ChunkedArray, condition: Condition) -> Mask:
    """Where a column meets a condition; each distinct value is looked at once, and null meets nothing but IS NULL."""
    if condition.operator in ("IS NULL", "IS NOT NULL"):
        null = np.asarray(column.is_null().to_numpy(), bool)
        return null if (condition.operator == "IS NULL") != condition.negated else ~null
    array = column.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    verdicts = [_holds(value, condition) for value in array.dictionary.to_pylist()]
    absence = condition.operator == "IN" and isinstance(condition.value, tuple) and None in condition.value
    hit = np.array([*verdicts, condition.or_absent or (absence != condition.negated and absence)])
    codes = array.indices.fill_null(len(verdicts)).to_numpy(zero_copy_only=False)
    return np.asarray(hit[codes])


def _holds(value: Any, condition: Condition) -> bool:
    wanted = condition.value
    if isinstance(wanted, Asked):
        raise QueryError(f"{condition.key} of an assertion is compared with a value, not with another property")
    if value is None:
        return False
    value = value if isinstance(value, str | int | float) else str(value)  # a day becomes its ISO form
    if condition.shared and isinstance(wanted, int | float):
        return holds_of_share(str(value), condition.operator, wanted) != condition.negated
    if condition.numeric:
        value = as_number(value)
    if condition.ignoring_case:
        value = str(value).lower()
    if condition.sized:
        value = len(str(value))
    test = TESTS[condition.operator]
    try:
        several = isinstance(wanted, tuple) and condition.operator in TEXTUAL
        passed = any(test(value, each) for each in wanted) if several else test(value, wanted)  # type: ignore[union-attr]
    except (TypeError, AttributeError):  # text against a number: null in Cypher, which passes nothing
        return False
    return bool(passed) != condition.negated
