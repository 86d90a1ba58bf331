"""The search over super-relations: at each step the candidates that leave the frontier are scored in one call, the best
are kept and followed, and the best paths of super-relations lead to entities along real chains of relations.

With L steps a language model is called at most 2L + 1 times, however many candidates are kept: once a step to score,
once a step to decide whether to go on, and once to choose the path that answers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from clew.answer.super_relations.chains import FoundChain, extend_chain, places_by_code
from clew.answer.super_relations.scorers import Candidate, Scorer
from clew.answer.super_relations.steps import Allowed, Steps, steps_from
from clew.errors import InputError
from clew.graph.super_relations import SuperRelations
from clew.traverse import GraphEngine

__all__ = ["Found", "Judge", "SearchLimits", "SearchTask", "SuperPath", "search_super_relations"]

Ints = NDArray[np.int64]
BEAM = 8  # chains of relations of one path that are kept while it is followed
MOST_STEPS = 10


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """N candidates kept at each step, up to L steps, K paths; triples followed and calls at most (None: any)."""

    width: int = 3
    steps: int = 3
    paths: int = 3
    triples: int | None = 200_000
    calls: int | None = None

    def __post_init__(self) -> None:
        for name in ("width", "steps", "paths"):
            if isinstance(getattr(self, name), bool) or not isinstance(getattr(self, name), int):
                raise InputError(f"{name} is a whole number, not {getattr(self, name)!r}")
            if getattr(self, name) < 1:
                raise InputError(f"{name} is 1 or more, not {getattr(self, name)}")
        if self.steps > MOST_STEPS:
            raise InputError(f"a search takes at most {MOST_STEPS} steps, not {self.steps}")


@dataclass(frozen=True, slots=True, eq=False)
class SearchTask:
    """A question put to a search: its text, the entities it starts from, who scores, and what may be followed."""

    engine: GraphEngine
    question: str
    topics: Sequence[int] | NDArray[np.integer]
    scorer: Scorer
    limits: SearchLimits = field(default_factory=SearchLimits)
    allowed: Allowed = field(default_factory=Allowed)
    judge: "Judge | None" = None
    report: Callable[[str], None] = lambda text: None

    @property
    def start(self) -> Ints:
        """The topics, ascending."""
        return np.unique(np.asarray(self.topics, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class SuperPath:
    """Candidates in a row, the sum of their normalised scores, where they lead, and the best chains along them."""

    candidates: tuple[Candidate, ...]
    score: float
    ends: Ints  # of every chain of relations along the path
    chains: tuple[FoundChain, ...]  # the best fitting first


@dataclass(slots=True)
class Found:
    """What a search found, and what it cost: triples followed, decisions that a model would be called for."""

    paths: list[SuperPath] = field(default_factory=list)  # of the last step first, then by score
    read: list[Ints] = field(default_factory=list)  # entities that were read at each step
    triples: int = 0
    calls: int = 0
    truncated: bool = False

    def chains(self) -> list[FoundChain]:
        """Every chain of every path."""
        return [chain for path in self.paths for chain in path.chains]

    def entities(self) -> Ints:
        """The entities at the end of any path."""
        return np.unique(np.concatenate([np.empty(0, np.int64), *(path.ends for path in self.paths)]))


class Judge:
    """Decides whether to go on; this one always does, a model's says when the paths are enough."""

    def enough(self, question: str, paths: Sequence[SuperPath]) -> bool:
        """Whether the question can be answered from these paths."""
        return False


def search_super_relations(task: SearchTask, groups: SuperRelations) -> Found:
    """Search from the topics for the paths that fit the question."""
    search = _Search(task, groups)
    found = search.found
    for step in range(1, task.limits.steps + 1):
        kept = search.step()
        if not kept:
            break
        task.report(f"step {step}: {', '.join(kept)}")
        best = search.best_paths()
        found.paths = [*best, *found.paths]
        found.calls += 1
        if task.judge is not None and task.judge.enough(task.question, best):
            break
    found.calls += bool(found.paths)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """The candidates kept at one step, their normalised scores, and the steps that follow each."""

    candidates: tuple[Candidate, ...]
    scores: tuple[float, ...]
    steps: tuple[Steps, ...]


class _Search:
    def __init__(self, task: SearchTask, groups: SuperRelations) -> None:
        self.task, self.groups = task, groups
        schema = task.engine.schema
        self.names = [relation.name for relation in schema.relations]
        self.group = np.array(groups.numbers(schema), np.int64)
        self.frontier = task.start
        self.inside = np.zeros(task.engine.counts["entities"], bool)
        self.layers: list[_Layer] = []
        self.ends: dict[tuple[int, ...], Ints] = {(): task.start}
        self.known: dict[tuple[int, ...], tuple[FoundChain, ...]] = {(): (FoundChain(task.start),)}
        self.found = Found()

    def step(self) -> list[str]:
        """Score the candidates at the frontier once, follow the best; their labels, none if there are none."""
        steps = steps_from(self.task.engine, self.frontier, self.task.allowed)
        if not len(steps):
            return []
        parts = places_by_code(self.group[steps.relation] * 2 + steps.forward)
        candidates = [self._candidate(steps.relation[part], bool(steps.forward[part[0]])) for part in parts]
        self.found.calls += 1
        scores = self.task.scorer.score(self.task.question, candidates)
        kept = np.argsort(-scores, kind="stable")[: self.task.limits.width]
        total = float(scores[kept].sum())
        until = self._share()
        followed = [self._follow(steps.where(parts[at]), until - self.found.triples) for at in kept]
        layer = _Layer(
            tuple(candidates[at] for at in kept),
            tuple(float(scores[at]) / total if total > 0 else 1 / len(kept) for at in kept),
            tuple(followed),
        )
        self.layers.append(layer)
        self.frontier = self._distinct(np.concatenate([each.far for each in followed]))
        self.found.read.append(self.frontier)
        return [f"{each.label}{'' if each.forward else ' (reverse)'}" for each in layer.candidates]

    def _candidate(self, relations: Ints, forward: bool) -> Candidate:
        numbers = np.flatnonzero(np.bincount(relations)).tolist()
        label = self.groups.label(int(self.group[numbers[0]]), self.names[numbers[0]])
        return Candidate(label, forward, tuple(self.names[each] for each in numbers))

    def _follow(self, steps: Steps, most: int) -> Steps:
        """As many of the steps as may be followed, those of the best fitting relations first."""
        if len(steps) > most:
            self.found.truncated = True
            numbers, places = np.unique(steps.relation, return_inverse=True)
            forward = bool(steps.forward[0])
            fits = self.task.scorer.fit(self.task.question, [((self.names[each], forward),) for each in numbers])
            steps = steps.where(np.argsort(-fits[places], kind="stable")[:most])
        self.found.triples += len(steps)
        return steps

    def _share(self) -> int:
        """How many triples may be followed until the end of this step: what is left, shared by the steps to come."""
        most, taken = self.task.limits.triples, len(self.layers)
        left = max(0, (1 << 62 if most is None else most) - self.found.triples)
        return self.found.triples + left // (self.task.limits.steps - taken)

    def best_paths(self) -> list[SuperPath]:
        """The K paths through all layers with the largest sums of scores, of those that real chains follow."""
        return [path for path, _ in zip(self._paths(), range(self.task.limits.paths), strict=False)]

    def _paths(self) -> Iterator[SuperPath]:
        sums = reduce(np.add.outer, [np.array(layer.scores) for layer in self.layers])  # (N, …, N)
        for place in np.argsort(-sums, axis=None, kind="stable"):
            way = tuple(int(at) for at in np.unravel_index(place, sums.shape))
            ends = self._ends(way)
            if len(ends):
                passed = tuple(layer.candidates[at] for layer, at in zip(self.layers, way, strict=True))
                yield SuperPath(passed, float(sums[way]), ends, self._chains(way))

    def _ends(self, way: tuple[int, ...]) -> Ints:
        """The entities that a path leads to along any chain of relations."""
        if way not in self.ends:
            before = self._ends(way[:-1])
            steps = self.layers[len(way) - 1].steps[way[-1]]
            self.inside[before] = True
            far = steps.far[self.inside[steps.near]]
            self.inside[before] = False
            self.ends[way] = self._distinct(far)
        return self.ends[way]

    def _chains(self, way: tuple[int, ...]) -> tuple[FoundChain, ...]:
        """The best fitting chains of relations along a path; none if it cannot be followed."""
        if way not in self.known:
            before = self._chains(way[:-1])
            steps = self.layers[len(way) - 1].steps[way[-1]]
            grown = [longer for chain in before for longer in extend_chain(chain, steps, self.inside)]
            fits = self.task.scorer.fit(self.task.question, [self._named(chain) for chain in grown])
            order = np.argsort(-fits, kind="stable")[:BEAM]
            self.known[way] = tuple(grown[at] for at in order)
        return self.known[way]

    def _distinct(self, entities: Ints) -> Ints:
        """Entities, each once, ascending."""
        self.inside[entities] = True
        found = np.flatnonzero(self.inside)
        self.inside[found] = False
        return found

    def _named(self, chain: FoundChain) -> tuple[tuple[str, bool], ...]:
        return tuple((self.names[number], forward) for number, forward in chain.relations)
