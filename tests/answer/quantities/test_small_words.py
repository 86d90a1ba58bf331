"""Small words that no plan passes over: another, else, both, just one; and choices that are named first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from askers import asker_of_csv
from clew.answer import Asker

ENTITIES = """id,name,type,year
e1,Brandt Ensemble,ensemble,
e2,Holm Quartet,ensemble,
e3,Sand Orchestra,ensemble,
p1,Ada Finn,person,
p2,Bo Lind,person,
w1,Ice Songs,work,1921
w2,Winter Mass,work,1930
w3,Third Symphony,work,1935
k1,mass,kind,
"""
STATED = """subject,predicate,object
w1,premiered_by,e1
w1,commissioned_by,e2
w2,premiered_by,e3
w2,commissioned_by,e3
w3,premiered_by,e2
w1,composed_by,p1
w2,composed_by,p1
w3,composed_by,p2
p2,praised,w1
p2,panned,w1
p2,praised,w2
w2,of_kind,k1
p1,arranged,w3
"""


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """Answers by both readers."""
    with asker_of_csv(tmp_path_factory.mktemp("music"), STATED, ENTITIES) as asker:
        yield Asker(type(asker.resources)(asker.resources.engine, store=asker.resources.store))


@pytest.mark.parametrize(
    "question",
    [
        "Which ensembles premiered a work that another ensemble commissioned?",
        "What else did Ada Finn compose?",
        "Which other works did Bo Lind compose?",
        "Which works were both composed by Bo Lind?",
        "Which works did just one ensemble premiere again?",
        "How many works did Ada Finn and Bo Lind praise between them?",
        "Which works did Bo Lind use to praise?",
        "Who has panned a work of their own?",
        "Which works share a composer?",
    ],
)
def test_what_no_part_of_a_plan_stands_for_makes_nothing_sure(music: Asker, question: str) -> None:
    answer = music.ask(question)
    assert answer.abstained is not None or answer.certainty != "sure"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which works did Ada Finn compose?", {"Ice Songs", "Winter Mass"}),
        ("Which works did Bo Lind both praise and pan?", {"Ice Songs"}),
        ("Of Ice Songs, Winter Mass and Third Symphony, which did Ada Finn compose?", {"Ice Songs", "Winter Mass"}),
    ],
)
def test_what_a_plan_has_is_answered(music: Asker, question: str, expected: set[str]) -> None:
    assert {item.name for item in music.ask(question).items} == expected


def test_the_fewest_of_some_that_are_named_first(music: Asker) -> None:
    answer = music.ask("Of Ada Finn and Bo Lind, who composed the fewest works?")
    assert [item.name for item in answer.items] == ["Bo Lind"]


def test_a_noun_that_names_an_entity_is_no_other_word_for_a_type(tmp_path: Path) -> None:
    entities = "id,name,type\nk1,herb,kind\np1,Mint,plant\np2,Oak,plant\n"
    with asker_of_csv(tmp_path, "subject,predicate,object\np1,kind_of,k1\np1,grows_by,p2\n", entities) as asker:
        assert [item.name for item in asker.ask("Which plants are herbs?").items] == ["Mint"]


def test_the_type_of_a_name_says_nothing_of_its_relation(tmp_path_factory: pytest.TempPathFactory) -> None:
    entities = "id,name,type\np1,Ada,person\np2,Bo,person\nw1,Woman in Grey,painting\nw2,Blue Door,painting\n"
    stated = "subject,predicate,object\np1,painted,w1\nw1,portrays,p2\np2,painted,w2\n"
    with asker_of_csv(tmp_path_factory.mktemp("art"), stated, entities) as asker:
        shown = asker.ask("Who is shown in the painting Woman in Grey?")
        painted = asker.ask("Who painted the painting Woman in Grey?")
    assert shown.abstained is not None or shown.certainty == "doubtful"
    assert ([item.name for item in painted.items], painted.certainty) == (["Ada"], "sure")


def test_a_value_that_is_not_stated_is_declined(tmp_path_factory: pytest.TempPathFactory) -> None:
    entities = "id,name,type,height_m\nm1,Mount Sorrow,mountain,\nm2,Grey Top,mountain,812\nl1,Tarn,lake,\n"
    with asker_of_csv(tmp_path_factory.mktemp("hills"), "subject,predicate,object\nl1,below,m1\n", entities) as asker:
        assert asker.ask("How high is Grey Top?").value == 812
        assert asker.ask("How high is Mount Sorrow?").abstained == "This graph states no height of Mount Sorrow."


def test_a_verb_that_is_said_twice_needs_two_relations(tmp_path_factory: pytest.TempPathFactory) -> None:
    entities = (
        "id,name,type\nc1,Gull,company\nc2,Orme,company\nx1,Gull v Orme,case\nx2,Orme v Ray,case\np1,Ray,person\n"
    )
    stated = (
        "subject,predicate,object\nx1,brought_by,c1\nx1,brought_against,c2\nx2,brought_by,c2\nx2,brought_against,p1\n"
    )
    with asker_of_csv(tmp_path_factory.mktemp("courts"), stated, entities) as asker:
        answer = asker.ask("Which companies have brought a case and also had one brought against them?")
    assert [item.name for item in answer.items] == ["Orme"] or answer.certainty == "doubtful" or answer.abstained
