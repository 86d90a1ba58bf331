"""A name told before the question is what its only pronoun means."""

import pytest

from clew.answer.lexicon.frames import sentences_before
from clew.answer.names.coreference import with_antecedent
from clew.answer.names.meanings import Anchor, Meaning

SUITE = Meaning("Work", ("w1",), "Holberg Suite", 1.0, "its name")


def names(text: str) -> list[Anchor]:
    return [
        Anchor(at, at + len(name), name, (SUITE,))
        for name in ("Holberg Suite", "Firebird")
        if (at := text.find(name)) >= 0
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("I am learning the Holberg Suite. What key is it in?", "What key is Holberg Suite in?"),
        ("I love the Holberg Suite. Who wrote its words?", "Who wrote Holberg Suite's words?"),
        ("I love the Holberg Suite. Who wrote the Firebird?", None),  # the question has a name of its own
        ("Holberg Suite or Firebird, I love both. What key is it in?", None),  # either may be meant
        ("What key is it in?", None),
    ],
)
def test_the_pronoun_of_a_question_means_the_only_name_before_it(text: str, read: str | None) -> None:
    assert with_antecedent(text, sentences_before(text), names) == (read or text)
