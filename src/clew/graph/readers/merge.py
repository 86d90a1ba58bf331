"""Several sources as one: every assertion, entity, relation flag and source record kept, differences counted.

An entity is described by the first source that says something: a name that differs becomes a synonym, lists are
united, of any other value that differs the first one stays.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import accumulate
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.graph.encode import UNTYPED, Ints, distinct_entities, first_rows, unite
from clew.graph.readers.parts import DESCRIPTIONS, Part, join
from clew.graph.staging import Origin, Problems, Relation, Source, Staged

__all__ = ["declare", "merge", "unite_entities"]

TEXT = pa.string()
LISTS = pa.list_(TEXT)
Record = TypeVar("Record", Relation, Source)


def declare(staged: Staged, relations: Sequence[Relation], sources: Sequence[Source]) -> Staged:
    """The source with what the caller declares about relations and sources added to what it says itself."""
    flags = {relation.name: relation for relation in staged.relations}
    for relation in relations:
        flags[relation.name] = _united(relation, flags.get(relation.name, relation))
    declared = {source.name: source for source in sources}
    records = [_united(declared.get(source.name, source), source) for source in staged.sources]
    named = {source.name for source in records}
    records.extend(source for source in declared.values() if source.name not in named)
    return replace(staged, relations=list(flags.values()), sources=records)


def _united(first: Record, second: Record) -> Record:
    """The first record with its gaps (absent or false) filled from the second."""
    return type(first)(*(getattr(first, each.name) or getattr(second, each.name) for each in fields(first)))


def merge(staged: Sequence[Staged], problems: Problems) -> Staged:
    """One source made of several; `problems.differences` counts where they disagree."""
    entities = unite_entities(
        [distinct_entities(each, problems) for each in staged], [_label(s) for s in staged], problems
    )
    parts = [Part(_label(each), each.triples.drop_columns(_descriptions(each)), _identity) for each in staged]
    triples, _ = join(parts, encode=lambda name: True)
    return Staged(
        triples, entities, _relations(staged, problems), _sources(staged, problems), _origin(staged), Origin()
    )


def _label(staged: Staged) -> str:
    return staged.triple_origin.files[0]


def _descriptions(staged: Staged) -> list[str]:
    return [name for name in staged.triples.column_names if name in DESCRIPTIONS]


def _identity(row: int) -> int:
    return row


def _origin(staged: Sequence[Staged]) -> Origin:
    """Where each row of all triples, one source after another, came from."""
    origins = [each.triple_origin for each in staged]
    before = accumulate((each.triples.num_rows for each in staged[:-1]), initial=0)
    return Origin(
        files=tuple(file for origin in origins for file in origin.files),
        starts=tuple(rows + start for rows, origin in zip(before, origins, strict=True) for start in origin.starts),
        lines=tuple(line for origin in origins for line in origin.lines),
    )


# ---- entities


def unite_entities(tables: Sequence[pa.Table], labels: Sequence[str], problems: Problems) -> pa.Table:
    """One row per id; a name or type that only stands for an absent one does not count."""
    parts = [Part(label, _without_placeholders(table), _identity) for label, table in zip(labels, tables, strict=True)]
    table, _ = join(parts, encode=lambda name: False)
    owner = np.repeat(np.arange(len(parts)), [part.table.num_rows for part in parts])  # row → source
    table, renamed = _names_as_synonyms(table)
    for row in renamed.tolist():
        _note(problems, labels[owner[row]], "name", table["id"][row].as_py(), "kept as a synonym")

    def report(column: str, rows: Ints, firsts: Ints, values: pa.Array) -> None:
        for row, first in zip(rows.tolist(), firsts.tolist(), strict=True):
            what = f"{values[row].as_py()!r}, but {values[first].as_py()!r} in {labels[owner[first]]}, which is kept"
            _note(problems, labels[owner[row]], column, table["id"][row].as_py(), what)

    return unite(table, report)


def _note(problems: Problems, where: str, column: str, entity: str, what: str) -> None:
    problems.note(f"different {column}", where, f"{entity!r}: {what}")


def _without_placeholders(table: pa.Table) -> pa.Table:
    """The table without names that repeat the id and without the type that untyped entities are given."""
    for name, stand_in in (("name", table["id"].cast(TEXT)), ("type", pa.scalar(UNTYPED))):
        if name in table.column_names:
            column = table[name].cast(TEXT)
            blank = pc.if_else(pc.equal(column, stand_in), pa.scalar(None, TEXT), column)
            table = table.set_column(table.column_names.index(name), name, blank)
    return table


def _names_as_synonyms(table: pa.Table) -> tuple[pa.Table, Ints]:
    """Names that differ from the first of their entity moved to rows of synonyms at the end, and the rows they left."""
    if "name" not in table.column_names:
        return table, np.empty(0, np.int64)
    names = table["name"].combine_chunks()
    present = np.flatnonzero(pc.is_valid(names).to_numpy(zero_copy_only=False))
    first = first_rows(table["id"], present)  # (rows,) the first row that names the entity of each row
    codes = names.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    moved = present[codes[present] != codes[first[present]]]
    if not len(moved):
        return table, moved
    mask = np.zeros(table.num_rows, bool)
    mask[moved] = True
    kept = pc.if_else(pa.array(mask), pa.scalar(None, TEXT), names)
    table = table.set_column(table.column_names.index("name"), "name", kept)
    offsets = pa.array(np.arange(len(moved) + 1, dtype=np.int32))
    synonyms = pa.ListArray.from_arrays(offsets, names.take(pa.array(moved)), type=LISTS)
    added = pa.table({"id": table["id"].take(pa.array(moved)), "synonyms": synonyms})
    return pa.concat_tables([table, added], promote_options="permissive"), moved


# ---- relations and sources


def _relations(staged: Sequence[Staged], problems: Problems) -> list[Relation]:
    """Flags of every source united; a relation may not be negated in one source and not in another."""
    merged: dict[str, tuple[Relation, str]] = {}
    for each in staged:
        declared = {relation.name: relation for relation in each.relations}
        for name in each.triples["relation"].unique().to_pylist():
            relation = declared.get(name, Relation(name))
            known, label = merged.setdefault(name, (relation, _label(each)))
            if relation == known:
                continue
            if relation.negated != known.negated:
                one, other = (label, _label(each)) if known.negated else (_label(each), label)
                raise InputError(
                    f"the relation {name!r} is negated in {one} and not in {other}: rename one of them, or declare it "
                    f"negated in both with relations=[Relation({name!r}, negated=True)]"
                )
            problems.note(
                "different relation flags",
                _label(each),
                f"{name!r}: {_flags(relation)}, but {_flags(known)} in {label}",
            )
            merged[name] = _united(known, relation), label
    return [relation for relation, _ in merged.values()]


def _flags(relation: Relation) -> str:
    set_ = [flag for flag in ("symmetric", "transitive") if getattr(relation, flag)]
    return ", ".join([*set_, *([f"inverse of {relation.inverse}"] if relation.inverse else [])]) or "no flags"


def _sources(staged: Sequence[Staged], problems: Problems) -> list[Source]:
    """Every distinct record. A source counts as curated only if it does wherever it is stated."""
    records: dict[Source, str] = {}
    for each in staged:
        for source in each.sources:
            records.setdefault(source, _label(each))
    not_curated = {name for each in staged for name in _stated(each) - {s.name for s in each.sources if s.curated}}
    kept: dict[Source, None] = {}
    for source, label in records.items():
        if source.curated and source.name in not_curated:
            problems.note("different curation", label, f"source {source.name!r} is declared curated here only")
        kept[replace(source, curated=source.curated and source.name not in not_curated)] = None
    _note_versions(list(kept), problems)
    return list(kept)


def _stated(staged: Staged) -> set[str]:
    """The sources that a table of triples names."""
    columns = staged.triples.column_names
    return set(staged.triples["source"].unique().drop_null().to_pylist()) if "source" in columns else set()


def _note_versions(kept: Sequence[Source], problems: Problems) -> None:
    first: dict[str, Source] = {}
    for source in kept:
        known = first.setdefault(source.name, source)
        if known != source:
            differ = [each.name for each in fields(Source) if getattr(known, each.name) != getattr(source, each.name)]
            problems.note("different source", source.name, f"records differ in {', '.join(differ)}; both are kept")
