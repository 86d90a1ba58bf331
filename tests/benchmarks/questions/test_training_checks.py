"""Whether a query that a model wrote is right: by what it means, not by its form."""

import pytest
from benchmarks.questions.training.query_checks import are_right, is_right

QUERY = "MATCH (farm)-[r:GROWS]->(crop {id: $crop1}) WHERE r.q_area > 5 RETURN farm"


@pytest.mark.parametrize(
    "written",
    [
        QUERY,
        "MATCH (c {id: $crop1})<-[g:GROWS]-(f) WHERE g.q_area > 5 RETURN DISTINCT f",
        "MATCH (farm)-[r:GROWS]->(crop) WHERE crop.id = $crop1 AND r.q_area > 5 RETURN farm.name",
    ],
)
def test_the_same_in_other_forms(written: str) -> None:
    assert is_right(written, QUERY)


@pytest.mark.parametrize(
    "written",
    [
        QUERY.replace("> 5", ">= 5"),
        QUERY.replace("]->(", "]-(").replace("(farm)-", "(farm)<-"),
        QUERY.replace("$crop1", "$crop2"),
        QUERY.replace("GROWS", "SELLS"),
        "MATCH (farm RETURN farm",
        "NONE",
        "",
    ],
)
def test_what_means_something_else_or_nothing(written: str) -> None:
    assert not is_right(written, QUERY)


def test_no_query_is_right_where_there_is_no_answer() -> None:
    assert not is_right(QUERY, "NONE")
    assert not is_right("NONE", "NONE")


def test_many_at_once() -> None:
    assert are_right([QUERY, "NONE", QUERY], [QUERY, QUERY, "NONE"]) == [True, False, False]
