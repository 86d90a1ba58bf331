"""What a question wants, from the question with its names as marks."""

import re

import pytest

from clew.answer.lexicon.forms import tokens_of
from clew.answer.lexicon.type_words import TypeWord
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.reading.intent import (
    asked_word,
    find_bound,
    find_operation,
    hierarchy_direction,
    is_cue,
    mask,
    negate,
    with_role,
)
from clew.store.layout import Label, StoreSchema

LABELS = ("Gene", "Disease", "Phenotype", "Inheritance", "ClinicalCourse")
WORDS = Words(StoreSchema("s", tuple(Label(name, name, 1) for name in LABELS), (), ()))


def anchors_of(text: str) -> list[Anchor]:
    """Every word in capitals is a name."""
    meaning = Meaning("Disease", ("D:1",), "D", 1.0, "")
    found = re.finditer(r"\b[A-Z]{2,}\b", text)
    return [Anchor(each.start(), each.end(), each.group(), (meaning,)) for each in found]


def read(text: str) -> tuple[str, list, list, list]:
    anchors = anchors_of(text)
    tokens = [t for t in tokens_of(text) if not any(a.start <= t.start < a.end for a in anchors)]
    return mask(text, anchors), tokens, anchors, WORDS.find_types(tokens)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which genes cause AA?", ("list", None)),
        ("How many genes cause AA?", ("count", None)),
        ("Total number of genes for AA", ("count", None)),
        ("Which five genes cause the most diseases?", ("top", 5)),
        ("Which gene causes the most diseases?", ("top", 1)),
        ("Which genes cause the most diseases?", ("top", 10)),
        ("Rank the 3 diseases with the highest number of symptoms", ("top", 3)),
        ("Which diseases share at least one gene with AA?", ("list", None)),
        ("Does AA show BB?", ("exists", None)),
        ("Is it true that AA causes BB?", ("exists", None)),
        ("Are there diseases with AA and BB?", ("exists", None)),
        ("Could you tell me which genes cause AA and BB?", ("list", None)),
        ("AA causes BB", ("exists", None)),
        ("How is AA connected to BB?", ("path", None)),
        ("What connects AA with BB?", ("path", None)),
        ("What is the link between AA and BB?", ("path", None)),
        ("In what way are AA and BB related?", ("path", None)),
    ],
)
def test_operations(text: str, expected: tuple[str, int | None]) -> None:
    rest, tokens, anchors, found = read(text)
    operation = find_operation(rest, tokens, anchors, found)
    assert (operation.name, operation.number) == expected


@pytest.mark.parametrize(
    ("text", "negated", "denied"),
    [
        ("Which diseases show AA but not BB?", ["BB"], False),
        ("diseases with AA without BB", ["BB"], False),
        ("diseases with AA and BB but no CC", ["CC"], False),
        ("diseases that show AA but neither BB nor CC", ["BB", "CC"], False),
        ("features of AA that BB lacks", ["BB"], False),
        ("features of AA that are missing in BB", ["BB"], False),
        ("Which signs of AA does BB not have?", ["BB"], False),
        ("Which signs do AA and BB share that CC does not have?", ["CC"], False),
        ("a disease with AA in which BB is explicitly absent", ["BB"], False),
        ("diseases featuring AA, excluding those with BB", ["BB"], False),
        ("Which symptoms are absent in AA?", [], True),
        ("Which diseases do not show AA?", [], True),
        ("Which diseases show AA and BB?", [], False),
    ],
)
def test_what_is_denied(text: str, negated: list[str], denied: bool) -> None:
    rest, _, anchors, _ = read(text)
    found = negate(rest, anchors)
    assert [each.text for each in found.anchors if each.negated] == negated
    assert found.denied == denied


def test_some_denials_must_be_said() -> None:
    rest, _, anchors, _ = read("a disease with AA in which BB is explicitly absent")
    assert negate(rest, anchors).explicit
    rest, _, anchors, _ = read("a disease with AA in which BB is absent")
    assert not negate(rest, anchors).explicit


@pytest.mark.parametrize(
    ("text", "operation", "expected"),
    [
        ("What are the parent terms of AA?", "list", "up"),
        ("What broader term does AA fall under?", "list", "up"),
        ("What is AA a kind of?", "list", "up"),
        ("Of what is AA a subtype?", "list", "up"),
        ("Which kinds of AA exist?", "list", "down"),
        ("subtypes of AA", "list", "down"),
        ("narrower terms of AA", "list", "down"),
        ("Is AA a kind of BB?", "exists", "up"),
        ("Does AA fall under BB?", "exists", "up"),
        ("Is AA a parent of BB?", "exists", "down"),
        ("Which types of diseases cause AA?", "list", None),
        ("What type of inheritance does AA have?", "list", None),
    ],
)
def test_ways_along_a_hierarchy(text: str, operation: str, expected: str | None) -> None:
    assert hierarchy_direction(read(text)[0], operation) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which genes are linked to more than 20 diseases?", (">", 20)),
        ("genes with at least three different diseases", (">=", 3)),
        ("genes with fewer than two diseases", ("<", 2)),
        ("genes with 5 or more diseases", (">=", 5)),
        ("genes with exactly 2 diseases", ("=", 2)),
        ("genes that share at least one disease with AA", None),
        ("genes of diseases", None),
    ],
)
def test_bounds(text: str, expected: tuple[str, int] | None) -> None:
    _, tokens, _, found = read(text)
    bound = find_bound(tokens, found)
    assert (bound and (bound.operator, bound.number)) == expected
    assert bound is None or bound.labels == ("Disease",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which genes cause diseases with AA?", "Gene"),
        ("How are AA diseases inherited?", "Inheritance"),
        ("AA diseases presenting with BB", "Disease"),
        ("List the inherited diseases of AA", "Disease"),
        ("How does AA present?", "Phenotype"),
    ],
)
def test_what_is_asked_for(text: str, expected: str) -> None:
    _, tokens, _, found = read(text)
    word = asked_word(tokens, found, "list")
    assert word is not None
    assert word.labels == (expected,)


def test_words_that_say_what_to_do_are_no_names() -> None:
    assert all(map(is_cue, ("excluded", "Frequent", "without", "most")))
    assert not is_cue("Arachnodactyly")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which disease genes were found early?", "Gene"),  # a noun behind a type is what is asked for,
        ("Which disease genes AA", "Disease"),  # a verb is not
        ("Which diseases genes were found early?", "Disease"),
    ],
)
def test_a_part_behind_a_type_is_asked_for(text: str, expected: str) -> None:
    _, tokens, _, found = read(text)
    asked = next(word for word in found if word.labels == ("Disease",))
    role = TypeWord(asked.last, asked.last + 1, ("Disease", "Gene"))
    word = with_role(text, asked, [role], tokens)
    assert word is not None
    assert word.labels == (expected,)
