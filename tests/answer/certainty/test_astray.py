"""Plans that return, pass through what nobody mentions, or answer one of two requests are never sure."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.certainty.astray import CHOICE, FIRST, SECOND, goes_astray
from clew.answer.kept import composer_of, words_of
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import understand


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ("Name the stations in Hal; count its districts too.", True),
        ("Which drugs treat gout and how many trials tested them?", True),
        ("Which diseases cause fever and show a rash?", False),
        ("Which drugs treat gout and asthma?", False),
        ("Which wards are there? List them.", False),
    ],
)
def test_two_requests(text: str, twice: bool) -> None:
    assert (FIRST.match(text) is not None and SECOND.search(text) is not None) == twice


def test_what_nobody_mentions_is_not_sure(hospital: Asker) -> None:
    answer = hospital.ask("Which patients of Osler Ward are there?")  # by the doctors who work on it
    assert answer.abstained is not None or answer.certainty == "doubtful"
    plain = hospital.ask("Which patients were attended by Hugo Brandt?")
    assert plain.signs["astray"] == 0
    assert plain.certainty == "sure"


def test_what_only_has_to_exist_is_mentioned(tmp_path: Path) -> None:
    rows = [
        ("Ada", "Stream", "has_team", "Otters", "Team"),
        ("Ada", "Stream", "hosts", "Ben", "Stream"),
        ("Ben", "Stream", "has_team", "Foxes", "Team"),
        ("Ben", "Stream", "plays", "Chess", "Game"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        resources, words = asker.resources, words_of(asker.resources)
        composer = composer_of(resources)
        question = understand("Which teams have streams?", resources.linker, words, parser=resources.parser)
        for written, astray in (
            ("MATCH (s:Stream)-[:HAS_TEAM]->(t:Team) RETURN t", False),
            ("MATCH (s:Stream)-[:HAS_TEAM]->(t:Team), (s)-[:HOSTS]->(:Stream) RETURN t", True),
            ("MATCH (s:Stream)-[:HAS_TEAM]->(t:Team), (s)-[:PLAYS]->(:Game) RETURN t", True),
        ):
            candidate = composer.read(written, question, composer.placeholders(question)).candidate
            assert goes_astray(Interpretation(question, candidate), words) is astray


@pytest.fixture
def breweries(tmp_path: Path) -> Iterator[Asker]:
    rows = [("Lantern", "founded_by", "Ann"), ("Heron", "founded_by", "Bo"), ("Quay", "founded_by", "Cleo")]
    stated = [(one, "brewery", relation, other, "person") for one, relation, other in rows]
    stated += [
        ("Ann", "person", "works_as_head_brewer_at", "Lantern", "brewery"),
        ("Bo", "person", "works_as_head_brewer_at", "Quay", "brewery"),
    ]
    with asker_of_rows(tmp_path, stated) as asker:
        yield asker


def test_the_same_thing_is_one_thing(breweries: Asker) -> None:
    answer = breweries.ask("Who both founded a brewery and works as head brewer at that same brewery?")  # Ann alone
    assert answer.abstained is not None or answer.certainty == "doubtful"


def test_to_share_takes_two(breweries: Asker) -> None:
    answer = breweries.ask("Which breweries share a founder with another brewery?")
    assert answer.abstained is not None or answer.certainty == "doubtful"


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("Is Vetmedin a tablet or a liquid?", True),
        ("does it run on diesel or petrol", True),
        ("Is Ann or Bo a founder of the Lantern brewery?", False),
        ("Is Vetmedin a tablet?", False),
    ],
)
def test_one_of_two_is_no_yes(text: str, offers: bool) -> None:
    assert (CHOICE.fullmatch(text) is not None) == offers


def test_a_role_that_nobody_said_is_not_sure(breweries: Asker) -> None:
    assert breweries.ask("Who works as head brewer at Lantern?").certainty == "sure"
    assert breweries.ask("Who works at Lantern?").certainty == "doubtful"


def test_what_a_question_comes_back_to_is_one(tmp_path: Path) -> None:
    rows = [
        ("Moon", "Cloth", "made_on", "Captain", "Loom"),
        ("Magpie", "Cloth", "made_on", "Captain", "Loom"),
        ("Ada", "Weaver", "owns", "Captain", "Loom"),
        ("Ada", "Weaver", "wove", "Moon", "Cloth"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        resources, words = asker.resources, words_of(asker.resources)
        composer, text = composer_of(resources), "Which cloths were made on a loom of a weaver who wove that cloth?"
        question = understand(text, resources.linker, words, parser=resources.parser)
        for end, astray in (("(c)", False), ("(:Cloth)", True)):
            written = f"MATCH (c:Cloth)-[:MADE_ON]->(:Loom)<-[:OWNS]-(:Weaver)-[:WOVE]->{end} RETURN c"
            candidate = composer.read(written, question, composer.placeholders(question)).candidate
            assert goes_astray(Interpretation(question, candidate), words) is astray
