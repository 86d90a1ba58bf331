"""What the sources of the seed graph state: subject, relation, object, source, licence, under each source's ids.

Relations are brought to one set of words; those that add little (appendix C of the paper: mappings, relations with very
few tails, or whose tails repeat their heads) are left out.
"""

import csv
import gzip
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.graphs.seed.vocabularies import Term, Vocabularies
from clew.graph import Relation, Source, Staged

__all__ = ["RELATIONS", "SOURCES", "Statement", "hetionet_statements", "hpo_statements",
           "read_rows", "sider_statements", "vocabulary_statements"]  # fmt: skip

RELATIONS = (
    Relation("is_a", transitive=True, inverse="has_subtype"),
    Relation("part_of", transitive=True, inverse="has_part"),
    Relation("occurs_in"),
    Relation("regulates"),  # the passives of these three are among the relations that the paper leaves out
    Relation("positively_regulates"),
    Relation("negatively_regulates"),
    Relation("has_role", inverse="role_of"),
    Relation("predisposes_towards"),
    Relation("has_feature"),
    Relation("has_phenotype", inverse="phenotype_of"),
    Relation("associated_with", inverse="has_associated_gene"),  # from gene to disease
    Relation("treats", inverse="treated_by"),
    Relation("palliates", inverse="palliated_by"),
    Relation("induces", inverse="induced_by"),
    Relation("localizes_to", inverse="site_of"),
    Relation("presents", inverse="symptom_of"),
    Relation("binds", inverse="bound_by"),
)
CC_BY = "CC BY 4.0"
SIDER_LICENSE = "CC BY-NC-SA 4.0"
SOURCES = (
    Source("MONDO", license=CC_BY, url="https://mondo.monarchinitiative.org", curated=True),
    Source("Gene Ontology", license=CC_BY, url="https://geneontology.org", curated=True),
    Source("ChEBI", license=CC_BY, url="https://www.ebi.ac.uk/chebi", curated=True),
    Source("PharmacotherapyDB", license="CC0 1.0", url="https://het.io", curated=True),
    Source("MEDLINE co-occurrence", license="CC0 1.0", url="https://het.io"),
    Source("SIDER", "4.1", license=SIDER_LICENSE, url="http://sideeffects.embl.de"),
)
VOCABULARIES = {  # vocabulary → source, its relation → ours
    "mondo": (
        "MONDO",
        {
            "is_a": "is_a",
            "predisposes_towards": "predisposes_towards",
            "disease_has_feature": "has_feature",
            "disease_has_major_feature": "has_feature",
            "part_of_progression_of_disease": "part_of",
        },
    ),
    "go": (
        "Gene Ontology",
        {
            **{each: each for each in ("is_a", "part_of", "occurs_in", "regulates")},
            **{each: each for each in ("positively_regulates", "negatively_regulates")},
        },
    ),
    "chebi": ("ChEBI", {"is_a": "is_a", "has_role": "has_role"}),
}
# Hetionet's verb → ours, whether subject and object change places, and source and licence where a row has none.
HETIONET: Mapping[tuple[str, str], tuple[str, bool, str, str | None]] = {
    ("treats", "Compound"): ("treats", False, "PharmacotherapyDB", "CC0 1.0"),
    ("palliates", "Compound"): ("palliates", False, "PharmacotherapyDB", "CC0 1.0"),
    ("localizes", "Disease"): ("localizes_to", False, "MEDLINE co-occurrence", "CC0 1.0"),
    ("presents", "Disease"): ("presents", False, "MEDLINE co-occurrence", "CC0 1.0"),
    ("associates", "Disease"): ("associated_with", True, "Hetionet", None),
    ("binds", "Compound"): ("binds", False, "Hetionet", None),
    ("causes", "Compound"): ("induces", False, "SIDER", SIDER_LICENSE),
}
HPO_RELATIONS = ("is_a", "has_phenotype", "associated_with")
PREFERRED = "PT"  # SIDER repeats a row for the words of the label


class Statement(NamedTuple):
    """One row of the seed graph before its ids are merged."""

    subject: str
    relation: str
    object: str
    source: str
    license: str | None


def vocabulary_statements(vocabulary: str, terms: Iterable[Term]) -> Iterator[Statement]:
    """The relations between the terms of MONDO, GO or ChEBI."""
    source, relations = VOCABULARIES[vocabulary]
    for term in terms:
        for relation, end in term.relations:
            if relation in relations:
                yield Statement(term.id, relations[relation], end, source, CC_BY)


def hpo_statements(staged: Staged) -> Iterator[Statement]:
    """is_a, phenotypes of diseases and genes of diseases; inheritance, courses and modifiers have few tails."""
    license_text = staged.sources[0].license
    for subject, relation, end in _columns(staged, "subject", "relation", "object"):
        if relation in HPO_RELATIONS and subject is not None and end is not None:
            yield Statement(subject, str(relation), end, "HPO", license_text)


def hetionet_statements(staged: Staged) -> Iterator[Statement]:
    """The kinds that the seed takes from Hetionet, each with the licence of the resource that states it."""
    entities = staged.entities
    assert entities is not None
    types = dict(zip(entities["id"].to_pylist(), entities["type"].to_pylist(), strict=True))
    wanted = ("subject", "relation", "object", "source", "license")
    for subject, relation, end, source, license_text in _columns(staged, *wanted):
        kind = HETIONET.get((str(relation), str(types.get(subject))))
        if kind is None or subject is None or end is None:
            continue
        ours, turned, default_source, default_license = kind
        first, last = (end, subject) if turned else (subject, end)
        named = default_source if source in (None, "Hetionet") else str(source)
        yield Statement(first, ours, last, named, license_text or default_license)


def sider_statements(folder: Path, vocabularies: Vocabularies, known: Container[str]) -> Iterator[Statement]:
    """Chemical induces side effect; a compound is the first of its MeSH, ChEBI and DrugBank ids that is known."""
    by_chebi, by_mesh = vocabularies.compound_to_chebi(), vocabularies.compound_to_mesh()
    by_drugbank = {
        row["stitch_id_flat"]: f"DrugBank:{row['drugbank_id']}" for row in read_rows(folder / "indications.tsv.gz")
    }
    with gzip.open(folder / "meddra_all_se.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        for flat, stereo, _, kind, concept, _ in csv.reader(file, delimiter="\t"):
            if kind != PREFERRED or not concept:
                continue
            compounds = (str(int(stereo[4:])), str(int(flat[4:])))  # CID0… with stereochemistry, CID1… without
            ids = [table.get(each) for table in (by_mesh, by_chebi) for each in compounds]
            found = next((each for each in (*ids, by_drugbank.get(flat)) if each in known), None)
            if found is not None:
                yield Statement(found, "induces", f"UMLS:{concept}", "SIDER", SIDER_LICENSE)


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a gzipped table with a header."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def _columns(staged: Staged, *names: str) -> Iterator[tuple[str | None, ...]]:
    yield from zip(*(staged.triples[name].to_pylist() for name in names), strict=True)
