"""PrimeKG's kg.csv: triples that are listed from both ends are kept once, ids are CURIEs."""

from pathlib import Path

import pytest

import clew
from clew.errors import InputError
from clew.graph.readers import stage
from clew.graph.staging import Problems

HEADER = "relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source\n"
PHYHIP = ("0", "9796", "gene/protein", "PHYHIP", "NCBI")
KIF15 = ("8889", "56992", "gene/protein", "KIF15", "NCBI")
COPPER = ("14012", "DB09130", "drug", "Copper", "DrugBank")
TP53 = ("1", "7157", "gene/protein", "TP53", "NCBI")
HYPERTENSION = ("28", "5044", "disease", "hypertension", "MONDO")
ROWS = [  # relation, what is displayed, index, id, type, name and source of both ends
    ("protein_protein", "ppi", PHYHIP, KIF15),
    ("drug_protein", "carrier", COPPER, TP53),
    ("indication", "indication", ("15", "DB00945", "drug", "Aspirin", "DrugBank"), HYPERTENSION),
    (
        "disease_phenotype_negative",
        "phenotype absent",
        HYPERTENSION,
        ("22", "1250", "effect/phenotype", "Seizure", "HPO"),
    ),
]


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    lines = []
    for relation, shown, x, y in ROWS:
        lines += [",".join((relation, shown, *x, *y)), ",".join((relation, shown, *y, *x))]
    path = tmp_path / "kg.csv"
    path.write_text(HEADER + "\n".join(lines) + "\n")
    return path


def test_each_triple_once(kg: Path, tmp_path: Path) -> None:
    problems = Problems()
    staged = stage(kg, problems=problems)
    assert problems.differences == {"row that lists a triple from its object": 3}
    graph = clew.build(kg, out=tmp_path / "primekg.clew")
    assert graph.counts["triples"] == len(ROWS)
    assert graph.counts["assertions"] == len(ROWS)
    assert list(graph.hop("Aspirin")) == ["MONDO:0005044"]
    assert list(graph.hop("KIF15")) == ["NCBIGene:9796"]  # symmetric
    assert list(graph.hop("TP53")) == []
    assert list(graph.hop("hypertension")) == []  # what is absent is not walked
    assert {each.name for each in graph.schema.relations if each.negated} == {"disease_phenotype_negative"}
    assert set(graph.schema.types) == {"Gene", "Drug", "Disease", "Phenotype"}
    assert "carrier" in staged.triples["qualifier:display_relation"].to_pylist()


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kg.csv").write_text("relation,x_id\nr,1\n")
    with pytest.raises(InputError, match="has no column 'display_relation', which PrimeKG"):
        stage(tmp_path / "kg.csv", format="primekg", problems=Problems())
