"""What the graph says of a set of diagnoses: how far each is from the findings, and which are near enough.

Pure functions over entities by number; `Reach` is one walk of the engine, so that every k up to its own is free.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.answer.diagnosis.ranking import Ranker
from clew.errors import InputError
from clew.traverse import GraphEngine

__all__ = ["MOST_HOPS", "Reach", "connected", "offer", "reach_of", "refine"]

Ints = NDArray[np.int64]
MOST_HOPS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Every entity within some hops of the findings, ascending, and its distance from the nearest."""

    entities: Ints
    distance: Ints
    k: int

    def hops(self, entity: int) -> int | None:
        """The distance of an entity; None beyond the reach."""
        at = int(np.searchsorted(self.entities, entity))
        return int(self.distance[at]) if at < len(self.entities) and self.entities[at] == entity else None


def reach_of(
    engine: GraphEngine, findings: Sequence[int], *, k: int = MOST_HOPS, relations: Sequence[str] | None = None
) -> Reach:
    """Walk up to k hops from the findings in both directions, over some relations or all but the negated ones."""
    if not 1 <= k <= MOST_HOPS:
        raise InputError(f"k= is a number of hops from 1 to {MOST_HOPS}, not {k}")
    walked = None if relations is None else frozenset(relations)
    entities, distance = engine.distances(list(findings), k, direction="both", relations=walked)
    return Reach(entities.astype(np.int64), distance.astype(np.int64), k)


def connected(entities: Sequence[int], reach: Reach, k: int) -> list[int]:
    """Round 1: those within k hops of a finding, in the order given."""
    return [each for each in entities if (hops := reach.hops(each)) is not None and hops <= k]


def refine(
    entities: Sequence[int], similarity: Sequence[float], *, threshold: float | None = None, top: int | None = None
) -> list[int]:
    """Those at least as similar as a threshold, and of these the `top` most similar; in the order given."""
    fitting = [at for at in range(len(entities)) if threshold is None or similarity[at] >= threshold]
    if top is not None:
        fitting = sorted(sorted(fitting, key=lambda at: -similarity[at])[:top])
    return [entities[at] for at in fitting]


def offer(reach: Reach, ranker: Ranker, scores: NDArray[np.float64], k: int, *, most: int) -> list[int]:
    """Round 2's candidates: diagnoses within k hops of a finding, the best by the ranker's scores."""
    near = ranker.profiles.find_diagnoses(reach.entities[reach.distance <= k])
    near = near[near >= 0]
    best = near[np.argsort(-scores[near], kind="stable")[:most]]
    return [int(each) for each in ranker.profiles.diagnoses[best]]
