"""The gold answers of ibkh, worked out once more from the raw files of the data folder: plain Python, no Clew.

    python -m benchmarks.questions.ibkh_gold DATA            prints how much each question gives

Every question has one line here that says its first reading in sets. `answers(folder)` gives them by question id.
"""

import csv
import gzip
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

__all__ = ["answers"]

Answer = set[str] | int | bool | list[tuple[str, int]]
Pairs = set[tuple[str, str]]  # subject id, object id

PREFIXES = {"Compound": "DrugBank:", "Gene": "NCBIGene:", "Side Effect": "UMLS:", "Symptom": "MESH:"}
ACTIONS = {  # how DrugBank says that a drug acts on an enzyme or a transporter
    ("enzyme", "substrate"): "metabolised_by",
    ("enzyme", "inhibitor"): "inhibits",
    ("enzyme", "inducer"): "induces",
    ("transporter", "substrate"): "transported_by",
    ("transporter", "inhibitor"): "inhibits",
    ("transporter", "inducer"): "induces",
}


def _rows(path: Path, header: Sequence[str] | None = None) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", fieldnames=header, quoting=csv.QUOTE_NONE)


class Raw:
    """The files as sets of pairs by relation; drugs are those of Hetionet."""

    def __init__(self, folder: Path) -> None:
        self.names: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))  # type → name → ids
        self.pairs: dict[str, Pairs] = defaultdict(set)
        self._read_hetionet(folder / "hetionet")
        self._read_diseases(folder / "biomed_edges")
        self._read_sider(folder / "biomed_edges")
        self._read_drugbank(folder / "biomed_edges")

    def _read_hetionet(self, folder: Path) -> None:
        curie: dict[str, str] = {}
        self.known: set[str] = set()
        for row in _rows(folder / "hetionet-v1.0-nodes.tsv.gz"):
            number = row["id"].split("::")[1]
            curie[row["id"]] = PREFIXES.get(row["kind"], "") + number
            if row["kind"] == "Pathway":
                curie[row["id"]] = ("PathwayCommons:" if number.startswith("PC") else "WikiPathways:") + number
            self.names[row["kind"]][row["name"]].add(curie[row["id"]])
            self.known.add(curie[row["id"]])
        kept = {
            "CtD": "treats",
            "CpD": "palliates",
            "CrC": "resembles",
            "DrD": "resembles",
            "DpS": "has_symptom",
            "GpPW": "participates_in",
        }
        for row in _rows(folder / "edges-5k.sif.gz"):
            if row["metaedge"] in kept:
                self.pairs[kept[row["metaedge"]]].add((curie[row["source"]], curie[row["target"]]))
            elif row["metaedge"] == "DaG":
                self.pairs["associated_with"].add((curie[row["target"]], curie[row["source"]]))
        for row in _rows(folder / "DaG-association.tsv.gz"):
            gene = f"NCBIGene:{row['entrez_gene_id']}"
            if gene in self.known and row["doid_id"] in self.known:
                self.pairs["associated_with"].add((gene, row["doid_id"]))
        self.pairs["resembles"] |= {(other, one) for one, other in self.pairs["resembles"]}

    def _read_diseases(self, folder: Path) -> None:
        for row in _rows(folder / "term-names.tsv.gz"):
            if row["type"] == "name":
                self.names["Disease"][row["name"]].add(row["doid"])
        for row in _rows(folder / "slim-terms-prop.tsv.gz"):
            if row["min_distance"] != "0":
                self.pairs["is_a"].add((row["subsumed_id"], row["slim_id"]))
        for row in _rows(folder / "symptoms-DO.tsv.gz"):
            if int(row["cooccurs"]) >= 2:
                self.pairs["has_symptom"].add((row["doid_code"], f"MESH:{row['symptom_id']}"))
        header = ("protein", "symbol", "doid", "disease", "source", "evidence", "score")
        for row in _rows(folder / "human_disease_knowledge_full.tsv.gz", header):
            genes = self.names["Gene"].get(row["symbol"], set())
            if len(genes) == 1:
                self.pairs["associated_with"].add((*genes, row["doid"]))  # type: ignore[arg-type]

    def _read_sider(self, folder: Path) -> None:
        diseases: dict[str, set[str]] = defaultdict(set)  # UMLS concept → DOIDs
        for row in _rows(folder / "xrefs.tsv.gz"):
            if row["resource"] == "UMLS":
                diseases[row["resource_id"]].add(row["doid_code"])
        flat: dict[str, set[str]] = defaultdict(set)  # STITCH compound → drugs
        compounds: dict[str, set[int]] = defaultdict(set)  # drug → PubChem compounds
        for row in _rows(folder / "indications.tsv.gz"):
            drug, found = f"DrugBank:{row['drugbank_id']}", diseases[row["umls_cui_from_meddra"]]
            if drug not in self.known:
                continue
            flat[row["stitch_id_flat"]].add(drug)
            compounds[drug].add(int(row["pubchem_id"]))
            if row["method"] == "NLP_indication" and len(found) == 1:
                self.pairs["indicated_for"].add((drug, *found))  # type: ignore[arg-type]
        for row in _rows(folder / "meddra_all_se.tsv.gz", ("flat", "stereo", "label", "type", "concept", "name")):
            if row["type"] != "PT":
                continue
            self.names["Side Effect"][row["name"]].add(f"UMLS:{row['concept']}")
            drugs = flat.get(row["flat"], set())
            if len(drugs) > 1:  # which of several: the one with this very compound
                drugs = {drug for drug in drugs if int(row["stereo"][3:]) in compounds[drug]}
            self.pairs["causes"] |= {(drug, f"UMLS:{row['concept']}") for drug in drugs}

    def _read_drugbank(self, folder: Path) -> None:
        for row in _rows(folder / "proteins.tsv.gz"):
            pair = f"DrugBank:{row['drugbank_id']}", f"NCBIGene:{row['entrez_gene_id']}"
            if row["organism"] != "Human" or not set(pair) <= self.known:
                continue
            if row["category"] == "target":
                self.pairs["targets"].add(pair)
            for action in row["actions"].split("|"):
                if (row["category"], action) in ACTIONS:
                    self.pairs[ACTIONS[row["category"], action]].add(pair)

    # small words for the questions -------------------------------------------------------------------------------

    def drug(self, name: str) -> set[str]:
        return self.names["Compound"][name]

    def disease(self, name: str) -> set[str]:
        return self.names["Disease"][name]

    def gene(self, name: str) -> set[str]:
        return self.names["Gene"][name]

    def effect(self, name: str) -> set[str]:
        return self.names["Side Effect"][name]

    def symptom(self, name: str) -> set[str]:
        return self.names["Symptom"][name]

    def to(self, relation: str, subjects: set[str], *, within: str = "") -> set[str]:
        """Objects of a relation from any of the subjects, perhaps only those with a prefix."""
        return {o for s, o in self.pairs[relation] if s in subjects and o.startswith(within)}

    def back(self, relation: str, objects: set[str]) -> set[str]:
        """Subjects of a relation to any of the objects."""
        return {s for s, o in self.pairs[relation] if o in objects}

    def treating(self, *names: str) -> set[str]:
        """Drugs that treat every one of the diseases."""
        return set.intersection(*(self.back("treats", self.disease(name)) for name in names))

    def causing(self, name: str) -> set[str]:
        return self.back("causes", self.effect(name))

    def effects_of(self, name: str) -> set[str]:
        return self.to("causes", self.drug(name))

    def genes_of(self, name: str) -> set[str]:
        return self.back("associated_with", self.disease(name))

    def symptoms_of(self, name: str) -> set[str]:
        return self.to("has_symptom", self.disease(name))

    def enzymes_of(self, name: str) -> set[str]:
        return self.to("metabolised_by", self.drug(name))


def _top(counts: Counter[str], number: int) -> list[tuple[str, int]]:
    """Everything that may stand among the first `number`, ties included."""
    ranked = counts.most_common()
    least = ranked[min(number, len(ranked)) - 1][1]
    return [(each, count) for each, count in ranked if count >= least]


def _effects_by_drugs(raw: Raw, drugs: set[str]) -> Counter[str]:
    return Counter(effect for drug, effect in raw.pairs["causes"] if drug in drugs)


def _treated_by_another(raw: Raw, name: str) -> set[str]:
    """Diseases treated by drugs that share a target with one called so, other than that one itself."""
    (drug,) = raw.drug(name)
    return raw.to("treats", raw.back("targets", raw.to("targets", {drug})) - {drug})


def _inhibitors_of_another(raw: Raw, name: str) -> set[str]:
    return raw.back("inhibits", raw.enzymes_of(name))


def _joined(raw: Raw, start: set[str], goal: set[str], hops: int) -> bool:
    """Whether some walk of at most so many steps, either way along any relation, joins the two."""
    near: dict[str, set[str]] = defaultdict(set)
    for pairs in raw.pairs.values():
        for one, other in pairs:
            near[one].add(other)
            near[other].add(one)
    reached = set(start)
    for _ in range(hops):
        reached |= {each for one in reached for each in near[one]}
    return bool(reached & goal)


QUESTIONS: dict[str, Callable[[Raw], Answer]] = {
    "simple-01": lambda r: r.effects_of("Metformin"),
    "simple-02": lambda r: r.treating("asthma"),
    "simple-03": lambda r: r.symptoms_of("Parkinson's disease"),
    "simple-04": lambda r: r.to("treats", r.drug("Methotrexate")),
    "simple-05": lambda r: r.genes_of("Crohn's disease"),
    "simple-06": lambda r: r.causing("Rhabdomyolysis"),
    "simple-07": lambda r: r.to("indicated_for", r.drug("Sildenafil")),
    "simple-08": lambda r: r.to("targets", r.drug("Imatinib")),
    "simple-09": lambda r: r.enzymes_of("Simvastatin"),
    "simple-10": lambda r: r.back("palliates", r.disease("migraine")),
    "simple-11": lambda r: r.back("has_symptom", r.symptom("Hemoptysis")),
    "simple-12": lambda r: r.to("associated_with", r.gene("BRCA1")),
    "simple-13": lambda r: r.to("participates_in", r.gene("AKT1")),
    "simple-14": lambda r: r.back("participates_in", r.names["Pathway"]["Apoptosis"]),
    "simple-15": lambda r: r.to("resembles", r.disease("multiple sclerosis")),
    "simple-16": lambda r: r.to("resembles", r.drug("Diazepam")),
    "simple-17": lambda r: r.to("transported_by", r.drug("Methotrexate")),
    "simple-18": lambda r: r.back("inhibits", r.gene("CYP3A4")),
    "simple-19": lambda r: r.back("indicated_for", r.disease("gout")),
    "simple-20": lambda r: r.back("is_a", r.disease("lung cancer")),
    "medium-01": lambda r: r.to("causes", r.treating("gout")),
    "medium-02": lambda r: r.to("targets", r.treating("migraine")),
    "medium-03": lambda r: r.back("targets", r.genes_of("osteoporosis")),
    "medium-04": lambda r: len(r.effects_of("Pregabalin")),
    "medium-05": lambda r: len(r.treating("breast cancer")),
    "medium-06": lambda r: r.causing("Tinnitus") & r.causing("Deafness"),
    "medium-07": lambda r: r.symptoms_of("Alzheimer's disease") & r.symptoms_of("Parkinson's disease"),
    "medium-08": lambda r: r.effects_of("Simvastatin") & r.effects_of("Atorvastatin"),
    "medium-09": lambda r: bool(r.drug("Amiodarone") & r.causing("Hyperthyroidism")),
    "medium-10": lambda r: bool(r.drug("Allopurinol") & r.treating("rheumatoid arthritis")),
    "medium-11": lambda r: bool(r.gene("TNF") & r.genes_of("ankylosing spondylitis")),
    "medium-12": lambda r: r.back("metabolised_by", r.gene("CYP2D6")) & r.causing("Electrocardiogram QT prolonged"),
    "medium-13": lambda r: r.enzymes_of("Codeine") & r.enzymes_of("Fluoxetine"),
    "medium-14": lambda r: r.back("has_symptom", r.symptom("Fever")) & r.back("has_symptom", r.symptom("Weight Loss")),
    "medium-15": lambda r: r.treating("epilepsy syndrome") & r.causing("Hyponatraemia"),
    "medium-16": lambda r: r.to("has_symptom", r.to("treats", r.drug("Prednisone"))),
    "medium-17": lambda r: r.to("participates_in", r.genes_of("psoriasis")),
    "medium-18": lambda r: _inhibitors_of_another(r, "Simvastatin"),
    "complex-01": lambda r: _top(Counter(drug for drug, _ in r.pairs["causes"]), 5),
    "complex-02": lambda r: _top(_effects_by_drugs(r, r.treating("hypertension")), 3),
    "complex-03": lambda r: _top(Counter(gene for gene, _ in r.pairs["associated_with"]), 10),
    "complex-04": lambda r: r.treating("rheumatoid arthritis") - r.causing("Nausea"),
    "complex-05": lambda r: r.effects_of("Risperidone") - r.effects_of("Haloperidol"),
    "complex-06": lambda r: (
        (r.genes_of("Crohn's disease") & r.genes_of("ulcerative colitis")) - r.genes_of("psoriasis")
    ),
    "complex-07": lambda r: r.treating("hypertension", "coronary artery disease") & r.causing("Cough"),
    "complex-08": lambda r: _treated_by_another(r, "Sildenafil"),
    "complex-09": lambda r: (
        r.treating("epilepsy syndrome") & (r.back("metabolised_by", r.enzymes_of("Warfarin")) - r.drug("Warfarin"))
    ),
    "complex-10": lambda r: len(r.treating("asthma") & r.causing("Tremor")),
    "complex-11": lambda r: _joined(r, r.drug("Warfarin"), r.disease("osteoporosis"), 4),
    "complex-12": lambda r: r.to("has_symptom", r.to("resembles", r.disease("multiple sclerosis"))),
    "complex-13": lambda r: r.to("participates_in", r.to("targets", r.treating("hypertension"))),
    "complex-14": lambda r: _top(Counter(disease for _, disease in r.pairs["treats"]), 1),
    "complex-15": lambda r: len(r.genes_of("asthma") & r.genes_of("atopic dermatitis")),
    "complex-16": lambda r: (
        (r.treating("type 2 diabetes mellitus") & r.causing("Weight increased")) - r.causing("Hypoglycaemia")
    ),
}


def answers(folder: Path) -> dict[str, Answer]:
    """The answer to every question of ibkh in its first reading."""
    raw = Raw(folder)
    return {question: work_out(raw) for question, work_out in QUESTIONS.items()}


if __name__ == "__main__":
    for question, answer in answers(Path(sys.argv[1])).items():
        print(question, len(answer) if isinstance(answer, set | list) else answer, file=sys.stdout)
