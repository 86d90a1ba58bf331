"""What the words of a question say, on a schema of our own."""

import pytest

from clew.answer.lexicon.forms import stem, tokens_of
from clew.answer.lexicon.words import Words
from clew.store.layout import Label, StoreSchema

SCHEMA = StoreSchema(
    "s", tuple(Label(name, name, 1) for name in ("Gene", "Disease", "Phenotype", "Inheritance", "Odd Thing")), (), ()
)
WORDS = Words(SCHEMA, more={"types": {"Odd Thing": ["curiosity"]}})


def labels(text: str) -> list[tuple[str, ...]]:
    return [word.labels for word in WORDS.find_types(tokens_of(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("which symptoms", [("Phenotype",)]),
        ("Illnesses and SIGNS", [("Disease",), ("Phenotype",)]),
        ("the mode of inheritance", [("Inheritance",)]),
        ("modes of inheritance", [("Inheritance",)]),
        ("how is it inherited", [("Inheritance",)]),
        ("odd things", [("Odd Thing",)]),
        ("a curiosity", [("Odd Thing",)]),
        ("nothing of the kind", []),
    ],
)
def test_types_are_called_by_their_everyday_names(text: str, expected: list[tuple[str, ...]]) -> None:
    assert labels(text) == expected


def test_a_verb_only_implies_its_type() -> None:
    (word,) = WORDS.find_types(tokens_of("it is inherited"))
    assert word.implied


@pytest.mark.parametrize(
    ("one", "other"),
    [("diseases", "disease"), ("studies", "study"), ("linked", "link"), ("causing", "cause"), ("findings", "finding")],
)
def test_endings_do_not_matter(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_small_words_name_nothing() -> None:
    assert all(WORDS.explains(stem(word)) for word in ("which", "are", "the", "known", "of"))
    assert not WORDS.explains(stem("spleen"))
