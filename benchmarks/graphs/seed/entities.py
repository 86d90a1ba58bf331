"""Everything that the seed graph may speak of: records of all vocabularies, joined by cross-references and by name.

Records with names and types go in vocabulary by vocabulary; merged entities come out with one leading id, one name,
synonyms, and every other id of theirs as a cross-reference.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from benchmarks.graphs.seed.joining import Clusters, one_to_one
from benchmarks.graphs.seed.vocabularies import Term, Vocabularies, is_mentionable
from clew.graph import Staged
from clew.link.normalise import key, loose_keys

__all__ = ["Records", "collect_records", "entity_table"]

DISEASES = ("MONDO", "HP", "DOID", "MESH", "OMIM", "ORPHA", "UMLS")
CHEMICALS = ("CHEBI", "MESH", "DrugBank")
NAMED_WELL = frozenset(("MONDO", "HP", "DOID", "MESH"))
NAMELESS = ("UMLS:", "OMIM:", "ORPHA:")  # ids that may be joined without a record of their own
SHORTEST_ALIAS = 4  # letters of another symbol of a gene; it also has a digit, else it may be any abbreviation
HETIONET_TYPES = {
    "Compound": "Chemical", "Disease": "Disease", "Anatomy": "Anatomy", "Symptom": "Phenotype",
    "SideEffect": "Phenotype", "Gene": "Gene",
}  # fmt: skip


@dataclass(slots=True)
class Records:
    """Terms by id, what was left out, and which ids mean the same."""

    terms: dict[str, Term] = field(default_factory=dict)
    clusters: Clusters = field(default_factory=Clusters)
    counts: Counter[str] = field(default_factory=Counter)
    supplementary: dict[str, Term] = field(default_factory=dict)  # MeSH concepts that wait for another record

    def add(self, terms: Iterable[Term]) -> None:
        """Take terms in; what an id is called first counts."""
        for term in terms:
            self.terms.setdefault(term.id, term)

    def join(self, pairs: Iterable[tuple[str, str]], *, why: str) -> list[tuple[str, str]]:
        """Join the pairs of known ids that are one to one; hands back the others."""
        sure, unsure = one_to_one(pairs)
        for one, other in sure:
            self._join(one, other, why)
        return unsure

    def join_lone(self, pairs: Iterable[tuple[str, str]], *, why: str) -> None:
        """Join those pairs of which one id belongs to nobody yet."""
        for one, other in pairs:
            if self.clusters.is_alone(one) or self.clusters.is_alone(other):
                self._join(one, other, why)

    def _join(self, one: str, other: str, why: str) -> None:
        """Join two records, or an id without a name to the record that refers to it.

        Records of vocabularies that have many synonyms must share a name too: MONDO refers visual epilepsy to Seizures.
        """
        first, second = self._find(one), self._find(other)
        if first is None or (second is None and not other.startswith(NAMELESS)):
            return
        if second is not None and {_prefix(one), _prefix(other)} <= NAMED_WELL and not _names(first) & _names(second):
            self.counts[f"not joined, no name shared {why}"] += 1
            return
        for term in (first, second):
            if term is not None:
                self.terms.setdefault(term.id, term)
        self.clusters.join(one, other, why=why)

    def _find(self, identifier: str) -> Term | None:
        return self.terms.get(identifier) or self.supplementary.get(identifier)

    def join_named(self, prefixes: tuple[str, ...], types: frozenset[str], *, why: str) -> None:
        """Join records of these vocabularies that are called the same, where each has one record so called."""
        called: dict[str, list[str]] = defaultdict(list)
        for term in self.terms.values():
            if _prefix(term.id) in prefixes and term.type in types:
                called[loose_keys(key(term.name))[0]].append(term.id)
        for ids in called.values():
            ids.sort(key=lambda each: prefixes.index(_prefix(each)))
            for other in ids[1:]:
                self.clusters.join(ids[0], other, why=why)

    def join_side_effects(self) -> None:
        """Join UMLS concepts that are still alone to the one entity that has their name among its synonyms."""
        called: dict[str, set[str]] = defaultdict(set)
        for term in self.terms.values():
            if term.type in ("Disease", "Phenotype") and not term.id.startswith("UMLS:"):
                for name in (term.name, *term.synonyms):
                    called[key(name)].add(self.clusters.lead(term.id))
        for term in list(self.terms.values()):
            if term.id.startswith("UMLS:") and self.clusters.is_alone(term.id):
                leads = {self.clusters.lead(each) for each in called.get(key(term.name), ())}
                if len(leads) == 1:
                    self.clusters.join(leads.pop(), term.id, why="by synonym")


def collect_records(
    vocabularies: Vocabularies, hpo: Staged, hetionet: Staged, effects: Path, *, permissive: bool = False
) -> Records:
    """All records, joined; if `permissive`, without the names of SIDER's side effects and DrugBank's own files."""
    records = Records()
    pairs: dict[str, list[tuple[str, str]]] = {}
    for vocabulary in ("mondo", "doid", "go", "chebi"):
        terms = list(vocabularies.terms(vocabulary))
        if vocabulary == "chebi":
            records.counts["ChEBI terms left out, name too long"] = sum(not is_mentionable(t.name) for t in terms)
            terms = [term for term in terms if is_mentionable(term.name)]
        records.add(terms)
        pairs[vocabulary] = [(term.id, xref) for term in terms for xref in term.xrefs if vocabulary != "go"]
    phenotypes = list(_hpo_terms(hpo))
    known = {term.id for term in phenotypes}
    older = [term for term in vocabularies.terms("hp") if term.id in known]  # it has the MeSH ids
    records.add(phenotypes)
    pairs["hp"] = [(term.id, xref) for term in (*older, *phenotypes) for xref in term.xrefs]
    for term in vocabularies.mesh():
        (records.terms if term.id.startswith("MESH:D") else records.supplementary)[term.id] = term
    if permissive:
        records.add(term for term in _hetionet_terms(hetionet) if not term.id.startswith("UMLS:"))
    else:
        names = vocabularies.drug_names()
        records.add(Term(identifier, name, "Chemical") for identifier, name in names.items())
        records.add(_hetionet_terms(hetionet))
        records.add(_side_effects(effects))
    records.add(_genes(vocabularies, records))
    pairs["chemicals"] = list(vocabularies.chemical_pairs(drugbank=not permissive))
    _join_all(records, vocabularies, pairs)
    return records


def _join_all(records: Records, vocabularies: Vocabularies, pairs: dict[str, list[tuple[str, str]]]) -> None:
    """Names first: what two vocabularies call the same is surer than a mapping that a third one states."""
    records.join_named(DISEASES, frozenset(("Disease", "Phenotype")), why="by name")
    records.join_named(CHEMICALS, frozenset(("Chemical",)), why="by name")
    unsure: list[tuple[str, str]] = []
    for vocabulary in ("mondo", "doid", "hp"):
        unsure += records.join(pairs[vocabulary], why=f"by {vocabulary} xref")
    unsure += records.join(vocabularies.concept_pairs(), why="by MeSH mapping")
    unsure += records.join(pairs["chemicals"], why="by chemical mapping")
    records.join_lone(unsure, why="by xref to a lone id")
    records.join_side_effects()


def entity_table(records: Records, used: frozenset[str]) -> pa.Table:
    """Merged entities: those that statements are about, and whatever MeSH calls a disease or a chemical."""
    groups: dict[str, list[Term]] = defaultdict(list)
    for term in records.terms.values():
        groups[records.clusters.lead(term.id)].append(term)
    rows = []
    for lead, terms in groups.items():
        members = records.clusters.members(lead)
        if lead not in used and not any(each.startswith("MESH:D") for each in members):
            records.counts["records without a statement, left out"] += 1
            continue
        terms.sort(key=lambda term: members.index(term.id))
        # "clonidine", not "clonidine (imino form)", if one of the vocabularies calls it so
        name = next((term.name for term in terms if "(" not in term.name), terms[0].name)

        others = dict.fromkeys(each for term in terms for each in (term.name, *term.synonyms) if is_mentionable(each))
        synonyms = [each for each in others if each != name]
        rows.append((lead, name, terms[0].type, synonyms, [each for each in members if each != lead]))
    columns = list(zip(*rows, strict=True))
    lists = pa.list_(pa.string())
    return pa.table(
        {
            "id": pa.array(columns[0], pa.string()),
            "name": pa.array(columns[1], pa.string()),
            "type": pa.array(columns[2], pa.string()),
            "synonyms": pa.array(columns[3], lists),
            "xrefs": pa.array(columns[4], lists),
        }
    )


def _prefix(identifier: str) -> str:
    return identifier.partition(":")[0]


def _names(term: Term) -> frozenset[str]:
    """What a term is called, but for word order, case and plural."""
    return frozenset(loose_keys(key(name))[0] for name in (term.name, *term.synonyms))


def _hpo_terms(staged: Staged) -> Iterator[Term]:
    """Phenotypes, and diseases under the names that HPO has; not inheritance, onset and the like."""
    entities = staged.entities
    assert entities is not None
    for row in entities.select(["id", "name", "type", "synonyms", "xrefs"]).to_pylist():
        if row["type"] in ("Phenotype", "Disease") and row["name"]:
            xrefs = tuple(each for each in row["xrefs"] or () if each.startswith(("UMLS:", "MESH:")))
            yield Term(row["id"], row["name"], row["type"], tuple(row["synonyms"] or ()), xrefs)


def _hetionet_terms(staged: Staged) -> Iterator[Term]:
    entities = staged.entities
    assert entities is not None
    for row in entities.select(["id", "name", "type"]).to_pylist():
        if row["type"] in HETIONET_TYPES and row["type"] != "Gene":
            yield Term(row["id"], row["name"], HETIONET_TYPES[row["type"]])


def _side_effects(folder: Path) -> Iterator[Term]:
    from benchmarks.graphs.seed.statements import read_rows

    for row in read_rows(folder / "side-effect-terms.tsv.gz"):
        yield Term(f"UMLS:{row['umls_cui_from_meddra']}", row["side_effect_name"], "Phenotype")


def _genes(vocabularies: Vocabularies, records: Records) -> Iterator[Term]:
    for identifier, symbol, name, aliases in vocabularies.genes():
        kept = [each for each in aliases if len(each) >= SHORTEST_ALIAS and any(map(str.isdigit, each))]
        records.counts["aliases of genes left out"] += len(aliases) - len(kept)
        yield Term(identifier, symbol, "Gene", (name, *kept))
