"""Build the name index: from a graph's ids, cross-references, names and synonyms to sorted arrays.

It takes about a second for each hundred thousand names, and is written atomically.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from clew.errors import DerivedError, GraphError, InputError
from clew.graph import GraphContents
from clew.graph.storage.arrays import write_array
from clew.link.names.curies import curie_key, local_part
from clew.link.names.name_index import KINDS, LAYOUT, LinkIndex, index_identity, index_path, open_index
from clew.link.names.phrases import phrase_arrays
from clew.link.names.strings import hashes_of, pack
from clew.link.names.trigrams import trigram_arrays
from clew.link.normalise import key, loose_keys
from clew.progress import Progress, silent
from clew.sealed import building, new_sealed

__all__ = ["build_names", "open_or_build", "write_names"]

log = logging.getLogger(__name__)
Arrays = dict[str, NDArray[np.generic]]
CHUNK = 1 << 16  # entities read at a time
NAME, SYNONYM, ID, XREF = range(len(KINDS))
MOST_FORMS = 2**31 - 1


@dataclass(slots=True)
class _Collected:
    """Surface forms as three lists: text, entity, kind."""

    text: list[str] = field(default_factory=list)
    entity: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)

    def add(self, text: str, entity: int, kind: int) -> None:
        self.text.append(text)
        self.entity.append(entity)
        self.kind.append(kind)


def open_or_build(contents: GraphContents, *, progress: Progress = silent) -> LinkIndex:
    """Open the index of a graph, or build it: beside the graph, in the user's cache, or in memory if all else fails."""
    try:
        return open_index(contents)
    except DerivedError as error:
        log.info("building the name index of %s: %s", contents.snapshot, error)
    with building(index_path(contents, new=True)):
        with suppress(DerivedError):
            return open_index(contents)  # another program has built it meanwhile
        arrays = build_names(contents, progress=progress)
        try:
            write_names(contents, arrays)
            return open_index(contents)
        except GraphError as error:
            log.info("the name index of %s is kept in memory: %s", contents.snapshot, error)
            return LinkIndex(arrays.__getitem__)  # type: ignore[arg-type]


def write_names(contents: GraphContents, arrays: Arrays) -> None:
    """Write the arrays, with a seal."""
    counts = {f"count_{name}": count for name, count in _counts(arrays).items()}
    path = index_path(contents, new=True)
    with new_sealed(path, {**index_identity(contents), **counts}, what="name index", own=True) as directory:
        for name, array in arrays.items():
            write_array(directory / f"{name}.npy", array)


def build_names(contents: GraphContents, *, progress: Progress = silent) -> Arrays:
    """All arrays of the index, in memory; the graph is checked first, for what is derived from it is trusted."""
    contents.verify()
    names, ids = _Collected(), _Collected()
    for entity, identifier, name, synonyms, xrefs in _entities(contents, progress):
        ids.add(identifier, entity, ID)
        if name != identifier or ":" not in identifier:  # an entity without a name is called by a plain id
            names.add(name, entity, NAME)
        for synonym in dict.fromkeys(synonyms):
            if synonym and synonym != name:
                names.add(synonym, entity, SYNONYM)
        for xref in dict.fromkeys(xrefs):
            if xref and xref != identifier:
                ids.add(xref, entity, XREF)
    if len(names.text) > MOST_FORMS or len(ids.text) > MOST_FORMS:
        raise InputError(f"{contents.snapshot} has more than {MOST_FORMS:,} names or ids, the most an index can hold")
    arrays = _id_arrays(ids)
    arrays |= _name_arrays(names, progress)
    return {name: np.ascontiguousarray(arrays[name], LAYOUT[name][0]) for name in LAYOUT}


def _entities(contents: GraphContents, progress: Progress) -> Iterator[tuple[int, str, str, list[str], list[str]]]:
    total, done = contents.counts["entities"], 0
    for block in contents.scan_entities(("id", "name", "synonyms", "xrefs"), rows=CHUNK):
        progress("reading names", done, total)
        lists: list[list[list[str]]] = [
            [[str(each) for each in row or () if each is not None] for row in block[column].to_pylist()]
            if column in block.schema.names
            else [[]] * block.num_rows
            for column in ("synonyms", "xrefs")
        ]
        numbers = range(done, done + block.num_rows)
        yield from zip(numbers, block["id"].to_pylist(), block["name"].to_pylist(), *lists, strict=True)
        done += block.num_rows
    progress("reading names", total, total)


def _name_arrays(names: _Collected, progress: Progress) -> Arrays:
    total = len(names.text)
    row_of: dict[str, int] = {}
    of_form = np.empty(total, np.int64)
    for at, text in enumerate(names.text):
        if at % CHUNK == 0:
            progress("normalising names", at, total)
        of_form[at] = row_of.setdefault(key(text), len(row_of))
    progress("sorting names", 0, None)
    distinct = list(row_of)
    hashes = hashes_of(distinct)
    order = np.argsort(hashes, kind="stable")
    keys = [distinct[at] for at in order.tolist()]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    row = rank[of_form]
    entity, kind = np.array(names.entity, np.int64), np.array(names.kind, np.uint8)
    by_row = np.lexsort((entity, kind, row))
    key_text, key_start = pack(keys)
    form_text, form_text_start = pack(names.text[at] for at in by_row.tolist())
    progress("indexing trigrams", 0, None)
    grams = trigram_arrays(key_text, key_start)
    progress("indexing words", 0, None)
    return {
        "key_hash": hashes[order],
        "key_text": key_text,
        "key_start": key_start,
        "form_start": np.searchsorted(row[by_row], np.arange(len(keys) + 1)),
        "form_text": form_text,
        "form_text_start": form_text_start,
        "form_entity": entity[by_row],
        "form_kind": kind[by_row],
        **_loose_arrays(keys),
        **grams,
        **phrase_arrays([_words(each) for each in keys]),
    }


def _words(name_key: str) -> list[str]:
    """The words of a key; none if it consists of punctuation, which is not searched for in running text."""
    return name_key.split() if any(character.isalnum() for character in name_key) else []


def _loose_arrays(keys: list[str]) -> Arrays:
    pairs = [(each, row) for row, name_key in enumerate(keys) for each in dict.fromkeys(loose_keys(name_key))]
    hashes = hashes_of(each for each, _ in pairs)
    rows = np.fromiter((row for _, row in pairs), np.int32, len(pairs))
    order = np.lexsort((rows, hashes))
    return {"loose_hash": hashes[order], "loose_key": rows[order]}


def _id_arrays(ids: _Collected) -> Arrays:
    hashes = hashes_of(curie_key(text) or text for text in ids.text)
    entity, kind = np.array(ids.entity, np.int64), np.array(ids.kind, np.uint8)
    order = np.lexsort((entity, kind, hashes))
    texts = [ids.text[at] for at in order.tolist()]
    content, starts = pack(texts)
    return {
        "id_hash": hashes[order],
        "id_text": content,
        "id_text_start": starts,
        "id_entity": entity[order],
        "id_kind": kind[order],
        **_local_arrays(texts),
    }


def _local_arrays(texts: list[str]) -> Arrays:
    """Local ids that occur under one prefix only."""
    holders: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        if ":" in text and (local := local_part(text)) is not None:
            holders.setdefault(local, []).append(row)
    single = {
        local: rows
        for local, rows in holders.items()
        if len({curie_key(texts[row]) or texts[row] for row in rows}) == 1
    }
    hashes = hashes_of(local for local, rows in single.items() for _ in rows)
    rows = np.fromiter((row for rows in single.values() for row in rows), np.int64)
    order = np.lexsort((rows, hashes))
    return {"local_hash": hashes[order], "local_id": rows[order]}


def _counts(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, int]:
    """The number of rows of each kind, from the arrays."""
    return {length: len(arrays[name]) for name, (_, length, _) in LAYOUT.items() if "+" not in length}
