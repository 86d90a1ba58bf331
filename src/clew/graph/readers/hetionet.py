"""Hetionet v1.0: 47,031 entities of 11 types, from its node table, a SIF file of triples and files that name sources.

The relation is the verb of the metaedge (upregulates, treats, …). Metaedges that share a verb (AuG, CuG, DuG) share the
relation: the types of its ends tell them apart. An undirected metaedge within one type is a symmetric relation; between
two types the triple runs as the metaedge is named (Disease associates Gene), one way.
"""

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import BuildError, InputError
from clew.graph.readers.source_files import open_bytes
from clew.graph.readers.tab_separated import TEXT, TabSeparated, constant, line_origin, map_values, read_tab_separated
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX, Problems, Relation, Source, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

log = logging.getLogger(__name__)
NAME, VERSION = "Hetionet", "1.0"
NODES, EDGES = "hetionet-v1.0-nodes.tsv", "hetionet-v1.0-edges.sif"
LARGEST_METAGRAPH = 64 << 20  # bytes
METAGRAPH, METAEDGES = "hetionet-v1.0-metagraph.json", "metaedges.tsv"
NOT_PROVIDED = "not_provided"  # Hetionet mixes curated, measured and text-mined statements without telling which
# Identifiers that come without a prefix, by kind and by how they look; the others are CURIEs already (GO:0000002).
PREFIXES = (
    ("Gene", re.compile(r"\d+"), "NCBIGene"),
    ("Compound", re.compile(r"DB\d+"), "DrugBank"),
    ("Pathway", re.compile(r"PC\d+_\d+"), "PathwayCommons"),
    ("Pathway", re.compile(r"WP\d+_r\d+"), "WikiPathways"),  # with the revision that was used
    ("Pharmacologic Class", re.compile(r"N\d+"), "NDFRT"),
    ("Side Effect", re.compile(r"C\d+"), "UMLS"),
    ("Symptom", re.compile(r"D\d+"), "MESH"),
)
STATED = pa.schema(  # columns of what a source file states
    [
        *((name, TEXT) for name in ("subject", "relation", "object", "source", "source_version", "license")),
        ("evidence", ASSERTION_TYPES["evidence"]),
        *((name, TEXT) for name in ("knowledge_level", "agent_type")),
        *((QUALIFIER_PREFIX + name, TEXT) for name in ("source_detail", "actions", "affinity_nM")),
    ]
)
DETAILED = re.compile(r"(.+?) \((.+)\)")  # "DrugBank (target)"


@dataclass(frozen=True, slots=True)
class _Metaedge:
    """One kind of triple, such as DaG: Disease - associates - Gene."""

    abbreviation: str
    subject: str
    verb: str
    object: str
    directed: bool


@dataclass(frozen=True, slots=True)
class _SourceFile:
    """A file that names the resources behind the triples of one metaedge, and its columns for the two ends."""

    name: str
    metaedge: str
    subject: str
    object: str


SOURCE_FILES = (
    _SourceFile("DaG-association.tsv", "DaG", "doid_id", "entrez_gene_id"),
    _SourceFile("CbG-binding.tsv", "CbG", "drugbank_id", "entrez_gene_id"),
)


@dataclass(frozen=True, slots=True)
class _Part:
    """Triples from one file with their line numbers; `licenses` by resource, where one is known."""

    file: str
    triples: pa.Table
    lines: NDArray[np.int64]
    licenses: Mapping[str, str | None]


def read(
    directory: Path | str, *, edges: Path | str | None = None, problems: Problems, progress: Progress = silent
) -> Staged:
    """Stage Hetionet from a directory of its files (each may be .gz); `edges` names the SIF file if there are several.

    Where DaG-association.tsv or CbG-binding.tsv states a triple, its assertions come from there, with sources, licences
    and publications; rows there about entities that Hetionet does not have are no part of it and are left out.
    """
    folder = Path(directory)
    steps = 2 + len(SOURCE_FILES)
    progress("reading Hetionet entities", 0, steps)
    metaedges = _read_metaedges(folder, problems)
    entities, nodes = _read_entities(folder, problems)
    known = frozenset(entities["id"].to_pylist())
    parts: list[_Part] = []
    for step, file in enumerate(SOURCE_FILES, 1):
        progress("reading Hetionet sources", step, steps)
        path = _find(folder, file.name)
        if path is not None and file.metaedge in metaedges:
            parts.append(_read_sourced(path, file, metaedges[file.metaedge], known, problems))
    progress("reading Hetionet triples", steps - 1, steps)
    parts.insert(0, _read_plain(_edges(folder, edges), metaedges, parts, problems))
    triples = pa.concat_tables([part.triples for part in parts], promote_options="default")
    progress("read Hetionet", steps, steps)
    return Staged(
        triples=triples.unify_dictionaries().combine_chunks(),
        entities=entities,
        relations=_relations(metaedges.values()),
        sources=_sources(parts),
        triple_origin=line_origin([(part.file, part.lines) for part in parts]),
        entity_origin=line_origin([(nodes.file, nodes.lines)]),
    )


def _find(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _edges(folder: Path, edges: Path | str | None) -> Path:
    """The SIF file that was asked for, the one of the whole of Hetionet, or the only one there is."""
    if edges is not None:
        return folder / edges  # an absolute path stays as it is
    whole = _find(folder, EDGES)
    if whole is not None:
        return whole
    found = sorted(path for pattern in ("*.sif", "*.sif.gz") for path in folder.glob(pattern))
    if len(found) == 1:
        return found[0]
    names = ", ".join(path.name for path in found) or "none"
    raise InputError(f"{folder} has no {EDGES}[.gz] and not exactly one other SIF file ({names}): name one with edges=")


def _read_metaedges(folder: Path, problems: Problems) -> dict[str, _Metaedge]:
    """Kinds of triples by abbreviation, from the metagraph or, without one, from the list of metaedges."""
    metagraph, listing = _find(folder, METAGRAPH), _find(folder, METAEDGES)
    if metagraph is not None:
        found = _parse_metagraph(metagraph)
    elif listing is not None:
        found = _parse_metaedges(read_tab_separated(listing, required=("metaedge", "abbreviation"), problems=problems))
    else:
        raise InputError(f"{folder} has neither {METAGRAPH} nor {METAEDGES}, which say what the metaedges mean")
    return {metaedge.abbreviation: metaedge for metaedge in found}


def _parse_metagraph(path: Path) -> list[_Metaedge]:
    try:
        with open_bytes(path) as stream:
            body = json.loads(stream.read(LARGEST_METAGRAPH))
        short = body["kind_to_abbrev"]
        found = []
        for subject, object_, verb, direction in body["metaedge_tuples"]:
            arrow = {"both": "", "forward": ">"}[direction]
            found.append(
                _Metaedge(short[subject] + short[verb] + arrow + short[object_], subject, verb, object_, arrow != "")
            )
    except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
        raise BuildError(f"{path} is not a Hetionet metagraph: {type(error).__name__}: {error}") from error
    return found


def _parse_metaedges(listing: TabSeparated) -> list[_Metaedge]:
    found = []
    for row, line in zip(listing.table.to_pylist(), listing.lines.tolist(), strict=True):
        match = re.fullmatch(r"(.+) ([->]) (.+) \2 (.+)", row["metaedge"] or "")
        if match is None:
            expected = "expected one such as 'Gene > regulates > Gene'"
            raise BuildError(f"{listing.file}:{line}: metaedge {row['metaedge']!r}, {expected}")
        subject, arrow, verb, object_ = match.groups()
        found.append(_Metaedge(row["abbreviation"], subject, verb, object_, arrow == ">"))
    return found


def _relations(metaedges: Iterable[_Metaedge]) -> tuple[Relation, ...]:
    """One relation per verb, symmetric if every metaedge of that verb is."""
    symmetric: dict[str, bool] = {}
    for metaedge in metaedges:
        both_ways = not metaedge.directed and metaedge.subject == metaedge.object
        symmetric[metaedge.verb] = symmetric.get(metaedge.verb, True) and both_ways
    return tuple(Relation(verb, symmetric=both_ways) for verb, both_ways in sorted(symmetric.items()))


def _curie(identifier: str | None) -> str | None:
    """The CURIE of a Hetionet id such as "Gene::9021" or "Disease::DOID:2531"; None if it is no such id."""
    kind, colons, local = (identifier or "").partition("::")
    if not (kind and colons and local):
        return None
    if ":" in local:
        return local
    for prefixed, form, prefix in PREFIXES:
        if kind == prefixed and form.fullmatch(local):
            return f"{prefix}:{local}"
    return f"{_type_name(kind)}:{local}"


def _type_name(kind: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in kind.split())  # Biological Process → BiologicalProcess


def _read_entities(folder: Path, problems: Problems) -> tuple[pa.Table, TabSeparated]:
    """Entities under CURIEs; the id that Hetionet gave stays as an xref."""
    path = _find(folder, NODES)
    if path is None:
        raise InputError(f"{folder} has no {NODES} or {NODES}.gz; expected a directory of Hetionet files")
    nodes = read_tab_separated(path, required=("id", "name", "kind"), problems=problems)
    nodes = _refuse_ids(nodes, "id", problems)
    nodes = nodes.refuse("kind", lambda kind: kind is not None, expected="a kind such as Gene", problems=problems)
    given = nodes.column("id").cast(pa.string())
    table = pa.table(
        {
            "id": map_values(nodes.column("id"), _curie).cast(pa.string()),
            "name": nodes.column("name").cast(pa.string()),
            "type": map_values(nodes.column("kind"), _type_name),
            "xrefs": pa.ListArray.from_arrays(pa.array(np.arange(len(given) + 1, dtype=np.int32)), given),
        }
    )
    return table, nodes


def _refuse_ids(rows: TabSeparated, column: str, problems: Problems) -> TabSeparated:
    expected = "an id such as Gene::9021"
    return rows.refuse(column, lambda value: _curie(value) is not None, expected=expected, problems=problems)


def _read_plain(path: Path, metaedges: Mapping[str, _Metaedge], sourced: Sequence[_Part], problems: Problems) -> _Part:
    """Triples of a SIF file, apart from those that a source file states already."""
    rows = read_tab_separated(path, required=("source", "metaedge", "target"), problems=problems)
    rows = _refuse_ids(_refuse_ids(rows, "source", problems), "target", problems)
    expected = "a metaedge of the metagraph such as " + next(iter(metaedges), "GiG")
    rows = rows.refuse("metaedge", lambda name: name in metaedges, expected=expected, problems=problems)
    rows = rows.keep(~_stated_in(sourced, rows, metaedges))
    count = rows.table.num_rows
    columns = {
        "subject": map_values(rows.column("source"), _curie),
        "relation": map_values(rows.column("metaedge"), lambda name: metaedges[name].verb),
        "object": map_values(rows.column("target"), _curie),
        "source": constant(NAME, count),
        "source_version": constant(VERSION, count),
        "knowledge_level": constant(NOT_PROVIDED, count),
        "agent_type": constant(NOT_PROVIDED, count),
    }
    return _Part(rows.file, pa.table(columns), rows.lines, {})


def _stated_in(sourced: Sequence[_Part], rows: TabSeparated, metaedges: Mapping[str, _Metaedge]) -> NDArray[np.bool_]:
    """Which rows of a SIF file are triples of `sourced`."""
    ends = ("subject", "relation", "object")
    covered = {
        stated for part in sourced for stated in zip(*(part.triples[end].to_pylist() for end in ends), strict=True)
    }
    abbreviations = {file.metaedge for file in SOURCE_FILES} if covered else set()
    repeated = rows.test("metaedge", lambda name: name in abbreviations)
    maybe = rows.keep(repeated).table.to_pylist()
    repeated[repeated] = [
        (_curie(row["source"]), metaedges[row["metaedge"]].verb, _curie(row["target"])) in covered for row in maybe
    ]
    return repeated


def _read_sourced(
    path: Path, file: _SourceFile, metaedge: _Metaedge, known: frozenset[str], problems: Problems
) -> _Part:
    """One assertion per triple and resource, from a file that lists the resources of each triple."""
    optional = ("license", "pubmed_ids", "urls", "actions", "affinity_nM")
    rows = read_tab_separated(
        path, required=(file.subject, file.object, "sources"), optional=optional, problems=problems
    )
    for column in (file.subject, file.object, "sources"):
        rows = rows.refuse(column, lambda value: value is not None, expected="a value", problems=problems)
    inside = rows.test(file.subject, lambda local: _curie(f"{metaedge.subject}::{local}") in known)
    inside &= rows.test(file.object, lambda local: _curie(f"{metaedge.object}::{local}") in known)
    log.info("%s: %d of %d rows are about entities of Hetionet", path.name, inside.sum(), len(inside))
    rows = rows.keep(inside)
    listed = rows.table.to_pylist()
    licenses = _licenses(listed)
    statements: list[dict[str, object]] = []
    lines: list[int] = []
    for row, line in zip(listed, rows.lines.tolist(), strict=True):
        ends = {
            "subject": _curie(f"{metaedge.subject}::{row[file.subject]}"),
            "relation": metaedge.verb,
            "object": _curie(f"{metaedge.object}::{row[file.object]}"),
        }
        for stated in _statements(row, licenses):
            statements.append(ends | stated)
            lines.append(line)
    return _Part(rows.file, pa.Table.from_pylist(statements, STATED), np.array(lines, np.int64), licenses)


def _resource(listed: str) -> tuple[str, str | None]:
    """Name and detail of a resource as listed: "DrugBank (target)" is DrugBank's list of targets."""
    match = DETAILED.fullmatch(listed)
    return (match[1], match[2]) if match else (listed, None)


def _licenses(rows: Iterable[Mapping[str, str | None]]) -> dict[str, str | None]:
    """The licence of each resource, as seen where it is the only one; None where that says nothing or differs."""
    seen: dict[str, set[str | None]] = {}
    for row in rows:
        resources = {_resource(listed)[0] for listed in (row["sources"] or "").split("|")}
        for resource in resources:
            seen.setdefault(resource, set()).update({row.get("license")} if len(resources) == 1 else ())
    return {name: next(iter(found)) if len(found) == 1 else None for name, found in sorted(seen.items())}


def _statements(row: Mapping[str, str | None], licenses: Mapping[str, str | None]) -> Iterator[dict[str, object]]:
    """What each resource states in one row.

    Publications, actions and affinity are given per row. If the row has one resource they are that resource's; if it
    has several, nobody knows whose they are, and one more assertion, of Hetionet itself, carries them.
    """
    resources = [_resource(listed) for listed in (row["sources"] or "").split("|")]
    publications = [f"PMID:{number}" for number in (row.get("pubmed_ids") or "").split("|") if number]
    publications += [url for url in (row.get("urls") or "").split("|") if url]
    details: dict[str, object] = {
        "evidence": publications or None,
        QUALIFIER_PREFIX + "actions": row.get("actions"),
        QUALIFIER_PREFIX + "affinity_nM": row.get("affinity_nM"),
    }
    alone = len({name for name, _ in resources}) == 1
    unrated = {"knowledge_level": NOT_PROVIDED, "agent_type": NOT_PROVIDED}
    for name, detail in resources:
        stated = {"source": name, "license": licenses[name], QUALIFIER_PREFIX + "source_detail": detail}
        yield {**stated, **unrated, **(details if alone else {})}
    if not alone and any(details.values()):
        yield {"source": NAME, "source_version": VERSION, "license": row.get("license"), **unrated, **details}


def _sources(parts: Iterable[_Part]) -> tuple[Source, ...]:
    itself = Source(
        name=NAME,
        version=VERSION,
        license="CC0 1.0 for the network itself; every triple keeps the licence of the resource it was taken from",
        url="https://het.io",
        attribution="Himmelstein et al. 2017, eLife 6:e26726, doi:10.7554/eLife.26726",
    )
    licenses = {name: license_ for part in parts for name, license_ in part.licenses.items()}
    return (itself, *(Source(name=name, license=license_) for name, license_ in sorted(licenses.items())))
