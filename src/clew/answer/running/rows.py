"""The rows of a plan, from a store: columns of statements have the values of those assertions that meet the plan.

A store keeps the assertions of a triple as lists, and a triple passes if one of them does: of deliveries in 2009 and in
2012, "after 2010" means the amount of the second alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from clew.answer.plans.assertions.provenance import TRIPLE, assertions_of, meeting_rows, restrict_to_assertions
from clew.answer.plans.condition import Asked
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import Plan
from clew.graph import GraphContents
from clew.store.store import Store
from clew.store.values import Rows

__all__ = ["MOST_ROWS", "run_rows"]

MOST_ROWS = 1_000_000  # rows that are sorted, aggregated or compared


def run_rows(plan: Plan, store: Store, contents: GraphContents, *, timeout: float, limit: int = MOST_ROWS) -> Rows:
    """The rows of a plan: two columns for an entity, one for a property or a column of statements."""
    slots = {slot.name for slot in plan.slots}
    steps = list(dict.fromkeys(each.of for each in plan.asked if each.of not in slots and each.key != TRIPLE))
    wanted = replace(plan, asked=(*plan.asked, *(Asked(step, TRIPLE) for step in steps)))
    held = restrict_to_assertions(wanted, contents, store.schema)
    rows = store.run(write_statement(held.plan), held.parameters, timeout=max(timeout, 0.001), limit=limit)
    if not steps:
        return rows
    widths = [2 if each.key is None else 1 for each in plan.asked]
    places = {sum(widths[:at]): steps.index(each.of) for at, each in enumerate(plan.asked) if each.of in steps}
    own = [
        _met(
            plan,
            step,
            {int(row[at - len(steps)]) for row in rows.rows if _is_one(row[at - len(steps)])},
            store,
            contents,
        )
        for at, step in enumerate(steps)
    ]
    return replace(rows, rows=[_without_others(row, places, own, len(steps)) for row in rows.rows])


def _is_one(triple: Any) -> bool:
    """Whether a step is one triple: one that is followed repeatedly has a list of them, an optional one none."""
    return isinstance(triple, int)


def _met(plan: Plan, step: str, numbers: set[int], store: Store, contents: GraphContents) -> Mapping[int, list[bool]]:
    """For each of some triples, which of its assertions meet what a plan says of a step."""
    conditions = [each for part in plan.parts for each in part.conditions if each.of == step]
    if not conditions or not numbers:
        return {}
    table = assertions_of(sorted(numbers), contents)
    owner, met = table["number"].to_numpy(), meeting_rows(conditions, table, contents, store.schema)
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    return {int(owner[at]): list(own) for at, own in zip(starts, np.split(met, starts[1:]), strict=True)}


def _without_others(
    row: tuple[Any, ...], places: Mapping[int, int], own: list[Mapping[int, list[bool]]], steps: int
) -> tuple[Any, ...]:
    """A row without the numbers of triples, and without the values of assertions that do not meet the plan."""
    values = list(row[: len(row) - steps])
    for at, step in places.items():
        triple, value = row[len(values) + step], values[at]
        if _is_one(triple) and triple in own[step] and isinstance(value, list | tuple):
            values[at] = list(compress(value, own[step][triple]))
    return tuple(values)
