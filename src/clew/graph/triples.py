"""Distinct triples in their final numbering: entities hubs first within each partition, triples sorted by them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph.partitions.strategy import GraphShape, choose_partitions

__all__ = ["SortedTriples", "distinct_starts", "hubs_first", "partitioned", "sort_order"]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class SortedTriples:
    """Distinct triples in (subject, object, relation) order, with the source rows that state each."""

    subject: Ints
    object: Ints
    relation: Ints
    rows: Ints  # row numbers of the staged table, in triple order
    row_offsets: Ints  # (triples + 1,) into rows


def hubs_first(
    subject: Ints, object_: Ints, relation: Ints, kept: Ints, entities: int, relations: int
) -> tuple[Ints, SortedTriples]:
    """The entities by falling in-degree, and the triples numbered accordingly.

    In-degree counts distinct triples, so that the order does not depend on how often a triple was stated; since those
    are known only once the rows are sorted, rows that repeat a triple may have to be sorted again.
    """
    order = _falling(np.bincount(object_, minlength=entities))
    rank = _inverse(order)
    triples = _sort(rank[subject], rank[object_], relation, kept, entities, relations)
    if len(triples.subject) < len(kept):
        distinct = _falling(np.bincount(triples.object, minlength=entities)[rank])
        if not np.array_equal(distinct, order):
            order, rank = distinct, _inverse(distinct)
            triples = _sort(rank[subject], rank[object_], relation, kept, entities, relations)
    return order, triples


def partitioned(
    order: Ints, triples: SortedTriples, relations: int, partitions: int, partitioning: str
) -> tuple[Ints, SortedTriples, list[int]]:
    """Entities and triples, given hubs first, in the order of their partitions; and the size of each partition."""
    entities = len(order)
    chosen = choose_partitions(GraphShape(entities, triples.subject, triples.object), partitions, partitioning)
    sizes = np.bincount(chosen, minlength=partitions).tolist()
    if partitions == 1:
        return order, triples, sizes
    moved = np.argsort(chosen, kind="stable")
    rank = _inverse(moved)
    numbers = np.arange(len(triples.subject))
    again = _sort(rank[triples.subject], rank[triples.object], triples.relation, numbers, entities, relations)
    counts = np.diff(triples.row_offsets)[again.rows]
    row_offsets = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(counts, out=row_offsets[1:])
    first = np.repeat(triples.row_offsets[:-1][again.rows] - row_offsets[:-1], counts)
    rows = triples.rows[first + np.arange(len(first))]
    return order[moved], SortedTriples(again.subject, again.object, again.relation, rows, row_offsets), sizes


def _falling(degree: Ints) -> Ints:
    return np.argsort(-degree, kind="stable")


def _inverse(order: Ints) -> Ints:
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def sort_order(subject: Ints, object_: Ints, relation: Ints, entities: int, relations: int) -> Ints:
    """The stable order of rows by subject, object and relation; all are 64 bits wide."""
    if entities**2 * max(relations, 1) < 2**63:
        return np.argsort((subject * entities + object_) * relations + relation, kind="stable")
    return np.lexsort((relation, object_, subject))


def distinct_starts(subject: Ints, object_: Ints, relation: Ints) -> Ints:
    """The first position of each triple in sorted rows."""
    fresh = np.zeros(len(subject), bool)
    fresh[:1] = True
    for column in (subject, object_, relation):
        fresh[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(fresh)


def _sort(subject: Ints, object_: Ints, relation: Ints, kept: Ints, entities: int, relations: int) -> SortedTriples:
    order = sort_order(subject, object_, relation, entities, relations)
    subject, object_, relation = subject[order], object_[order], relation[order]
    starts = distinct_starts(subject, object_, relation)
    row_offsets = np.append(starts, len(order))
    return SortedTriples(subject[starts], object_[starts], relation[starts], kept[order], row_offsets)
