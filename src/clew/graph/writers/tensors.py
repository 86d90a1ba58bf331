"""Arrays for graph learning: what PyTorch Geometric and DGL take, as NumPy files, without importing either.

edge_index.npy (2, triples), edge_type.npy (triples,), node_type.npy (entities,) and the tables that name their numbers.
Triples that only negated statements make are left out, as walks leave them out.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from clew.files import new_directory
from clew.graph.assertions import Where
from clew.graph.contents import GraphContents, read_entities, read_triples
from clew.graph.storage.arrays import numbers_of
from clew.progress import Progress, silent

__all__ = ["write"]

INDEX = "edge_index.npy"


def write(contents: GraphContents, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> list[Path]:
    """Write the arrays, and entities.parquet, relations.parquet and types.parquet, into the new directory `out`."""
    contents.verify()
    with new_directory(out, overwrite=overwrite, marker=INDEX) as directory:
        progress("writing triples", 0, 1)
        triples = read_triples(contents, where=Where(negated=False))
        columns = {
            name: numbers_of(triples[name].combine_chunks()).astype(np.int64)
            for name in ("subject", "relation", "object")
        }
        np.save(directory / INDEX, np.stack((columns["subject"], columns["object"])))
        np.save(directory / "edge_type.npy", columns["relation"])
        progress("writing triples", 1, 1)
        progress("writing entities", 0, 1)
        np.save(directory / "node_type.npy", contents.types_of().astype(np.int64))
        described = read_entities(contents, columns=["id", "name", "type"])
        texts = {name: described[name].cast(pa.string()) for name in ("id", "name", "type")}
        pq.write_table(pa.table(texts), directory / "entities.parquet")
        flags = ("name", "negated", "symmetric", "transitive", "inverse")
        relations = [{name: getattr(each, name) for name in flags} for each in contents.schema.relations]
        pq.write_table(pa.Table.from_pylist(relations), directory / "relations.parquet")
        pq.write_table(
            pa.table({"type": pa.array(list(contents.schema.types), pa.string())}), directory / "types.parquet"
        )
        names = sorted(file.name for file in directory.iterdir())
        progress("writing entities", 1, 1)
    return [Path(out) / name for name in names]
