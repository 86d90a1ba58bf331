"""Paths between the types of a schema: relationships followed forward or backward, up to four steps.

A hierarchy connects a type to itself and is followed only where a question asks for subclasses or superclasses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.store.layout import StoreSchema

__all__ = ["LONGEST_PATH", "Move", "SchemaPath", "SchemaPaths"]

LONGEST_PATH = 4
LONGEST_UNMENTIONED = 3  # steps of a path whose middle the question does not mention


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One step along the schema: a relationship name, the label it leads to, and whether it is walked as it points."""

    relationship: str
    forward: bool
    label: str


SchemaPath = tuple[Move, ...]


class SchemaPaths:
    """The paths between labels of a schema; negated relationships only where `denied` asks for them."""

    def __init__(self, schema: StoreSchema, hierarchy: frozenset[str]) -> None:
        self.hierarchy = hierarchy
        self._moves: dict[bool, dict[str, list[Move]]] = {False: {}, True: {}}
        for relationship in schema.relationships:
            moves = self._moves[relationship.negated]
            for ends in relationship.ends:
                moves.setdefault(ends.subject, []).append(Move(relationship.name, True, ends.object))
                if not relationship.symmetric or ends.subject != ends.object:
                    moves.setdefault(ends.object, []).append(Move(relationship.name, False, ends.subject))

    def between(self, start: str, end: str, *, denied: bool = False, through: Sequence[str] = ()) -> list[SchemaPath]:
        """Paths from one label to another, shortest first; with `denied` the last step is a negated relationship.

        At most one step longer than the shortest, or longer if they lead through all the labels of `through`; four
        steps only if in the order of `through`.
        """
        wanted = [label for label in through if label not in (start, end)]
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
        """The one step from what is asked to what is named along the hierarchy of a label.

        Asked for kinds ("down"), it leads from them as is_a points; asked for what is more general ("up"), against it.
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
    """Whether labels come in the order in which they are mentioned."""
    rest = iter(labels)
    return all(label in rest for label in wanted)
