"""What the lines of a context say about each option: 0 to 3 points for each entity that the question names.

3: a fact, or a chain over a type that the question mentions, by relations that it may mean. 2: such a chain where it
mentions no type in between, and no relation of the graph connects both types. 1: any other connection. 0: none.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from clew.answer.adaptive.decomposition import Decomposed
from clew.answer.resources import Resources
from clew.answer.strategies.options import relation_fits
from clew.traverse import Triple
from clew.traverse.context import ContextLine

__all__ = ["ENOUGH", "OptionPoints", "count_points"]

ENOUGH = 2  # points of one entity from which an option has evidence


@dataclass(frozen=True, slots=True)
class OptionPoints:
    """An option, its points for each entity of the question, and the lines that give them."""

    option: str
    points: tuple[int, ...]
    lines: tuple[ContextLine, ...]
    relevance: float  # of its best line: settles ties

    @property
    def order(self) -> tuple[int, float]:
        return sum(self.points), self.relevance


def count_points(asked: Decomposed, lines: Iterable[ContextLine], resources: Resources) -> list[OptionPoints]:
    """The points of every option, in the order given."""
    listed = list(lines)
    types = _Types(listed, resources)
    return [_points(option, ids, asked, listed, types) for option, ids in asked.options.items()]


def _points(
    option: str, ids: Collection[str], asked: Decomposed, lines: Iterable[ContextLine], types: "_Types"
) -> OptionPoints:
    points = [0] * len(asked.linked.mentions)
    best: list[ContextLine] = []
    for line in lines:
        for at, mention in enumerate(asked.linked.mentions):
            worth = max((types.worth(chain, asked) for chain in _chains(line, mention, ids)), default=0)
            if worth > points[at]:
                points[at] = worth
            if worth and line not in best:
                best.append(line)
    return OptionPoints(option, tuple(points), tuple(best), max((line.score for line in best), default=0.0))


def _chains(line: ContextLine, mention: Collection[str], ids: Collection[str]) -> Iterator[tuple[Triple, ...]]:
    """The triples of a line that connect an entity with an option: one, or two that share their other end."""
    first = [(triple, end) for triple in line.triples if (end := _other(triple, mention))]
    last = [(triple, end) for triple in line.triples if (end := _other(triple, ids))]
    yield from ((triple,) for triple, end in first if end in ids)
    yield from ((one, two) for one, end in first for two, near in last if end == near and end not in ids)


def _other(triple: Triple, ids: Collection[str]) -> str | None:
    if triple.subject in ids:
        return triple.object
    return triple.subject if triple.object in ids else None


class _Types:
    """The types of what lines name, and whether their relations may be meant."""

    def __init__(self, lines: Iterable[ContextLine], resources: Resources) -> None:
        triples = [triple for line in lines for triple in line.triples]
        ids = sorted({end for triple in triples for end in (triple.subject, triple.object)})
        self._schema = resources.engine.schema
        rows = resources.engine.describe(resources.engine.lookup(ids)).to_pylist() if ids else []
        self._types = {row["id"]: row["type"] for row in rows}

    def worth(self, chain: tuple[Triple, ...], asked: Decomposed) -> int:
        """The points of one connection."""
        linked = asked.linked
        kinds = [frozenset((self._types[each.subject], self._types[each.object])) for each in chain]
        if not all(
            relation_fits(linked, self._schema, each.relation, ends) for each, ends in zip(chain, kinds, strict=True)
        ):
            return 1
        if len(chain) == 1:
            return 1 if linked.through else 3
        one, two = ({each.subject, each.object} for each in chain)
        if linked.through:
            return 3 if any(self._types[end] in linked.through for end in one & two) else 1
        ends = {self._types[end] for end in one ^ two}
        return (
            1 if any({s.subject, s.object} == ends for each in self._schema.relations for s in each.signatures) else 2
        )
