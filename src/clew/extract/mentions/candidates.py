"""Linked mentions of sequences, and which of them may be the tail that a head is asked for: those whose type fits."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from clew.extract.chains.graphs import SLOTS

__all__ = ["Mention", "Tokens", "find_candidates", "mentions_by_sequence"]

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """A linked mention: a row of the heads of a run, its tokens [first, last) in its sequence, and what it names."""

    head: int
    first: int
    last: int
    entity: str
    type: str


def mentions_by_sequence(heads: pa.Table) -> Iterator[tuple[int, list[Mention]]]:
    """Each sequence that has linked mentions, with them in the order of the text."""
    sequence = heads["sequence"].to_numpy()
    names = ("head", "first", "last", "entity", "type")
    columns = [heads[name].to_pylist() for name in names]
    borders = np.flatnonzero(np.diff(sequence, prepend=-1, append=-1))
    for start, end in pairwise(borders.tolist()):
        rows = zip(*(column[start:end] for column in columns), strict=True)
        linked = [Mention(*row) for row in rows if row[3] is not None and row[4] is not None]
        if linked:
            yield int(sequence[start]), sorted(linked, key=lambda each: (each.first, each.last))


def find_candidates(
    entity: str | None, types: Collection[str], there: Sequence[Mention], tokens: Sequence[int]
) -> dict[Tokens, list[Mention]]:
    """The mentions of a sequence that may be the tail of a head with this entity, by their tokens.

    They name another entity, of one of the types, and fit into a leaf.
    """
    candidates: dict[Tokens, list[Mention]] = {}
    for each in there:
        if each.type in types and each.entity != entity and each.last - each.first <= SLOTS:
            candidates.setdefault(tuple(tokens[each.first : each.last]), []).append(each)
    return candidates
