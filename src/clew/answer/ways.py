"""The ways between types that a schema has: relationships walked as they point or against it, up to four steps.

A hierarchy joins a type to itself and is followed only where a question speaks of kinds or parents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.store.layout import StoreSchema

__all__ = ["LONGEST_WAY", "Move", "Way", "Ways"]

LONGEST_WAY = 4
LONGEST_UNSPOKEN = 3  # steps of a way of whose middle the question does not speak


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One step along the schema: a relationship name, the label it leads to, and whether it is walked as it points."""

    relationship: str
    forward: bool
    label: str


Way = tuple[Move, ...]


class Ways:
    """The ways between labels of a schema; those that deny something only where `denied` asks for them."""

    def __init__(self, schema: StoreSchema, hierarchy: frozenset[str]) -> None:
        self.hierarchy = hierarchy
        self._moves: dict[bool, dict[str, list[Move]]] = {False: {}, True: {}}
        for relationship in schema.relationships:
            moves = self._moves[relationship.negated]
            for ends in relationship.ends:
                moves.setdefault(ends.subject, []).append(Move(relationship.name, True, ends.object))
                if not relationship.symmetric or ends.subject != ends.object:
                    moves.setdefault(ends.object, []).append(Move(relationship.name, False, ends.subject))

    def between(self, start: str, end: str, *, denied: bool = False, through: Sequence[str] = ()) -> list[Way]:
        """Ways from one label to another, shortest first; with `denied` the last step says that something is not so.

        At most one step longer than the shortest, or longer if they lead through all the labels of `through`; four
        steps only if in the order of `through`.
        """
        wanted = [label for label in through if label not in (start, end)]
        found: list[Way] = []
        for way in self._from(start, end, denied, wanted):
            between = [move.label for move in way[:-1]]
            passes = bool(wanted) and set(wanted) <= set(between)
            if len(way) > LONGEST_UNSPOKEN and not (passes and _in_order(wanted, between)):
                continue
            if not found or len(way) <= len(found[0]) + 1 or passes:
                found.append(way)
        return found

    def along_hierarchy(self, label: str, *, direction: str) -> list[Way]:
        """The one step from what is asked to what is named along the hierarchy of a label.

        Asked for kinds ("down"), it leads from them as is_a points; asked for what is more general ("up"), against it.
        """
        moves = [move for move in self._moves[False].get(label, ()) if move.relationship in self.hierarchy]
        return [(move,) for move in moves if move.label == label and move.forward == (direction == "down")]

    def _from(self, start: str, end: str, denied: bool, wanted: Sequence[str]) -> Iterator[Way]:
        longest = LONGEST_WAY if len(wanted) >= LONGEST_WAY - 2 else LONGEST_UNSPOKEN
        waiting: list[Way] = [()]
        for length in range(1, longest + 1):
            further: list[Way] = []
            for way in waiting:
                label = way[-1].label if way else start
                moves = self._moves[False].get(label, ())
                further += [(*way, move) for move in moves if move.relationship not in self.hierarchy]
                if denied:
                    yield from ((*way, move) for move in self._moves[True].get(label, ()) if move.label == end)
            if not denied:
                yield from (way for way in further if way[-1].label == end)
            waiting = further if length < longest else []


def _in_order(wanted: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether labels come in the order in which they are spoken of."""
    rest = iter(labels)
    return all(label in rest for label in wanted)
