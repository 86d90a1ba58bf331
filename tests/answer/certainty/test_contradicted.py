"""Plans that contradict their question are never sure."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.certainty.contradicted import contradictions
from clew.answer.kept import composer_of, owners_of, words_of
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import understand


@pytest.fixture
def brigade(tmp_path: Path) -> Iterator[Asker]:
    rows = [
        ("Old Bertha", "Vehicle", "built_by", "Scania", "Manufacturer"),
        ("Red Rosa", "Vehicle", "built_by", "Magirus", "Manufacturer"),
        ("Old Bertha", "Vehicle", "carries", "Thermal camera", "Equipment"),
        ("Elm", "Species", "attacked_by", "Grey mould", "Pest"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        yield asker


def test_what_is_done_to_one_thing_is_not_done_to_another_that_nobody_mentions(brigade: Asker) -> None:
    answer = brigade.ask("Which manufacturer built the Thermal camera?")  # of the vehicle that carries it
    assert answer.abstained is not None or answer.certainty == "doubtful"
    said = brigade.ask("Which manufacturer built the vehicle that carries the Thermal camera?")
    assert said.signs["contradicted"] == 0
    plain = brigade.ask("Which manufacturer built Old Bertha?")
    assert (plain.certainty, [item.name for item in plain.items]) == ("sure", ["Scania"])


def test_an_infinitive_is_no_remark(brigade: Asker) -> None:
    answer = brigade.ask("Do I have to report Grey mould to anyone?")  # not whether anything is recorded of it
    assert answer.abstained is not None or answer.certainty == "doubtful"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("What does Red Bertha carry?", True),  # Bertha is Old Bertha
        ("what does red bertha carry?", False),  # nothing says that red belongs to the name
        ("What does Old Bertha carry?", False),
        ("What Does Bertha Carry?", False),
    ],
)
def test_another_word_beside_half_a_name_makes_another_name(brigade: Asker, text: str, other: bool) -> None:
    own, at = brigade.resources, text.lower().index("bertha")
    meant = Meaning("Vehicle", ("x:Old Bertha",), "Old Bertha", 0.8, "similar")
    anchor = Anchor(at, at + 6, text[at : at + 6], (meant,))
    question = understand(text, own.linker, words_of(own), parser=own.parser)
    beside = tuple(token for token in question.tokens if token.start != at)
    question = replace(question, anchors=(anchor,), tokens=beside)
    composer = composer_of(own)
    written = "MATCH (vehicle {id: $vehicle1})-[:CARRIES]->(equipment) RETURN equipment"
    candidate = composer.read(written, question, composer.placeholders(question)).candidate
    assert (contradictions(Interpretation(question, candidate), words_of(own), owners_of(own)) > 0) is other


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Asker]:
    rows = [
        ("Job Trencher", "Person", "child_of", "Faith Trencher", "Person"),
        ("Ann Roe", "Person", "child_of", "Job Trencher", "Person"),
        ("Ann Roe", "Person", "lent_money_to", "Job Trencher", "Person"),
        ("Faith Trencher", "Person", "lent_money_to", "Ann Roe", "Person"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        yield asker


def written(asker: Asker, text: str, query: str, names: dict[str, str]) -> Interpretation:
    """What a model's query means, for a question with these names."""
    own = asker.resources
    question = understand(text, own.linker, words_of(own), parser=own.parser)
    composed = composer_of(own).read(query, question, names)
    return Interpretation(question, composed.candidate, repairs=composed.repairs, written=True)


@pytest.mark.parametrize(
    ("text", "departs"),
    [
        ("Who was Job Trencher's father?", True),  # a parent, and nothing says whether father or mother
        ("Who is the mother of Job Trencher?", True),
        ("Whose child is Job Trencher?", False),
        ("Who is a parent of Job Trencher?", False),
        ("Who are the father and the mother of Job Trencher?", False),
        ("Who is the mother of the father of Job Trencher?", True),
        ("Of which group is Job Trencher a daughter company?", False),
    ],
)
def test_a_parent_need_not_be_a_father(family: Asker, text: str, departs: bool) -> None:
    query = "MATCH (:Person {id: 'x:Job Trencher'})-[:CHILD_OF]->(p:Person) RETURN p"
    own = family.resources
    assert (contradictions(written(family, text, query, {}), words_of(own), owners_of(own)) > 0) is departs


@pytest.mark.parametrize(
    ("text", "open_"),
    [
        ("Did Faith Trencher repay Ann Roe?", True),  # who lent to whom is not who repaid whom
        ("Did Faith Trencher lend money to Ann Roe?", False),
    ],
)
def test_a_verb_that_no_relation_is_called_by_does_not_tell_who_is_first(family: Asker, text: str, open_: bool) -> None:
    query = (
        "MATCH (:Person {id: 'x:Faith Trencher'})-[r:LENT_MONEY_TO]->(:Person {id: 'x:Ann Roe'}) RETURN count(*) > 0"
    )
    own = family.resources
    assert (contradictions(written(family, text, query, {}), words_of(own), owners_of(own)) > 0) is open_
