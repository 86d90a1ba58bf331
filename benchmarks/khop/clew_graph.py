"""A benchmark graph as Clew sees it: tables with CURIEs and names, built into a directory, opened and mapped back."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import clew
from benchmarks.khop.synthetic import BenchGraph
from clew.progress import Progress, silent

__all__ = ["TEN_RELATIONS", "OpenedGraph", "build_and_open", "entity_table", "ten_relations", "triple_table"]

TEN_RELATIONS = range(0, 300, 30)  # relations fall in frequency with their number: one common, nine rarer, 20 % in all
TYPES = ("Disease", "Phenotype", "Gene", "Drug", "Anatomy", "Pathway", "Procedure", "Organism")
QUALITIES = (
    "acute",
    "chronic",
    "familial",
    "primary",
    "secondary",
    "recurrent",
    "congenital",
    "severe",
    "mild",
    "late",
)
PLACES = ("renal", "cardiac", "hepatic", "cerebral", "pulmonary", "gastric", "dermal", "ocular", "skeletal", "vascular")
THINGS = ("stenosis", "neoplasm", "dysplasia", "fibrosis", "atrophy", "effusion", "ischaemia", "anomaly", "oedema")


@dataclass(frozen=True, slots=True)
class OpenedGraph:
    """An opened Clew graph and the two maps between the generator's numbers and Clew's."""

    engine: Any  # clew.Engine
    internal: np.ndarray  # generator's number -> Clew's
    generated: np.ndarray  # Clew's number -> generator's

    def seeds(self, query: np.ndarray) -> np.ndarray:
        """A query in Clew's numbers, ascending."""
        return np.sort(self.internal[query])

    def back(self, ids: np.ndarray) -> np.ndarray:
        """Clew's numbers as the generator's, ascending."""
        return np.sort(self.generated[ids]).astype(np.int64)


def build_and_open(graph: BenchGraph, directory: Path, *, progress: Progress = silent) -> OpenedGraph:
    """Build the graph under `directory` and open it on the compiled backend."""
    path = directory / f"{graph.name}.clew"
    clew.build(triple_table(graph), entities=entity_table(graph), out=path, progress=progress)
    engine = clew.open(path, backend="numba")
    curies = engine.describe(np.arange(graph.entities)).column("id")
    if isinstance(curies, pa.ChunkedArray):
        curies = curies.combine_chunks()
    generated = curie_numbers(curies)
    some = graph.queries[0]
    resolved = engine.resolve([f"E:{number:07d}" for number in some.tolist()])
    internal = np.empty(graph.entities, resolved.dtype)  # as wide as the graph's own numbers, as `resolve` gives them
    internal[generated] = np.arange(graph.entities)
    if not np.array_equal(resolved, internal[some]):
        raise RuntimeError("clew resolves CURIEs to other numbers than it lists them under")
    return OpenedGraph(engine, internal, generated)


def curie_numbers(curies: pa.Array) -> np.ndarray:
    """The generator's numbers in CURIEs such as E:0001234."""
    plain = curies.cast(pa.string()) if pa.types.is_dictionary(curies.type) else curies
    return pc.utf8_slice_codeunits(plain, 2).cast(pa.int64()).to_numpy(zero_copy_only=False)


def ten_relations() -> list[str]:
    """Names of the ten relations of the filtered rows."""
    return [f"relation_{number:03d}" for number in TEN_RELATIONS]


def triple_table(graph: BenchGraph) -> pa.Table:
    """One row per triple, with the KGX words that make some of them curated."""
    curies = _curies(graph.entities)
    relations = pa.array([f"relation_{number:03d}" for number in range(graph.relations)])
    curated = graph.curated.astype(np.int8)
    return pa.table(
        {
            "subject": curies.take(pa.array(graph.subject)),
            "relation": relations.take(pa.array(graph.relation)),
            "object": curies.take(pa.array(graph.object)),
            "agent_type": pa.array(["text_mining_agent", "manual_agent"]).take(pa.array(curated)),
            "knowledge_level": pa.array(["not_provided", "knowledge_assertion"]).take(pa.array(curated)),
        }
    )


def entity_table(graph: BenchGraph) -> pa.Table:
    """One row per entity: CURIE, a name like those of a clinical vocabulary, and a type."""
    number = np.arange(graph.entities)
    parts = [
        pa.array(words).take(pa.array(number // step % len(words)))
        for words, step in ((QUALITIES, 1), (PLACES, 10), (THINGS, 100))
    ]
    serial = pa.array(number).cast(pa.string())
    return pa.table(
        {
            "id": _curies(graph.entities),
            "name": pc.binary_join_element_wise(*parts, "type", serial, " "),
            "type": pa.array(TYPES).take(pa.array(number % len(TYPES))),
        }
    )


def _curies(entities: int) -> pa.Array:
    digits = pc.utf8_lpad(pa.array(np.arange(entities)).cast(pa.string()), 7, "0")
    return pc.binary_join_element_wise("E:", digits, "")
