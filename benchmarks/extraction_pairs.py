"""What a model can know of a pair of entities before it reads: shown by a leaf of its run, or kept from it.

A prepared run and its seed go in; for statements, by the ids of their ends, masks come out. Beside it, what a seed
entails without stating it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.extract.chains.injection import read_injected
from clew.extract.ranking.examples import FOLDS
from clew.extract.seed.held_out import pair_numbers, read_removed_triples
from clew.extract.seed.hierarchy import IS_A, Closure
from clew.graph import Graph

__all__ = ["Pairs", "are_entailed"]

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Ids = Sequence[str]


class Pairs:
    """Pairs of entities, whichever comes first, as a run has treated them."""

    def __init__(self, run: Path, graph: Graph) -> None:
        self._ids = graph.entities["id"].combine_chunks()
        self._width = graph.entity_count
        injected = read_injected(run)
        self._shown = np.unique(self._pair(injected["subject"].to_pylist(), injected["object"].to_pylist()))
        removed = read_removed_triples(run) if (run / "held_out").is_dir() else np.zeros(0, np.int64)
        ends = graph.subject_of(removed), graph.forward.end[removed]
        self._planted = np.unique(pair_numbers(*ends, self._width))

    def shown(self, subjects: Ids, objects: Ids) -> Mask:
        """Whether a leaf shows the pair, under any relation: the model knows it by heart."""
        return np.isin(self._pair(subjects, objects), self._shown)

    def planted(self, subjects: Ids, objects: Ids) -> Mask:
        """Whether the pair was taken out of the seed, and is in no leaf and no lesson."""
        return np.isin(self._pair(subjects, objects), self._planted)

    def held_out(self, subjects: Ids, objects: Ids, fold: int) -> Mask:
        """Whether a model that is taught without a fold was taught nothing about the pair: one of its ends is of it."""
        return (self._number(subjects) % FOLDS == fold) | (self._number(objects) % FOLDS == fold)

    def _pair(self, subjects: Ids, objects: Ids) -> Ints:
        return pair_numbers(self._number(subjects), self._number(objects), self._width)

    def _number(self, entities: Ids) -> Ints:
        """By number; -1, of which no pair is known, for what is not in the seed."""
        found = pc.index_in(pa.array(entities, pa.string()), value_set=self._ids)
        return np.asarray(found.fill_null(-1).to_numpy(), np.int64)


def are_entailed(graph: Graph, subjects: Ids, relations: Ids, objects: Ids) -> Mask:
    """Whether statements follow from a graph by is_a: x r y follows from a r b if x is an a and b is a y."""
    numbers = {each.name: each.number for each in graph.schema.relations}
    if IS_A not in numbers:
        return np.zeros(len(subjects), bool)
    above = Closure(graph, numbers[IS_A], up=True)
    offsets, ends, kinds = graph.forward.offsets, graph.forward.end, graph.forward.relation
    ids = graph.entities["id"].combine_chunks()
    starts, targets = (
        pc.index_in(pa.array(each, pa.string()), value_set=ids).to_pylist() for each in (subjects, objects)
    )

    def follows(start: int, relation: str, target: int) -> bool:
        if relation == IS_A:
            return target in above(start) - {start}
        for kind in above(start):
            rows = slice(offsets[kind], offsets[kind + 1])
            if any(target in above(end) for end in ends[rows][kinds[rows] == numbers[relation]].tolist()):
                return True
        return False

    return np.fromiter(map(follows, starts, relations, targets), bool, len(starts))
