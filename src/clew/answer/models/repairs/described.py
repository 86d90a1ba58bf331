"""Names that a question has only to say which entity another name means: "the Golf with plate OS-JE 966".

A query of the car alone says all of that, if the graph connects the car with the model. In: a plan, and the names it
does and does not mention. Out: the plan with such entities told apart, and the names that are still missing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import Plan
from clew.traverse import GraphEngine

__all__ = ["told_apart"]

LISTING = frozenset({"and", "or", "nor", "but", "not", "than", "without"})
MOST_BETWEEN = 2  # words between a name and the one that it describes: "with plate", "of the"


def told_apart(
    plan: Plan, text: str, used: Mapping[Anchor, Meaning], unused: Sequence[Anchor], engine: GraphEngine
) -> tuple[Plan, list[Anchor]]:
    """The plan whose names mean those of their entities that an unused name beside them is connected with.

    And the unused names that describe nothing. One of the same type as another does not: it is one more of its kind.
    """
    missing: list[Anchor] = []
    for anchor in unused:
        types = {each.type for each in anchor.meanings}
        near = [meaning for other, meaning in used.items() if _is_beside(anchor, other, text)]
        others = [meaning for meaning in near if meaning.type not in types]
        ids = [id for meaning in anchor.meanings for id in meaning.ids]
        beside = set(engine.hop(ids, 1, mode="exact", direction="both").entities["id"].to_pylist()) if others else set()
        described = [meaning for meaning in others if not beside.isdisjoint(meaning.ids)]
        if not described:
            missing.append(anchor)
        for meaning in described:
            plan = _only(plan, meaning.ids, beside)
    return plan, missing


def _is_beside(one: Anchor, other: Anchor, text: str) -> bool:
    """Whether two names are next to each other, and not in a list: "A and B" are two."""
    first, second = sorted((one, other), key=lambda each: each.start)
    between = text[first.end : second.start].lower()
    words = between.split()
    return len(words) <= MOST_BETWEEN and "," not in between and LISTING.isdisjoint(words)


def _only(plan: Plan, ids: Collection[str], beside: Collection[str]) -> Plan:
    """The plan with some of the entities of a name in place of all."""

    def chosen(condition: Condition) -> Condition:
        value = condition.value
        if condition.key != "id" or not isinstance(value, tuple) or set(value) != set(ids):
            return condition
        return replace(condition, value=tuple(each for each in value if each in beside))

    parts = tuple(replace(part, conditions=tuple(map(chosen, part.conditions))) for part in plan.parts)
    return replace(plan, parts=parts)
