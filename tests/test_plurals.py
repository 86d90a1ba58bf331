"""One pluraliser for all sentences: nouns of graphs as they are, and 0, 1 and many."""

import pytest

from clew.plurals import counted, plural


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("gene", "genes"),
        ("country", "countries"),
        ("anatomy", "anatomies"),
        ("pathway", "pathways"),
        ("diagnosis", "diagnoses"),
        ("side effect", "side effects"),
        ("virus", "viruses"),
        ("branch", "branches"),
        ("species", "species"),
        ("person", "people"),
        ("Person", "People"),
        ("drugs", "drugs"),
        ("diabetes", "diabetes"),
        ("", ""),
    ],
)
def test_after_a_number(one: str, many: str) -> None:
    assert plural(one) == many
    assert plural(one, 0) == many
    assert plural(one, 1) == one


def test_counts_have_thousands_separators() -> None:
    assert [counted(number, "entity") for number in (0, 1, 12345)] == ["0 entities", "1 entity", "12,345 entities"]
