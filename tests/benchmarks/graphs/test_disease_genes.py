"""HPO's disease genes joined to the Disease Ontology: by one reference, under newer symbols, and nothing guessed."""

import pyarrow as pa
from benchmarks.graphs.disease_genes import join_hpo, with_symbols

from clew.graph import Staged


def test_diseases_are_joined_by_a_reference_that_one_disease_has() -> None:
    rows = [
        ("NCBIGene:1", "associated_with", "OMIM:1", "HPO"),
        ("NCBIGene:1", "associated_with", "ORPHA:5", "HPO"),
        ("NCBIGene:1", "associated_with", "OMIM:2", "HPO"),  # of two diseases
        ("NCBIGene:9", "associated_with", "OMIM:1", "HPO"),  # not a gene of the graph
        ("OMIM:1", "has_phenotype", "HP:1", "HPO"),
    ]
    columns = ("subject", "relation", "object", "source")
    hpo = Staged(pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True))))
    diseases = {"DOID:1": ["OMIM:1", "OMIM:2"], "DOID:2": ["OMIM:2", "ORDO:5"]}
    found = list(join_hpo(hpo, {"NCBIGene:1": "A"}, diseases))
    assert [(each["subject"], each["object"], each["source"]) for each in found] == [
        ("NCBIGene:1", "DOID:1", "HPO"),
        ("NCBIGene:1", "DOID:2", "HPO"),
    ]


def test_newer_symbols_are_synonyms_of_genes() -> None:
    entities = pa.table(
        {
            "id": ["NCBIGene:1", "NCBIGene:2", "DOID:1"],
            "name": ["PARK2", "TERT", "gout"],
            "type": ["Gene", "Gene", "Disease"],
            "synonyms": pa.array([[], None, ["podagra"]], pa.list_(pa.string())),
        }
    )
    named = pa.table({"id": ["NCBIGene:1", "NCBIGene:2", "DOID:1"], "name": ["PRKN", "TERT", "Gout!"]})
    hpo = Staged(pa.table({"subject": ["a"], "relation": ["b"], "object": ["c"]}), named)
    assert with_symbols(entities, hpo)["synonyms"].to_pylist() == [["PRKN"], [], ["podagra"]]
