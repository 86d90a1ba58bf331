"""A seed graph as four small tables that travel with a model, and the graph again.

entities, triples, relations and sources, in Parquet, in one sealed folder. What a graph holds beyond what extraction
asks of it (other relations, qualifiers, confidences) stays behind.
"""

from collections.abc import Collection
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from clew.errors import DerivedError, InputError
from clew.graph import GraphContents, Relation, Source, Staged
from clew.graph.build import build_graph
from clew.graph.staging import Problems
from clew.graph.writers.blocks import assertion_blocks, entity_blocks
from clew.progress import Progress, silent
from clew.sealed import check_seal, new_sealed

__all__ = ["build_seed", "write_seed"]

WHAT = "a seed graph in tables"
ENTITIES, TRIPLES = ["id", "name", "type", "synonyms", "xrefs"], ["subject", "relation", "object", "source"]
LEVEL, AGENT = "knowledge_assertion", "not_provided"
CLOSEST = 19  # of zstd: written once, carried often
Row = TypeVar("Row", Relation, Source)


def write_seed(graph: GraphContents, out: Path, *, relations: Collection[str]) -> dict[str, int]:
    """Write all entities of a graph and the triples of some relations (or of their inverses) into the folder `out`."""
    kept = [each for each in graph.schema.relations if each.name in relations or each.inverse in relations]
    if not kept:
        raise InputError(
            f"{graph.snapshot} has none of the relations {', '.join(relations)}: give the graph of the model"
        )
    names = {field.name for field in fields(Relation)}
    declared = [Relation(**{name: getattr(each, name) for name in names}) for each in kept]
    stated = pa.concat_tables(assertion_blocks(graph)).select([*TRIPLES, "license"])
    stated = stated.filter(pc.is_in(stated["relation"], pa.array([each.name for each in declared])))
    sources = _sources(graph, stated)
    stated = stated.group_by(TRIPLES).aggregate([])
    stated = stated.sort_by([(name, "ascending") for name in ("source", "relation", "subject", "object")])
    entities = pa.concat_tables(entity_blocks(graph))
    entities = entities.select([name for name in ENTITIES if name in entities.column_names]).sort_by("id")
    with new_sealed(out, {"snapshot": graph.snapshot.id}, what=WHAT) as folder:
        _write(entities, folder / "entities.parquet", coded=["type"], sorted_by="id")
        _write(stated, folder / "triples.parquet", coded=["relation", "object", "source"], sorted_by="subject")
        for name, rows in (("relations", declared), ("sources", sources)):
            pq.write_table(pa.Table.from_pylist([asdict(row) for row in rows]), folder / f"{name}.parquet")
    return {"entities": entities.num_rows, "triples": stated.num_rows}


def build_seed(folder: Path, out: Path, *, remedy: str, progress: Progress = silent) -> None:
    """Build the graph of such a folder at `out`; `remedy` is the command that brings a damaged folder back."""
    check_seal(folder, {}, what=f"the seed graph at {folder}", remedy=remedy, verify=True)
    try:
        tables = {
            name: pq.read_table(folder / f"{name}.parquet") for name in ("entities", "triples", "relations", "sources")
        }
        relations = _records(tables["relations"], Relation)
        sources = _records(tables["sources"], Source)
        triples = tables["triples"]
        licences = {each.name: each.license for each in sources}
        stated = {
            "license": [licences.get(name) for name in triples["source"].to_pylist()],
            "knowledge_level": [LEVEL] * triples.num_rows,
            "agent_type": [AGENT] * triples.num_rows,
        }
        for name, column in stated.items():
            triples = triples.append_column(name, pa.array(column, pa.string()))
    except (OSError, pa.ArrowException, TypeError, KeyError) as error:
        raise DerivedError(f"the seed graph at {folder} cannot be read ({error}): run `{remedy}`") from error
    staged = Staged(triples, tables["entities"], relations, sources)
    build_graph(staged, out, problems=Problems("refuse"), overwrite=True, progress=progress)


def _sources(graph: GraphContents, stated: pa.Table) -> list[Source]:
    """Who states these rows; with the licence of the rows where a source is declared without one, or not at all."""
    licences: dict[str, str | None] = {}
    for row in stated.group_by(["source", "license"]).aggregate([]).to_pylist():
        if row["source"] is not None:
            licences[row["source"]] = licences.get(row["source"]) or row["license"]
    declared = {each.name: each for each in graph.snapshot.sources}
    found = [declared.get(name, Source(name)) for name in sorted(licences)]
    return [replace(each, license=each.license or licences[each.name]) for each in found]


def _write(table: pa.Table, path: Path, *, coded: list[str], sorted_by: str) -> None:
    encoding = {sorted_by: "DELTA_BYTE_ARRAY"}
    pq.write_table(
        table, path, compression="zstd", compression_level=CLOSEST, use_dictionary=coded, column_encoding=encoding
    )


def _records(table: pa.Table, kind: type[Row]) -> list[Row]:
    return [kind(**row) for row in table.to_pylist()]
