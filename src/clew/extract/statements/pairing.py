"""From the tokens of a document and its mentions to a `MarkedDocument`: markers, entities, pairs and their features."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from clew.extract.statements.examples import COUNTED, ENTITY_TYPES, FEATURES, MarkedDocument

__all__ = ["HasNarrower", "Layout", "TokenMention", "mark_tokens"]

FAR = 1000  # tokens
HasNarrower = Callable[[Sequence[str]], NDArray[np.bool_]]  # which of some entities have a narrower one among them


@dataclass(frozen=True, slots=True)
class TokenMention:
    """A mention: its tokens `first` up to `after`, its type, the entities it refers to, and its sentence's number."""

    first: int
    after: int
    type: str
    ids: tuple[str, ...]
    sentence: int


@dataclass(frozen=True, slots=True)
class Layout:
    """How a model numbers its tokens, and how many it reads; markers are numbered behind the vocabulary."""

    begin: int  # [CLS]
    end: int  # [SEP]
    vocabulary: int
    positions: int


def mark_tokens(
    tokens: Sequence[int],
    mentions: Sequence[TokenMention],
    layout: Layout,
    *,
    types: Collection[tuple[str, str]] | None = None,
    has_narrower: HasNarrower | None = None,
) -> MarkedDocument:
    """Mark mentions, given in order; the pairs are those of different entities whose types (subject, object) are
    wanted. Without `has_narrower` no entity counts as broader than another."""
    marked, openings = _insert_markers(tokens, mentions, layout)
    cut = len(mentions) - len(openings)
    mentions = mentions[: len(openings)]
    of_type: dict[str, str] = {}
    for mention in mentions:
        for identifier in mention.ids:
            of_type.setdefault(identifier, mention.type)
    entities = tuple(of_type)
    membership = np.zeros((len(entities), len(mentions)), np.float32)
    at = {identifier: number for number, identifier in enumerate(entities)}
    for column, mention in enumerate(mentions):
        membership[[at[identifier] for identifier in mention.ids], column] = 1
    kinds = tuple(of_type.values())
    pairs = np.array(list(_pairs(kinds, types)), np.int64).reshape(-1, 2)
    broad = np.zeros(len(entities), bool) if has_narrower is None else has_narrower(entities)
    sentences = np.array([mention.sentence for mention in mentions], np.int64)
    features = _features(sentences, openings, membership, kinds, pairs, broad)
    return MarkedDocument(marked, openings, membership, entities, kinds, pairs, features, cut)


def _insert_markers(
    tokens: Sequence[int], mentions: Sequence[TokenMention], layout: Layout
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tokens with markers, and where the opening ones that fit are."""
    inserted: list[tuple[int, int, int, int]] = []  # before which token, closing first, which mention, marker
    for number, mention in enumerate(mentions):
        marker = layout.vocabulary + 2 * ENTITY_TYPES.index(mention.type)
        inserted.append((mention.first, 1, number, marker))
        inserted.append((min(mention.after, len(tokens)), 0, number, marker + 1))
    inserted.sort()
    marked, openings, done = [layout.begin], [-1] * len(mentions), 0
    for place, opening, number, marker in inserted:
        marked += tokens[done:place]
        done = max(done, place)
        if opening:
            openings[number] = len(marked)
        marked.append(marker)
    marked = [*marked, *tokens[done:], layout.end]
    if len(marked) > layout.positions:
        marked = [*marked[: layout.positions - 1], layout.end]
    fitting = sum(place < layout.positions - 1 for place in openings)
    return np.array(marked, np.int64), np.array(openings[:fitting], np.int64)


def _pairs(kinds: Sequence[str], wanted: Collection[tuple[str, str]] | None) -> Iterable[tuple[int, int]]:
    order = [ENTITY_TYPES.index(kind) for kind in kinds]
    for one, other in combinations(range(len(kinds)), 2):
        subject, object_ = (one, other) if order[one] <= order[other] else (other, one)
        if wanted is None or (kinds[subject], kinds[object_]) in wanted:
            yield subject, object_


def _features(
    sentences: NDArray[np.int64],
    openings: NDArray[np.int64],
    membership: NDArray[np.float32],
    kinds: Sequence[str],
    pairs: NDArray[np.int64],
    broad: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """How often the ends are mentioned, where, how near each other, whether a narrower entity is in the document too,
    and of which types they are."""
    features = np.zeros((len(pairs), FEATURES), np.float32)
    if not len(pairs):
        return features
    of = [np.flatnonzero(row) for row in membership]  # the mentions of each entity
    types = np.eye(len(ENTITY_TYPES), dtype=np.float32)[[ENTITY_TYPES.index(kind) for kind in kinds]]
    for row, (subject, object_) in enumerate(pairs):
        one, other = of[subject], of[object_]
        apart = np.abs(openings[one][:, None] - openings[other][None, :]).min()
        shared = len(np.intersect1d(sentences[one], sentences[other]))
        features[row, :COUNTED] = (
            np.log1p(len(one)),
            np.log1p(len(other)),
            (sentences[one] == 0).any(),
            (sentences[other] == 0).any(),
            np.log1p(shared),
            np.log1p(min(apart, FAR)) / 4,
            np.log1p(len(pairs)) / 4,
            broad[subject],
            broad[object_],
        )
        features[row, COUNTED:] = np.concatenate([types[subject], types[object_]])
    return features
