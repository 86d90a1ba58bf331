"""What is said of a statement is told from what is said of its subject: the onset of a sign, and that of a disease."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.models.repairs.direction import as_said
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.reading.question import understand
from clew.store.cypher import parse, write

ADULT, CHILD = "x:Adult onset", "x:Childhood onset"
ROWS = [  # subject, type, relation, object, type, onset of the sign
    ("Alport disease", "Disease", "has_sign", "Cataract", "Sign", ADULT),
    ("Alport disease", "Disease", "has_course", "Childhood onset", "Course", None),
    ("Brandt disease", "Disease", "has_sign", "Cataract", "Sign", CHILD),
    ("Brandt disease", "Disease", "has_sign", "Deafness", "Sign", ADULT),
    ("Brandt disease", "Disease", "has_course", "Adult onset", "Course", None),
    ("Cramer disease", "Disease", "has_sign", "Deafness", "Sign", None),
    ("Cramer disease", "Disease", "has_course", "Adult onset", "Course", None),
]


@pytest.fixture(scope="module")
def diseases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("diseases"), ROWS, "qualifier:onset") as asker:
        yield asker


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("In which diseases does cataract have an adult onset?", {"Alport disease"}),
        ("Which diseases show cataract with adult onset?", {"Alport disease"}),
        ("Which diseases show cataract of childhood onset?", {"Brandt disease"}),
        ("Which diseases with adult onset show cataract?", {"Brandt disease"}),
        ("Which diseases with cataract have an adult onset?", {"Brandt disease"}),
        ("Which adult-onset diseases show deafness?", {"Brandt disease", "Cramer disease"}),
        ("Which diseases with childhood onset and cataract are there?", {"Alport disease"}),
    ],
)
def test_an_onset_is_that_of_what_it_is_said_of(diseases: Asker, question: str, found: set[str]) -> None:
    assert {item.name for item in diseases.ask(question).items} == found


def test_the_condition_is_said_by_its_name(diseases: Asker) -> None:
    text = diseases.ask("Which diseases show cataract with adult onset?").text
    assert text == "1 disease with Cataract (with the onset Adult onset): Alport disease."


@pytest.mark.parametrize(
    ("question", "moved"),
    [
        ("In which diseases does cataract have an adult onset?", True),
        ("Which diseases with adult onset show cataract?", False),
        ("Which diseases with adult onset do not show cataract?", False),
    ],
)
def test_what_a_model_wrote_is_read_so_too(diseases: Asker, question: str, moved: bool) -> None:
    resources = diseases.resources
    words = words_of(resources)
    asked = understand(question, resources.linker, words, parser=resources.parser)
    written = (
        "MATCH (d:Disease)-[:HAS_SIGN]->(:Sign {id: 'x:Cataract'}), (d)-[:HAS_COURSE]->(:Course {id: 'x:Adult onset'}) "
        "RETURN d"
    )
    said = write(write_statement(as_said(read_plan(parse(written)), asked, words)))
    assert ("q_onset" in said, "HAS_COURSE" in said) == (moved, not moved)
