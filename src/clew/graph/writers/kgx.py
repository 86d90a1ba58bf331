"""KGX, the exchange format of Biolink knowledge graphs: NAME_nodes and NAME_edges, as TSV or as JSON lines.

One edge per assertion. JSON lines keep every value. TSV keeps less: lists are joined with |, so a | inside an item
becomes %7C, and numbers become text; a file with a tab or line break in some value has everything in "…", column names
too, which is how the reader knows. Neither form can say that a relation is negated, symmetric or transitive, nor under
which licence a source stands: NAME_relations.json says it beside them, and the reader looks there.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clew.files import new_directory
from clew.graph.contents import GraphContents
from clew.graph.readers.own.declarations import beside, declarations
from clew.graph.staging import QUALIFIER_PREFIX, Relation
from clew.graph.writers import json_lines, tab_separated
from clew.graph.writers.blocks import BLOCK_ROWS, assertion_blocks, entity_blocks
from clew.progress import Progress, silent, track

__all__ = ["write", "write_json_lines"]

PREFIX = "biolink:"
LISTS = pa.list_(pa.string())
NODE_COLUMNS = {"id": "id", "category": "category", "name": "name", "synonyms": "synonym", "xrefs": "xref"}
EDGE_COLUMNS = {  # ours: KGX's, in the order of the file; further columns follow under their own names
    "id": "id",
    "subject": "subject",
    "relation": "predicate",
    "object": "object",
    "source": "primary_knowledge_source",
    "knowledge_level": "knowledge_level",
    "agent_type": "agent_type",
    "evidence": "publications",
    "negated": "negated",
    "confidence": "has_confidence_score",
}
Blocks = Callable[[], Iterator[pa.Table]]


def write(contents: GraphContents, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> list[Path]:
    """Write NAME_nodes.tsv and NAME_edges.tsv into the new directory `out`; NAME is that of the graph."""
    return _write(contents, out, "tsv", _write_tsv, overwrite=overwrite, progress=progress)


def write_json_lines(
    contents: GraphContents, out: Path, *, overwrite: bool = False, progress: Progress = silent
) -> list[Path]:
    """Write NAME_nodes.jsonl and NAME_edges.jsonl into the new directory `out`; NAME is that of the graph."""
    return _write(contents, out, "jsonl", _write_json_lines, overwrite=overwrite, progress=progress)


def _write(
    contents: GraphContents,
    out: Path,
    suffix: str,
    write_file: Callable[[Path, Blocks, Progress, int], None],
    *,
    overwrite: bool,
    progress: Progress,
) -> list[Path]:
    contents.verify()
    nodes, edges = (f"{_name(contents)}_{kind}.{suffix}" for kind in ("nodes", "edges"))
    with new_directory(out, overwrite=overwrite, marker=nodes) as directory:
        write_file(directory / nodes, partial(_nodes, contents), progress, contents.counts["entities"])
        write_file(directory / edges, partial(_edges, contents), progress, contents.counts["assertions"])
        declared = beside(directory / edges)
        declared.write_text(declarations(_relations(contents), contents.snapshot.sources), "utf-8")
    return [Path(out) / name for name in (nodes, edges, declared.name)]


def _name(contents: GraphContents) -> str:
    """The name of the graph, without its folder and ending."""
    return Path(contents.snapshot.name).absolute().stem


def _relations(contents: GraphContents) -> list[Relation]:
    return [Relation(r.name, r.negated, r.symmetric, r.transitive, r.inverse) for r in contents.schema.relations]


# ---- in the words of KGX


def _nodes(contents: GraphContents) -> Iterator[pa.Table]:
    for block in entity_blocks(contents):
        columns = dict(zip(block.column_names, block.columns, strict=True))
        types = columns.pop("type")
        listed = "categories" in columns and pa.types.is_list(columns["categories"].type)
        categories = _categories(types, columns.pop("categories") if listed else None)
        renamed = {
            f"{name}_property" if name in ("category", "categories") else name: columns[name] for name in columns
        }
        yield _renamed({**renamed, "category": categories}, NODE_COLUMNS)


def _categories(types: pa.ChunkedArray, given: pa.ChunkedArray | None) -> pa.Array:
    """The type of each entity, together with the categories it had in the KGX file it came from."""
    further = given.to_pylist() if given is not None else [None] * len(types)
    both = zip(types.to_pylist(), further, strict=True)
    listed = [more if more and kind in more else [kind, *(more or ())] for kind, more in both]
    return pa.array([[f"{PREFIX}{each}" for each in names] for names in listed], LISTS)


def _edges(contents: GraphContents) -> Iterator[pa.Table]:
    snapshot, row = contents.snapshot.id, 0
    for block in assertion_blocks(contents):
        columns = dict(zip(block.column_names, block.columns, strict=True))
        numbers = range(row, row + block.num_rows)
        columns["id"] = pa.array([f"clew:{snapshot}-{number}" for number in numbers], pa.string())
        columns["relation"] = pc.binary_join_element_wise(PREFIX, columns["relation"], "")
        del columns["subject_name"], columns["object_name"]
        qualifiers = {name: f"{name.removeprefix(QUALIFIER_PREFIX)}_qualifier" for name in columns if _qualifies(name)}
        yield _renamed(columns, EDGE_COLUMNS | qualifiers)
        row += block.num_rows


def _qualifies(name: str) -> bool:
    return name.startswith(QUALIFIER_PREFIX)


def _renamed(columns: dict[str, Any], names: dict[str, str]) -> pa.Table:
    """The columns in the order of `names` and called so, then all others."""
    ordered = [name for name in names if name in columns] + [name for name in columns if name not in names]
    return pa.table([columns[name] for name in ordered], [names.get(name, name) for name in ordered])


# ---- as lines


def _write_json_lines(path: Path, blocks: Blocks, progress: Progress, rows: int) -> None:
    json_lines.write_json_lines(path, _tracked(path, blocks, progress, rows))


def _write_tsv(path: Path, blocks: Blocks, progress: Progress, rows: int) -> None:
    tab_separated.write_tab_separated(path, partial(_tracked, path, blocks, progress, rows))


def _tracked(path: Path, blocks: Blocks, progress: Progress, rows: int) -> Iterator[pa.Table]:
    return track(blocks(), f"writing {path.name}", progress, total=max(1, -(-rows // BLOCK_ROWS)))
