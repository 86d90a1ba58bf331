"""Documents as the model reads them: tokens with a typed marker before and after every mention, and candidate pairs.

A document's text and mentions go in, a `MarkedDocument` of plain arrays comes out: one encoding serves all its pairs.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.corpus.sentences import split_passage
from clew.extract.statements.config import config_of_start
from clew.extract.statements.examples import COUNTED, ENTITY_TYPES, FEATURES, Example, MarkedDocument
from clew.extract.statements.gold import CORPORA, GoldDocument, Mention

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Marker", "label_pairs"]

FAR = 1000  # tokens


class Marker:
    """Marks documents with the vocabulary of a tokenizer.json; markers are numbered behind it."""

    def __init__(self, tokenizer: "Tokenizer", *, vocabulary: int, positions: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        found = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        if None in found:
            raise InputError("the tokenizer has no [CLS] and [SEP]: expected the tokenizer.json of a BERT-shaped model")
        self._tokenizer, self._vocabulary, self._positions = tokenizer, vocabulary, positions
        self._first, self._last = found

    @classmethod
    def open(cls, path: Path, *, vocabulary: int, positions: int) -> "Marker":
        """From a tokenizer.json."""
        from tokenizers import Tokenizer

        try:
            tokenizer: Tokenizer = Tokenizer.from_str(Path(path).read_text("utf-8"))
        except Exception as error:  # tokenizers raises a bare Exception for a file it cannot use
            raise InputError(f"{path} is not a tokenizer.json that can be read: {error}") from error
        return cls(tokenizer, vocabulary=vocabulary, positions=positions)

    @classmethod
    def for_start(cls, start: Path) -> "Marker":
        """For a model that begins with the BERT in a directory."""
        config = config_of_start(start)
        return cls.open(Path(start) / "tokenizer.json", vocabulary=config.vocabulary, positions=config.positions)

    def mark(
        self, text: str, mentions: Sequence[Mention], *, types: Collection[tuple[str, str]] | None = None
    ) -> MarkedDocument:
        """Mark all mentions; the pairs are those of different entities whose types (subject, object) are wanted."""
        mentions = sorted(
            (each for each in mentions if each.type in ENTITY_TYPES and each.ids),
            key=lambda each: (each.start, each.end),
        )
        tokens, openings, cut = self._tokens(text, mentions)
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
        features = _features(text, mentions, openings, membership, kinds, pairs)
        return MarkedDocument(tokens, openings, membership, entities, kinds, pairs, features, cut)

    def mark_gold(self, document: GoldDocument) -> Example:
        """A gold document with the candidate pairs of its corpus and their labels."""
        marked = self.mark(document.text, document.mentions, types=CORPORA[document.corpus].pairs)
        labels = label_pairs(document, marked)
        missed = len({frozenset(pair) for _, *pair in document.relations}) - int((labels > 0).sum())
        return Example(document.id, document.corpus, marked, labels, missed)

    def _tokens(self, text: str, mentions: Sequence[Mention]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Tokens with markers, where the opening ones are, and how many mentions did not fit."""
        encoded: Any = self._tokenizer.encode(text, add_special_tokens=False)
        ids: list[int] = encoded.ids
        spans: list[tuple[int, int]] = encoded.offsets
        starts = [start for start, _ in spans]
        ends = [end for _, end in spans]
        inserted: list[tuple[int, int, int, int]] = []  # before which token, closing first, which mention, marker
        for number, mention in enumerate(mentions):
            first = bisect_right(ends, mention.start)  # the first token that ends after the mention begins
            after = max(bisect_right(starts, mention.end - 1), first + 1)  # the first one that begins after its end
            marker = self._vocabulary + 2 * ENTITY_TYPES.index(mention.type)
            inserted.append((first, 1, number, marker))
            inserted.append((min(after, len(ids)), 0, number, marker + 1))
        inserted.sort()
        tokens, openings, done = [self._first], [-1] * len(mentions), 0
        for place, opening, number, marker in inserted:
            tokens += ids[done:place]
            done = max(done, place)
            if opening:
                openings[number] = len(tokens)
            tokens.append(marker)
        tokens = [*tokens, *ids[done:], self._last]
        if len(tokens) > self._positions:
            tokens = [*tokens[: self._positions - 1], self._last]
        fitting = sum(place < self._positions - 1 for place in openings)
        return np.array(tokens, np.int64), np.array(openings[:fitting], np.int64), len(openings) - fitting


def label_pairs(document: GoldDocument, marked: MarkedDocument) -> NDArray[np.int64]:
    """The label of each pair; if a pair has several relations, the first in the order of its corpus."""
    numbers = {name: number for number, name in enumerate(CORPORA[document.corpus].relations.values(), start=1)}
    stated: dict[frozenset[str], int] = {}
    for relation, one, other in document.relations:
        pair = frozenset((one, other))
        stated[pair] = min(stated.get(pair, len(numbers)), numbers[relation])
    names = [frozenset((marked.entities[one], marked.entities[other])) for one, other in marked.pairs]
    return np.array([stated.get(pair, 0) for pair in names], np.int64)


def _pairs(kinds: Sequence[str], wanted: Collection[tuple[str, str]] | None) -> Iterable[tuple[int, int]]:
    order = [ENTITY_TYPES.index(kind) for kind in kinds]
    for one, other in combinations(range(len(kinds)), 2):
        subject, object_ = (one, other) if order[one] <= order[other] else (other, one)
        if wanted is None or (kinds[subject], kinds[object_]) in wanted:
            yield subject, object_


def _features(
    text: str,
    mentions: Sequence[Mention],
    openings: NDArray[np.int64],
    membership: NDArray[np.float32],
    kinds: Sequence[str],
    pairs: NDArray[np.int64],
) -> NDArray[np.float32]:
    """How often the ends are mentioned, where, how near each other, and of which types they are."""
    features = np.zeros((len(pairs), FEATURES), np.float32)
    if not len(pairs):
        return features
    begins = [start for start, _ in split_passage(text, 0, len(text))]
    sentence = np.array([bisect_right(begins, mention.start) - 1 for mention in mentions])
    of = [np.flatnonzero(row) for row in membership]  # the mentions of each entity
    types = np.eye(len(ENTITY_TYPES), dtype=np.float32)[[ENTITY_TYPES.index(kind) for kind in kinds]]
    for row, (subject, object_) in enumerate(pairs):
        one, other = of[subject], of[object_]
        apart = np.abs(openings[one][:, None] - openings[other][None, :]).min()
        shared = len(np.intersect1d(sentence[one], sentence[other]))
        features[row, :COUNTED] = (
            np.log1p(len(one)),
            np.log1p(len(other)),
            (sentence[one] == 0).any(),
            (sentence[other] == 0).any(),
            np.log1p(shared),
            np.log1p(min(apart, FAR)) / 4,
            np.log1p(len(pairs)) / 4,
        )
        features[row, COUNTED:] = np.concatenate([types[subject], types[object_]])
    return features
