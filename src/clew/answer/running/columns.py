"""Further columns of an answer: what else is asked for of each item, row by row.

In: a plan that asks for several columns, and the items of the first. Out: the items, each with the rest of its rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from clew.answer.answer import Cell, Item
from clew.answer.plans.assertions.shares import in_plain_words
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import REQUIRED, Part, Plan
from clew.answer.wording.value_words import further_titles
from clew.graph import GraphContents

__all__ = ["beside", "is_several", "named_texts", "with_items"]

Value = tuple[str, str]  # a text, or the id and the name of an entity


def is_several(plan: Plan) -> bool:
    """Whether a plan asks for more than its items."""
    return plan.kind == "rows" and len(plan.asked) > 1 and plan.measure is None


def with_items(plan: Plan, items: Sequence[Item]) -> Plan:
    """The plan of the rows of some items, without order and limit."""
    asked = tuple(replace(each, numeric=False) for each in plan.asked)
    plan = replace(plan, asked=asked, sort=(), skip=0, limit=None)
    if plan.asked[0].key is not None:
        return plan
    chosen = Condition(plan.asked[0].of, "id", "IN", tuple(item.id for item in items))
    return plan.with_part(Part(REQUIRED, (), (chosen,)))


def beside(plan: Plan, items: Sequence[Item], rows: Sequence[Sequence[Any]], contents: GraphContents) -> list[Item]:
    """Items with the further columns of a plan, from its rows."""
    found: dict[str, dict[tuple[Cell, ...], None]] = {}
    titles = further_titles(plan)
    listed = [each for row in rows for each in _expanded(plan, row)]
    entities = {slot.name for slot in plan.slots}
    stated = [at for at, column in enumerate(plan.asked) if at and column.of not in entities]
    names = named_texts({each[at][1] for each in listed for at in stated}, contents)
    for values in listed:
        first, *further = values
        cells = [Cell(title, text, id) for title, (id, text) in zip(titles, further, strict=True)]
        for at in stated:
            cells[at - 1] = replace(cells[at - 1], name=names[values[at][1]])
        if any(cell.name for cell in cells):
            found.setdefault(first[0] or first[1], {})[tuple(cells)] = None
    order = {id: sorted(own, key=lambda row: [cell.name for cell in row]) for id, own in found.items()}
    return [replace(item, beside=tuple(order.get(item.id, ()))) for item in items]


def named_texts(texts: set[str], contents: GraphContents) -> dict[str, str]:
    """Values of statements as people read them: an id as the name of its entity, others in plain words."""
    listed = sorted(texts)
    known = contents.lookup(listed)
    names: Mapping[str, str] = {row["id"]: row["name"] for row in contents.describe(known[known >= 0]).to_pylist()}
    return {text: names.get(text) or in_plain_words(text) for text in listed}


def _expanded(plan: Plan, row: Sequence[Any]) -> Iterator[list[Value]]:
    """The columns of a row; those of one step have a value for each of its assertions."""
    values, at = [], 0
    for column in plan.asked:
        width = 2 if column.key is None else 1
        values.append(tuple(row[at : at + width]))
        at += width
    entities = {slot.name for slot in plan.slots}
    steps = list(dict.fromkeys(column.of for column in plan.asked if column.of not in entities))
    own = [[value for value, column in zip(values, plan.asked, strict=True) if column.of == step] for step in steps]
    for places in product(*(range(max(map(_size, each))) for each in own)):
        at_step = dict(zip(steps, places, strict=True))
        yield [_value(value, column, at_step) for value, column in zip(values, plan.asked, strict=True)]


def _size(value: tuple[Any, ...]) -> int:
    return len(value[0]) if isinstance(value[0], list | tuple) else 1


def _value(value: tuple[Any, ...], column: Asked, at_step: Mapping[str, int]) -> Value:
    if column.key is None:
        return str(value[0]), str(value[1])
    (stated,) = value
    if isinstance(stated, list | tuple):
        stated = stated[at_step[column.of]] if column.of in at_step else ", ".join(map(str, stated))
    return "", "" if stated is None else str(stated)
