"""Tables of a synthetic graph of any size, written block by block: heavy-tailed degrees, names, types and sources.

`python -m benchmarks.partitions.recipe FOLDER` writes one of the size of PKG in the LogosKG paper (54.4 M entities,
86.5 M triples).
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

__all__ = ["ENTITIES", "TRIPLES", "write_tables"]

ENTITIES, TRIPLES = 54_400_000, 86_500_000
BLOCK = 1 << 20
RELATIONS, TYPES, SOURCES = 50, 12, 3
TAIL = 3  # the entity at share u of all is drawn as u ** TAIL: the largest hub has one triple in entities ** (1 / TAIL)
SPREAD = 2_654_435_761  # a prime: neighbouring draws become distant ids
NAMES = ("synthetic protein", "receptor variant", "chemical compound", "finding of disease", "publication on gene")


def write_tables(folder: Path, *, entities: int = ENTITIES, triples: int = TRIPLES, seed: int = 54) -> None:
    """Write entities.parquet and triples.parquet; some triples repeat."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "entities.parquet", _entities(entities))
    _write(folder / "triples.parquet", _triples(entities, triples, np.random.default_rng(seed)))


def _entities(count: int) -> Iterator[pa.Table]:
    kinds, types = pa.array(NAMES), pa.array([f"Type {at}" for at in range(TYPES)])
    for first in range(0, count, BLOCK):
        number = np.arange(first, min(first + BLOCK, count))
        words = kinds.take(pa.array(number % len(NAMES)))
        names = pc.binary_join_element_wise(words, pa.array(number * 7 % count).cast(pa.string()), " ")
        yield pa.table({"id": _ids(number), "name": names, "type": types.take(pa.array(number % TYPES))})


def _triples(entities: int, count: int, rng: np.random.Generator) -> Iterator[pa.Table]:
    relations = pa.array([f"relation {at}" for at in range(RELATIONS)])
    sources = pa.array([f"source {at}" for at in range(SOURCES)])
    for first in range(0, count, BLOCK):
        rows = min(BLOCK, count - first)
        ends = (entities * rng.random((2, rows)) ** TAIL).astype(np.int64)
        subject, object_ = ends * SPREAD % entities  # a hub of either direction is one of both
        yield pa.table(
            {
                "subject": _ids(subject),
                "relation": relations.take(pa.array(rng.integers(0, RELATIONS, rows))),
                "object": _ids(object_),
                "source": sources.take(pa.array(rng.integers(0, SOURCES, rows))),
            }
        )


def _ids(numbers: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise(pa.scalar("PKG"), pa.array(numbers).cast(pa.string()), ":")


def _write(path: Path, tables: Iterator[pa.Table]) -> None:
    writer = None
    for table in tables:
        if writer is None:
            writer = pq.ParquetWriter(path, table.schema, use_dictionary=["relation", "source", "type"])
        writer.write_table(table)
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    begun = time.perf_counter()
    write_tables(Path(sys.argv[1]))
    print(f"{time.perf_counter() - begun:.0f} s", file=sys.stderr)
