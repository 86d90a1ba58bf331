"""A plan: what it asks for, and what makes no plan."""

import pytest

from clew.answer.plans.condition import Asked
from clew.answer.plans.plan import COUNTED, REQUIRED, Count, Part, Plan, Slot, Step
from clew.errors import InputError
from plans import plan_of


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("MATCH (g:Gene) RETURN g", "list"),
        ("MATCH (g:Gene) RETURN count(*)", "count"),
        ("MATCH (g:Gene) RETURN avg(g.size)", "aggregate"),
        ("MATCH (g:Gene)--(d) RETURN count(*) > 0", "exists"),
        ("MATCH (g:Gene) WHERE NOT (g)--(:Disease) RETURN g", "difference"),
        ("MATCH (g:Gene)--(d) WITH g, count(d) AS n ORDER BY n RETURN g.name LIMIT 3", "top"),
        ("MATCH (g:Gene)--(d) WITH g, count(d) AS n WHERE n > 2 RETURN g.name", "list"),
        ("MATCH p = shortestPath((a:Gene)-[*1..4]-(b:Disease)) RETURN p", "path"),
    ],
)
def test_the_operation_is_recognised(text: str, operation: str) -> None:
    assert plan_of(text).operation == operation


def test_slots_are_known() -> None:
    with pytest.raises(InputError, match="none of its parts"):
        Plan((Slot("a"),), (Part(REQUIRED, (Step("a", (), "b"),)),))


@pytest.mark.parametrize(
    "counts",
    [
        (Count("b", ">", "c"),),  # nothing else is counted
        (Count("b"), Count("c", ">", 1)),  # compared with nothing
        (Count("b", ">", "c"), Count("c", ">", 1)),  # the other has a number of its own
    ],
)
def test_a_count_is_compared_with_one_that_has_no_number(counts: tuple[Count, ...]) -> None:
    slots, parts = (
        (Slot("a"), Slot("b"), Slot("c")),
        [Part(COUNTED, (Step("a", (), each.of),), (), each) for each in counts],
    )
    with pytest.raises(InputError, match="compare"):
        Plan(slots, tuple(parts), asked=(Asked("a"),))
