"""What the tables of the `biomed_edges` folder state, one row of a staged table per statement, with source and licence.

Drugs are joined by PubChem compound (SIDER), diseases by UMLS concept (indications), genes by symbol (DISEASES). A row
that has no single match is left out, never guessed at.
"""

import csv
import gzip
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from clew.errors import InputError
from clew.graph import Source
from clew.graph.staging import QUALIFIER_PREFIX

__all__ = [
    "SOURCES",
    "Statement",
    "disease_names",
    "disease_references",
    "disease_subclasses",
    "drug_actions",
    "gene_diseases",
    "indications",
    "mapped_genes",
    "side_effect_synonyms",
    "side_effects",
    "symptoms",
    "table_rows",
]

Statement = dict[str, object]  # a row of a staged table of triples

SOURCES = {  # licences as SOURCE.txt of the folder gives them
    each.name: each
    for each in (
        Source("DISEASES", license="CC BY 4.0", url="https://diseases.jensenlab.org"),
        Source("Disease Ontology", license="CC0 1.0", url="https://disease-ontology.org"),
        Source("DrugBank", license="CC BY-NC 4.0", url="https://go.drugbank.com"),
        Source("GWAS Catalog", license="CC BY 4.0", url="https://www.ebi.ac.uk/gwas"),
        Source("HSDN", license="none stated", url="https://doi.org/10.1038/ncomms5212"),
        Source("SIDER", version="4", license="CC BY-NC-SA 4.0", url="http://sideeffects.embl.de"),
    )
}
ACTIONS: Mapping[tuple[str, str], str] = {  # what a protein is to a drug, and what the drug does → the relation
    ("enzyme", "substrate"): "metabolised_by",
    ("enzyme", "inhibitor"): "inhibits",
    ("enzyme", "inducer"): "induces",
    ("transporter", "substrate"): "transported_by",
    ("transporter", "inhibitor"): "inhibits",
    ("transporter", "inducer"): "induces",
}
PREFERRED = "PT"  # MedDRA's level of terms that stand for themselves
LEAST_TOGETHER = 2  # articles that name disease and symptom: one alone says little
SIDE_EFFECTS = ("flat", "stereo", "label", "level", "concept", "name")
GENE_DISEASES = ("protein", "symbol", "doid", "disease", "channel", "evidence", "stars")
CHANNELS = {  # of DISEASES: file → knowledge level, agent type
    "knowledge": ("knowledge_assertion", "manual_agent"),
    "experiments": ("statistical_association", "data_analysis_pipeline"),
}


def table_rows(path: Path, header: Sequence[str] | None = None) -> Iterator[dict[str, str]]:
    """The rows of a packed table; `header` where it has none of its own."""
    if not path.is_file():
        raise InputError(f"{path} is missing: expected the data folder that holds biomed_edges and hetionet")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", fieldnames=header, quoting=csv.QUOTE_NONE)


def _stated(subject: str, relation: str, object_: str, source: str, *, level: str, agent: str) -> Statement:
    known = SOURCES[source]
    return {
        "subject": subject,
        "relation": relation,
        "object": object_,
        "source": source,
        "source_version": known.version,
        "license": known.license,
        "knowledge_level": level,
        "agent_type": agent,
    }


def disease_names(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Disease, name, and whether it is a name or which kind of synonym."""
    for row in table_rows(folder / "term-names.tsv.gz"):
        yield row["doid"], row["name"].strip(), row["type"]


def disease_references(folder: Path) -> Iterator[tuple[str, str]]:
    """Disease and one id that another vocabulary has for it."""
    for row in table_rows(folder / "xrefs.tsv.gz"):
        yield row["doid_code"], f"{row['resource']}:{row['resource_id']}"


def disease_subclasses(folder: Path) -> Iterator[Statement]:
    """Direct and indirect subclasses of the diseases in the Disease Ontology's slim set."""
    for row in table_rows(folder / "slim-terms-prop.tsv.gz"):
        if row["min_distance"] != "0":
            level = "knowledge_assertion" if row["min_distance"] == "1" else "logical_entailment"
            yield _stated(
                row["subsumed_id"], "is_a", row["slim_id"], "Disease Ontology", level=level, agent="manual_agent"
            )


def symptoms(folder: Path) -> Iterator[Statement]:
    """Which symptoms a disease has: named together in at least two articles."""
    for row in table_rows(folder / "symptoms-DO.tsv.gz"):
        if int(row["cooccurs"]) >= LEAST_TOGETHER:
            yield {
                **_stated(
                    row["doid_code"],
                    "has_symptom",
                    f"MESH:{row['symptom_id']}",
                    "HSDN",
                    level="statistical_association",
                    agent="data_analysis_pipeline",
                ),
                QUALIFIER_PREFIX + "articles": row["cooccurs"],
                "object_name": row["symptom_name"],
            }


def gene_diseases(
    folder: Path, genes: Mapping[str, Collection[str]], *, channel: str = "knowledge", least_stars: int = 0
) -> Iterator[Statement]:
    """Which diseases DISEASES gives to a gene, by curators (knowledge) or experiments; `genes`: symbol → ids."""
    level, agent = CHANNELS[channel]
    for row in table_rows(folder / f"human_disease_{channel}_full.tsv.gz", GENE_DISEASES):
        found = genes.get(row["symbol"], ())
        if len(found) == 1 and float(row["stars"]) >= least_stars:
            yield {
                **_stated(next(iter(found)), "associated_with", row["doid"], "DISEASES", level=level, agent=agent),
                QUALIFIER_PREFIX + "source_detail": row["channel"],
                "object_name": row["disease"],
            }


def mapped_genes(folder: Path, known: Collection[str]) -> Iterator[Statement]:
    """The primary gene of each locus that the GWAS Catalog gives to a disease."""
    for row in table_rows(folder / "gene-associations.tsv.gz"):
        gene = f"NCBIGene:{row['gene']}"
        if row["primary"] == "1" and gene in known:
            yield {
                **_stated(
                    gene,
                    "associated_with",
                    row["doid_code"],
                    "GWAS Catalog",
                    level="statistical_association",
                    agent="data_analysis_pipeline",
                ),
                QUALIFIER_PREFIX + "source_detail": row["status"],
                "object_name": row["doid_name"],
            }


def drug_actions(folder: Path, known: Collection[str]) -> Iterator[Statement]:
    """What drugs do to human proteins, by their genes: targets, enzymes and transporters."""
    for row in table_rows(folder / "proteins.tsv.gz"):
        drug, gene = f"DrugBank:{row['drugbank_id']}", f"NCBIGene:{row['entrez_gene_id']}"
        if row["organism"] != "Human" or drug not in known or gene not in known:
            continue
        actions = row["actions"].split("|")
        relations = {ACTIONS[row["category"], each] for each in actions if (row["category"], each) in ACTIONS}
        if row["category"] == "target":
            relations.add("targets")
        for relation in sorted(relations):
            yield {
                **_stated(drug, relation, gene, "DrugBank", level="knowledge_assertion", agent="manual_agent"),
                "evidence": [f"PMID:{number}" for number in row["pubmed_ids"].split("|") if number] or None,
                QUALIFIER_PREFIX + "source_detail": row["category"],
                QUALIFIER_PREFIX + "actions": row["actions"] or None,
            }


def indications(folder: Path, drugs: Collection[str]) -> Iterator[Statement]:
    """What labels give a drug for, where the concept is one disease of the Disease Ontology."""
    diseases: dict[str, set[str]] = defaultdict(set)
    for disease, reference in disease_references(folder):
        diseases[reference].add(disease)
    for row in table_rows(folder / "indications.tsv.gz"):
        drug, found = f"DrugBank:{row['drugbank_id']}", diseases.get(f"UMLS:{row['umls_cui_from_meddra']}", set())
        if row["method"] == "NLP_indication" and drug in drugs and len(found) == 1:
            yield {
                **_stated(
                    drug, "indicated_for", next(iter(found)), "SIDER", level="not_provided", agent="text_mining_agent"
                ),
                QUALIFIER_PREFIX + "source_detail": row["concept_name"],
            }


def side_effects(folder: Path, drugs: Collection[str]) -> Iterator[Statement]:
    """What labels list as side effects, as MedDRA's preferred terms."""
    by_compound: dict[str, set[str]] = defaultdict(set)  # STITCH's flat compound → drugs
    compounds: dict[str, set[int]] = defaultdict(set)  # drug → PubChem compounds
    for row in table_rows(folder / "indications.tsv.gz"):
        drug = f"DrugBank:{row['drugbank_id']}"
        if drug in drugs:
            by_compound[row["stitch_id_flat"]].add(drug)
            compounds[drug].add(int(row["pubchem_id"]))
    for row in table_rows(folder / "meddra_all_se.tsv.gz", SIDE_EFFECTS):
        if row["level"] != PREFERRED:
            continue
        found = by_compound.get(row["flat"], set())
        if len(found) > 1:  # isomers and salts: the one that has this very compound
            found = {drug for drug in found if int(row["stereo"].removeprefix("CID")) in compounds[drug]}
        for drug in sorted(found):
            stated = _stated(
                drug,
                "causes",
                f"UMLS:{row['concept']}",
                "SIDER",
                level="not_provided",
                agent="text_mining_agent",
            )
            yield {**stated, "object_name": row["name"]}


def side_effect_synonyms(folder: Path) -> Iterator[tuple[str, str]]:
    """MedDRA concept and the name that UMLS has for the very same concept."""
    for row in table_rows(folder / "indications.tsv.gz"):
        if row["umls_cui_from_label"] == row["umls_cui_from_meddra"]:
            yield f"UMLS:{row['umls_cui_from_meddra']}", row["concept_name"]
