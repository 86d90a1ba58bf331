"""KGX, the exchange format of Biolink knowledge graphs: a file of nodes and a file of edges, as TSV or JSON Lines.

Nodes become entities, edges become triples with one assertion each; `biolink:` before categories and predicates is
dropped. In TSV nothing is quoted, unless the column names are, and values of a list are separated by |. An edge that
was observed in no case (has_count 0, has_percentage 0) is a negated assertion.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.graph.readers import json_lines
from clew.graph.readers.biolink import GENERIC_CATEGORIES, SYMMETRIC_PREDICATES
from clew.graph.readers.conversion import LIST_SEPARATOR
from clew.graph.readers.delimited import Delimited
from clew.graph.readers.own.declarations import beside, read_declarations
from clew.graph.readers.parts import Part, check_entities, check_triples, join
from clew.graph.readers.source_files import check_file, plain_suffix
from clew.graph.staging import QUALIFIER_PREFIX, Problems, Relation, Source, Staged
from clew.progress import Progress, silent, track

__all__ = ["find_files", "read", "read_files"]

log = logging.getLogger(__name__)
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

FORMATS = (".tsv", ".jsonl")
PREFIX = "biolink:"
EDGE = ("subject", "predicate", "object")
NODE = ("id",)
QUALIFIER = "_qualifier"  # the end of the name of an edge's qualifier columns
ASSERTION_COLUMNS = {  # ours: KGX's, the first that a file has
    "source": ("primary_knowledge_source", "knowledge_source", "provided_by"),
    "evidence": ("publications",),
    "knowledge_level": ("knowledge_level",),
    "agent_type": ("agent_type",),
    "confidence": ("has_confidence_score", "score"),
    "negated": ("negated",),
    **{name: (name,) for name in ("source_version", "license", "retrieved_at", "document", "valid_from", "valid_to")},
}
OBSERVED = ("has_count", "has_percentage", "has_quotient")  # how often: none of them is 0 where the edge holds
COUNTED = (*OBSERVED, "has_total")
RENAMED = {"synonym": "synonyms", "xref": "xrefs"}
MADE_HERE = ("type", "categories", "synonyms", "xrefs")  # entity columns that no other column of a node may be called
NODE_TYPES = {"category": pa.string()} | dict.fromkeys(  # further columns of nodes with a known type
    ("provided_by", "same_as", "publications", "exact_synonym", "broad_synonym", "narrow_synonym", "related_synonym"),
    pa.list_(pa.string()),
)


def read(source: Paths, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Read a directory, the files that begin with a prefix (see `find_files`), or a list of files of both sorts."""
    nodes, edges = find_files(source) if isinstance(source, str | os.PathLike) else _sorted_by_name(source)
    return read_files(nodes, edges, problems=problems, progress=progress)


def _sorted_by_name(files: Sequence[str | os.PathLike[str]]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    paths = [Path(file) for file in files]
    nodes, edges = (tuple(path for path in paths if f"{part}." in path.name) for part in ("nodes", "edges"))
    odd = [path for path in paths if path not in (*nodes, *edges)]
    if odd:
        raise InputError(
            f"{odd[0]} is neither KGX nodes nor KGX edges by its name: expected NAME_nodes.tsv or NAME_edges.tsv"
        )
    return nodes, edges


def read_files(nodes: Paths, edges: Paths, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Read one or several files of nodes and of edges (.tsv or .jsonl, also with .gz)."""
    entity_parts = [
        _with_types(check_entities(part, problems, further=NODE_TYPES))
        for part in _parts(nodes, NODE, _node_columns, problems, progress)
    ]
    entities, entity_origin = join(entity_parts, encode=lambda name: name == "type")
    triple_parts = [
        _with_absences(_with_relations(check_triples(part, problems)))
        for part in _parts(edges, EDGE, _edge_columns, problems, progress)
    ]
    triples, triple_origin = join(triple_parts, encode=lambda name: True)
    names = triples.column("relation").unique().to_pylist()
    declared, sources = _declared(edges)
    symmetric = {name: Relation(name, symmetric=True) for name in names if name in SYMMETRIC_PREDICATES}
    relations = [relation for name, relation in sorted((symmetric | declared).items()) if name in names]
    return Staged(triples, entities, relations, sources, triple_origin, entity_origin)


def _declared(edges: Paths) -> tuple[dict[str, Relation], list[Source]]:
    """The relations and sources declared beside the files of edges, where Clew wrote them."""
    files = [edges] if isinstance(edges, str | os.PathLike) else edges
    relations: dict[str, Relation] = {}
    sources: dict[Source, None] = {}
    for path in (beside(Path(file)) for file in files):
        if path.is_file():
            found, credited = read_declarations(path)
            relations |= {relation.name: relation for relation in found}
            sources |= dict.fromkeys(credited)
    return relations, list(sources)


def find_files(path: str | os.PathLike[str]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The files of nodes and of edges in a directory, or those that begin with a prefix: "data/hpo" means
    data/hpo_nodes.tsv and data/hpo_edges.tsv (or .jsonl, or with .gz)."""
    path = Path(path)
    folder, prefix = (path, None) if path.is_dir() else (path.parent, path.name)
    if not folder.is_dir():
        raise InputError(f"there is no directory {folder}")
    found = tuple(_find(folder, prefix, kind) for kind in ("nodes", "edges"))
    for kind, files in zip(("nodes", "edges"), found, strict=True):
        if not files:
            pattern = f"{prefix}_{kind}" if prefix else f"*_{kind}"
            raise InputError(
                f"{folder} has no KGX file of {kind}: expected {pattern}.tsv or {pattern}.jsonl, perhaps with .gz"
            )
    return found[0], found[1]


def _find(folder: Path, prefix: str | None, kind: str) -> tuple[Path, ...]:
    by_stem: dict[str, list[Path]] = {}
    for file in sorted(folder.iterdir()):
        stem = Path(file.stem if file.suffix.lower() == ".gz" else file.name).stem
        named = stem == f"{prefix}_{kind}" if prefix else stem == kind or stem.endswith(f"_{kind}")
        if named and plain_suffix(file) in FORMATS and file.is_file():
            by_stem.setdefault(stem, []).append(file)
    for files in by_stem.values():
        if len(files) > 1:
            names = ", ".join(file.name for file in files)
            raise InputError(f"{folder} has the same {kind} more than once ({names}); pass the one to read")
    return tuple(files[0] for files in by_stem.values())


def _parts(
    given: Paths,
    required: Sequence[str],
    choose: Callable[[Iterable[str]], dict[str, str]],
    problems: Problems,
    progress: Progress,
) -> Iterator[Part]:
    """Each file (or block of one) with the columns that `choose` picks from its columns: our name → KGX's."""
    paths = [given] if isinstance(given, str | os.PathLike) else list(given)
    kind = "nodes" if required is NODE else "edges"
    if not paths:
        raise InputError(f"{kind} is an empty list, expected at least one KGX file")
    for path in track([check_file(each) for each in paths], f"reading {kind}", progress, total=len(paths)):
        if plain_suffix(path) == ".tsv":
            yield _read_tsv(path, required, choose, problems)
        elif plain_suffix(path) == ".jsonl":
            yield from _read_json_lines(path, required, choose, problems)
        else:
            raise InputError(f"{path} is no KGX file that can be read: expected .tsv or .jsonl, perhaps with .gz")


def _read_tsv(
    path: Path, required: Sequence[str], choose: Callable[[Iterable[str]], dict[str, str]], problems: Problems
) -> Part:
    file = Delimited(path, "\t", quoted=False)
    header = file.header()
    if all(name.startswith('"') for name in header):  # written by a program that quotes
        file = Delimited(path, "\t")
        header = file.header()
    for name in required:
        if header.count(name) != 1:
            raise InputError(f"{path} must have one column {name}, as KGX does; its columns are {', '.join(header)}")
    names = choose(header)
    _log_left_out(path, set(header) - set(names.values()))
    return _renamed(file.read(list(names.values()), problems), names)


def _read_json_lines(
    path: Path, required: Sequence[str], choose: Callable[[Iterable[str]], dict[str, str]], problems: Problems
) -> Iterator[Part]:
    left_out: set[str] = set()
    for part in json_lines.read(path, required, problems):
        names = choose(part.table.column_names)
        left_out |= set(part.table.column_names) - set(names.values())
        yield _renamed(part, names)
    _log_left_out(path, left_out)


def _renamed(part: Part, names: dict[str, str]) -> Part:
    return replace(part, table=pa.table({ours: part.table.column(theirs) for ours, theirs in names.items()}))


def _log_left_out(path: Path, names: set[str]) -> None:
    if names:
        log.info("%s: columns left out: %s", path, ", ".join(sorted(names)))


def _edge_columns(names: Iterable[str]) -> dict[str, str]:
    present = list(names)
    chosen = {"subject": "subject", "relation": "predicate", "object": "object"}
    for ours, theirs in ASSERTION_COLUMNS.items():
        found = next((name for name in theirs if name in present), None)
        if found is not None:
            chosen[ours] = found
    chosen |= {QUALIFIER_PREFIX + name: name for name in COUNTED if name in present}
    qualifiers = (name for name in present if name.endswith(QUALIFIER) and name != QUALIFIER)
    return chosen | {QUALIFIER_PREFIX + name.removesuffix(QUALIFIER): name for name in qualifiers}


def _node_columns(names: Iterable[str]) -> dict[str, str]:
    return {RENAMED.get(name, name): name for name in names if name and name not in MADE_HERE}


def _with_relations(part: Part) -> Part:
    """The part with the prefix of its predicates dropped."""
    place = part.table.column_names.index("relation")
    names = _map_distinct(part.table.column(place), lambda name: name.removeprefix(PREFIX), pa.string())
    return replace(part, table=part.table.set_column(place, "relation", names))


def _with_absences(part: Part) -> Part:
    """The part with what was observed in none marked as negated, in addition to what says so itself."""
    table = part.table
    counts = [
        table.column(QUALIFIER_PREFIX + name) for name in OBSERVED if QUALIFIER_PREFIX + name in table.column_names
    ]
    if not counts:
        return part
    none = reduce(pc.or_, (_map_distinct(column, _is_zero, pa.bool_()).fill_null(False) for column in counts))
    if "negated" not in table.column_names:
        return replace(part, table=table.append_column("negated", none))
    place = table.column_names.index("negated")
    stated = table.column(place).fill_null(False)
    return replace(part, table=table.set_column(place, "negated", pc.or_(stated, none)))


def _is_zero(text: str) -> bool:
    try:
        return float(text.removesuffix("%")) == 0
    except ValueError:
        return False


def _with_types(part: Part) -> Part:
    """The part with the columns `type` and `categories` for its category."""
    if "category" not in part.table.column_names:
        return part
    given = part.table.column("category")
    table = part.table.drop_columns(["category"])
    table = table.append_column("type", _map_distinct(given, lambda cell: _type(_categories(cell)), pa.string()))
    table = table.append_column("categories", _map_distinct(given, _categories, pa.list_(pa.string())))
    return replace(part, table=table)


def _categories(cell: str) -> list[str]:
    names = (each.strip().removeprefix(PREFIX) for each in cell.split(LIST_SEPARATOR))
    return [name for name in names if name]


def _type(categories: Sequence[str]) -> str | None:
    """The first telling category, else the most telling of the generic ones.

    >>> _type(["NamedThing", "Disease", "BiologicalEntity"]), _type(["NamedThing", "BiologicalEntity"])
    ('Disease', 'BiologicalEntity')
    """
    ranks = {name: rank for rank, name in enumerate(GENERIC_CATEGORIES)}
    return min(categories, key=lambda name: ranks.get(name, -1), default=None)


def _map_distinct(column: pa.ChunkedArray, change: Callable[[str], Any], kind: pa.DataType) -> pa.ChunkedArray:
    """The column with every value changed, calling `change` once for each distinct value."""
    encoded = column.unify_dictionaries() if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if not encoded.num_chunks:
        return pa.chunked_array([], kind)
    changed = pa.array([change(value) for value in encoded.chunk(0).dictionary.to_pylist()], kind)
    return pa.chunked_array([changed.take(chunk.indices) for chunk in encoded.chunks], kind)
