"""The labels that variables of written queries imply."""

from pathlib import Path

import pytest

from askers import asker_of_rows
from clew.answer.kept import composer_of, words_of
from clew.answer.models.repairs.labels import ImpliedLabels
from clew.answer.plans.cypher.read import read_plan
from clew.answer.reading.question import ParsedQuestion, understand
from clew.store.cypher import parse

STATED = [
    ("Elm Spring", "source", "lies_in", "Calder", "zone"),
    ("Elm Works", "works", "lies_in", "Calder", "zone"),
]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("How many sources are in the zones?", ("source",)),
        ("How many things are in the zones?", ()),  # works too
    ],
)
def test_a_type_that_the_question_spells_is_meant(tmp_path: Path, text: str, types: tuple[str, ...]) -> None:
    question = ParsedQuestion(
        text, anchors=(), tokens=(), type_words=(), operation="count", asked=("zone",), mentioned=()
    )
    plan = read_plan(parse("MATCH (source)-[:LIES_IN]->(zone) RETURN count(source)"), {})
    with asker_of_rows(tmp_path, STATED) as asker:
        own = asker.resources
        implied = ImpliedLabels(own.schema, composer_of(own).shown, words_of(own)).typed(plan, question)
    assert {slot.name: slot.types for slot in implied.slots} == {"source": types, "zone": ("zone",)}


@pytest.mark.parametrize(("text", "types"), [("Which wells are in Calder?", ("source",)), ("What is in Calder?", ())])
def test_a_noun_that_is_asked_for_may_be_a_word_for_the_type(tmp_path: Path, text: str, types: tuple[str, ...]) -> None:
    plan = read_plan(parse("MATCH (source)-[:LIES_IN]->(zone {id: 'x:Calder'}) RETURN source"), {})
    with asker_of_rows(tmp_path, STATED) as asker:
        own = asker.resources
        question = understand(text, own.linker, words_of(own), parser=own.parser)
        implied = ImpliedLabels(own.schema, composer_of(own).shown, words_of(own)).typed(plan, question)
    assert {slot.name: slot.types for slot in implied.slots} == {"source": types, "zone": ("zone",)}


def test_a_code_is_meant_though_no_question_says_it(tmp_path: Path) -> None:
    stated = [("High Court", "CT", "LOC", "Corran", "CTY"), ("Adler & Sons", "FM", "LOC", "Corran", "CTY")]
    question = ParsedQuestion(
        "How many courts are in Corran?",
        anchors=(),
        tokens=(),
        type_words=(),
        operation="count",
        asked=(),
        mentioned=(),
    )
    plan = read_plan(parse("MATCH (ct)-[:LOC]->(cty) RETURN count(ct)"), {})
    with asker_of_rows(tmp_path, stated) as asker:
        own = asker.resources
        implied = ImpliedLabels(own.schema, composer_of(own).shown, words_of(own)).typed(plan, question)
    assert {slot.name: slot.types for slot in implied.slots} == {"ct": ("CT",), "cty": ("CTY",)}
