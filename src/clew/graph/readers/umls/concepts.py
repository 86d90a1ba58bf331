"""Concepts of the UMLS as entities: names and codes of MRCONSO, semantic types of MRSTY."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.graph.readers.ontology.types import WORD
from clew.graph.readers.umls.choice import Choice
from clew.graph.readers.umls.rows import blocks
from clew.graph.staging import Problems

__all__ = ["read_entities"]

PREFIX = "UMLS:"
TEXT, LISTS = pa.string(), pa.list_(pa.string())
NO_CODE = "NOCODE"
FIELDS = ("CUI", "LAT", "TS", "STT", "ISPREF", "SAB", "CODE", "STR", "SUPPRESS")
RANKS = (("TS", "P", 4), ("STT", "PF", 2), ("ISPREF", "Y", 1))  # of the names of a concept, the preferred one highest
Ints = np.ndarray[Any, np.dtype[np.int64]]


def read_entities(names: Path, types: Path, vocabularies: Choice, ends: pa.Array, problems: Problems) -> pa.Table:
    """Every concept with an English name in the chosen vocabularies, or in a triple."""
    atoms = _atoms(names, vocabularies, problems)
    listed = atoms["CUI"].unique()
    ids = pa.concat_arrays([listed.combine_chunks() if isinstance(listed, pa.ChunkedArray) else listed, ends]).unique()
    owner = pc.index_in(atoms["CUI"], value_set=ids).to_numpy().astype(np.int64)
    order = np.lexsort((np.arange(len(owner)), -atoms["rank"].to_numpy(), owner))
    texts, owner = atoms["STR"].combine_chunks().take(pa.array(order)), owner[order]
    first = np.flatnonzero(np.diff(owner, prepend=-1) != 0)
    place = np.full(len(ids), -1, np.int64)
    place[owner[first]] = first
    codes = pc.binary_join_element_wise(atoms["SAB"], atoms["CODE"], ":").combine_chunks().take(pa.array(order))
    coded = pc.not_equal(atoms["CODE"].combine_chunks().take(pa.array(order)), NO_CODE)
    kinds = _types(types, ids, problems)
    return pa.table(
        {
            "id": pc.binary_join_element_wise(PREFIX, ids, ""),
            "name": texts.take(pa.array(place, mask=place < 0)),
            "synonyms": _lists(texts, owner, len(ids), without=first),
            "xrefs": _lists(codes.filter(coded), owner[coded.to_numpy(zero_copy_only=False)], len(ids)),
            **kinds,
        }
    )


def _atoms(path: Path, vocabularies: Choice, problems: Problems) -> pa.Table:
    """Current English names of the chosen vocabularies, each with a rank."""
    kept = []
    for table, _ in blocks(path, "MRCONSO", FIELDS, problems):
        usable = pc.and_(pc.equal(table["LAT"], "ENG"), pc.equal(table["SUPPRESS"], "N"))
        usable = pc.and_(pc.fill_null(usable, False), table["STR"].is_valid())
        part = table.filter(pc.and_(usable, vocabularies.among(table["SAB"])))
        rank = sum(
            pc.equal(part[name], value).fill_null(False).to_numpy().astype(np.int64) * points
            for name, value, points in RANKS
        )
        kept.append(part.select(["CUI", "SAB", "CODE", "STR"]).append_column("rank", pa.array(rank)))
    return pa.concat_tables(kept) if kept else pa.table({name: pa.array([], TEXT) for name in (*FIELDS, "rank")})


def _types(path: Path, ids: pa.Array, problems: Problems) -> dict[str, pa.Array]:
    """The first semantic type of each concept, and all where it has several."""
    parts = [table for table, _ in blocks(path, "MRSTY", ("CUI", "STY"), problems)]
    table = pa.concat_tables(parts)
    owner = pc.index_in(table["CUI"], value_set=ids).fill_null(-1).to_numpy().astype(np.int64)
    known = np.flatnonzero(owner >= 0)
    order = known[np.argsort(owner[known], kind="stable")]
    encoded = table["STY"].combine_chunks().dictionary_encode()
    named = pa.array([_type(name) for name in encoded.dictionary.to_pylist()], TEXT)
    texts, owner = named.take(encoded.indices.take(pa.array(order))), owner[order]
    first = np.flatnonzero(np.diff(owner, prepend=-1) != 0)
    place = np.full(len(ids), -1, np.int64)
    place[owner[first]] = first
    found = {"type": texts.take(pa.array(place, mask=place < 0))}
    several = _lists(texts, owner, len(ids))
    if pc.any(pc.greater(pc.list_value_length(several), 1)).as_py():
        found["semantic_types"] = several
    return found


def _type(name: str) -> str:
    """A semantic type as one word: "Disease or Syndrome" is DiseaseOrSyndrome."""
    return "".join(word[0].upper() + word[1:] for word in WORD.findall(name or ""))


def _lists(texts: pa.Array, owner: Ints, count: int, *, without: Ints | None = None) -> pa.ListArray:
    """The distinct texts of each owner, in order, without those of some rows; null where there are none."""
    codes = texts.dictionary_encode().indices.to_numpy().astype(np.int64)
    pair = owner * (codes.max(initial=0) + 1) + codes
    _, kept = np.unique(pair, return_index=True)
    if without is not None:
        kept = np.setdiff1d(kept, np.flatnonzero(np.isin(pair, pair[without])))
    kept = np.sort(kept)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(owner[kept], minlength=count)))).astype(np.int32)
    return pa.ListArray.from_arrays(
        pa.array(offsets), texts.take(pa.array(kept)), type=LISTS, mask=pa.array(np.diff(offsets) == 0)
    )
