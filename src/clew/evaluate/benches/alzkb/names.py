"""What AlzKB calls things, and under which ids a Hetionet graph has them.

An alias says that one source calls one id so. A name belongs to the id that the first source to know it gives, in the
order of `SOURCES`; a source that gives it two ids says nothing. No alias is written or chosen by hand.
"""

import ast
import csv
import gzip
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.graph import GraphContents, read_entities

__all__ = ["CURRENT", "SOURCES", "Alias", "Names", "graph_aliases", "shared_aliases"]

log = logging.getLogger(__name__)
# AlzKB's own rows first, then names in force, then those Hetionet was made with in 2015, then names given up.
SOURCES = (
    "AlzKB",
    "HGNC",
    "DrugBank",
    "Hetionet",
    "DrugBank 2015",
    "GWAS Catalog",
    "Disease Ontology",
    "AlzKB gene name",
    "HGNC previous",
    "HGNC alias",
)
CURRENT = ("AlzKB", "HGNC", "DrugBank", "DrugBank 2015")  # good enough to be a synonym in a graph
# AlzKB's label → our type, the field that holds the id, and what makes it one of our ids.
IDENTIFIED = {
    "Drug": ("Compound", "xrefDrugbank", "DrugBank:"),
    "Gene": ("Gene", "xrefNcbiGene", "NCBIGene:"),
    "BodyPart": ("Anatomy", "xrefUberon", ""),
    "DrugClass": ("PharmacologicClass", "xrefNciThesaurus", "NDFRT:"),
    "Symptom": ("Symptom", "xrefMeSH", "MESH:"),
    "BiologicalProcess": ("BiologicalProcess", "xrefGeneOntology", ""),
    "MolecularFunction": ("MolecularFunction", "xrefGeneOntology", ""),
    "CellularComponent": ("CellularComponent", "xrefGeneOntology", ""),
}


@dataclass(frozen=True, slots=True)
class Alias:
    """A source calls the thing with this id so."""

    type: str
    name: str
    id: str
    source: str  # one of SOURCES


class Names:
    """Looks up which id a name of a type stands for; upper and lower case are alike."""

    def __init__(self, aliases: Iterable[Alias]) -> None:
        self._ids: dict[tuple[str, str], tuple[int, set[str]]] = {}  # type, folded name → standing of the source, ids
        standing = {source: place for place, source in enumerate(SOURCES)}
        for alias in aliases:
            key, place = (alias.type, alias.name.casefold()), standing[alias.source]
            known = self._ids.get(key)
            if known is None or place < known[0]:
                self._ids[key] = place, {alias.id}
            elif place == known[0]:
                known[1].add(alias.id)

    def resolve(self, name: str, type: str) -> str | None:
        """The id, or None where no source knows the name or the first that does gives it several."""
        _, ids = self._ids.get((type, name.casefold()), (0, set()))
        return next(iter(ids)) if len(ids) == 1 else None


def graph_aliases(contents: GraphContents) -> Iterator[Alias]:
    """The names that the entities of a graph have themselves."""
    table = read_entities(contents, ("type", "name", "id"))
    columns = (table[column].to_pylist() for column in ("type", "name", "id"))
    for type_, name, identifier in zip(*columns, strict=True):
        yield Alias(type_, name, identifier, "Hetionet")


def shared_aliases(data: Path) -> list[Alias]:
    """Aliases from files of the data folder: AlzKB's rows, DrugBank's names, genes of the GWAS Catalog, diseases."""
    others = data / "biomed_edges"
    diseases = _diseases_by_concept(others / "xrefs.tsv.gz")
    return list(
        dict.fromkeys([*_alzkb_aliases(data / "alzkb_questions" / "test.csv", diseases), *_other_aliases(others)])
    )


def _other_aliases(folder: Path) -> Iterator[Alias]:
    for row in _rows(folder / "drugbank-slim.tsv.gz"):
        yield Alias("Compound", row["name"], f"DrugBank:{row['drugbank_id']}", "DrugBank 2015")
    for row in _rows(folder / "gene-associations.tsv.gz"):
        yield Alias("Gene", row["symbol"], f"NCBIGene:{row['gene']}", "GWAS Catalog")
    for row in _rows(folder / "term-names.tsv.gz"):
        if row["type"] in ("name", "exact-synonym"):
            yield Alias("Disease", row["name"].strip(), row["doid"], "Disease Ontology")


def _alzkb_aliases(path: Path, diseases: Mapping[str, str]) -> Iterator[Alias]:
    """The names in AlzKB's rows; a disease goes by its UMLS concept, since its DOIDs are not those of Hetionet."""
    for label, entity in _alzkb_entities(path):
        if label == "Disease":
            known = diseases.get(str(entity.get("xrefUmlsCUI")))
            if known and entity.get("commonName"):
                yield Alias("Disease", str(entity["commonName"]), known, "AlzKB")
        elif label in IDENTIFIED:
            type_, field, prefix = IDENTIFIED[label]
            if not entity.get(field):
                continue
            identifier = f"{prefix}{entity[field]}"
            if entity.get("geneSymbol"):
                yield Alias(type_, str(entity["geneSymbol"]), identifier, "AlzKB")
            if entity.get("commonName"):
                source = "AlzKB gene name" if label == "Gene" else "AlzKB"
                yield Alias(type_, str(entity["commonName"]), identifier, source)


def _alzkb_entities(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Label and fields of both ends of every row; a cell that is no record is reported and passed over."""
    for number, row in enumerate(_rows(path, delimiter=","), 2):
        for end in ("source", "target"):
            try:
                entity = ast.literal_eval(row[end])
            except (ValueError, SyntaxError):
                entity = None
            if isinstance(entity, dict):
                yield row[f"{end}_label"], entity
            else:
                log.warning("%s:%d: the %s is no record of fields: passed over", path.name, number, end)


def _diseases_by_concept(path: Path) -> dict[str, str]:
    """UMLS concept → DOID, where the Disease Ontology gives the concept to one disease."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in _rows(path):
        if row["resource"] == "UMLS":
            found[row["resource_id"]].add(row["doid_code"])
    return {concept: next(iter(ids)) for concept, ids in found.items() if len(ids) == 1}


def _rows(path: Path, *, delimiter: str = "\t") -> Iterator[dict[str, str]]:
    if not path.is_file():
        raise InputError(f"{path} is missing: expected the data folder that holds alzkb_questions and biomed_edges")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter=delimiter)
