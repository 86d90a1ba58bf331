"""What each table states, on tables of a few rows: joins, what is left out, and who says so under which licence."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.graphs.biomed_tables import (
    SOURCES,
    disease_subclasses,
    drug_actions,
    gene_diseases,
    indications,
    mapped_genes,
    side_effect_synonyms,
    side_effects,
    symptoms,
)

from clew.errors import InputError

INDICATED = (
    "drugbank_id pubchem_id stitch_id_flat umls_cui_from_label method concept_name umls_cui_from_meddra meddra_name"
)


def table(folder: Path, name: str, header: str | None, rows: Sequence[Sequence[str]]) -> None:
    lines = ["\t".join(header.split())] if header else []
    with gzip.open(folder / f"{name}.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join([*lines, *("\t".join(row) for row in rows)]) + "\n")


def ends(statements: object) -> list[tuple[object, object, object]]:
    return [(each["subject"], each["relation"], each["object"]) for each in statements]  # type: ignore[attr-defined]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Two isomers that share a flat compound, a drug alone, and one that is not ours."""
    table(
        tmp_path,
        "indications",
        INDICATED,
        [
            ("DB1", "11", "CID100000010", "C1", "NLP_indication", "Gout", "C1", "Gout"),
            ("DB1", "11", "CID100000010", "C9", "text_mention", "Flu", "C9", "Influenza"),
            ("DB2", "12", "CID100000010", "C7", "NLP_indication", "Anemia", "C7", "Anaemia"),
            ("DB3", "30", "CID100000030", "C2", "NLP_indication", "Two diseases", "C2", "Two diseases"),
            ("DB9", "90", "CID100000090", "C1", "NLP_indication", "Gout", "C1", "Gout"),
        ],
    )
    table(
        tmp_path,
        "xrefs",
        "doid_code doid_name resource resource_id",
        [
            ("DOID:1", "gout", "UMLS", "C1"),
            ("DOID:2", "a", "UMLS", "C2"),
            ("DOID:3", "b", "UMLS", "C2"),
            ("DOID:4", "c", "MSH", "C9"),
        ],
    )
    table(
        tmp_path,
        "meddra_all_se",
        None,
        [
            ("CID100000010", "CID000000011", "C5", "PT", "C5", "Nausea"),
            ("CID100000010", "CID000000012", "C6", "PT", "C6", "Rash"),
            ("CID100000010", "CID000000099", "C6", "PT", "C8", "Cough"),  # neither isomer: nobody knows whose
            ("CID100000030", "CID000000077", "C5", "PT", "C5", "Nausea"),  # alone: another salt is the same drug
            ("CID100000030", "CID000000030", "C5", "LLT", "C4", "Feeling sick"),
            ("CID100000055", "CID000000055", "C5", "PT", "C5", "Nausea"),
        ],
    )
    return tmp_path


DRUGS = {"DrugBank:DB1", "DrugBank:DB2", "DrugBank:DB3"}


def test_side_effects_go_to_the_one_drug_they_can_be_of(labels: Path) -> None:
    found = list(side_effects(labels, DRUGS))
    assert ends(found) == [
        ("DrugBank:DB1", "causes", "UMLS:C5"),
        ("DrugBank:DB2", "causes", "UMLS:C6"),
        ("DrugBank:DB3", "causes", "UMLS:C5"),
    ]
    assert found[0]["object_name"] == "Nausea"
    assert (found[0]["source"], found[0]["license"]) == ("SIDER", "CC BY-NC-SA 4.0")
    assert found[0]["agent_type"] == "text_mining_agent"


def test_indications_are_those_of_one_disease(labels: Path) -> None:
    assert ends(indications(labels, DRUGS)) == [("DrugBank:DB1", "indicated_for", "DOID:1")]


def test_a_synonym_is_another_name_of_the_very_concept(labels: Path) -> None:
    assert ("UMLS:C7", "Anemia") in set(side_effect_synonyms(labels))


def test_a_symptom_takes_two_articles(tmp_path: Path) -> None:
    header = "symptom_name disease_name cooccurs tfidf_score disease_id symptom_id doid_code doid_name"
    table(
        tmp_path,
        "symptoms-DO",
        header,
        [
            ("Fever", "Flu", "1", "3.4", "D1", "S1", "DOID:1", "flu"),
            ("Cough", "Flu", "2", "3.4", "D1", "S2", "DOID:1", "flu"),
        ],
    )
    (found,) = symptoms(tmp_path)
    assert ends([found]) == [("DOID:1", "has_symptom", "MESH:S2")]
    assert found["qualifier:articles"] == "2"


def test_a_gene_goes_by_a_symbol_that_means_one(tmp_path: Path) -> None:
    rows = [(f"P{at}", symbol, "DOID:1", "Gout", "GHR", "CURATED", "5") for at, symbol in enumerate("ABC")]
    table(tmp_path, "human_disease_knowledge_full", None, rows)
    found = list(gene_diseases(tmp_path, {"A": {"NCBIGene:1"}, "B": {"NCBIGene:2", "NCBIGene:3"}}))
    assert ends(found) == [("NCBIGene:1", "associated_with", "DOID:1")]
    assert (found[0]["source"], found[0]["agent_type"]) == ("DISEASES", "manual_agent")


def test_experiments_count_from_some_stars_on(tmp_path: Path) -> None:
    rows = [("P1", "A", f"DOID:{stars}", "Gout", "DistiLD", "p", stars) for stars in "123"]
    table(tmp_path, "human_disease_experiments_full", None, rows)
    found = list(gene_diseases(tmp_path, {"A": {"NCBIGene:1"}}, channel="experiments", least_stars=2))
    assert [each["object"] for each in found] == ["DOID:2", "DOID:3"]
    assert found[0]["knowledge_level"] == "statistical_association"


def test_the_primary_gene_of_a_locus_counts(tmp_path: Path) -> None:
    header = "doid_code doid_name locus high_confidence primary status gene symbol"
    rows = [("DOID:1", "gout", "0", "1", primary, "HC", gene, gene) for primary, gene in ("11", "02", "13")]
    table(tmp_path, "gene-associations", header, rows)
    found = list(mapped_genes(tmp_path, {"NCBIGene:1", "NCBIGene:2"}))
    assert ends(found) == [("NCBIGene:1", "associated_with", "DOID:1")]
    assert found[0]["source"] == "GWAS Catalog"


def test_what_a_drug_does_to_a_protein(tmp_path: Path) -> None:
    header = "drugbank_id category uniprot_id entrez_gene_id organism known_action actions pubmed_ids"
    table(
        tmp_path,
        "proteins",
        header,
        [
            ("DB1", "target", "P", "1", "Human", "yes", "inhibitor", "5|6"),
            ("DB1", "enzyme", "P", "2", "Human", "", "substrate|inhibitor", ""),
            ("DB1", "transporter", "P", "2", "Human", "", "substrate|inducer", ""),
            ("DB1", "carrier", "P", "1", "Human", "", "substrate", ""),
            ("DB1", "target", "P", "1", "Mouse", "", "", ""),
            ("DB1", "target", "P", "7", "Human", "", "", ""),
            ("DB8", "target", "P", "1", "Human", "", "", ""),
        ],
    )
    found = list(drug_actions(tmp_path, {"DrugBank:DB1", "NCBIGene:1", "NCBIGene:2"}))
    assert [(relation, gene) for _, relation, gene in ends(found)] == [
        ("targets", "NCBIGene:1"),  # an inhibitor of its target targets it: `inhibits` is for enzymes and transporters
        ("inhibits", "NCBIGene:2"),
        ("metabolised_by", "NCBIGene:2"),
        ("induces", "NCBIGene:2"),
        ("transported_by", "NCBIGene:2"),
    ]
    assert found[0]["evidence"] == ["PMID:5", "PMID:6"]
    assert found[1]["evidence"] is None


def test_kinds_of_a_disease_are_near_or_far_below_it(tmp_path: Path) -> None:
    rows = [
        ("DOID:1", "a", "DOID:1", "a", "0"),
        ("DOID:1", "a", "DOID:2", "b", "1"),
        ("DOID:1", "a", "DOID:3", "c", "4"),
    ]
    table(tmp_path, "slim-terms-prop", "slim_id slim_name subsumed_id subsumed_name min_distance", rows)
    found = list(disease_subclasses(tmp_path))
    assert ends(found) == [("DOID:2", "is_a", "DOID:1"), ("DOID:3", "is_a", "DOID:1")]
    assert [each["knowledge_level"] for each in found] == ["knowledge_assertion", "logical_entailment"]


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"proteins\.tsv\.gz is missing"):
        list(drug_actions(tmp_path, set()))


def test_every_source_has_a_licence() -> None:
    assert all(source.license and source.url for source in SOURCES.values())
