"""Who is whose boss is what the words of a question say, not the order in which a query has them."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.models.repairs.direction import as_said
from clew.answer.plans.cypher.read import read_plan
from clew.answer.reading.question import understand
from clew.store.cypher import parse

STATED = [
    ("Ann", "Worker", "supervises", "Bea", "Worker"),
    ("Bea", "Worker", "supervises", "Carl", "Worker"),
    ("Ann", "Worker", "works_at", "Elm Branch", "Branch"),
]
UP = "MATCH (w:Worker)-[:SUPERVISES]->(n:Worker {id: 'x:Bea'}) RETURN w"
DOWN = "MATCH (n:Worker {id: 'x:Bea'})-[:SUPERVISES]->(w:Worker) RETURN w"
THERE = "MATCH (w:Worker)-[:WORKS_AT]->(n:Branch {id: 'x:Elm Branch'}) RETURN w"


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("staff"), STATED) as asker:
        yield asker


@pytest.mark.parametrize(
    ("text", "written", "meant"),
    [
        ("Who is the boss of Bea?", DOWN, UP),
        ("Who is the boss of Bea?", UP, UP),
        ("Who are the subordinates of Bea?", UP, DOWN),
        ("Who reports to Bea?", UP, DOWN),
        ("Who reports to Bea?", DOWN, DOWN),
        ("Who is Bea supervised by?", UP, UP),
        ("Who has Bea supervised?", UP, DOWN),
        ("Who has Bea superviced?", UP, DOWN),  # a slip hides no verb
        ("Which workers are with Bea?", DOWN, DOWN),  # no word tells
        ("Who works under Elm Branch?", THERE, THERE),  # types tell
    ],
)
def test_a_step_is_turned_as_the_words_say(staff: Asker, text: str, written: str, meant: str) -> None:
    resources = staff.resources
    words = words_of(resources)
    question = understand(text, resources.linker, words, parser=resources.parser)
    assert question.trees
    said = as_said(read_plan(parse(written)), question, words)
    assert said.required.steps == read_plan(parse(meant)).required.steps
