"""A yes or no about several triples names all of them: none that is there is said to be missing."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.plans.cypher.read import read_plan
from clew.answer.wording.plan_phrases import relation_phrase
from clew.store.cypher import parse

STATED = [
    ("Dopamine", "Drug", "binds", "DBH", "Gene"),
    ("Disulfiram", "Drug", "binds", "DBH", "Gene"),
    ("Aspirin", "Drug", "binds", "PTGS2", "Gene"),
    ("Dopamine", "Drug", "causes", "Nausea", "Symptom"),
]


@pytest.fixture(scope="module")
def drugs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("drugs"), STATED) as asker:
        yield asker


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Does Dopamine bind DBH?", "Yes: Dopamine binds DBH."),
        ("Does Dopamine bind PTGS2?", "No: Dopamine binds PTGS2 is not in this graph."),
        ("Do Dopamine and Disulfiram bind DBH?", "Yes: Dopamine binds DBH and Disulfiram binds DBH."),
        (
            "Do Dopamine and Aspirin bind DBH?",
            "No: not all of this is in this graph: Dopamine binds DBH and Aspirin binds DBH.",
        ),
        (
            "Does Dopamine bind DBH and PTGS2?",
            "No: not all of this is in this graph: Dopamine binds DBH and Dopamine binds PTGS2.",
        ),
        ("Does Dopamine bind a gene and cause Nausea?", "Yes: Dopamine binds a gene and causes Nausea."),
    ],
)
def test_all_that_is_asked_is_said(drugs: Asker, question: str, text: str) -> None:
    assert drugs.ask(question).text == text


def test_what_has_no_plain_phrase_is_not_said(drugs: Asker) -> None:
    plan = read_plan(parse("MATCH (a)-[:BINDS]->(b:Gene) WHERE b.kind IN ['x', 'y'] RETURN count(*) > 0"), {})
    assert relation_phrase(plan, {"a": "Dopamine"}, words_of(drugs.resources)) is None
