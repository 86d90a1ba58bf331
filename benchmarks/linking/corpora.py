"""What linking is measured on: mentions with their right answers from BC5CDR and BiomixQA, read in place."""

import csv
import gzip
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

import clew
from clew.evaluate.extraction.bc5cdr.abstracts import CHEMICAL, DISEASE, read_abstracts
from clew.graph import GraphContents, read_entities

__all__ = ["DATA", "Gold", "disease_ontology", "read_bc5cdr", "read_biomixqa"]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True, slots=True)
class Gold:
    """A mention with its right answers: where it stands, what it is asked to be, and the text it comes from."""

    document: str
    mention: str
    type: str | None
    ids: frozenset[str]
    text: str = field(repr=False, default="")


def read_bc5cdr(path: Path) -> list[Gold]:
    """Every mention of a chemical or disease with a MeSH id."""
    return [
        Gold(abstract.document, each.text, each.type, frozenset(f"MESH:{id}" for id in each.ids), abstract.text)
        for abstract in read_abstracts(path)
        for each in (*abstract.of_type(CHEMICAL), *abstract.of_type(DISEASE))
    ]


def read_biomixqa(folder: Path, graph: GraphContents) -> list[Gold]:
    """Sentences, each with the disease that it is about."""
    named: dict[str, set[str]] = {}
    entities = read_entities(graph, ("id", "name"))
    for identifier, name in zip(entities["id"].to_pylist(), entities["name"].to_pylist(), strict=True):
        named.setdefault(name, set()).add(identifier)
    with open(folder / "dataset_for_entity_retrieval_accuracy_analysis.csv", encoding="utf-8", newline="") as file:
        pairs = [(row["text"], row["node_hits"]) for row in csv.DictReader(file)]
    return [
        Gold(str(at), text, None, frozenset(named.get(name, {f"absent: {name}"})))
        for at, (text, name) in enumerate(pairs)
    ]


def disease_ontology(out: Path) -> Path:
    """The Disease Ontology as BiomixQA names it, with the synonyms and cross-references of the 2016 release."""
    if (out / "CURRENT").is_file():
        return out
    names: dict[str, str] = {}
    with open(DATA / "biomixqa" / "disease_name_with_id.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["disease_id"]:  # one row has none
                names.setdefault(row["disease_id"], row["disease_name"])
    synonyms: dict[str, list[str]] = {each: [] for each in names}
    xrefs: dict[str, list[str]] = {each: [] for each in names}
    for row in _tab_separated(DATA / "biomed_edges" / "term-names.tsv.gz"):
        if row["doid"] in names and row["type"] == "exact-synonym":
            synonyms[row["doid"]].append(row["name"])
    for row in _tab_separated(DATA / "biomed_edges" / "xrefs.tsv.gz"):
        if row["doid_code"] in names:
            xrefs[row["doid_code"]].append(f"{row['resource']}:{row['resource_id']}")
    entities = pa.table(
        {
            "id": list(names),
            "name": list(names.values()),
            "type": ["Disease"] * len(names),
            "synonyms": pa.array(list(synonyms.values()), pa.list_(pa.string())),
            "xrefs": pa.array(list(xrefs.values()), pa.list_(pa.string())),
        }
    )
    nothing = pa.array([], pa.string())
    clew.build(
        pa.table({"subject": nothing, "relation": nothing, "object": nothing}),
        entities=entities,
        out=out,
        overwrite=True,
    )
    return out


def _tab_separated(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))
