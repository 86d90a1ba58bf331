"""Phrases from slots: against scoring every combination, and with the text's and the lexicon's spelling."""

from collections.abc import Mapping, Sequence
from itertools import pairwise, product

import numpy as np
import pytest

from clew.errors import InputError
from clew.extract.chains.graphs import END, SLOTS
from clew.extract.predict.decoder import Decoder, Slots, make_slots, score_tokens
from clew.extract.predict.trie import Trie
from extract.vocabularies import make_vocabulary

VOCABULARY = make_vocabulary()


def slots_of(*predicted: Mapping[str, float]) -> Slots:
    """Slots in which the given pieces are likely; "[END]" is the end, other slots end for certain."""
    k = max(map(len, predicted))
    tokens = np.full((SLOTS, k), 4)  # [MASK] is no word
    chances = np.full((SLOTS, k), -30.0)
    for slot in range(SLOTS):
        row = predicted[slot] if slot < len(predicted) else {"[END]": 0.0}
        for at, (piece, chance) in enumerate(row.items()):
            tokens[slot, at], chances[slot, at] = VOCABULARY.numbers[piece], chance
    return make_slots(tokens, chances)


FATTY = slots_of(
    {"fatty": -0.1, "liver": -2.0, "##itis": -0.05},
    {"liver": -0.2, "disease": -1.5, "[END]": -3.0},
    {"disease": -0.3, "[END]": -1.0},
)


def texts(decoder: Decoder, slots: Slots, types: Sequence[str] = (), text: Trie | None = None) -> list[tuple[str, str]]:
    (found,) = decoder.decode([slots], types=[types], texts=[text])
    return [(phrase.text, phrase.place) for phrase in found]


def trie(*names: str) -> Trie:
    return Trie(names, VOCABULARY.encode(names))


def test_the_beam_is_the_best_of_all_combinations() -> None:
    decoder = Decoder(VOCABULARY, width=1000, most=1000)
    (found,) = decoder.decode([FATTY])
    listed = [[int(token) for token in row if token] for row in FATTY.tokens]
    expected = {}
    for length in range(1, SLOTS + 1):
        for tokens in product(*listed[:length]):
            (text,) = VOCABULARY.decode([tokens])
            repeats = any(one == other for one, other in pairwise(tokens))
            if text is not None and not repeats:
                expected[text] = score_tokens(FATTY, tokens)
    assert {phrase.text for phrase in found} == expected.keys()
    for phrase in found:
        assert phrase.log_prob == pytest.approx(expected[phrase.text], abs=1e-5)
    assert [phrase.log_prob for phrase in found] == sorted((phrase.log_prob for phrase in found), reverse=True)
    assert found[0].text == "fatty liver disease"


def test_a_phrase_never_begins_inside_a_word() -> None:
    assert all(not text.startswith("itis") for text, _ in texts(Decoder(VOCABULARY), FATTY))


def test_the_end_counts() -> None:
    tokens = VOCABULARY.encode(["fatty liver"])[0]
    assert score_tokens(FATTY, tokens) == pytest.approx(-0.1 - 0.2 - 1.0)
    assert score_tokens(FATTY, [VOCABULARY.numbers["fever"]]) == -np.inf
    assert score_tokens(FATTY, []) == -np.inf


def test_the_spelling_of_the_text_goes_before_that_of_the_lexicon() -> None:
    lexicon = {"Disease": trie("Fatty Liver Disease", "Fatty liver")}
    decoder = Decoder(VOCABULARY, lexicon=lexicon)
    found = dict(texts(decoder, FATTY, ["Disease"], trie("fatty LIVER disease")))
    assert found["fatty LIVER disease"] == "sequence"
    assert found["Fatty liver"] == "lexicon"
    assert "fatty liver" not in found
    other = dict(texts(decoder, FATTY, ["Gene"]))
    assert other["fatty liver"] == "beam"


def test_names_are_found_that_a_narrow_beam_misses() -> None:
    slots = slots_of({"fever": -1.0, "acute": -1.1, "kidney": -4.0}, {"pain": -0.5, "failure": -3.0})
    narrow = Decoder(VOCABULARY, lexicon={"Disease": trie("kidney failure")}, width=1)
    assert ("kidney failure", "lexicon") in texts(narrow, slots, ["Disease"])
    assert "kidney failure" not in dict(texts(narrow, slots))


def test_an_end_that_is_not_listed_is_as_likely_as_the_least() -> None:
    tokens = np.array([[VOCABULARY.numbers["fever"], VOCABULARY.numbers["pain"]]] * SLOTS)
    slots = make_slots(tokens, np.array([[-0.5, -2.5]] * SLOTS))
    assert slots.ends.tolist() == [-2.5] * SLOTS
    assert END not in slots.tokens


def test_every_query_has_its_own_phrases() -> None:
    one, other = slots_of({"fever": -0.1}), slots_of({"pain": -0.1})
    assert Decoder(VOCABULARY).decode([]) == []
    first, second = Decoder(VOCABULARY, most=1).decode([one, other])
    assert [phrase.text for phrase in first + second] == ["fever", "pain"]


def test_rows_that_are_no_predictions_are_refused() -> None:
    with pytest.raises(InputError, match="7 slots"):
        make_slots(np.arange(8), np.zeros(8))
    with pytest.raises(InputError, match="at least one"):
        Decoder(VOCABULARY, most=0)
