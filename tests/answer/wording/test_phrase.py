"""The text states what the rows state; a model's words stand only if they do too."""

import pytest

from clew.answer.wording.amounts import plain_list
from clew.answer.wording.phrase import phrased, states_only
from clew.errors import Timeout
from clew.lm.clients.scripted import Scripted

PLAIN = "2 genes for Huntington disease: HTT and SLC2A3."
QUESTION = "Which gene causes Huntington disease?"


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("The genes linked to Huntington disease are HTT and SLC2A3.", True),
        ("Two genes, HTT and SLC2A3, are linked to Huntington disease.", True),
        ("Huntington disease is caused by HTT, found in 1993.", False),
        ("HTT, SLC2A3 and JPH3 are linked to Huntington disease.", False),
        ("There are 3 genes: HTT and SLC2A3.", False),
        ("", False),
        ("<think>Let me see: BRCA1?</think>HTT and SLC2A3.", True),
    ],
)
def test_a_model_may_phrase_but_not_add(said: str, stands: bool) -> None:
    text = phrased(Scripted([said]), QUESTION, PLAIN)
    assert (text != PLAIN) is stands
    assert "think" not in text


def test_a_failing_model_leaves_the_plain_text() -> None:
    assert phrased(Scripted([]), QUESTION, PLAIN) == PLAIN
    assert phrased(Scripted([Timeout("too slow")]), QUESTION, PLAIN) == PLAIN


@pytest.mark.parametrize(
    ("names", "total", "expected"),
    [
        (["a"], 1, "a"),
        (["a", "b"], 2, "a and b"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b"], 5, "a, b and 3 more"),
    ],
)
def test_lists_read_as_people_write_them(names: list[str], total: int, expected: str) -> None:
    assert plain_list(names, total) == expected


def test_numbers_may_have_thousands() -> None:
    assert states_only("1,050 diseases show it.", known=["1050 diseases"], question="")
    assert not states_only("1,051 diseases show it.", known=["1050 diseases"], question="")
