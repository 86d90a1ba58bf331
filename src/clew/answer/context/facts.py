"""The facts around the entities of a question: single triples, two-hop chains and paths between entities, ranked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from clew.answer.context.linked import LinkedQuestion
from clew.answer.context.relevance import relevance_of
from clew.answer.context.retrieval import Retrieval
from clew.answer.plans.assertions.filters import Filters
from clew.answer.resources import Resources
from clew.errors import Timeout

__all__ = ["Fact", "FoundFacts", "Neighbourhood", "find_facts", "triples_around"]

Ints = NDArray[np.integer]

SHARED = 0.15  # more relevant for each further mention that the far entity is next to
DIRECT = 0.3  # more relevant if both ends are mentioned
INTERLEAVED = 0.002  # what one fact of the same mention before it counts in the order
RANKED = 4_000  # triples of one mention that are kept
EXPANDED = 400  # entities from which a second hop is taken
PER_FAR = 3  # chains that lead to the same entity
SUPPORTED = 0.03  # more relevant for each factor of two of the chains that lead to an entity
LONGEST_PATH, MOST_PATHS, PATH = 3, 8, 0.9  # hops, number and relevance of paths between mentions
SECONDS = 2.0  # for paths


@dataclass(frozen=True, slots=True)
class Fact:
    """Triples that are stated in one line, and their relevance."""

    triples: tuple[int, ...]
    far: int  # the entity at the end, -1 for a path between mentions
    score: float
    behind: int = 0  # how many facts of the same mention are more relevant, up to 100

    @property
    def order(self) -> tuple[float, int, tuple[int, ...]]:
        """Facts are listed by relevance, but those of each mention in turn rather than all of one."""
        return (INTERLEAVED * self.behind - self.score, len(self.triples), self.triples)


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """Facts, the most relevant first, and what was not searched to the end, as sentences."""

    facts: list[Fact] = field(default_factory=list)
    notes: tuple[str, ...] = ()


def find_facts(linked: LinkedQuestion, resources: Resources, retrieval: Retrieval) -> FoundFacts:
    """Every fact about the entities of a question."""
    engine = resources.engine
    mentions = [np.unique(found[found >= 0]) for found in map(engine.lookup, linked.mentions) if (found >= 0).any()]
    near = [Neighbourhood.of(mention, linked, resources, retrieval.filters) for mention in mentions]
    every = set(np.concatenate(mentions).tolist()) if mentions else set()
    reached = np.concatenate([np.unique(each.far) for each in near]) if near else np.zeros(0, np.int64)
    beside = dict(zip(*(each.tolist() for each in np.unique(reached, return_counts=True)), strict=True))
    facts: dict[tuple[int, ...], Fact] = {}
    for each in near:
        _add(facts, each.facts(beside, elsewhere=every - set(each.start.tolist())))
        if _goes_on(each, linked, retrieval, resources):
            _add(facts, each.second_hop(linked, resources, retrieval, known=every))
    notes: tuple[str, ...] = ()
    if len(mentions) > 1 and (linked.joins or max(beside.values(), default=0) < 2):
        paths, notes = _paths(mentions, resources, retrieval)
        _add(facts, paths)
    return FoundFacts(sorted(facts.values(), key=lambda fact: fact.order), notes)


def _add(facts: dict[tuple[int, ...], Fact], more: Iterable[Fact]) -> None:
    """Keep each fact once, with its highest relevance."""
    for fact in more:
        known = facts.get(fact.triples)
        if known is None or known.score < fact.score:
            facts[fact.triples] = fact


def _goes_on(near: "Neighbourhood", linked: LinkedQuestion, retrieval: Retrieval, resources: Resources) -> bool:
    """Whether a second hop is taken: on request, over a type that is mentioned, or to reach the asked-for type."""
    if retrieval.hops is not None:
        return retrieval.hops == 2
    if not linked.asked:
        return False
    if linked.through:
        return True
    wanted = [resources.engine.schema.type_number(name) for name in linked.asked]
    return not np.isin(resources.engine.types_of(near.far), wanted).any()


def triples_around(
    start: Ints, linked: LinkedQuestion, resources: Resources, filters: Filters
) -> tuple[NDArray[np.int64], Ints]:
    """The triples of some entities, and the other end of each; negated ones if the question asks for them."""
    engine, where = resources.engine, filters.where
    numbers = engine.triples(start, direction="both", where=where).numbers
    denied = [each.name for each in engine.schema.relations if each.negated and linked.said.get(each.name)]
    if denied:  # "which diseases lack …" asks for what is stated not to be
        also = replace(where, negated=True)
        numbers = np.union1d(numbers, engine.triples(start, direction="both", relations=denied, where=also).numbers)
    columns = engine.triple_columns(numbers)
    return numbers, np.where(np.isin(columns.subject, start), columns.object, columns.subject)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """The triples of one mention: which end is the far one, and how relevant each is."""

    start: Ints
    numbers: NDArray[np.int64]
    far: Ints
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, start: Ints, linked: LinkedQuestion, resources: Resources, filters: Filters) -> "Neighbourhood":
        numbers, far = triples_around(start, linked, resources, filters)
        scores = relevance_of(resources.engine.triple_columns(numbers), far, linked, resources)
        return cls(start, numbers, far, scores)

    def facts(self, beside: Mapping[int, int], *, elsewhere: set[int]) -> Iterator[Fact]:
        """The triples, more relevant where they lead to another mention, or to what is next to several."""
        more = np.array([SHARED * (beside[far] - 1) + DIRECT * (far in elsewhere) for far in self.far.tolist()])
        scores = self.scores + more
        for at, place in enumerate(np.argsort(-scores, kind="stable")[:RANKED].tolist()):
            score = min(1.0, float(scores[place]))
            yield Fact((int(self.numbers[place]),), int(self.far[place]), score, min(at, 100))

    def second_hop(
        self, linked: LinkedQuestion, resources: Resources, retrieval: Retrieval, *, known: set[int]
    ) -> Iterator[Fact]:
        """Chains over a neighbour to an entity of the asked-for type, or to any; those with most chains first."""
        engine = resources.engine
        order = np.argsort(-self.scores, kind="stable")
        first: dict[int, int] = {}  # neighbour → the position of its best triple
        if linked.through:
            between = [engine.schema.type_number(name) for name in linked.through]
            order = order[np.isin(engine.types_of(self.far[order]), between)]
        for at in order.tolist():
            if len(first) < EXPANDED and int(self.far[at]) not in known:
                first.setdefault(int(self.far[at]), at)
        middle = np.array(sorted(first), np.int64)
        if not len(middle):
            return
        numbers = engine.triples(middle, direction="both", where=retrieval.filters.where).numbers
        columns = engine.triple_columns(numbers)
        turned = ~np.isin(columns.subject, middle)
        near = np.where(turned, columns.object, columns.subject)
        far = np.where(turned, columns.subject, columns.object)
        kept = ~np.isin(far, np.array(sorted(known), np.int64)) & (near != far)
        if linked.asked:
            kept &= np.isin(engine.types_of(far), [engine.schema.type_number(name) for name in linked.asked])
        chosen = np.flatnonzero(kept)
        parts = engine.triple_columns(numbers[chosen])
        scores = relevance_of(parts, far[chosen], linked, resources)
        support = dict(zip(*(each.tolist() for each in np.unique(far[chosen], return_counts=True)), strict=True))
        told: dict[int, int] = {}
        for at in np.argsort(-scores, kind="stable").tolist():
            end, before = int(far[chosen[at]]), first[int(near[chosen[at]])]
            told[end] = told.get(end, 0) + 1
            if told[end] <= PER_FAR:
                score = (float(scores[at]) + float(self.scores[before])) / 2 + SUPPORTED * np.log2(support[end])
                numbers_of = (int(self.numbers[before]), int(numbers[chosen[at]]))
                yield Fact(numbers_of, end, min(1.0, float(score)))


def _paths(mentions: Sequence[Ints], resources: Resources, retrieval: Retrieval) -> tuple[list[Fact], tuple[str, ...]]:
    """Paths between the first mention and each other, the shortest and rarest first; and the searches cut short."""
    facts, notes = [], []
    for other in mentions[1:]:
        try:
            found = resources.engine.paths(
                mentions[0],
                other,
                LONGEST_PATH,
                direction="both",
                where=retrieval.filters.where,
                limit=MOST_PATHS,
                timeout=SECONDS,
            )
            facts += [Fact(path.numbers, -1, PATH) for path in found]
        except Timeout:  # the lines around each mention are there without them
            named = resources.engine.describe([mentions[0][0], other[0]])["name"].to_pylist()
            notes.append(
                f"paths between {named[0]} and {named[1]} are left out: the search was not finished in {SECONDS:g} s"
            )
    return facts, tuple(notes)
