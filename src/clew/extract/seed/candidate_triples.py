"""The seed triples that may be injected: under each entity those it is the subject of, and inverse ones.

An inverse triple is a candidate only if its relation names its inverse. Negated relations, rare relations and excluded
triples (held-out facts) are not. A graph goes in; flat arrays under each subject come out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.extract.chains.graphs import SLOTS
from clew.extract.sequences.vocabulary import Vocabulary
from clew.graph import GraphContents, read_entities

__all__ = ["FEWEST", "CandidateTriples", "collect_candidate_triples", "short_tails"]

Ints = NDArray[np.integer]
FEWEST = 100  # triples of a relation, before and after selection


@dataclass(frozen=True)
class CandidateTriples:
    """Triples in words' order: row i leads from `subject[i]` over `relations[relation[i]]` to `object[i]`."""

    offsets: Ints  # (entities + 1,): rows under each subject
    relation: Ints  # (n,) int16
    object: Ints  # (n,) int32
    triple: Ints  # (n,) number of the triple in the graph
    relations: tuple[str, ...]
    dropped: dict[str, int]  # relations that are too rare, with their counts

    def __len__(self) -> int:
        return len(self.object)

    @cached_property
    def subject(self) -> Ints:
        """The subject of every row: (n,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many rows each relation has."""
        counted = np.bincount(self.relation, minlength=len(self.relations)).tolist()
        return dict(zip(self.relations, counted, strict=True))


def collect_candidate_triples(
    graph: GraphContents, *, without: Iterable[int] | Ints = (), fewest: int = FEWEST
) -> CandidateTriples:
    """All candidate triples of a graph, except those whose numbers are in `without`."""
    subject, relation, object_, triple, names = _both_ways(graph)
    left_out = np.zeros(graph.counts["triples"], bool)
    left_out[np.fromiter(without, np.int64)] = True
    keep = ~left_out[triple]
    counts = np.bincount(relation[keep], minlength=len(names))
    kept = np.flatnonzero(counts >= fewest)
    keep &= np.isin(relation, kept)
    order = np.flatnonzero(keep)
    order = order[np.lexsort((object_[order], relation[order], subject[order]))]
    offsets = np.zeros(graph.counts["entities"] + 1, np.int64)
    np.cumsum(np.bincount(subject[order], minlength=graph.counts["entities"]), out=offsets[1:])
    renumbered = np.searchsorted(kept, relation[order]).astype(np.int16)
    rare = {names[at]: int(counts[at]) for at in range(len(names)) if 0 < counts[at] < fewest}
    return CandidateTriples(
        offsets,
        renumbered,
        object_[order].astype(np.int32),
        triple[order],
        tuple(names[at] for at in kept.tolist()),
        rare,
    )


def _both_ways(graph: GraphContents) -> tuple[Ints, Ints, Ints, Ints, list[str]]:
    """Subject, relation, object and triple number of stored and inverse triples, and the names of the relations."""
    stored = graph.schema.relations
    names = [each.name for each in stored]
    inverse = np.full(len(stored), -1)
    for each in stored:
        if each.symmetric:
            inverse[each.number] = each.number
        elif each.inverse is not None:
            if each.inverse not in names:
                names.append(each.inverse)
            inverse[each.number] = names.index(each.inverse)
    stated = graph.triple_columns()
    subject, relation, object_ = (each.astype(np.int64) for each in (stated.subject, stated.relation, stated.object))
    triple = np.arange(len(subject))
    positive = ~np.array([each.negated for each in stored], bool)[relation] if len(stored) else np.zeros(0, bool)
    positive &= subject != object_
    turned = np.flatnonzero(positive & (inverse[relation] >= 0)) if len(stored) else np.zeros(0, np.int64)
    stays = np.flatnonzero(positive)
    return (
        np.concatenate((subject[stays], object_[turned])),
        np.concatenate((relation[stays], inverse[relation[turned]])),
        np.concatenate((object_[stays], subject[turned])),
        np.concatenate((triple[stays], triple[turned])),
        names,
    )


def short_tails(graph: GraphContents, candidates: CandidateTriples, vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """Of which entities the name has at most seven tokens; looked at only for those that are tails."""
    short = np.zeros(graph.counts["entities"], bool)
    tails = np.unique(candidates.object)
    names = read_entities(graph, ("name",))["name"].take(pa.array(tails)).to_pylist()
    cut = vocabulary.encode(name.lower() for name in names)
    short[tails] = [0 < len(each) <= SLOTS for each in cut]
    return short
