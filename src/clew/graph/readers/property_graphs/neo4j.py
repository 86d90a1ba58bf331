"""CSV files of neo4j-admin (import of version 4, database import of 5): nodes and relationships with typed headers.

A header is the first line of a file, or a file of its own (`people-header.csv` beside `people.csv` and
`people-part1.csv`). Labels become the type, the first of several; ids of several id spaces carry the space where they
are not CURIEs. Properties of relationships are columns of assertions where they are called so, else qualifiers.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.graph.readers.delimited import Delimited, delimiter_of
from clew.graph.readers.own.declarations import read_declarations
from clew.graph.readers.parts import Part, check_entities, check_triples, join
from clew.graph.readers.property_graphs.columns import entity_column, statement_column
from clew.graph.readers.property_graphs.neo4j_columns import ROLES, Column, parse_header, typed
from clew.graph.readers.source_files import check_file, plain_suffix
from clew.graph.staging import Problems, Relation, Source, Staged
from clew.progress import Progress, silent, track

__all__ = ["DECLARED", "OWN_SEPARATOR", "read"]

DECLARED = "relations.json"  # beside our own exports: flags of relations, sources
OWN_SEPARATOR = "\x1f"  # of arrays in our own exports
SEPARATOR = ";"  # of arrays, unless neo4j-admin is told otherwise
HEADER = re.compile(r"(?P<stem>.+?)[-_.]?header$", re.IGNORECASE)
TEXT = pa.string()
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class _File:
    """A file of rows and the columns of its header."""

    path: Path
    delimiter: str
    columns: list[Column]
    headless: bool  # its header is another file

    @property
    def roles(self) -> set[str]:
        return {column.role for column in self.columns}


def read(
    source: Paths, *, list_separator: str | None = None, problems: Problems, progress: Progress = silent
) -> Staged:
    """Stage a directory or a list of files; arrays are separated by `list_separator` (default ;)."""
    paths, folder = _paths(source)
    declared = folder / DECLARED
    relations: list[Relation] = []
    sources: list[Source] = []
    separator = list_separator or SEPARATOR
    if declared.is_file():
        relations, sources = read_declarations(declared)
        separator = list_separator or OWN_SEPARATOR
    files = _files(paths)
    nodes = [file for file in files if "ID" in file.roles]
    edges = [file for file in files if {"START_ID", "END_ID"} <= file.roles]
    if not nodes or not edges:
        missing = "nodes (a column :ID)" if not nodes else "relationships (columns :START_ID and :END_ID)"
        raise InputError(f"{folder} has no file of {missing}, as neo4j-admin import takes them")
    spaces = {column.space for file in nodes for column in file.columns if column.role == "ID"}
    staging = _Staging(len(spaces) > 1, separator, problems)
    described = [staging.nodes(file) for file in track(nodes, "reading nodes", progress, total=len(nodes))]
    stated = [staging.edges(file) for file in track(edges, "reading relationships", progress, total=len(edges))]
    entities, entity_origin = join(described, encode=lambda name: name == "type")
    triples, triple_origin = join(stated, encode=lambda name: True)
    return Staged(triples, entities, relations, sources, triple_origin, entity_origin)


def _paths(source: Paths) -> tuple[list[Path], Path]:
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    paths: list[Path] = []
    for each in map(Path, given):
        inside = (
            sorted(file for file in each.iterdir() if plain_suffix(file) in (".csv", ".tsv"))
            if each.is_dir()
            else [each]
        )
        paths += [check_file(path) for path in inside]
    if not paths:
        raise InputError(f"{given[0]} holds no CSV file")
    return paths, Path(given[0]) if Path(given[0]).is_dir() else paths[0].parent


def _files(paths: Sequence[Path]) -> list[_File]:
    """Every file of rows with its header."""
    headers = {path: found["stem"] for path in paths if (found := HEADER.fullmatch(_stem(path)))}
    files: list[_File] = []
    for path in paths:
        if path in headers:
            continue
        owner = _header_of(path, headers)
        delimiter = delimiter_of(owner or path)
        columns = parse_header(owner or path, Delimited(owner or path, delimiter).header())
        if not {column.role for column in columns} & {"ID", "START_ID"}:
            raise InputError(
                f"{path} has no header of neo4j-admin: expected a column like id:ID or :START_ID in its first line, "
                f"or a file {_stem(path)}-header.csv in the same folder"
            )
        files.append(_File(path, delimiter, columns, owner is not None))
    return files


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def _header_of(path: Path, headers: dict[Path, str]) -> Path | None:
    """The file with the header of another, by its name: the longest stem that begins the other's."""
    fitting = [each for each, stem in headers.items() if _stem(path).startswith(stem)]
    return max(fitting, key=lambda each: len(headers[each]), default=None)


class _Staging:
    """Rows of files as parts of the staged tables."""

    def __init__(self, spaced: bool, separator: str, problems: Problems) -> None:
        self.spaced, self.separator, self.problems = spaced, separator, problems

    def nodes(self, file: _File) -> Part:
        """Entities: id, type and properties."""
        part = self._rows(file)
        names = [column.name for column in file.columns if column.role == "" and column.name]
        columns: dict[str, pa.ChunkedArray] = {}
        for column in file.columns:
            values = part.table.column(column.header) if column.role != "IGNORE" else None
            if column.role == "ID":
                columns["id"] = self._ids(values, column)
            elif column.role == "LABEL":
                columns |= self._labels(values)
            elif column.role == "" and values is not None:
                columns[entity_column(column.name, names)] = typed(part, column, self.separator, self.problems)
        fixed = next((column.label for column in file.columns if column.label), None)
        if "type" not in columns and fixed:
            columns["type"] = pa.chunked_array([pa.array([fixed] * part.table.num_rows, TEXT)])
        return check_entities(replace(part, table=pa.table(columns)), self.problems)

    def edges(self, file: _File) -> Part:
        """Statements: both ends, relation and properties."""
        part = self._rows(file)
        columns: dict[str, pa.ChunkedArray] = {}
        for column in file.columns:
            if column.role in ("START_ID", "END_ID"):
                columns[ROLES[column.role]] = self._ids(part.table.column(column.header), column)
            elif column.role == "TYPE":
                columns["relation"] = part.table.column(column.header)
            elif column.role == "":
                columns[statement_column(column.name)] = typed(part, column, self.separator, self.problems)
        if "relation" not in columns:
            raise InputError(f"{file.path} has no column :TYPE, which names the relation")
        return check_triples(replace(part, table=pa.table(columns)), self.problems)

    def _rows(self, file: _File) -> Part:
        headers = [column.header for column in file.columns]
        used = [column.header for column in file.columns if column.role != "IGNORE"]
        repeated = [header for header in used if headers.count(header) > 1]
        if repeated:
            raise InputError(f"{file.path} has the column {repeated[0]!r} more than once; rename all but one")
        rows = Delimited(file.path, file.delimiter, names=tuple(headers) if file.headless else None)
        return rows.read(used, self.problems)

    def _ids(self, values: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
        if not self.spaced or not column.space:
            return values
        spaced = pc.binary_join_element_wise(column.space, values, ":")
        return pc.if_else(pc.match_substring(values, ":"), values, spaced)

    def _labels(self, values: pa.ChunkedArray) -> dict[str, pa.ChunkedArray]:
        """The first label as type, all of them as categories where a node has several."""
        listed = pc.split_pattern(values, self.separator)
        first = pc.list_element(listed, 0)
        several = pc.greater(pc.list_value_length(listed), 1)
        if not pc.any(several).as_py():
            return {"type": first}
        return {"type": first, "categories": pc.if_else(several, listed, pa.scalar(None, listed.type))}
