"""Statements of one document that exclude each other: the surer one stays."""

import numpy as np
import pytest

from clew.extract.filter.contradictions import are_contradictory, are_uncontradicted

Row = tuple[str, str, str, str, float]


def kept(*rows: Row, symmetric: frozenset[str] = frozenset()) -> list[bool]:
    *columns, scores = zip(*rows, strict=True)
    mask = are_uncontradicted(*map(list, columns), np.array(scores), symmetric=symmetric)  # type: ignore[arg-type]
    found: list[bool] = mask.tolist()
    return found


def test_of_opposed_relations_the_surer_stays() -> None:
    assert kept(("d", "a", "treats", "b", 0.4), ("d", "a", "induces", "b", 0.6)) == [False, True]
    assert kept(("d", "a", "treats", "b", 0.7), ("d", "a", "induces", "b", 0.6)) == [True, False]


def test_other_documents_and_other_pairs_say_what_they_say() -> None:
    rows = (
        ("d", "a", "treats", "b", 0.4),
        ("e", "a", "induces", "b", 0.6),
        ("d", "a", "induces", "c", 0.6),
        ("d", "a", "binds", "b", 0.9),
    )
    assert kept(*rows) == [True] * 4


def test_a_relation_holds_one_way_unless_it_is_symmetric() -> None:
    rows = (("d", "a", "is_a", "b", 0.4), ("d", "b", "is_a", "a", 0.5), ("d", "b", "is_a", "a", 0.3))
    assert kept(*rows) == [False, True, True]
    near = (("d", "a", "near", "b", 0.4), ("d", "b", "near", "a", 0.5))
    assert kept(*near, symmetric=frozenset(["near"])) == [True, True]


def test_what_was_itself_refused_refuses_nothing() -> None:
    rows = (("d", "a", "is_a", "b", 0.9), ("d", "a", "treats", "b", 0.8), ("d", "a", "induces", "b", 0.7))
    assert kept(*rows) == [True, False, False]
    rows = (("d", "a", "treats", "b", 0.9), ("d", "a", "induces", "b", 0.8), ("d", "a", "treats", "b", 0.7))
    assert kept(*rows) == [True, False, True]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("positively_regulates", "negatively_regulates", True),
        ("negatively_regulates", "positively_regulates", True),
        ("subclass_of", "causes", True),
        ("has_phenotype", "presents", False),
    ],
)
def test_which_relations_are_opposed(one: str, other: str, expected: bool) -> None:
    assert are_contradictory(one, other) is expected
