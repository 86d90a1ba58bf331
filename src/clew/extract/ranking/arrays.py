"""Training examples for candidate ranking as plain arrays.

A query is a head in a sequence with a relation; its rows are the candidate tails to be scored, [NONE] first. Each row
stands for pairs of entities, which are what is evaluated in the end.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.extract.chains.graphs import NONE, SLOTS
from clew.files import write_text

__all__ = ["NONE_TAIL", "UNKNOWN", "CandidateRows", "ExampleQuery", "Tokens", "write_examples"]

Tokens = tuple[int, ...]
UNKNOWN = -1
NONE_TAIL = (NONE,)


@dataclass(frozen=True, slots=True)
class ExampleQuery:
    """A query: the head's tokens [first, last) in a sequence, and a relation by number.

    `fold` is the fold it is held out with; `touches` are further folds, as bits, whose training it must stay out of.
    """

    sequence: int
    first: int
    last: int
    relation: int
    document: int
    fold: int = UNKNOWN
    bare: bool = False
    touches: int = 0


@dataclass(slots=True)
class CandidateRows:
    """The candidate tails of each query, and the entity pairs they stand for."""

    query: list[int] = field(default_factory=list)
    tail: list[int] = field(default_factory=list)
    gold: list[int] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)  # whether the sequence holds the tail
    members: list[tuple[int, int]] = field(default_factory=list)  # row, pair
    tails: dict[Tokens, int] = field(default_factory=lambda: {NONE_TAIL: 0})
    pairs: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def add(self, query: int, tail: Tokens, gold: int, seen: int, pairs: Sequence[tuple[Any, ...]] = ()) -> None:
        """One more candidate for a query; `pairs` are the entity pairs it stands for."""
        self.members.extend((len(self.query), self.pairs.setdefault(pair, len(self.pairs))) for pair in pairs)
        self.query.append(query)
        self.tail.append(self.tails.setdefault(tail, len(self.tails)))
        self.gold.append(gold)
        self.seen.append(seen)


def write_examples(
    folder: Path,
    sequences: Sequence[Tokens],
    queries: Sequence[ExampleQuery],
    rows: CandidateRows,
    pairs: Sequence[Any],
) -> None:
    """Write queries (ascending in sequence) and rows (ascending in query); `pairs` is what pairs.json says of each.

    A score is the log-probability of a tail and its end in a wholly masked leaf: float32 (rows,).
    """
    tail, length = _padded(list(rows.tails))
    arrays: dict[str, tuple[Any, Any]] = {
        "roots": ([token for sequence in sequences for token in sequence], np.uint16),
        "offsets": (np.cumsum([0, *map(len, sequences)]), np.int64),
        "query_sequence": ([each.sequence for each in queries], np.int32),
        "query_first": ([each.first for each in queries], np.int16),
        "query_last": ([each.last for each in queries], np.int16),
        "query_relation": ([each.relation for each in queries], np.int16),
        "query_document": ([each.document for each in queries], np.int32),
        "query_bare": ([each.bare for each in queries], np.int8),
        "query_fold": ([each.fold for each in queries], np.int8),
        "query_touches": ([each.touches for each in queries], np.uint8),
        "tail": (tail, np.uint16),
        "tail_length": (length, np.int8),
        "row_query": (rows.query, np.int32),
        "row_tail": (rows.tail, np.int32),
        "row_gold": (rows.gold, np.int8),
        "row_seen": (rows.seen, np.int8),
        "member_row": ([row for row, _ in rows.members], np.int32),
        "member_pair": ([pair for _, pair in rows.members], np.int32),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (values, kind) in arrays.items():
        np.save(folder / f"{name}.npy", np.asarray(values, kind))
    write_text(folder / "pairs.json", json.dumps(list(pairs)) + "\n")


def _padded(tails: Sequence[Tokens]) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
    table = np.zeros((len(tails), SLOTS), np.uint16)
    for row, tail in zip(table, tails, strict=True):
        row[: len(tail)] = tail
    return table, np.array([len(tail) for tail in tails], np.int8)
