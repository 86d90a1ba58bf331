"""How clearly words speak of relations, slips in words that ask, and types that are not there."""

import pytest

from clew.answer.lexicon.forms import stem, tokens_of
from clew.answer.lexicon.words import Words
from clew.store.layout import Label, LabelPair, Relationship, StoreSchema


def relationship(name: str, subject: str, object_: str) -> Relationship:
    return Relationship(name, name.lower(), 0, False, False, False, (LabelPair(subject, object_, 1),), ())


SCHEMA = StoreSchema(
    "s",
    tuple(Label(name, name, 1) for name in ("Drug", "Disease", "Gene")),
    (),
    (
        relationship("TREATS", "Drug", "Disease"),
        relationship("PALLIATES", "Drug", "Disease"),
        relationship("METABOLISED_BY", "Drug", "Gene"),
        relationship("SHINES_UPON", "Gene", "Drug"),
        relationship("SOURCE", "Drug", "Gene"),
        relationship("LOCATION", "Gene", "Disease"),
    ),
)
WORDS = Words(SCHEMA)
ORBIT = Words(
    StoreSchema("s", tuple(Label(name, name, 1) for name in ("GroundStation", "RelayStation", "Radio station")), (), ())
)
PLACES = Words(StoreSchema("s", tuple(Label(name, name, 1) for name in ("Radio station", "Station")), (), ()))


def said(relation: str, text: str) -> float:
    return WORDS.says(relation, [stem(token.text) for token in tokens_of(text)])


def test_its_own_name_speaks_most_clearly_of_a_relation() -> None:
    assert said("TREATS", "which drugs treat gout") > said("PALLIATES", "which drugs treat gout") > 0
    assert said("PALLIATES", "which drugs palliate gout") > said("TREATS", "which drugs palliate gout") == 0


def test_the_small_word_at_the_end_need_not_be_there() -> None:
    assert said("METABOLISED_BY", "drugs metabolised by X") > said("METABOLISED_BY", "what metabolises X") > 0
    assert said("SHINES_UPON", "it shines upon X") > 0
    assert said("SHINES_UPON", "upon X") == 0


def test_where_something_is_based_is_not_what_it_is_based_on() -> None:
    assert said("SOURCE", "where is X based") == 0
    assert said("LOCATION", "where is X based") > 0
    assert said("SOURCE", "what is X based on") > said("LOCATION", "what is X based on") == 0


def test_the_words_that_speak_of_a_relation_are_told() -> None:
    found = WORDS.relations_said([stem(token.text) for token in tokens_of("drugs metabolised by X treat Y")])
    assert found["METABOLISED_BY"].places == {1, 2}
    assert found["TREATS"].places == found["PALLIATES"].places == {4}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wich genes", ["which", "gen"]),
        ("diseasees", ["diseas"]),
        ("Whihc medicatons", ["which", "medication"]),
        ("Rett", ["rett"]),
        ("genom", ["genom"]),
    ],
)
def test_slips_in_words_that_ask_are_put_right(text: str, expected: list[str]) -> None:
    assert [token.stem for token in WORDS.read(text, is_right=lambda word: word == "genom")] == expected


def test_words_for_types_of_other_graphs() -> None:
    (word,) = WORDS.find_foreign(tokens_of("which symptoms"))
    assert (word.first, word.last, word.labels) == (1, 2, ())
    assert WORDS.find_foreign(tokens_of("which drugs")) == []


def test_what_is_noted_denies_nothing() -> None:
    denying = [
        word
        for word in ("not", "Not", "noted", "note", "notes", "without", "lacked")
        if WORDS.is_class("negation", word)
    ]
    assert denying == ["not", "Not", "without", "lacked"]


@pytest.mark.parametrize(
    ("words", "text", "labels"),
    [
        (ORBIT, "which stations send", {"GroundStation", "RelayStation", "Radio station"}),
        (ORBIT, "which ground stations send", {"GroundStation"}),
        (PLACES, "which stations send", {"Station"}),  # what is called so and nothing else
    ],
)
def test_the_last_word_of_several_types_means_each_of_them(words: Words, text: str, labels: set[str]) -> None:
    found = words.find_types(list(tokens_of(text)))
    assert [set(each.labels) for each in found] == [labels]
