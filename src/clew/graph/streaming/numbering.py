"""The final numbers of entities: hubs first within each partition, from rows that are sorted in buckets."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.partitions.strategy import GraphShape, choose_partitions
from clew.graph.streaming.scratch import NumberBuckets, NumberFile, Scratch, number_blocks, read_numbers
from clew.graph.triples import distinct_starts, sort_order

__all__ = ["Bounds", "bucket_bounds", "number_entities", "row_dtype"]

Ints = NDArray[np.integer]
Bounds = NDArray[np.int64]  # the first entity of each bucket, and the number of entities


def row_dtype(entity: np.dtype[Any]) -> np.dtype[Any]:
    """A row of the table of triples in numbers."""
    return np.dtype([("subject", entity), ("object", entity), ("relation", np.int32)])


def bucket_bounds(weights: Ints, most: int, *, also: Ints | None = None) -> Bounds:
    """Ranges of entities whose weights sum up to about `most`; they also end at given entities."""
    total = np.cumsum(weights)
    ends = np.searchsorted(total, np.arange(most, int(total[-1]) if len(total) else 0, most)) + 1
    bounds = [np.zeros(1, np.int64), ends, np.array([len(weights)]), np.empty(0, np.int64) if also is None else also]
    return np.unique(np.concatenate(bounds))


def number_entities(
    scratch: Scratch, relation: Ints, *, entities: int, bucket_rows: int, block_rows: int, partitioning: tuple[int, str]
) -> dict[str, Any]:
    """Write `rank`, the final number of each entity, and `degree`, its rows and triples; returns partition sizes.

    `relation` is the final number of each relation as it was read.
    """
    rows = scratch.folder / "rows"
    width = np.dtype(np.int32 if entities < 2**31 else np.int64)
    folder = scratch.fresh("numbers")
    out_rows = _count(number_blocks(rows / "subject", width, block_rows), entities)
    bounds = bucket_bounds(out_rows, bucket_rows)
    buckets = NumberBuckets(scratch.fresh("distinct"), len(bounds) - 1, row_dtype(width))
    columns = {"subject": width, "object": width, "relation": np.dtype(np.int32)}
    read = (number_blocks(rows / name, dtype, block_rows) for name, dtype in columns.items())
    for subject, object_, stated in zip(*read, strict=True):
        block = np.empty(len(subject), row_dtype(width))
        block["subject"], block["object"], block["relation"] = subject, object_, relation[stated]
        buckets.append(block, np.searchsorted(bounds, subject, side="right") - 1)
    buckets.close()
    into = _distinct(scratch, folder, bounds, width, entities, len(relation))
    rank, sizes = _order(folder, into, width, block_rows, partitioning)
    with NumberFile(folder / "rank", width) as file:
        file.append(rank)
    with NumberFile(folder / "weight", np.int64) as file:
        weight = np.empty(entities, np.int64)
        weight[rank] = out_rows + into
        file.append(weight)
    return {"sizes": sizes}


def _count(blocks: Iterable[Ints], length: int) -> NDArray[np.int64]:
    counts = np.zeros(length, np.int64)
    for numbers in blocks:
        found, times = np.unique(numbers, return_counts=True)
        counts[found] += times
    return counts


def _distinct(
    scratch: Scratch, folder: Path, bounds: Bounds, width: np.dtype[Any], entities: int, relations: int
) -> NDArray[np.int64]:
    """Write the ends of distinct triples; returns how many triples enter each entity."""
    into = np.zeros(entities, np.int64)
    with NumberFile(folder / "subject", width) as subjects, NumberFile(folder / "object", width) as objects:
        for at in range(len(bounds) - 1):
            rows = read_numbers(scratch.folder / "distinct" / f"{at:05}", row_dtype(width))
            subject, object_ = rows["subject"].astype(np.int64), rows["object"].astype(np.int64)
            order = sort_order(subject, object_, rows["relation"].astype(np.int64), entities, relations)
            starts = order[distinct_starts(subject[order], object_[order], rows["relation"][order])]
            subjects.append(subject[starts])
            objects.append(object_[starts])
            found, times = np.unique(object_[starts], return_counts=True)
            into[found] += times
    scratch.fresh("distinct").rmdir()
    return into


def _order(
    folder: Path, into: NDArray[np.int64], width: np.dtype[Any], block: int, partitioning: tuple[int, str]
) -> tuple[Ints, list[int]]:
    """The final number of each entity and the size of each partition."""
    entities = len(into)
    hubs = np.argsort(-into, kind="stable")
    rank = np.empty(entities, width)
    rank[hubs] = np.arange(entities, dtype=width)
    del hubs
    if partitioning[0] == 1:
        return rank, [entities]
    for end in ("subject", "object"):
        with NumberFile(folder / f"hub_{end}", width) as file:
            for plain in number_blocks(folder / end, width, block):
                file.append(rank[plain])
    ends = (read_numbers(folder / f"hub_{end}", width) for end in ("subject", "object"))
    chosen = choose_partitions(GraphShape(entities, *ends), *partitioning)
    sizes: list[int] = np.bincount(chosen, minlength=partitioning[0]).tolist()
    moved = np.argsort(chosen, kind="stable")
    del chosen
    final = np.empty(entities, width)
    final[moved] = np.arange(entities, dtype=width)
    return final[rank], sizes
