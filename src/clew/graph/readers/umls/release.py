"""MRCONSO, MRREL and MRSTY staged as a graph of concepts.

A concept is an entity with its preferred English name, its other English names as synonyms, its codes in the chosen
vocabularies as cross-references and its semantic type. MRREL lists every relation from both ends and reads from its
second concept to its first ("CUI2 RELA CUI1"): rows of one direction are kept.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.readers.source_files import check_file
from clew.graph.readers.tab_separated import line_origin
from clew.graph.readers.umls.choice import Choice
from clew.graph.readers.umls.concepts import PREFIX, read_entities
from clew.graph.readers.umls.rows import blocks
from clew.graph.staging import Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

FILES = ("MRCONSO", "MRREL", "MRSTY")
TEXT = pa.string()
NAMES = {  # REL, where RELA says no more → what CUI2 is to CUI1
    "CHD": "is_a",
    "RN": "narrower_than",
    "RO": "related_to",
    "RL": "similar_to",
    "RQ": "possibly_synonymous_with",
    "SY": "synonymous_with",
    "SIB": "sibling_of",
}
SYMMETRIC = frozenset(("related_to", "similar_to", "possibly_synonymous_with", "synonymous_with", "sibling_of"))
LEFT_OUT = frozenset(("PAR", "RB", "AQ", "QB", "XR", "DEL"))  # CHD and RN from the other end; qualifiers; no relation
FIELDS = ("CUI1", "REL", "CUI2", "RELA", "SAB", "DIR", "SUPPRESS")
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def read(
    source: Paths,
    *,
    vocabularies: Sequence[str] | None = None,
    keep_relations: Sequence[str] | None = None,
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Stage a directory with the three files (also with .gz), or the files.

    `vocabularies` (SAB, such as SNOMEDCT_US) and `keep_relations` (REL or RELA, such as CHD or may_treat) keep only
    these.
    """
    files = _files(source)
    sab, rel = Choice("vocabularies", vocabularies), Choice("keep_relations", keep_relations)
    progress("reading MRREL", 0, 2)
    triples, lines = _triples(files["MRREL"], sab, rel, problems)
    sab.check()
    rel.check()
    progress("reading MRCONSO and MRSTY", 1, 2)
    ends = pa.concat_arrays([triples[end].combine_chunks() for end in ("subject", "object")]).unique()
    entities = read_entities(files["MRCONSO"], files["MRSTY"], sab, ends, problems)
    for end in ("subject", "object"):
        prefixed = pc.binary_join_element_wise(PREFIX, triples[end], "")
        triples = triples.set_column(triples.column_names.index(end), end, prefixed)
    used = triples["relation"].unique().to_pylist()
    credited = [
        Source(name, url="https://www.nlm.nih.gov/research/umls") for name in triples["source"].unique().to_pylist()
    ]
    progress("read the UMLS", 2, 2)
    return Staged(
        triples,
        entities,
        [Relation(name, symmetric=name in SYMMETRIC, transitive=name == "is_a") for name in used],
        credited,
        line_origin([(files["MRREL"].name, lines)]),
        Origin((f"{files['MRCONSO'].name}, concept",)),
    )


def _files(source: Paths) -> dict[str, Path]:
    """The three files, wherever they were given."""
    given = [Path(source)] if isinstance(source, str | os.PathLike) else [Path(each) for each in source]
    paths = [path for each in given for path in (sorted(each.iterdir()) if each.is_dir() else [each])]
    found = {path.name.upper().partition(".")[0]: path for path in paths if ".RRF" in path.name.upper()}
    if len(given) == 1 and given[0].is_file():  # the others are in the same folder
        found = {
            path.name.upper().partition(".")[0]: path
            for path in given[0].parent.iterdir()
            if ".RRF" in path.name.upper()
        }
    missing = [name for name in FILES if name not in found]
    if missing:
        raise InputError(
            f"{given[0]}: there is no {missing[0]}.RRF; expected {', '.join(f'{name}.RRF' for name in FILES)}"
        )
    return {name: check_file(found[name]) for name in FILES}


def _triples(path: Path, sab: Choice, rel: Choice, problems: Problems) -> tuple[pa.Table, NDArray[np.int64]]:
    """Statements between concepts, and their lines: CUI2 is the subject."""
    parts, places = [], []
    loops = 0
    for table, lines in blocks(path, "MRREL", FIELDS, problems):
        mask = pc.and_(sab.among(table["SAB"]), rel.among(table["REL"], table["RELA"]))
        other = pc.is_in(table["REL"], value_set=pa.array(sorted(LEFT_OUT)))
        turned = pc.or_(
            pc.equal(table["DIR"].fill_null(""), "N"), pc.starts_with(table["RELA"].fill_null(""), "inverse_")
        )
        mask = pc.and_not(mask, pc.or_(other, turned))
        mask = pc.and_(mask, pc.is_in(table["SUPPRESS"].fill_null(""), value_set=pa.array(["", "N"])))
        mask = pc.and_(mask, pc.and_(table["CUI1"].is_valid(), table["CUI2"].is_valid()))
        loop = pc.and_(mask, pc.equal(table["CUI1"], table["CUI2"]))
        loops += pc.sum(loop).as_py() or 0
        mask = pc.fill_null(pc.and_not(mask, loop), False)
        kept = table.filter(mask)
        parts.append(
            pa.table(
                {
                    "subject": kept["CUI2"],
                    "relation": _relations(kept),
                    "object": kept["CUI1"],
                    "source": kept["SAB"],
                    "qualifier:rel": kept["REL"],
                }
            )
        )
        places.append(lines[mask.to_numpy()])
    if loops:
        problems.note(
            "relation of a concept to itself left out", path.name, "it links two names of one concept", count=loops
        )
    if not parts:
        raise InputError(f"{path} is empty")
    return pa.concat_tables(parts), np.concatenate(places)


def _relations(table: pa.Table) -> pa.ChunkedArray:
    """RELA where there is one, else a name for REL."""
    broad = table["REL"].combine_chunks().dictionary_encode()
    named = pa.array([NAMES.get(name, name.lower()) for name in broad.dictionary.to_pylist()], TEXT).take(broad.indices)
    told = table["RELA"].combine_chunks()
    told = pc.if_else(pc.equal(told, "isa"), "is_a", told)
    return pc.coalesce(told, named)
