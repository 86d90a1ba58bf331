"""Codes of a source spelt out: its types, relations, columns and values get the names that a codebook has for them.

In: a `Staged` and a codebook, which is {code: name} or a table with the columns code and name, and if need be `of`:
what the code is one of (type, relation or column), or the column that it is a value of. Out: the `Staged` with names.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import pyarrow as pa

from clew.errors import InputError
from clew.graph.readers.delimited import DELIMITED, Delimited, delimiter_of
from clew.graph.readers.parts import DESCRIPTIONS, ENTITY_TYPES, TRIPLE
from clew.graph.readers.source_files import check_file, plain_suffix, unreadable
from clew.graph.readers.tab_separated import map_values
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX, Problems, Relation, Staged

__all__ = ["Codebook", "Codes", "read_codebook", "spelt_out"]

Codes = str | os.PathLike[str] | Mapping[str, str]
CODE, NAME, OF = "code", "name", "of"
TYPE, RELATION, COLUMN = "type", "relation", "column"
TYPES = ("subject_type", "object_type")
OF_TRIPLES = frozenset({*TRIPLE, *ASSERTION_TYPES, *DESCRIPTIONS})  # columns that have their names from Clew
OF_ENTITIES = frozenset(ENTITY_TYPES)


@dataclass(frozen=True, slots=True)
class Codebook:
    """Names by code: of types, relations and columns, and of the values of each column."""

    types: Mapping[str, str]
    relations: Mapping[str, str]
    columns: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]


def read_codebook(given: Codes) -> Codebook:
    """Read a codebook; a code that is not said to be one of something may be a type, a relation or a column."""
    where = "codebook=" if isinstance(given, Mapping) else str(given)
    rows = [(code, name, None) for code, name in given.items()] if isinstance(given, Mapping) else _rows(given)
    families: dict[str, dict[str, str]] = {TYPE: {}, RELATION: {}, COLUMN: {}}
    for code, name, of in rows:
        if not code or not name:
            lacking, other = (NAME, code) if code else (CODE, name)
            raise InputError(
                f"{where} has no {lacking} for {other!r}: each line needs both; leave out what is to stay as it is"
            )
        for family in (of,) if of else (TYPE, RELATION, COLUMN):
            said = families.setdefault(family, {}).setdefault(code, name)
            if said != name:
                raise InputError(f"{where} says that {code} is {said!r} and that it is {name!r}: give it one name")
    types, relations, columns = (families.pop(family) for family in (TYPE, RELATION, COLUMN))
    return Codebook(types, relations, columns, families)


def spelt_out(staged: Staged, codebook: Codebook, problems: Problems) -> Staged:
    """The source with names in place of codes; codes that it does not have are noted."""
    used: set[str] = set()
    triples = _spelt(staged.triples, codebook, used)
    entities = None if staged.entities is None else _spelt(staged.entities, codebook, used)
    relations = [_declared(each, codebook.relations) for each in staged.relations]
    _note_unused(codebook, used, [staged.triples, *([] if staged.entities is None else [staged.entities])], problems)
    return replace(staged, triples=triples, entities=entities, relations=relations)


def _rows(path: str | os.PathLike[str]) -> Iterator[tuple[str | None, str | None, str | None]]:
    file_path = check_file(path)
    if plain_suffix(file_path) not in DELIMITED:
        raise unreadable(file_path, f"{', '.join(DELIMITED)} (also with .gz)")
    file = Delimited(file_path, delimiter_of(file_path))
    header = file.header()
    if CODE not in header or NAME not in header:
        raise InputError(
            f"{file_path} has the columns {', '.join(header)}, expected {CODE} and {NAME}, and {OF} where it "
            "matters what a code is: type, relation, column, or the column that it is a value of"
        )
    problems = Problems()
    table = file.read([each for each in (CODE, NAME, OF) if each in header], problems).table
    problems.settle()
    columns = [table[each].to_pylist() if each in header else [None] * len(table) for each in (CODE, NAME, OF)]
    yield from zip(*columns, strict=True)


def _declared(relation: Relation, names: Mapping[str, str]) -> Relation:
    inverse = relation.inverse and names.get(relation.inverse, relation.inverse)
    return replace(relation, name=names.get(relation.name, relation.name), inverse=inverse)


def _spelt(table: pa.Table, codebook: Codebook, used: set[str]) -> pa.Table:
    """A table of triples or entities with names in its cells and its header."""
    kept = _kept(table)
    coded = {RELATION: codebook.relations} | dict.fromkeys(TYPES if kept is OF_TRIPLES else (TYPE,), codebook.types)
    named: dict[str, pa.ChunkedArray] = {}
    for column in table.column_names:
        bare = name = column.removeprefix(QUALIFIER_PREFIX)
        cells = coded.get(column, {})
        if column not in kept:
            name = codebook.columns.get(bare, bare)
            cells = {**codebook.values.get(bare, {}), **codebook.values.get(name, {})}
        if name != bare:
            used.add(bare)
        whole = f"{column.removesuffix(bare)}{name}"
        if name != bare and (whole in kept or whole in table.column_names or whole in named):
            raise InputError(f"codebook= calls the column {bare} {name!r}, and so is another: give it another name")
        named[whole] = _with_names(table[column], cells, used)
    return pa.table(named)


def _kept(table: pa.Table) -> frozenset[str]:
    return OF_TRIPLES if RELATION in table.column_names and "subject" in table.column_names else OF_ENTITIES


def _with_names(column: pa.ChunkedArray, names: Mapping[str, str], used: set[str]) -> pa.ChunkedArray:
    """A column of text with names in place of codes; any other column as it is."""
    text = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not names or not (pa.types.is_string(text) or pa.types.is_large_string(text)):
        return column

    def name(value: str) -> str:
        if value in names:
            used.add(value)
        return names.get(value, value)

    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return pa.chunked_array([map_values(each, name) for each in coded.chunks], pa.dictionary(pa.int32(), pa.string()))


def _note_unused(codebook: Codebook, used: set[str], tables: Sequence[pa.Table], problems: Problems) -> None:
    """A code that nothing has is probably a misspelt one."""
    listed = [codebook.types, codebook.relations, codebook.columns, *codebook.values.values()]
    unused = dict.fromkeys(code for family in listed for code in family if code not in used)
    known = sorted(set(_known(tables))) if unused else []
    for code in unused:
        close = get_close_matches(code, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "no type, relation, column or value is called so"
        problems.note("code that nothing has", code, hint)


def _known(tables: Iterable[pa.Table]) -> Iterator[str]:
    """What codes of some tables there are: types, relations and columns."""
    for table in tables:
        for column in table.column_names:
            if column in (TYPE, RELATION, *TYPES):
                yield from (each for each in table[column].unique().to_pylist() if each)
            elif column not in _kept(table):
                yield column.removeprefix(QUALIFIER_PREFIX)
