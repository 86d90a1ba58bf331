"""Right or wrong: sets, values, and top-n lists in which ties may stand in any order."""

from collections.abc import Collection, Sequence
from math import isclose

__all__ = ["Row", "Value", "first_of", "same_value", "set_match", "top_match"]

Value = int | float | bool
Row = tuple[str, float]


def set_match(found: Collection[str], gold: Collection[str]) -> bool:
    """Equal as sets."""
    return set(found) == set(gold)


def same_value(given: Value, gold: Value) -> bool:
    """Equal numbers, or equal booleans; a boolean is no number. Only fractions have some room for rounding."""
    if isinstance(given, bool) or isinstance(gold, bool):
        return isinstance(given, bool) and isinstance(gold, bool) and given == gold
    if isinstance(given, int) and isinstance(gold, int):
        return given == gold
    return isclose(given, gold, rel_tol=1e-9, abs_tol=1e-12)


def top_match(items: Sequence[tuple[str, float | None]], gold: Sequence[Row], n: int, *, least: bool = False) -> bool:
    """Whether the items are the first n of the gold in an order that its numbers allow, or all that are tied for first.

    `gold` holds every row that ties can bring into the first n; `least` ranks small numbers first. Where an item
    carries a number, it must be the gold's.
    """
    numbers = dict(gold)
    ids = [id for id, _ in items]
    if len(set(ids)) != len(ids) or not set(ids) <= numbers.keys():
        return False
    if any(given is not None and not same_value(given, numbers[id]) for id, given in items):
        return False
    order = sorted(numbers.values(), reverse=not least)
    tied = order.count(order[0]) if n == 1 and order else n
    return [numbers[id] for id in ids] in (order[:n], order[:tied])


def first_of(gold: Sequence[Row], n: int, preferred: Sequence[str], *, least: bool) -> frozenset[str]:
    """The n ids of a top-n list; of those tied for the last places, the ones that were given."""
    chosen = set(preferred)
    order = sorted(dict(gold).items(), key=lambda row: (row[1] if least else -row[1], row[0] not in chosen, row[0]))
    return frozenset(id for id, _ in order[:n])
