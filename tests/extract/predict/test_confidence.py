"""Shares of tails among the mentions of their query, and the ranking across places."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.extract.predict.confidence import per_token, prefers_none, rank_tails
from clew.extract.predict.decoder import BEAM, LEXICON, MENTION, Phrase

PLACES = {MENTION: 1.0, LEXICON: 0.5, BEAM: 0.0}
FEVER = Phrase("fever", (10,), -2.0, MENTION, mention=3)
GOUT = Phrase("gout", (11,), -4.0, MENTION, mention=5)


def test_mentions_and_none_share_what_there_is() -> None:
    ranked = rank_tails(-6.0, [GOUT, FEVER], places=PLACES, most=8)
    total = math.exp(-1) + math.exp(-2) + math.exp(-3)
    assert [phrase.text for phrase in ranked] == ["fever", "gout"]
    assert [phrase.confidence for phrase in ranked] == pytest.approx([math.exp(-1) / total, math.exp(-2) / total])


def test_a_tail_from_elsewhere_is_added_to_them_and_counts_less() -> None:
    pain = Phrase("pain", (12,), -1.0, LEXICON)
    ranked = {phrase.text: phrase.confidence for phrase in rank_tails(-6.0, [GOUT, FEVER, pain], places=PLACES, most=8)}
    mentions = math.exp(-1) + math.exp(-2) + math.exp(-3)
    assert ranked["pain"] == pytest.approx(0.5 * math.exp(-0.5) / (mentions + math.exp(-0.5)))
    assert ranked["fever"] == pytest.approx(math.exp(-1) / mentions)  # as if nothing else had been found


def test_a_place_that_counts_nothing_gives_no_tail() -> None:
    assert rank_tails(None, [Phrase("pain", (12,), -0.1, BEAM)], places=PLACES, most=8) == []
    assert [each.text for each in rank_tails(None, [FEVER, GOUT], places=PLACES, most=1)] == ["fever"]


def test_a_helpers_tail_counts_in_full() -> None:
    (only,) = rank_tails(None, [Phrase("pain", (12,), -3.0, "smollm2")], places=PLACES, most=8)
    assert only.confidence == 1.0


def test_the_same_tokens_are_a_mention_rather_than_a_name() -> None:
    (only,) = rank_tails(None, [Phrase("Fever", (10,), -2.5, LEXICON), FEVER], places=PLACES, most=8)
    assert (only.mention, only.text) == (3, "fever")


def test_none_is_the_answer_where_it_outweighs_every_mention() -> None:
    assert prefers_none(-1.0, [FEVER, GOUT])
    assert not prefers_none(-3.0, [FEVER, GOUT])
    assert not prefers_none(None, [FEVER])
    sure = Phrase("pain", (12,), -0.1, LEXICON)
    assert prefers_none(-1.0, [FEVER, sure])  # the mentions decide,
    assert not prefers_none(-1.0, [sure])  # unless there are none


@given(st.lists(st.floats(-200, 0), min_size=1, max_size=9), st.floats(-200, 0))
def test_shares_of_mentions_and_none_are_a_whole(scores: list[float], none: float) -> None:
    mentions = [Phrase(f"m{at}", (10 + at,), score, MENTION) for at, score in enumerate(scores)]
    ranked = rank_tails(none, mentions, places=PLACES, most=99)
    highest = max(*(per_token(score, 1) for score in scores), per_token(none, 1))
    total = sum(math.exp(per_token(score, 1) - highest) for score in (*scores, none))
    rest = math.exp(per_token(none, 1) - highest) / total
    assert sum(phrase.confidence for phrase in ranked) + rest == pytest.approx(1)


def test_both_ways_count_alike() -> None:
    doubted = Phrase("fever", (10,), -2.0, MENTION, inverse_share=0.01)
    (only,) = rank_tails(None, [doubted], places=PLACES, most=8)
    assert only.confidence == pytest.approx((1 + 0.01) / 2)
