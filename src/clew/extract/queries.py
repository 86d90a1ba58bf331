"""Questions to a trained model: a head in a sequence and a relation, whose tail is to be predicted. Plain arrays."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.chains import ROOTS
from clew.files import write_text
from clew.sealed import check_seal, new_sealed

__all__ = ["Queries", "read_queries", "write_queries"]

WHAT = "queries for prediction"
TYPES: dict[str, Any] = {
    "roots": np.uint16,
    "offsets": np.int64,
    "sequence": np.int32,
    "first": np.int16,
    "last": np.int16,
    "relation": np.int16,
}

Ints = NDArray[np.integer]


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

    def __post_init__(self) -> None:
        for name, kind in TYPES.items():
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), kind))
        lengths = np.diff(self.offsets)
        _expect(len(self.offsets) >= 1 and self.offsets[0] == 0, "offsets must begin with 0")
        _expect(self.offsets[-1] == len(self.roots), "offsets must end at the number of roots")
        _expect(bool(((lengths >= 1) & (lengths <= ROOTS)).all()), f"a sequence must have 1 to {ROOTS} roots")
        rows = len(self.sequence)
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


def write_queries(path: Path, queries: Queries, *, identity: Mapping[str, str | int | float | bool]) -> None:
    """Write queries as a sealed directory."""
    with new_sealed(path, identity, what=WHAT) as directory:
        for name in TYPES:
            np.save(directory / f"{name}.npy", getattr(queries, name))
        write_text(directory / "relations.json", json.dumps(list(queries.relations)) + "\n")


def read_queries(path: Path, *, verify: bool = False) -> Queries:
    """Queries from a sealed directory."""
    path = Path(path)
    check_seal(path, {}, what=f"the queries at {path}", remedy="clew extract predict", verify=verify)
    arrays = {name: np.load(path / f"{name}.npy", allow_pickle=False) for name in TYPES}
    return Queries(**arrays, relations=tuple(json.loads((path / "relations.json").read_text("utf-8"))))


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise InputError(f"these queries cannot be asked: {otherwise}")
