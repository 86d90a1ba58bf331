"""Equivalences and where each comes from: SSSOM files of mappings, and cross-references of the entities themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import UnknownName
from clew.graph.readers.source_files import check_file
from clew.graph.readers.tab_separated import read_tab_separated
from clew.graph.staging import Problems

__all__ = ["EXACT", "PREDICATES", "Equivalence", "in_full", "read_sssom", "shared_xrefs"]

EXACT = "skos:exactMatch"
PREDICATES = (EXACT, "skos:closeMatch", "skos:broadMatch", "skos:narrowMatch", "skos:relatedMatch",
              "owl:equivalentClass", "owl:sameAs")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two ids of one thing, and who says so."""

    one: str
    other: str
    predicate: str
    why: str  # the justification of the mapping, or the cross-reference
    where: str  # file and line


def in_full(given: Sequence[str]) -> tuple[str, ...]:
    """The predicates in full; a prefix may be left out.

    >>> in_full(["closeMatch"])
    ('skos:closeMatch',)
    """
    known = {each.partition(":")[2].lower(): each for each in PREDICATES}
    found = []
    for name in given:
        short = name.rpartition(":")[2].rpartition("#")[2].lower()
        if short not in known:
            close = tuple(known[each] for each in get_close_matches(short, known, n=1))
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise UnknownName(
                f"no predicate of mappings is called {name!r}: {hint}known: {', '.join(PREDICATES)}", close=close
            )
        found.append(known[short])
    return tuple(found)


def read_sssom(path: Path, *, predicates: Sequence[str], problems: Problems) -> list[Equivalence]:
    """The mappings of an SSSOM TSV file with one of some predicates; negated ones are left out."""
    rows = read_tab_separated(
        check_file(path),
        required=("subject_id", "predicate_id", "object_id"),
        optional=("predicate_modifier", "mapping_justification"),
        problems=problems,
    )
    for name in ("subject_id", "object_id"):
        rows = rows.refuse(name, lambda value: bool(value), expected="an id such as MONDO:0005148", problems=problems)
    short = {each.partition(":")[2] for each in predicates}
    rows = rows.keep(
        rows.test("predicate_id", lambda value: (value or "").rpartition(":")[2].rpartition("#")[2] in short)
    )
    rows = rows.keep(rows.test("predicate_modifier", lambda value: value is None))
    columns = (
        rows.column(name).to_pylist() for name in ("subject_id", "object_id", "predicate_id", "mapping_justification")
    )
    return [
        Equivalence(one, other, predicate, why or "", f"{path.name}:{line}")
        for one, other, predicate, why, line in zip(*columns, rows.lines.tolist(), strict=True)
    ]


def shared_xrefs(entities: pa.Table, problems: Problems) -> list[Equivalence]:
    """Entities of different vocabularies that name each other, or the same id elsewhere, as a cross-reference.

    A cross-reference that several entities of one vocabulary have says nothing about which of them is meant.
    """
    if "xrefs" not in entities.column_names:
        return []
    ids = entities["id"].cast(pa.string()).combine_chunks()
    lists = entities["xrefs"].combine_chunks()
    owners = ids.take(pc.list_parent_indices(lists)).to_pylist()
    holders: dict[str, list[str]] = {}
    for owner, xref in zip(owners, pc.list_flatten(lists).to_pylist(), strict=True):
        if xref:
            holders.setdefault(xref, []).append(owner)
    present = set(ids.to_pylist())
    found: list[Equivalence] = []
    for xref, named in holders.items():
        group = list(dict.fromkeys([xref, *named] if xref in present else named))
        prefixes = [each.partition(":")[0] for each in group]
        if len(set(prefixes)) < 2:
            continue
        if len(set(prefixes)) < len(prefixes):
            problems.note("ambiguous cross-reference", xref, f"{', '.join(group[:4])} are not merged by it")
            continue
        why = f"shared cross-reference {xref}"
        found += [Equivalence(group[0], other, EXACT, why, "xrefs") for other in group[1:]]
    return found
