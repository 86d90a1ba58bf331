"""The confidence of a tail: its softmax share among the candidates of its query, times the weight of its place.

The candidates are the query's mentions and [NONE], scored by log-probability per token as in fine-tuning; a tail found
elsewhere is added to them for its own share. If the tail is asked the inverse relation, the share of the head there
counts as much. Weights of places let tails of one query from different places be ranked.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clew.extract.chains.graphs import SLOTS
from clew.extract.predict.decoder import MENTION, Phrase, likeliest

__all__ = ["per_token", "predicted_tokens", "prefers_none", "rank_tails"]


def predicted_tokens(lengths: NDArray[np.integer]) -> NDArray[np.integer]:
    """How many tokens are predicted for tails of these lengths: each has an end, but for those that fill a leaf."""
    return np.asarray(np.minimum(lengths + 1, SLOTS))


def per_token(log_prob: float, length: int) -> float:
    """The log-probability of a tail for each of its tokens, its end among them.

    >>> per_token(-3.0, 2), per_token(-7.0, 7)
    (-1.0, -1.0)
    """
    return log_prob / min(length + 1, SLOTS)


def prefers_none(none: float | None, phrases: Sequence[Phrase]) -> bool:
    """Whether [NONE], whose log-probability is given, outweighs every mention, or every tail where no mention is."""
    if none is None:
        return False
    asked = [phrase for phrase in phrases if phrase.place == MENTION] or phrases
    return all(_weight(phrase) <= per_token(none, 1) for phrase in asked)


def rank_tails(
    none: float | None, phrases: Sequence[Phrase], *, places: Mapping[str, float], most: int
) -> list[Phrase]:
    """Each tail of a query once, with its confidence, the highest first; places of weight 0 are left out.

    `none` is the log-probability of [NONE], where it is known; a place without a weight counts in full.
    """
    counted = [phrase for phrase in phrases if places.get(phrase.place, 1.0) > 0]
    distinct = likeliest(counted)
    weights = [_weight(phrase) for phrase in distinct]
    shared = [weight for phrase, weight in zip(distinct, weights, strict=True) if phrase.place == MENTION]
    if none is not None:
        shared.append(per_token(none, 1))
    highest = max((*weights, *shared), default=0.0)
    total = sum(math.exp(weight - highest) for weight in shared)
    ranked = []
    for phrase, weight in zip(distinct, weights, strict=True):
        own = math.exp(weight - highest)
        share = own / (total if phrase.place == MENTION else total + own)
        if phrase.inverse_share is not None:
            share = (share + phrase.inverse_share) / 2
        ranked.append(replace(phrase, confidence=share * places.get(phrase.place, 1.0)))
    return sorted(ranked, key=lambda phrase: (-phrase.confidence, phrase.tokens))[:most]


def _weight(phrase: Phrase) -> float:
    return per_token(phrase.log_prob, len(phrase.tokens))
