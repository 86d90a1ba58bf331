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
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.files import write_text
from clew.graph import Graph

__all__ = ["CURRENT", "SOURCES", "Alias", "Names", "graph_aliases", "read_aliases", "shared_aliases", "write_aliases"]

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
        self._ids: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for alias in aliases:
            self._ids[alias.source, alias.type, alias.name.casefold()].add(alias.id)

    def resolve(self, name: str, type: str) -> str | None:
        """The id, or None where no source knows the name or the first that does gives it several."""
        for source in SOURCES:
            ids = self._ids.get((source, type, name.casefold()))
            if ids:
                return next(iter(ids)) if len(ids) == 1 else None
        return None


def graph_aliases(graph: Graph) -> Iterator[Alias]:
    """The names that the entities of a graph have themselves."""
    for row in graph.entities.to_pylist():
        yield Alias(row["type"], row["name"], row["id"], "Hetionet")


def shared_aliases(data: Path) -> list[Alias]:
    """Aliases from files of the data folder: AlzKB's rows, DrugBank's names, genes of the GWAS Catalog, diseases."""
    others = data / "biomed_edges"
    diseases = _diseases_by_concept(others / "xrefs.tsv.gz")
    found = list(_alzkb_aliases(data / "alzkb_questions" / "test.csv", diseases))
    for row in _rows(others / "drugbank-slim.tsv.gz"):
        found.append(Alias("Compound", row["name"], f"DrugBank:{row['drugbank_id']}", "DrugBank 2015"))
    for row in _rows(others / "gene-associations.tsv.gz"):
        found.append(Alias("Gene", row["symbol"], f"NCBIGene:{row['gene']}", "GWAS Catalog"))
    for row in _rows(others / "term-names.tsv.gz"):
        if row["type"] in ("name", "exact-synonym"):
            found.append(Alias("Disease", row["name"], row["doid"], "Disease Ontology"))
    return list(dict.fromkeys(found))


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


def write_aliases(path: Path, aliases: Iterable[Alias]) -> None:
    """Write a table of aliases: tab-separated, with a header."""
    lines = [tuple(each.name for each in fields(Alias)), *sorted(astuple(alias) for alias in aliases)]
    odd = next((line for line in lines if any("\t" in cell or "\n" in cell for cell in line)), None)
    if odd is not None:
        raise InputError(f"an alias cannot hold a tab or a line break in a tab-separated table: {odd!r}")
    write_text(path, "".join("\t".join(line) + "\n" for line in lines))


def read_aliases(path: Path) -> list[Alias]:
    """Read what `write_aliases` wrote."""
    try:
        aliases = [Alias(**row) for row in _rows(path)]
    except TypeError as error:
        columns = ", ".join(each.name for each in fields(Alias))
        raise InputError(f"{path} is no table of aliases: expected the columns {columns}") from error
    unknown = {alias.source for alias in aliases} - set(SOURCES)
    if unknown:
        raise InputError(f"{path} names sources of no known standing: {', '.join(sorted(unknown))}; make it again")
    return aliases


def _rows(path: Path, *, delimiter: str = "\t") -> Iterator[dict[str, str]]:
    if not path.is_file():
        raise InputError(f"{path} is missing: expected the data folder that holds alzkb_questions and biomed_edges")
    quoting = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter=delimiter, quoting=quoting)
