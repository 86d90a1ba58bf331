"""The search over super-relations: at each step the candidates that leave the frontier are scored in one call, the best
are kept and followed, and the best paths of super-relations lead to entities along real chains of relations.

With L steps a language model is called at most 2L + 1 times, however many candidates are kept: once a step to score,
once a step to decide whether to go on, and once to choose the path that answers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.answer.super_relations.chains import FoundChain, extend_chain, name_relations, places_by_code
from clew.answer.super_relations.scorers import Candidate, Scorer
from clew.answer.super_relations.steps import Allowed, Steps, steps_from
from clew.errors import InputError
from clew.graph.seeds import distinct
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


class Judge(Protocol):
    """Decides whether to go on; without one a search takes all its steps."""

    def enough(self, question: str, paths: Sequence[SuperPath]) -> bool:
        """Whether the question can be answered from these paths."""


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
    """The candidates kept at one step, their normalised scores (descending), and the steps that follow each."""

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
        return [str(each) for each in layer.candidates]

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
        """The triples followed up to now and in this step, at most: each step may follow an equal part of the rest."""
        most, taken = self.task.limits.triples, len(self.layers)
        left = max(0, (1 << 62 if most is None else most) - self.found.triples)
        return self.found.triples + left // (self.task.limits.steps - taken)

    def best_paths(self) -> list[SuperPath]:
        """The K paths through all layers with the largest sums of scores, of those that real chains follow."""
        return [path for path, _ in zip(self._paths(), range(self.task.limits.paths), strict=False)]

    def _paths(self) -> Iterator[SuperPath]:
        """Best first: a choice of one candidate in each layer, then those with the next candidate in one layer."""
        first = (0,) * len(self.layers)
        waiting, seen = [(-self._score(first), first)], {first}
        while waiting:
            score, chosen = heappop(waiting)
            ends = self._ends(chosen)
            if len(ends):
                passed = tuple(layer.candidates[at] for layer, at in zip(self.layers, chosen, strict=True))
                yield SuperPath(passed, -score, ends, self._chains(chosen))
            for step, layer in enumerate(self.layers):
                other = (*chosen[:step], chosen[step] + 1, *chosen[step + 1 :])
                if other[step] < len(layer.scores) and other not in seen:
                    seen.add(other)
                    heappush(waiting, (-self._score(other), other))

    def _score(self, chosen: tuple[int, ...]) -> float:
        return sum(layer.scores[at] for layer, at in zip(self.layers, chosen, strict=True))

    def _ends(self, chosen: tuple[int, ...]) -> Ints:
        """The entities that a path leads to along any chain of relations."""
        if chosen not in self.ends:
            before = self._ends(chosen[:-1])
            steps = self.layers[len(chosen) - 1].steps[chosen[-1]]
            self.inside[before] = True
            far = steps.far[self.inside[steps.near]]
            self.inside[before] = False
            self.ends[chosen] = self._distinct(far)
        return self.ends[chosen]

    def _chains(self, chosen: tuple[int, ...]) -> tuple[FoundChain, ...]:
        """The best fitting chains of relations along a path; none if it cannot be followed."""
        if chosen not in self.known:
            before = self._chains(chosen[:-1])
            steps = self.layers[len(chosen) - 1].steps[chosen[-1]]
            grown = [longer for chain in before for longer in extend_chain(chain, steps, self.inside)]
            named = [name_relations(chain.relations, self.names) for chain in grown]
            fits = self.task.scorer.fit(self.task.question, named)
            order = np.argsort(-fits, kind="stable")[:BEAM]
            self.known[chosen] = tuple(grown[at] for at in order)
        return self.known[chosen]

    def _distinct(self, entities: Ints) -> Ints:
        return distinct(entities, below=len(self.inside)).astype(np.int64, copy=False)
