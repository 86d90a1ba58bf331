"""Everybody, everything, the same and a different one: no plan passes over these words, and some say them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources

LIES, TAKES, CARE = ("lies_on", "Ward"), ("takes", "Medicine"), ("is_under_care_of", "Consultant")
STATED = [
    *((name, "Patient", *LIES, ward) for name, ward in (("Ann Moss", "Elm Ward"), ("Bo Lund", "Elm Ward"))),
    *((name, "Patient", *LIES, "Oak Ward") for name in ("Cleo Hart", "Dan Pike")),
    *((name, "Patient", *TAKES, "digoxin") for name in ("Ann Moss", "Bo Lund", "Cleo Hart", "Dan Pike")),
    *((name, "Patient", *TAKES, "warfarin") for name in ("Ann Moss", "Bo Lund")),
    ("Cleo Hart", "Patient", *TAKES, "iron"),
    *((name, "Patient", *CARE, "Dr Reed") for name in ("Ann Moss", "Cleo Hart")),
    *((name, "Patient", *CARE, "Dr Shaw") for name in ("Bo Lund", "Dan Pike")),
]


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    names = ("subject", "subject_type", "relation", "object_type", "object")
    columns = map(list, zip(*STATED, strict=True))
    path = Path(tmp_path_factory.mktemp("ward")) / "ward.clew"
    clew.build(pa.table(dict(zip(names, columns, strict=True))), out=path)
    asker = Asker(Resources(clew.open(path)))
    yield asker
    asker.close()


@pytest.mark.parametrize(
    "text",
    [
        "Does everybody take warfarin?",
        "Is everyone under the care of Dr Reed?",
        "Does almost everyone take warfarin?",
        "Does Cleo Hart take everything?",
        "I want to know whether everyone takes warfarin",
        "Do most patients take warfarin?",
        "Which patients lie on a different ward?",
    ],
)
def test_a_word_that_no_plan_says_is_declined_with_the_word(asker: Asker, text: str) -> None:
    answer = asker.ask(text)
    said = next(word for word in ("everybody", "everyone", "everything", "most", "different") if word in text)
    assert answer.abstained is not None
    assert repr(said) in answer.abstained


@pytest.mark.parametrize("all_", ["everything that", "everything", "all that", "all the medicines that"])
def test_everything_is_all_of_it(asker: Asker, all_: str) -> None:
    answer = asker.ask(f"Which patients take {all_} Bo Lund takes?")
    assert {item.name for item in answer.items} == {"Ann Moss"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("List everyone who takes warfarin.", {"Ann Moss", "Bo Lund"}),
        ("Who is everyone that takes warfarin?", {"Ann Moss", "Bo Lund"}),
        ("I want everyone who takes warfarin", {"Ann Moss", "Bo Lund"}),
        ("Show me everything that Bo Lund takes.", {"digoxin", "warfarin"}),
        ("What is everything that Bo Lund takes?", {"digoxin", "warfarin"}),
        ("List the different medicines that Bo Lund takes.", {"digoxin", "warfarin"}),
        ("Which patients have the same consultant as Ann Moss?", {"Cleo Hart"}),
    ],
)
def test_what_is_asked_for_may_be_everything_or_different(asker: Asker, text: str, names: set[str]) -> None:
    answer = asker.ask(text)
    assert {item.name for item in answer.items} == names
    assert answer.certainty == "sure"


@pytest.mark.parametrize("than", ["than", "from", "to"])
def test_a_different_one_is_none_of_those_of_a_name(asker: Asker, than: str) -> None:
    answer = asker.ask(f"Which patients have a different consultant {than} Ann Moss?")
    assert {item.name for item in answer.items} == {"Bo Lund", "Dan Pike"}


def test_whether_two_have_a_different_one(asker: Asker) -> None:
    assert asker.ask("Does Ann Moss have a different consultant than Bo Lund?").value is True
    assert asker.ask("Does Ann Moss have a different consultant than Cleo Hart?").value is False


def test_different_things_are_counted_once(asker: Asker) -> None:
    answer = asker.ask("How many different medicines does Cleo Hart take?")
    assert (answer.value, answer.certainty) == (2, "sure")


def test_the_same_of_several_is_more_than_one_in_common(asker: Asker) -> None:
    answer = asker.ask("Which patients take the same medicines as Ann Moss?")
    assert answer.abstained is not None or answer.certainty == "doubtful"
    assert "same" in answer.unrecognised


@pytest.mark.parametrize(
    ("bound", "names"),
    [
        ("no more than one medicine", {"Dan Pike"}),
        ("not more than one medicine", {"Dan Pike"}),
        ("no fewer than two medicines", {"Ann Moss", "Bo Lund", "Cleo Hart"}),
        ("not fewer than two medicines", {"Ann Moss", "Bo Lund", "Cleo Hart"}),
    ],
)
def test_a_bound_that_denies_is_a_bound(asker: Asker, bound: str, names: set[str]) -> None:
    answer = asker.ask(f"Which patients take {bound}?")
    assert {item.name for item in answer.items} == names


def test_nobody_is_the_same_age_as_themselves(tmp_path: Path) -> None:
    triples, entities = tmp_path / "triples.csv", tmp_path / "entities.csv"
    triples.write_text("subject,relation,object\nP1,lies_on,W1\nP2,lies_on,W1\nP3,lies_on,W1\n", "utf-8")
    rows = ("id,name,type,age", "P1,Ann Moss,Patient,81", "P2,Bo Lund,Patient,40", "P3,Cleo Hart,Patient,40")
    entities.write_text("\n".join((*rows, "W1,Elm Ward,Ward,")), "utf-8")
    clew.build(triples, entities=entities, out=tmp_path / "ages.clew")
    with closing(Asker(Resources(clew.open(tmp_path / "ages.clew")))) as asker:
        assert [item.name for item in asker.ask("Which patients are the same age as Bo Lund?").items] == ["Cleo Hart"]
        assert not asker.ask("Which patients are the same age as Ann Moss?").items
