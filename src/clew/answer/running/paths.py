"""Shortest paths between two named entities, walked by the engine, as an answer with its evidence."""

from clew.answer.answer import Answer, Evidence
from clew.answer.plans.assertions.filters import Filters
from clew.answer.plans.plan import PATH_LENGTH, Plan
from clew.answer.running.evidence import cite
from clew.errors import QueryError
from clew.traverse import GraphEngine

__all__ = ["find_paths"]

MOST_PATHS = 10


def find_paths(plan: Plan, engine: GraphEngine, filters: Filters, *, timeout: float) -> Answer:
    """The shortest paths between the two entities that a plan names."""
    one, other = (_ids(plan, slot.name) for slot in plan.slots)
    paths = engine.paths(
        one,
        other,
        PATH_LENGTH,
        kind="shortest",
        direction="both",
        where=filters.where,
        limit=MOST_PATHS,
        timeout=timeout,
    )
    listed = list(paths)
    numbers = dict.fromkeys(number for path in listed for number in path.numbers)
    evidence = Evidence(cite(numbers, engine))
    return Answer("", value=bool(listed), total=len(listed), evidence=evidence, truncated=paths.truncated)


def _ids(plan: Plan, slot: str) -> list[str]:
    """The ids of one end."""
    ids = plan.held(slot)
    if not ids:
        raise QueryError("both ends of a path must be named entities: give each an id")
    return list(ids)
