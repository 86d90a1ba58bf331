"""Questions to a trained model: a head in a sequence and a relation, whose tail is to be predicted. Plain arrays.

With a query may stand the mentions of its sequence that could be its tail, to be weighed against each other and [NONE].
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.chains.graphs import ROOTS, SLOTS
from clew.files import write_text
from clew.sealed import check_seal, new_sealed

__all__ = ["Candidates", "Queries", "read_query_arrays", "save_query_arrays", "write_query_arrays"]

WHAT = "queries for prediction"
TYPES: dict[str, Any] = {
    "roots": np.uint16,
    "offsets": np.int64,
    "sequence": np.int32,
    "first": np.int16,
    "last": np.int16,
    "relation": np.int16,
}
CANDIDATE_TYPES: dict[str, Any] = {"count": np.uint8, "first": np.uint8, "last": np.uint8}

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Mentions that may be the tail of a query: how many each query has, and the tokens of each, query by query."""

    count: Ints  # (queries,) uint8
    first: Ints  # (candidates,) uint8
    last: Ints  # (candidates,) uint8: exclusive, at most seven after the first

    def __post_init__(self) -> None:
        for name, kind in CANDIDATE_TYPES.items():
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), kind))
        total = int(self.count.sum(dtype=np.int64))
        _expect(len(self.first) == len(self.last) == total, "there are not as many mentions as are counted")
        length = self.last.astype(np.int64) - self.first
        _expect(bool(((length >= 1) & (length <= SLOTS)).all()), f"a mention to be weighed has 1 to {SLOTS} tokens")

    @classmethod
    def of_none(cls, queries: int) -> "Candidates":
        """For queries none of which has a mention to be weighed."""
        return cls(np.zeros(queries, np.uint8), np.zeros(0, np.uint8), np.zeros(0, np.uint8))

    @property
    def offsets(self) -> Ints:
        """Where the mentions of each query begin: (queries + 1,)."""
        return np.concatenate(([0], np.cumsum(self.count, dtype=np.int64)))

    def of(self, start: int, end: int) -> "Candidates":
        """Those of some queries."""
        begin, stop = self.offsets[[start, end]]
        return Candidates(self.count[start:end], self.first[begin:stop], self.last[begin:stop])


@dataclass(frozen=True, slots=True)
class Queries:
    """Sequences as in `Chains`, and rows that ask about a head in one of them; checked when made."""

    roots: Ints  # (tokens,) uint16
    offsets: Ints  # (sequences + 1,) int64
    sequence: Ints  # (queries,) int32
    first: Ints  # (queries,) int16: the head's tokens,
    last: Ints  # (queries,) int16: exclusive
    relation: Ints  # (queries,) int16
    relations: tuple[str, ...]
    candidates: Candidates | None = None

    def __post_init__(self) -> None:
        for name, kind in TYPES.items():
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), kind))
        lengths = np.diff(self.offsets)
        _expect(len(self.offsets) >= 1 and self.offsets[0] == 0, "offsets must begin with 0")
        _expect(self.offsets[-1] == len(self.roots), "offsets must end at the number of roots")
        _expect(bool(((lengths >= 1) & (lengths <= ROOTS)).all()), f"a sequence must have 1 to {ROOTS} roots")
        rows = len(self.sequence)
        _expect(
            self.candidates is None or len(self.candidates.count) == rows, "not every query has its mentions counted"
        )
        _expect(len(self.first) == len(self.last) == len(self.relation) == rows, "columns differ in length")
        if not rows:
            return
        _expect(self.sequence.min() >= 0 and self.sequence.max() < len(lengths), "a query's sequence is not there")
        inside = (self.first >= 0) & (self.first < self.last) & (self.last <= lengths[self.sequence])
        _expect(bool(inside.all()), "a head reaches outside its sequence")
        known = (self.relation >= 0) & (self.relation < len(self.relations))
        _expect(bool(known.all()), f"a relation is outside 0..{len(self.relations) - 1}")

    def __len__(self) -> int:
        return len(self.sequence)


def write_query_arrays(path: Path, queries: Queries, *, identity: Mapping[str, str | int | float | bool]) -> None:
    """Write queries as a sealed directory."""
    with new_sealed(path, identity, what=WHAT) as directory:
        save_query_arrays(directory, queries)


def save_query_arrays(directory: Path, queries: Queries) -> None:
    """Write the files of queries into a directory."""
    for name in TYPES:
        np.save(directory / f"{name}.npy", getattr(queries, name))
    if queries.candidates is not None:
        for name in CANDIDATE_TYPES:
            np.save(directory / f"candidate_{name}.npy", getattr(queries.candidates, name))
    write_text(directory / "relations.json", json.dumps(list(queries.relations)) + "\n")


def read_query_arrays(path: Path, *, verify: bool = False) -> Queries:
    """Queries from a sealed directory."""
    path = Path(path)
    check_seal(path, {}, what=f"the queries at {path}", remedy="clew extract predict", verify=verify)
    arrays = {name: np.load(path / f"{name}.npy", allow_pickle=False) for name in TYPES}
    candidates = None
    if (path / "candidate_count.npy").is_file():
        candidates = Candidates(
            *(np.load(path / f"candidate_{name}.npy", allow_pickle=False) for name in CANDIDATE_TYPES)
        )
    relations = tuple(json.loads((path / "relations.json").read_text("utf-8")))
    return Queries(**arrays, relations=relations, candidates=candidates)


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise InputError(f"these queries cannot be asked: {otherwise}")
