"""A hierarchy of terms as arrays: the ancestors and the descendants of every term, itself included.

Terms are numbered from 0. Cycles are harmless: the terms of one are ancestors of each other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Hierarchy", "Lists", "build_hierarchy", "information_content"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """A list of numbers for each of n things, in one array."""

    starts: Ints  # (n + 1,)
    values: Ints

    def __getitem__(self, at: int) -> Ints:
        return self.values[self.starts[at] : self.starts[at + 1]]

    @classmethod
    def of_pairs(cls, first: Ints, second: Ints, count: int) -> "Lists":
        """The second numbers of pairs, by the first; in the order given."""
        order = np.argsort(first, kind="stable")
        return cls(np.searchsorted(first[order], np.arange(count + 1)), second[order])

    def expand(self, things: Ints) -> tuple[Ints, Ints]:
        """The lists of some things after each other: the place of the thing in `things`, and the value."""
        lengths = self.starts[things + 1] - self.starts[things]
        place = np.repeat(np.arange(len(things)), lengths)
        inner = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return place, self.values[self.starts[things][place] + inner]


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Parents, ancestors and descendants of terms; every term is an ancestor and a descendant of itself."""

    parents: Lists
    ancestors: Lists
    descendants: Lists

    def __len__(self) -> int:
        return len(self.parents.starts) - 1


def build_hierarchy(children: Ints, parents: Ints, count: int) -> Hierarchy:
    """The closure of child → parent pairs over `count` terms."""
    direct = Lists.of_pairs(children, parents, count)
    known = np.arange(count) * (count + 1)  # pairs of a term and its ancestor, as term * count + ancestor
    newest = known
    while len(newest):
        place, above = direct.expand(newest % count)
        reached = _distinct((newest // count)[place] * count + above)
        at = np.searchsorted(known, reached)
        newest = reached[known[np.minimum(at, len(known) - 1)] != reached]
        known = np.sort(np.concatenate([known, newest]))
    term, ancestor = np.divmod(known, count) if count else (known, known)
    return Hierarchy(direct, Lists.of_pairs(term, ancestor, count), Lists.of_pairs(ancestor, term, count))


def information_content(hierarchy: Hierarchy, things: Ints, terms: Ints, *, total: int) -> NDArray[np.float64]:
    """-log of the share of all things that have each term or a descendant of it; terms that none has count as one."""
    place, above = hierarchy.ancestors.expand(terms)
    pairs = _distinct(things[place] * len(hierarchy) + above)
    counts = np.bincount(pairs % max(1, len(hierarchy)), minlength=len(hierarchy))
    return -np.log(np.maximum(counts, 1) / max(1, total))


def _distinct(values: Ints) -> Ints:
    """The distinct values, ascending; by sorting, which beats the hashing of np.unique on millions of integers."""
    ordered = np.sort(values)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered
