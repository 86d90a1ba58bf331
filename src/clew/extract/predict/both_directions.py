"""Pairs that are asked both ways: beside the share of a tail, that of its head where the tail is asked for the inverse.

What is merely mentioned together often seems right from one end and wrong from the other. Queries with the scores of
their mentions go in; for each mention its own share and that of the other way come out.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.extract.predict.confidence import predicted_tokens

__all__ = ["inverse_shares", "mention_shares"]

Floats = NDArray[np.floating]
Ints = NDArray[np.integer]


def mention_shares(scores: Floats, counts: Ints, lengths: Ints) -> Floats:
    """The share of each mention among those of its query and [NONE], query by query: (mentions,).

    `scores` (queries + mentions,) are log-probabilities of [NONE], then of the mentions; `lengths` (mentions,) their
    tokens.
    """
    query = np.repeat(np.arange(len(counts)), counts + 1)
    mentions = np.ones(len(scores), bool)
    mentions[np.cumsum(counts + 1) - counts - 1] = False
    tokens = np.ones(len(scores), np.int64)
    tokens[mentions] = lengths
    per_token = scores.astype(np.float64) / predicted_tokens(tokens)
    highest = np.full(len(counts), -np.inf)
    np.maximum.at(highest, query, per_token)
    own = np.exp(per_token - highest[query])
    share = own / np.bincount(query, own, len(counts))[query]
    return np.asarray(share[mentions])


def inverse_shares(asked: pa.Table, heads: pa.Table, shares: Floats, inverses: Mapping[str, str]) -> Floats:
    """For each mention the share of the head where the mention's entity is asked the inverse; NaN where it is not.

    `inverses` names for each relation the one that leads back; a symmetric relation leads back itself.
    """
    first = _first_mentions(heads)
    counts = pc.list_value_length(asked["mentions"]).to_numpy()
    start = np.repeat(first[asked["head"].to_numpy()], counts)
    end = first[asked["mentions"].combine_chunks().flatten().to_numpy()]
    names = asked["relation"].combine_chunks().dictionary_encode()
    known = names.dictionary.to_pylist()
    numbers = {name: at for at, name in enumerate(known)}
    back = np.array([numbers.get(inverses.get(name, ""), -1) for name in known], np.int64)
    relation = np.repeat(names.indices.to_numpy().astype(np.int64), counts)
    # Both ends stand in one sequence, so the second is told by how far it is from the first, in heads.
    span = int(np.abs(end - start).max(initial=0)) * 2 + 1
    key = (start * len(known) + relation) * span + (end - start + span // 2)
    turned = (end * len(known) + back[relation]) * span + (start - end + span // 2)
    order = np.lexsort((-shares, key))  # of several mentions of one entity the weightiest comes first
    place = np.searchsorted(key[order], turned)
    row = order[np.minimum(place, len(order) - 1)] if len(order) else order
    hit = (back[relation] >= 0) & (key[row] == turned)
    return np.where(hit, shares[row], np.nan)


def _first_mentions(heads: pa.Table) -> NDArray[np.int64]:
    """For each head the first of the same entity in its sequence; itself, where it is not linked."""
    entity = heads["entity"].combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy().astype(np.int64)
    number = np.arange(len(entity))
    entity = np.where(entity < 0, entity.max(initial=0) + 1 + number, entity)
    sequence = heads["sequence"].to_numpy().astype(np.int64)
    _, first, which = np.unique(np.stack((sequence, entity)), axis=1, return_index=True, return_inverse=True)
    return np.asarray(first[which.ravel()], np.int64)
