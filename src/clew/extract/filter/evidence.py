"""Which sentence carries a triple: the one, among those of its sequence that mention the head, that names the tail too.

Heads, sentences and texts of a run in; for each triple the mention of its head, the sentence, and the tail's place out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.extract.corpus.tables import read_sentences
from clew.extract.mentions.heads import read_heads
from clew.extract.mentions.phrases import cuts
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.texts import document_texts

__all__ = ["Evidence", "Place", "find_in_sentence", "sentence_rows"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a triple is said: the row of its head's mention, its sentence, and the tail if the sentence names it."""

    head: int
    sentence: Span
    tail: Span | None


class Evidence:
    """The sentences of a run, found by heads."""

    def __init__(self, run: Path) -> None:
        heads, sentences = read_heads(run), read_sentences(run)
        documents = read_sequences(run)["document"].take(heads["sequence"]).to_pylist()
        rows = sentence_rows(documents, heads["start"].to_pylist(), sentences)
        starts, ends = sentences["start"].to_numpy(), sentences["end"].to_numpy()
        self.texts = document_texts(run)
        self.documents = documents  # of heads
        self._spans = [(int(starts[row]), int(ends[row])) if row >= 0 else None for row in rows.tolist()]
        self._mentions: dict[tuple[int, str], list[int]] = {}
        columns = (heads[name].to_pylist() for name in ("sequence", "entity", "text"))
        self._keys = [(sequence, entity or text.casefold()) for sequence, entity, text in zip(*columns, strict=True)]
        for head, key in enumerate(self._keys):
            self._mentions.setdefault(key, []).append(head)
        self._names: dict[int, list[Span]] = {}  # places of heads by the row of their sentence
        self._rows = rows.tolist()
        places = zip(heads["start"].to_pylist(), heads["end"].to_pylist(), strict=True)
        for row, place in zip(self._rows, places, strict=True):
            self._names.setdefault(row, []).append(place)

    def find(self, head: int, tail: str) -> Place | None:
        """The place of a triple: the first mention of its head beside its tail, else the head itself."""
        text = self.texts[self.documents[head]]
        for mention in self._mentions[self._keys[head]]:
            sentence = self._spans[mention]
            if sentence is None:
                continue
            names = [(start - sentence[0], end - sentence[0]) for start, end in self._names[self._rows[mention]]]
            found = find_in_sentence(tail, text[slice(*sentence)], names)
            if found is not None:
                return Place(mention, sentence, (sentence[0] + found[0], sentence[0] + found[1]))
        own = self._spans[head]
        return None if own is None else Place(head, own, None)


def sentence_rows(documents: Sequence[str], starts: Sequence[int], sentences: pa.Table) -> NDArray[np.int64]:
    """The row of the sentence in which each place stands; -1 where there is none."""
    by_document: dict[str, tuple[int, NDArray[np.int32]]] = {}
    names = sentences["document"].to_pylist()
    begins = sentences["start"].to_numpy()
    first = 0
    for at in range(1, len(names) + 1):
        if at == len(names) or names[at] != names[first]:
            by_document[names[first]] = first, begins[first:at]
            first = at
    ends = sentences["end"].to_numpy()
    rows = np.full(len(documents), -1, np.int64)
    for at, (document, start) in enumerate(zip(documents, starts, strict=True)):
        found = by_document.get(document)
        if found is None:
            continue
        row = found[0] + int(np.searchsorted(found[1], start, side="right")) - 1
        if row >= found[0] and start < ends[row]:
            rows[at] = row
    return rows


def find_in_sentence(tail: str, sentence: str, names: Sequence[Span] = ()) -> Span | None:
    """Where a sentence names a tail, as whole words and whatever the case; the first place that cuts none of `names`.

    >>> find_in_sentence("gout", "Gouty arthritis is not gout.")
    (23, 27)
    >>> find_in_sentence("arthritis", "Gouty arthritis is not gout.", [(0, 15)]) is None
    True
    """
    places = (found.span() for found in _pattern(tail).finditer(sentence))
    return next((place for place in places if not any(cuts(place, name) for name in names)), None)


@lru_cache(maxsize=1 << 14)
def _pattern(tail: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, tail.split()))
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])", re.IGNORECASE)
