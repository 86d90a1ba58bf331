"""Questions that are too much: refused by one sentence that names the limit, or answered, within one deadline."""

import time
from contextlib import suppress
from pathlib import Path

import pytest

import clew
from clew.answer import Asker, Question, Resources
from clew.errors import InputError, Timeout
from clew.graph import read_entities


@pytest.fixture(scope="module")
def asker(hpo: Path) -> Asker:
    return Asker(Resources(clew.open(hpo), encoder=None))


@pytest.fixture(scope="module")
def phenotypes(asker: Asker) -> list[str]:
    table = read_entities(asker.resources.engine, ("name", "type"))
    named = zip(table["name"].to_pylist(), table["type"].to_pylist(), strict=True)
    return [name for name, type in named if type == "Phenotype" and "," not in name]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("word " * 20_000, "has 100,000 characters, and at most 5,000"),
        ("Which diseases show " + ", ".join(f"HP:{at:07}" for at in range(250, 750)) + "?", "at most 5,000"),
        ("Which genes \ud800 are linked to arachnodactyly?", "lone surrogate"),
    ],
)
def test_what_is_too_much_is_refused_at_once(asker: Asker, question: str, says: str) -> None:
    begun = time.process_time()
    with pytest.raises(InputError, match=says):
        asker.ask(question)
    assert time.process_time() - begun < 0.5


def test_too_many_names_are_refused(asker: Asker, phenotypes: list[str]) -> None:
    short = sorted(phenotypes, key=len)[:150]
    with pytest.raises(InputError, match="names more than 100 entities"):
        asker.ask(f"Which diseases show {', '.join(short)}?")


def test_one_deadline_for_the_whole_question(asker: Asker) -> None:
    """None of these words is known, so each is compared with all names; the limit holds while they are."""
    asker.ask("Which genes are linked to arachnodactyly?")
    odd = " ".join(f"qx{at}zv" for at in range(500))
    begun = time.process_time()
    with pytest.raises(Timeout, match=r"the question was stopped after 0\.2 s"):
        asker.ask(Question(odd, timeout=0.2))
    assert time.process_time() - begun < 1.2


def test_many_exclusions_are_answered(asker: Asker, phenotypes: list[str]) -> None:
    excluded = "".join(f" but not {name}" for name in phenotypes[100:150])
    answer = asker.ask(f"Which diseases show seizure{excluded}?")
    assert answer.kind == "difference"
    assert answer.total > 100


def test_odd_characters_are_no_trouble(asker: Asker) -> None:
    for odd in ("\0", "a\u0301" * 2_000, "\u202e", "🧬" * 500, "\x1b[2J", "(" * 3_000, "?" * 4_000):
        answer = asker.ask(f"Which genes are linked to {odd} arachnodactyly?")
        assert answer.abstained or "FBN1" in [item.name for item in answer.items]


def test_long_lists_of_names_do_not_stall_the_patterns(asker: Asker, phenotypes: list[str]) -> None:
    """Patterns over names that are padded with spaces once tried every split of every stretch of them."""
    begun = time.process_time()
    for joint in (" or ", " and ", ", "):
        with suppress(Timeout):
            asker.ask(Question(f"Which diseases show {joint.join(phenotypes[200:240])} treat?", timeout=3))
    assert time.process_time() - begun < 12
