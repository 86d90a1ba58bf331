"""What has ended is read from "no longer", "not … any more" and "used to", and denies nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from askers import asker_of_csv, asker_of_rows
from clew.answer import Asker
from clew.answer.statements.past_words import as_former, says_past


@pytest.fixture(scope="module")
def choir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    rows = [
        ("Ada Moss", "Singer", "belongs_to", "Lark Choir", "Choir"),
        ("Ben Ruhl", "Singer", "belongs_to", "Lark Choir", "Choir"),
        ("Ben Ruhl", "Singer", "formerly_belonged_to", "Tern Choir", "Choir"),
        ("Cleo Voss", "Singer", "formerly_belonged_to", "Lark Choir", "Choir"),
        ("Dirk Enns", "Singer", "belongs_to", "Tern Choir", "Choir"),
        ("Dirk Enns", "Singer", "directs", "Tern Choir", "Choir"),
        ("Ada Moss", "Singer", "rented", "Blue Robe", "Robe"),
    ]
    with asker_of_rows(tmp_path_factory.mktemp("choir"), rows) as asker:
        yield asker


@pytest.mark.parametrize(
    "question",
    [
        "Which singers no longer belong to the Lark Choir?",
        "Which singers do not belong to the Lark Choir any more?",
        "Which singers don't belong to the Lark Choir anymore?",
        "Which singers used to belong to the Lark Choir?",
        "Who used to belong to the Lark Choir?",
    ],
)
def test_what_has_ended_is_met_by_a_relation_that_says_so(choir: Asker, question: str) -> None:
    assert [item.name for item in choir.ask(question).items] == ["Cleo Voss"]


@pytest.mark.parametrize(
    "question",
    [
        "Who no longer directs the Tern Choir?",
        "Who used to direct the Tern Choir?",
        "Which singers formerly directed the Tern Choir?",
        "Does Dirk Enns not direct the Tern Choir any more?",
    ],
)
def test_what_has_ended_is_declined_where_nothing_says_that_it_has(choir: Asker, question: str) -> None:
    answer = choir.ask(question)
    assert answer.abstained is not None
    assert "has ended" in answer.text


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which singers still belong to the Lark Choir?", {"Ada Moss", "Ben Ruhl"}),
        ("Which singers do not belong to the Lark Choir?", {"Cleo Voss", "Dirk Enns"}),
        ("Who previously rented the Blue Robe?", {"Ada Moss"}),
    ],
)
def test_what_holds_or_is_past_by_its_verb_stays_sure(choir: Asker, question: str, found: set[str]) -> None:
    answer = choir.ask(question)
    assert ({item.name for item in answer.items}, answer.certainty) == (found, "sure")


def test_what_is_past_by_its_verb_need_not_be_so_still(choir: Asker) -> None:
    assert choir.ask("Who still rents the Blue Robe?").certainty == "doubtful"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Who is not in A any more?", "Who is formerly in A         ?"),
        ("Which drugs are used to treat A?", "Which drugs are used to treat A?"),
        ("Which films are no longer than two hours?", "Which films are no longer than two hours?"),
        ("Which nurses don't have any more patients?", "Which nurses don't have any more patients?"),
        ("Which lifts failed in the past two years?", "Which lifts failed in the past two years?"),
        ("Which nurses used to work at A?", "Which nurses formerly work at A?"),
    ],
)
def test_only_what_has_ended_is_read_as_former(text: str, read: str) -> None:
    assert as_former(text, is_person=lambda noun: noun == "nurses", in_name=lambda start, end: False) == read


def test_a_name_keeps_its_words() -> None:
    text = "Who wrote No Longer Human?"
    assert as_former(text, is_person=lambda noun: False, in_name=lambda start, end: True) == text


def test_a_state_is_not_over() -> None:
    assert all(map(says_past, ("player.formerclub", "won", "borrowed")))
    assert not any(map(says_past, ("employed_by", "chair", "works_at")))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    rows = [
        ("Mill", "Shop", "sells", "Ale", "Drink", "2001", "2004"),
        ("Mill", "Shop", "sells", "Ale", "Drink", "2010", None),  # taken up again
        ("Mill", "Shop", "sells", "Cider", "Drink", "2001", "2005"),
        ("Mill", "Shop", "sells", "Perry", "Drink", "2003", None),
    ]
    with asker_of_rows(tmp_path_factory.mktemp("shop"), rows, "since", "until") as asker:
        yield asker


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which drinks does Mill no longer sell?", ["Cider"]),
        ("Which drinks did Mill formerly sell?", ["Cider"]),
        ("Which drinks does Mill sell now?", ["Ale", "Perry"]),
    ],
)
def test_what_was_taken_up_again_has_not_ended(shop: Asker, question: str, expected: list[str]) -> None:
    assert sorted(item.name for item in shop.ask(question).items) == expected


def test_when_something_stopped_is_not_when_it_began(tmp_path: Path) -> None:
    entities = "id,name,type\nd1,Quietex,drug\nd2,Calmex,drug\ns1,Medwick,supplier\nw1,North Ward,ward\n"
    supplied = "d1,supplied_by,s1,2015,,\nd2,supplied_by,s1,2011,2014,\nd2,stocked_on,w1,,,2012\n"
    stated = f"subject,predicate,object,from,to,until\n{supplied}"
    with asker_of_csv(tmp_path, stated, entities) as asker:
        assert asker.ask("When did Medwick stop supplying Calmex?").value == 2014
        assert "2015" not in asker.ask("When did Medwick stop supplying Quietex?").text


def test_the_first_of_nothing_is_not_sure(tmp_path: Path) -> None:
    entities = "id,name,type,made\np1,Fox,puppet,1990\np2,Owl,puppet,1985\nc1,Ida,carver,\nc2,Carver Dunn,carver,\n"
    with asker_of_csv(tmp_path, "subject,predicate,object\np1,carved_by,c1\np2,carved_by,c1\n", entities) as asker:
        assert [item.name for item in asker.ask("What was the first puppet that Ida carved?").items] == ["Owl"]
        answer = asker.ask("What was the first puppet that Carver Dunn carved?")
    assert answer.abstained is not None or answer.certainty == "doubtful"
