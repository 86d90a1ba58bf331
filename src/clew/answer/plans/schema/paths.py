"""Paths between the types of a schema: relationships followed forward or backward, up to four steps.

Hierarchy relationships connect a type to itself; they are followed only if a question asks for sub- or superclasses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.store.layout import StoreSchema

__all__ = ["LONGEST_PATH", "Move", "SchemaPath", "SchemaPaths"]

LONGEST_PATH = 4
LONGEST_UNMENTIONED = 3  # if the question does not mention the types in between


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One step along the schema: the relationship, whether it is followed forwards, and the label it leads to."""

    relationship: str
    forward: bool
    label: str


SchemaPath = tuple[Move, ...]
MOST_KNOWN = 10_000  # pairs of labels whose paths are kept


class SchemaPaths:
    """The paths between labels of a schema; negated relationships only with `denied`."""

    def __init__(self, schema: StoreSchema, hierarchy: frozenset[str]) -> None:
        self.hierarchy = hierarchy
        self._moves: dict[bool, dict[str, list[Move]]] = {False: {}, True: {}}
        self._known: dict[tuple[str, str, bool, tuple[str, ...]], list[SchemaPath]] = {}
        for relationship in schema.relationships:
            moves = self._moves[relationship.negated]
            for ends in relationship.ends:
                moves.setdefault(ends.subject, []).append(Move(relationship.name, True, ends.object))
                if not relationship.symmetric or ends.subject != ends.object:
                    moves.setdefault(ends.object, []).append(Move(relationship.name, False, ends.subject))

    def between(self, start: str, end: str, *, denied: bool = False, through: Sequence[str] = ()) -> list[SchemaPath]:
        """Paths from one label to another, shortest first; with `denied` the last step is a negated relationship.

        Paths are at most one step longer than the shortest, or longer if they pass through all the labels of `through`;
        four steps only if they do so in that order.
        """
        wanted = tuple(label for label in through if label not in (start, end))
        key = (start, end, denied, wanted)
        if key not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._find(start, end, denied, wanted)
        return list(self._known[key])

    def _find(self, start: str, end: str, denied: bool, wanted: Sequence[str]) -> list[SchemaPath]:
        found: list[SchemaPath] = []
        for path in self._from(start, end, denied, wanted):
            between = [move.label for move in path[:-1]]
            passes = bool(wanted) and set(wanted) <= set(between)
            if len(path) > LONGEST_UNMENTIONED and not (passes and _in_order(wanted, between)):
                continue
            if not found or len(path) <= len(found[0]) + 1 or passes:
                found.append(path)
        return found

    def along_hierarchy(self, label: str, *, direction: str) -> list[SchemaPath]:
        """The single hierarchy step from the requested slot to the named entity.

        To find subclasses ("down") it follows is_a forwards; to find superclasses ("up"), backwards.
        """
        moves = [move for move in self._moves[False].get(label, ()) if move.relationship in self.hierarchy]
        return [(move,) for move in moves if move.label == label and move.forward == (direction == "down")]

    def _from(self, start: str, end: str, denied: bool, wanted: Sequence[str]) -> Iterator[SchemaPath]:
        longest = LONGEST_PATH if len(wanted) >= LONGEST_PATH - 2 else LONGEST_UNMENTIONED
        waiting: list[SchemaPath] = [()]
        for length in range(1, longest + 1):
            further: list[SchemaPath] = []
            for path in waiting:
                label = path[-1].label if path else start
                moves = self._moves[False].get(label, ())
                further += [(*path, move) for move in moves if move.relationship not in self.hierarchy]
                if denied:
                    yield from ((*path, move) for move in self._moves[True].get(label, ()) if move.label == end)
            if not denied:
                yield from (path for path in further if path[-1].label == end)
            waiting = further if length < longest else []


def _in_order(wanted: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether the wanted labels occur in this order."""
    rest = iter(labels)
    return all(label in rest for label in wanted)
