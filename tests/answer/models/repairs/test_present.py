"""Who is there now has not left: a query that forgets so gets it from the question, unless it is unclear of what."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.models.repairs.present import lasting
from clew.answer.plans.cypher.read import read_plan
from clew.answer.reading.question import understand
from clew.store.cypher import parse

STATED = [  # subject, type, relation, object, type, since, until
    ("Ann", "Worker", "works_at", "Elm Branch", "Branch", "2010", "2015"),
    ("Bea", "Worker", "works_at", "Elm Branch", "Branch", "2012", None),
    ("Bea", "Worker", "lives_in", "Ashby", "Town", "2001", "2003"),
    ("Ann", "Worker", "born_in", "Ashby", "Town", None, None),
]
THERE = "MATCH (w:Worker)-[:WORKS_AT]->(n:Branch {id: 'x:Elm Branch'}) RETURN w"
BORN_THERE = "MATCH (w:Worker)-[:WORKS_AT]->(n:Branch {id: 'x:Elm Branch'}), (w)-[:BORN_IN]->(t:Town) RETURN w"
BOTH = "MATCH (w:Worker)-[:WORKS_AT]->(n:Branch {id: 'x:Elm Branch'}), (w)-[:LIVES_IN]->(t:Town) RETURN w"
BEFORE = "MATCH (w:Worker)-[r:WORKS_AT]->(n:Branch {id: 'x:Elm Branch'}) WHERE r.q_until > '2014' RETURN w"


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("staff"), STATED, "qualifier:since", "qualifier:until") as asker:
        yield asker


@pytest.mark.parametrize(
    ("text", "written", "held"),
    [
        ("Who is at Elm Branch today?", THERE, 1),
        ("Which of today's workers at Elm Branch were born in a town?", BORN_THERE, 1),
        ("Who has been at Elm Branch?", THERE, 0),
        ("Who works at Elm Branch now and lives in a town?", BOTH, 0),
        ("Who now elsewhere left Elm Branch after 2014?", BEFORE, 0),
    ],
)
def test_what_is_now_has_no_end(staff: Asker, text: str, written: str, held: int) -> None:
    resources = staff.resources
    question = understand(text, resources.linker, words_of(resources), parser=resources.parser)
    plan = lasting(read_plan(parse(written)), question)
    conditions = [each for part in plan.parts for each in part.conditions if each.operator == "IS NULL"]
    assert len(conditions) == held
    assert all(each.key == "q_until" for each in conditions)
