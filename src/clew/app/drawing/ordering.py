"""The order of entities in their columns: few crossings, and lines as level as possible.

Columns are lists of keys; `joins` are pairs of keys in adjacent columns. A line that spans several columns passes
through a slot (a dummy key) in each of them.
"""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Chain", "Key", "crossings", "level", "order_columns"]

Slot = tuple[int, int]  # where a line crosses a column: (line, column)
Key = str | Slot  # the id of an entity, or a slot
Columns = list[list[Key]]
SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Chain:
    """The route of a line from left to right: a box, a slot in each column between, a box."""

    first: str
    slots: tuple[Slot, ...]
    last: str

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.first, *self.slots, self.last)


def order_columns(columns: Columns, joins: Sequence[tuple[Key, Key]]) -> Columns:
    """The columns reordered by barycentre sweeps in both directions; the order with the fewest crossings wins."""
    neighbours = _neighbours(joins)
    best, fewest = columns, crossings(columns, joins)
    now = [list(column) for column in columns]
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for at in range(1, len(now)) if forward else range(len(now) - 2, -1, -1):
            beside = {key: place for place, key in enumerate(now[at - 1 if forward else at + 1])}
            own = {key: place for place, key in enumerate(now[at])}
            now[at] = sorted(now[at], key=lambda key: (_mean(neighbours.get(key, ()), beside, own[key]), own[key]))
        found = crossings(now, joins)
        if found < fewest:
            best, fewest = [list(column) for column in now], found
    return best


def _neighbours(joins: Sequence[tuple[Key, Key]]) -> dict[Key, list[Key]]:
    made: dict[Key, list[Key]] = {}
    for one, other in joins:
        made.setdefault(one, []).append(other)
        made.setdefault(other, []).append(one)
    return made


def _mean(keys: Sequence[Key], places: Mapping[Key, float], otherwise: float) -> float:
    found = [places[key] for key in keys if key in places]
    return sum(found) / len(found) if found else otherwise


def crossings(columns: Sequence[Sequence[Key]], joins: Sequence[tuple[Key, Key]]) -> int:
    """The number of crossings: inversions between adjacent columns."""
    place = {key: (at, row) for at, column in enumerate(columns) for row, key in enumerate(column)}
    gaps: dict[int, list[tuple[int, int]]] = {}
    for one, other in joins:
        (left, row), (_, beside) = sorted((place[one], place[other]))
        gaps.setdefault(left, []).append((row, beside))
    total = 0
    for lines in gaps.values():
        seen: list[int] = []
        for _, beside in sorted(lines):
            total += len(seen) - bisect_left(seen, beside + 1)
            insort(seen, beside)
    return total


def level(
    columns: Sequence[Sequence[Key]], joins: Sequence[tuple[Key, Key]], heights: Mapping[Key, float], gap: float
) -> dict[Key, float]:
    """The vertical centre of each key: close to its neighbours, in the given order, without overlaps."""
    neighbours = _neighbours(joins)
    middle: dict[Key, float] = {}
    for column in columns:
        middle.update(_spread(column, dict.fromkeys(column, 0.0), heights, gap))
    for sweep in range(SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            wanted = {key: _mean(neighbours.get(key, ()), middle, middle[key]) for key in column}
            middle.update(_spread(column, wanted, heights, gap))
    top = min((middle[key] - heights[key] / 2 for key in middle), default=0.0)
    return {key: at - top for key, at in middle.items()}


def _spread(
    column: Sequence[Key], wanted: Mapping[Key, float], heights: Mapping[Key, float], gap: float
) -> dict[Key, float]:
    """The positions closest to the wanted ones (least squares) that keep order and gaps: pool adjacent violators."""
    offset, offsets = 0.0, []
    for before, key in zip([None, *column], column, strict=False):
        if before is not None:
            offset += (heights[before] + heights[key]) / 2 + gap
        offsets.append(offset)
    blocks: list[tuple[float, int]] = []  # mean of (wanted - offset), members
    for key, shift in zip(column, offsets, strict=True):
        mean, members = wanted[key] - shift, 1
        while blocks and blocks[-1][0] >= mean:
            before_mean, before_members = blocks.pop()
            mean = (mean * members + before_mean * before_members) / (members + before_members)
            members += before_members
        blocks.append((mean, members))
    means = [mean for mean, members in blocks for _ in range(members)]
    return {key: mean + shift for key, mean, shift in zip(column, means, offsets, strict=True)}
