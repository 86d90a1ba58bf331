"""Entities of one name of which only some are answers: two entries of a disease, and one of them states no inheritance.

In: the outcome of a plan that takes entities away. Out: those of its items that share their name with one taken away.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from clew.answer.plans.plan import ABSENT, Plan
from clew.answer.running.run import Outcome

__all__ = ["find_same_named", "same_name_note"]

MOST_NOTED = 3  # names in a note


def find_same_named(outcome: Outcome, run: Callable[[Plan], Outcome]) -> dict[str, tuple[str, ...]]:
    """For the id of each item that has one: the ids of others with its name that match but for what is denied."""
    plan = outcome.plan
    if plan.operation != "difference" or not outcome.items or len(plan.asked) != 1:
        return {}
    parts = tuple(part for part in plan.parts if part.kind != ABSENT)
    needed = {end for part in parts for step in part.steps for end in step.ends} | plan.wanted
    needed |= {name for part in parts for each in part.conditions for name in (each.of, *each.others)}
    slots = tuple(slot for slot in plan.slots if slot.name in needed)
    kept = {item.id for item in outcome.items}
    taken: dict[str, list[str]] = {}
    for item in run(replace(plan, slots=slots, parts=parts)).items:
        if item.id not in kept:
            taken.setdefault(item.name, []).append(item.id)
    return {item.id: tuple(taken[item.name]) for item in outcome.items if item.name in taken}


def same_name_note(outcome: Outcome, same_named: Mapping[str, tuple[str, ...]]) -> str:
    """Which items are one of several entities of their name."""
    said = [
        f"{item.name} ({item.id}, not {', '.join(same_named[item.id])})"
        for item in outcome.items
        if item.id in same_named
    ]
    more = f" and {len(said) - MOST_NOTED:,} more" if len(said) > MOST_NOTED else ""
    return f"of several entities of one name only some are listed: {'; '.join(said[:MOST_NOTED])}{more}"
