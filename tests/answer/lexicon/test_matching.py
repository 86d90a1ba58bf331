"""The judge of words by itself: which of some relations a word of a masked question means."""

import numpy as np
import pytest

from clew.answer.lexicon.matching import Matcher, Rendered, tuned_initialisers
from clew.embed.encoders.onnx import open_minilm

HERD = [
    Rendered("shepherd", "guards", "flock"),
    Rendered("flock", "grazes on", "pasture"),
    Rendered("shepherd", "owns", "flock"),
    Rendered("flock", "flock size", "number"),
]


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    return Matcher(open_minilm(replaced=tuned_initialisers()))


@pytest.mark.parametrize(
    ("question", "word", "meant"),
    [
        ("which shepherd watches over this flock ?", 2, 0),
        ("whose property is this flock ?", 1, 2),
        ("where does this flock feed ?", 4, 1),
        ("who sheared this flock ?", 1, 4),
    ],
)
def test_a_word_means_one_of_the_relations_or_none(matcher: Matcher, question: str, word: int, meant: int) -> None:
    found = matcher.match(tuple(question.split()), [word], HERD)
    assert found.shape == (5,)
    assert found.sum() == pytest.approx(1, abs=1e-5)
    assert int(found.argmax()) == meant, found


def test_it_does_not_depend_on_what_was_asked_before(matcher: Matcher) -> None:
    words = ("which", "shepherd", "watches", "over", "this", "flock", "?")
    one = matcher.match(words, [2], HERD)
    matcher.match(("who", "?"), [0], HERD[:2])
    assert np.allclose(one, Matcher(open_minilm(replaced=tuned_initialisers())).match(words, [2], HERD), atol=1e-5)


def test_a_question_longer_than_the_encoder_reads_is_no_crash(matcher: Matcher) -> None:
    words = tuple(["sheep"] * 400)
    assert np.isfinite(matcher.match(words, [399], HERD)).all()
