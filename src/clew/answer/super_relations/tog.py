"""Think-on-Graph (ToG), the baseline of super-relations: a beam of entities, pruned by relations, then by entities.

Its calls are counted as published: at each depth one to prune the relations of each live entity, one to score the
entities of each kept relation that leads to two or more, and one to decide whether to go on; one more to answer if it
never stopped. Relations that lead to 20 entities or more are cut to 5 at random, as in its code.
"""

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from clew.answer.super_relations.chains import FoundChain
from clew.answer.super_relations.scorers import Candidate, RandomScorer
from clew.answer.super_relations.search import Found, SearchTask, SuperPath
from clew.answer.super_relations.steps import Steps, steps_from

__all__ = ["search_tog"]

Ints = NDArray[np.int64]
MANY, SAMPLED = 20, 5  # entities of one relation that are too many to score, and how many of them are scored
Relation = tuple[int, bool]  # number, forward


@dataclass(frozen=True, slots=True, eq=False)
class _Live:
    """An entity of the beam, the relations that led to it, and the steps taken."""

    entity: int
    score: float = 1.0
    relations: tuple[Relation, ...] = ()
    steps: tuple[Steps, ...] = ()


class _OutOfCalls(Exception):
    """The limit of calls is reached."""


def search_tog(task: SearchTask) -> Found:
    """Search from the topics for chains that fit the question; a path is a chain of relations."""
    search = _Search(task)
    found = search.found
    stopped = False
    try:
        for step in range(1, task.limits.steps + 1):
            beam = search.step()
            if not beam:
                break
            paths = search.paths(beam)
            found.paths = [*paths, *found.paths]
            task.report(f"step {step}: {', '.join(str(path.candidates[-1]) for path in paths)}")
            search.call()
            stopped = task.judge is not None and task.judge.enough(task.question, paths)
            if stopped:
                break
        if found.paths and not stopped:
            search.call()
    except _OutOfCalls:
        found.truncated = True
    return found


class _Search:
    def __init__(self, task: SearchTask) -> None:
        self.task, self.found = task, Found()
        self.names = [relation.name for relation in task.engine.schema.relations]
        self.live = [_Live(entity) for entity in task.start.tolist()]
        self.random = Random(task.question)

    def call(self) -> None:
        """Count a call, if one more is allowed."""
        most = self.task.limits.calls
        if most is not None and self.found.calls >= most:
            raise _OutOfCalls
        self.found.calls += 1

    def step(self) -> list[_Live]:
        """The entities with the best scores one step further."""
        reached = [each for live in self.live for each in self._from(live)]
        reached.sort(key=lambda each: -each.score)
        self.live = reached[: self.task.limits.width]
        return self.live

    def _from(self, live: _Live) -> list[_Live]:
        """Where the best relations of an entity lead, each entity with the product of the scores."""
        steps = steps_from(self.task.engine, [live.entity], self.task.allowed)
        if live.relations:
            number, forward = live.relations[-1]
            steps = steps.where(~((steps.relation == number) & (steps.forward != forward)))  # not straight back
        if not len(steps):
            return []
        codes = steps.relation * 2 + steps.forward
        listed = np.unique(codes)
        candidates = [Candidate(self.names[code // 2], bool(code % 2), (self.names[code // 2],)) for code in listed]
        self.call()
        scores = self.task.scorer.score(self.task.question, candidates)
        kept = np.argsort(-scores, kind="stable")[: self.task.limits.width]
        total = max(float(scores[kept].sum()), 1e-9)
        reached = []
        for at in kept:
            own = self._follow(steps.where(codes == listed[at]))
            relation = (int(listed[at]) // 2, bool(listed[at] % 2))
            for row, score in zip(own, self._entity_scores(own), strict=True):
                reached.append(
                    _Live(
                        int(row.far[0]),
                        float(scores[at]) / total * score,
                        (*live.relations, relation),
                        (*live.steps, row),
                    )
                )
        return reached

    def _follow(self, steps: Steps) -> list[Steps]:
        """The entities of one relation, each with one step; a few of very many."""
        most = self.task.limits.triples
        left = len(steps) if most is None else max(0, most - self.found.triples)
        self.found.truncated |= len(steps) > left
        steps = steps.where(slice(left))
        self.found.triples += len(steps)
        far, first = np.unique(steps.far, return_index=True)
        self.found.read.append(far)
        places = first.tolist()
        if len(places) >= MANY:
            places = sorted(self.random.sample(places, SAMPLED))
        return [steps.where(slice(at, at + 1)) for at in places]

    def _entity_scores(self, rows: list[Steps]) -> list[float]:
        """Scores that add up to 1; entities without names, which nobody can read, are scored at random."""
        if len(rows) < 2:
            return [1.0] * len(rows)
        described = self.task.engine.describe([int(row.far[0]) for row in rows]).to_pylist()
        named = any(each["name"] != each["id"] for each in described)
        candidates = [Candidate(each["name"], True, ()) for each in described]
        self.call()
        scorer = self.task.scorer if named else RandomScorer()
        scores = scorer.score(self.task.question, candidates)
        total = float(scores.sum())
        return [float(score) / total if total > 0 else 1 / len(rows) for score in scores]

    def paths(self, beam: list[_Live]) -> list[SuperPath]:
        """The beam as paths: entities that the same relations led to together."""
        together: dict[tuple[Relation, ...], list[_Live]] = {}
        for live in beam:
            together.setdefault(live.relations, []).append(live)
        paths = []
        for relations, lives in together.items():
            steps = tuple(_joined([live.steps[at] for live in lives]) for at in range(len(relations)))
            chain = FoundChain(self.task.start, relations, steps)
            passed = tuple(Candidate(self.names[n], forward, (self.names[n],)) for n, forward in relations)
            paths.append(SuperPath(passed, sum(live.score for live in lives), chain.ends, (chain,)))
        return sorted(paths, key=lambda path: -path.score)


def _joined(rows: list[Steps]) -> Steps:
    return Steps(
        np.concatenate([row.near for row in rows]),
        np.concatenate([row.far for row in rows]),
        np.concatenate([row.relation for row in rows]),
        np.concatenate([row.forward for row in rows]),
        np.concatenate([row.number for row in rows]),
    )
