"""Tails that a helper model forms: only of predicted tokens, whatever the model says."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import ModelError
from clew.extract.chains.graphs import SLOTS
from clew.extract.predict.combine import Combiner, best_tokens, token_grammar
from clew.extract.predict.decoder import Slots, make_slots
from clew.lm import LanguageModel, Request, Unreachable, open_model
from clew.lm.clients.scripted import Scripted
from clew.lm.grammar import check_grammar
from extract.vocabularies import SPECIALS, make_vocabulary

VOCABULARY = make_vocabulary()
ASKED = {"head": "aspirin", "relation": "may_treat", "sequence": "Aspirin eased the pain of acute hepatitis."}


def slots_of(*pieces: str) -> Slots:
    """Slots that all predict the same pieces, the first the likeliest."""
    tokens = np.array([[VOCABULARY.numbers[piece] for piece in pieces]] * SLOTS)
    return make_slots(tokens, np.array([np.arange(len(pieces)) * -0.5 - 0.5] * SLOTS))


PREDICTED = slots_of("acute", "hepat", "##itis", "pain", "fever", "[END]", "liver", "-")


@pytest.fixture(scope="module")
def smollm2() -> Iterator[LanguageModel]:
    with open_model("smollm2", threads=1, context=1024) as model:
        yield model


def test_a_real_model_says_only_predicted_tokens(smollm2: LanguageModel) -> None:
    combiner = Combiner(smollm2, VOCABULARY, most=2)
    found = combiner.combine(PREDICTED, **ASKED)
    allowed = set(best_tokens(PREDICTED, 20))
    assert len(found) + combiner.counts["none formed"] >= 1
    for phrase in found:
        assert VOCABULARY.encode([phrase.text])[0] == list(phrase.tokens)
        assert set(phrase.tokens) <= allowed
        assert phrase.place == "smollm2"
    assert combiner.usage.calls == 1
    assert combiner.counts["formed"] + combiner.counts["none formed"] >= 1


def test_what_is_said_is_scored_by_its_tokens() -> None:
    combiner = Combiner(Scripted(["acute hepatitis\npain"]), VOCABULARY)
    found = combiner.combine(PREDICTED, **ASKED)
    assert [(phrase.text, phrase.log_prob) for phrase in found] == [("acute hepatitis", -3.0), ("pain", -2.0)]
    assert dict(combiner.counts) == {"formed": 2}


def test_tails_of_other_tokens_are_discarded_and_counted() -> None:
    script = Scripted(["aspirin\nAcute  Pain", "none", "acute pain acute pain acute pain acute pain"])
    combiner = Combiner(script, VOCABULARY)
    assert [phrase.text for phrase in combiner.combine(PREDICTED, **ASKED)] == ["acute pain"]
    assert combiner.combine(PREDICTED, **ASKED) == []
    assert combiner.combine(PREDICTED, **ASKED) == []
    assert dict(combiner.counts) == {"formed": 3, "out of vocabulary": 1, "none formed": 1, "longer than a leaf": 1}


def test_a_server_without_grammars_is_asked_for_json() -> None:
    def answer(request: Request) -> str | Exception:
        if request.grammar is not None:
            return ModelError("it is not known to obey grammars")
        assert request.schema is not None
        return json.dumps({"items": ["fever", "the fever", "Fever"]})

    script = Scripted(answer)
    combiner = Combiner(script, VOCABULARY)
    for _ in range(2):
        assert [phrase.text for phrase in combiner.combine(PREDICTED, **ASKED)] == ["fever"]
    assert combiner.counts["out of vocabulary"] == 2
    assert sum(request.grammar is not None for request in script.requests) == 1  # it is not tried again


def test_a_model_that_is_away_is_an_error() -> None:
    combiner = Combiner(Scripted([Unreachable("nobody there")]), VOCABULARY)
    with pytest.raises(Unreachable):
        combiner.combine(PREDICTED, **ASKED)


def test_without_the_beginning_of_a_word_nobody_is_asked() -> None:
    script = Scripted([])
    combiner = Combiner(script, VOCABULARY)
    assert combiner.combine(slots_of("##itis", "-"), **ASKED) == []
    assert script.requests == []
    assert combiner.counts["none formed"] == 1


def test_the_best_tokens_are_words_once_each() -> None:
    best = best_tokens(PREDICTED, 3)
    assert [VOCABULARY.pieces[token] for token in best] == ["acute", "hepat", "##itis"]
    assert not {VOCABULARY.numbers[special] for special in SPECIALS} & set(best_tokens(PREDICTED, 20))


@given(st.lists(st.text(min_size=1, max_size=6), max_size=8), st.integers(1, 3))
def test_grammars_of_any_pieces_can_be_read(pieces: list[str], most: int) -> None:
    grammar = token_grammar(pieces, most=most)
    if grammar is not None:
        check_grammar(grammar)
