"""iBKH: small files with every oddity, files of both namings, and any rows against a slow and obvious reader."""

import csv
import gzip
import logging
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.errors import BuildError, InputError
from clew.graph.model import Graph
from clew.graph.readers import ibkh, recognise
from clew.graph.readers.ibkh.identifiers import cross_references, entity_curie, separate
from clew.graph.staging import Problems, Staged
from effort import examples
from ibkh_oracle import Assertion, read_slowly

PAPER = {  # as section IV.B of the paper names files and columns
    "disease_vocab.csv": (
        "primary,name,do_id,kegg_id,umls_cui\n"
        'DOID:1,"Alzheimer\'s disease, familial",DOID:1,H00056,C0002395\n'
        'DOID:2,"a ""floppy"" syndrome",DOID:2,,\n'
        "DOID:3,dementia,DOID:3,,C0497327|C0011265\n"
    ),
    "drug_vocab.csv": (
        "primary,name,drugbank_id,kegg_id,pharmgkb_id,umls_cui,mesh_id,iDISK_id,CID\n"
        "DrugBank:DB00843,Donepezil,DB00843,D07869,PA449394,C0527316,D000077265,,3152.0\n"
        "DrugBank:DB00682,Warfarin,DB00682,,,,,,CID100054678\n"
        "DrugBank:DB00945,Aspirin,DB00945,,,,,,2244\n"
    ),
    "symptom_vocab.csv": "primary,name,mesh_id,umls_cui,iDISK_id\nMESH:D008569,Memory Disorders,D008569,,\n",
    "side_effect_vocab.csv": "primary,name\nUMLS:C0027497,Nausea\n",
    "pathway_vocab.csv": (
        "primary,name,reactome_id,go_id,kegg_id\nReactome:R-HSA-109581,Apoptosis,R-HSA-109581,GO:0006915,hsa04210\n"
    ),
    "Di_Sy_res.csv": (
        "Disease,Symptom,Present,Source\nDOID:1,MESH:D008569,1,Hetionet\nDOID:2,MESH:D008569,0,Hetionet\n"
    ),
    "di_di_res.csv": (
        "Disease_1,Disease_2,is_a,Resemble,Source\nDOID:1,DOID:3,1,0,DO\nDOID:1,DOID:2,0,1,Hetionet\n"
        "DOID:2,DOID:1,0,1,DO\n"
    ),
    "D_Di_res.csv": (
        "Drug,Disease,Treats,Palliates,Associate,alleviates,treatment/therapy,inhibits cell growth,biomarkers,"
        "prevents/suppresses,role in disease pathogenesis,Source\n"
        "DrugBank:DB00843,DOID:1,1,0,1,0,0,0,0,0,0,Hetionet; CTD\n"
        "DrugBank:DB00682,DOID:2,0,1,0,1,1,1,1,1,1,CTD|CTD|\n"
        "DrugBank:DB00945,DOID:2,0,0,0,0,0,0,0,0,0,CTD\n"
    ),
    "D_SE_res.csv": "Drug,SideEffect,Source\nDrugBank:DB00843,UMLS:C0027497,SIDER\n",
    "D_D_res.csv": (
        "Drug_1,Drug_2,Interaction,Resemble,Source\n"
        "DrugBank:DB00945,DrugBank:DB00682,1,0,DrugBank\n"
        "DrugBank:DB00682,DrugBank:DB00945,1,1,DrugBank\n"
        "DrugBank:DB00682,DrugBank:DB00945,1,1,KEGG\n"
    ),
    "D_Pwy_res.csv": "Drug,Pathway\nDrugBank:DB00843,Reactome:R-HSA-109581\n",
    "Di_Pwy_res.csv": "Disease,Pathway\nDOID:1,Reactome:R-HSA-109581\n",
}
STATED = {
    ("DOID:1", "has_symptom", "MESH:D008569", "Hetionet"),
    ("DOID:1", "is_a", "DOID:3", "DO"),
    ("DOID:1", "resembles", "DOID:2", "Hetionet"),
    ("DOID:2", "resembles", "DOID:1", "DO"),
    *(("DrugBank:DB00843", relation, "DOID:1", source)
      for relation in ("treats", "associated_with") for source in ("Hetionet", "CTD")),
    *(("DrugBank:DB00682", relation, "DOID:2", "CTD")
      for relation in ("palliates", "alleviates_reduces", "treatment_therapy", "inhibits_cell_growth", "has_biomarker",
                       "prevents_suppresses", "role_in_pathogenesis")),
    ("DrugBank:DB00843", "causes", "UMLS:C0027497", "SIDER"),
    ("DrugBank:DB00945", "interacts_with", "DrugBank:DB00682", "DrugBank"),
    *(("DrugBank:DB00682", relation, "DrugBank:DB00945", source)
      for relation in ("interacts_with", "resembles") for source in ("DrugBank", "KEGG")),
    ("DrugBank:DB00843", "associated_with", "Reactome:R-HSA-109581", "iBKH"),
    ("DOID:1", "associated_with", "Reactome:R-HSA-109581", "iBKH"),
}  # fmt: skip


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "ibkh", PAPER)


def read(folder: Path) -> Staged:
    problems = Problems()
    staged = ibkh.read(folder, problems=problems)
    problems.settle()
    return staged


def assertions(staged: Staged) -> list[Assertion]:
    columns = (staged.triples[name].to_pylist() for name in ("subject", "relation", "object", "source"))
    return list(zip(*columns, strict=True))


def described(staged: Staged) -> dict[str, dict[str, Any]]:
    assert staged.entities is not None
    return {row["id"]: row for row in staged.entities.to_pylist()}


def test_every_flag_and_source_is_an_assertion(folder: Path) -> None:
    staged = read(folder)
    found = assertions(staged)
    assert set(found) == STATED
    assert len(found) == len(STATED)
    assert {source.name: source.license for source in staged.sources}["SIDER"] == "CC BY-NC-SA 4.0"
    assert {source.name for source in staged.sources} == {source for *_, source in STATED}
    assert "agent_type" not in staged.triples.column_names  # iBKH does not say


def test_entities_have_curies_names_types_and_xrefs(folder: Path) -> None:
    found = described(read(folder))
    assert {row["type"] for row in found.values()} == {"Disease", "Drug", "Symptom", "SideEffect", "Pathway"}
    assert found["DOID:1"]["name"] == "Alzheimer's disease, familial"
    assert found["DOID:2"]["name"] == 'a "floppy" syndrome'
    assert found["DOID:1"]["xrefs"] == ["KEGG:H00056", "UMLS:C0002395"]
    assert found["DOID:2"]["xrefs"] is None
    assert found["DOID:3"]["xrefs"] == ["UMLS:C0497327", "UMLS:C0011265"]
    donepezil = ["KEGG:D07869", "UMLS:C0527316", "PharmGKB:PA449394", "MESH:D000077265", "PUBCHEM.COMPOUND:3152"]
    assert sorted(found["DrugBank:DB00843"]["xrefs"]) == sorted(donepezil)
    assert found["DrugBank:DB00682"]["xrefs"] == ["STITCH:CID100054678"]
    assert sorted(found["Reactome:R-HSA-109581"]["xrefs"]) == ["GO:0006915", "KEGG:hsa04210"]


def test_a_symmetric_relation_is_stored_once_and_walked_both_ways(folder: Path, tmp_path: Path) -> None:
    clew.build(folder, out=tmp_path / "graph.clew")
    engine, graph = clew.open(tmp_path / "graph.clew"), Graph(tmp_path / "graph.clew")
    counts = {relation.name: relation.triples for relation in graph.schema.relations}
    assert (counts["interacts_with"], counts["resembles"], counts["is_a"]) == (1, 2, 1)
    assert {relation.name for relation in graph.schema.relations if relation.symmetric} == {
        "interacts_with",
        "resembles",
    }
    assert [relation.name for relation in graph.schema.relations if relation.transitive] == ["is_a"]
    for start, end in (("Aspirin", "DrugBank:DB00682"), ("Warfarin", "DrugBank:DB00945")):
        near = engine.hop([start], k=1, relations={"interacts_with"})
        assert near.entities["id"].to_pylist() == [end]
    for start, end in (("DOID:1", ["DOID:3"]), ("DOID:3", [])):
        assert engine.hop([start], k=1, relations={"is_a"}).entities["id"].to_pylist() == end


def test_the_sources_of_a_triple_are_its_assertions(folder: Path, tmp_path: Path) -> None:
    clew.build(folder, out=tmp_path / "graph.clew")
    graph = Graph(tmp_path / "graph.clew")
    relations = [relation.name for relation in graph.schema.relations]
    ids = graph.entities["id"].to_pylist()
    stated: dict[tuple[str, str, str], set[str]] = {}
    for triple in range(graph.triple_count):
        subject, object_ = int(graph.triples_at(pa.array([triple]).to_numpy())[0][0]), int(graph.forward.end[triple])
        key = (ids[subject], relations[int(graph.forward.relation[triple])], ids[object_])
        stated[key] = {str(each.source) for each in graph.assertions.of(triple)}
    assert stated["DrugBank:DB00843", "treats", "DOID:1"] == {"Hetionet", "CTD"}
    assert stated["DrugBank:DB00682", "interacts_with", "DrugBank:DB00945"] == {"DrugBank", "KEGG"}
    assert stated["DOID:1", "resembles", "DOID:2"] == {"DO", "Hetionet"}  # one row each way


def test_building_twice_gives_the_same_snapshot(folder: Path, tmp_path: Path) -> None:
    first = clew.build(folder, out=tmp_path / "one.clew")._graph.manifest.snapshot
    assert clew.build(folder, out=tmp_path / "two.clew")._graph.manifest.snapshot == first
    doubled = PAPER["D_D_res.csv"] + PAPER["D_D_res.csv"].partition("\n")[2]  # every row once more
    (folder / "D_D_res.csv").write_text(doubled)
    assert clew.build(folder, out=tmp_path / "three.clew")._graph.manifest.snapshot == first


# The public files

PUBLIC_DRUG_DISEASE = (
    ",Drug,Disease,Treats,Palliates,Effect,Associate,Inferred_Relation,treatment/therapy (including investigatory),"
    '"alleviates, reduces",inhibits cell growth (esp. cancers),biomarkers (of disease progression),'
    '"prevents, suppresses",role in disease pathogenesis,Source,Inference_Score,Trial\n'
    '0,DrugBank:DB00843,DOID:1,1.0,0,1,,1,1,1,1,1,1,1,"Hetionet; CTD",4.21,NCT1\n'
)


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """The folders, names and columns of the releases on GitHub."""
    vocabularies = {name: text for name, text in PAPER.items() if name.endswith("_vocab.csv")}
    vocabularies["disease_vocab.csv"] = (
        "primary,name,do_id,kegg_id,pharmgkb_id,mesh_id,umls_cui,icd_10,icd_9,omim_id,iDISK_id,synonyms,note\n"
        "DOID:1,alzheimer's disease,DOID:1,H00056,PA443319,D000544,C0002395,G30,331.0,104300.0,,AD|senile dementia,x\n"
    )
    write(tmp_path / "public" / "Entity", {**vocabularies, "gene_vocab.csv": "primary,symbol\nHGNC:5,A1BG\n"})
    relations = {
        "D_Di_res.csv": PUBLIC_DRUG_DISEASE,
        "D_SE_res.csv": "Drug,Side_Effect,Cause,Source\nDrugBank:DB00843,UMLS:C0027497,1,SIDER\n",
        "D_Pwy_res.csv": "Drug,Pathway,Association,Source\nDrugBank:DB00843,Reactome:R-HSA-109581,1,KEGG\n",
    }
    write(tmp_path / "public" / "Relation", relations)
    return tmp_path / "public"


def test_public_names_are_read_too(public: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert recognise(public) == "ibkh"
    with caplog.at_level(logging.WARNING):
        staged = read(public)
    named = {relation for _, relation, _, _ in assertions(staged)}
    assert named == {
        "treats", "has_effect_on", "inferred_association", "treatment_therapy", "alleviates_reduces",
        "inhibits_cell_growth", "has_biomarker", "prevents_suppresses", "role_in_pathogenesis", "causes",
        "associated_with",
    }  # fmt: skip
    rows = staged.triples.to_pylist()
    inferred = [row for row in rows if row["relation"] == "inferred_association"]
    assert {row["qualifier:inference_score"] for row in inferred} == {"4.21"}
    assert {row["knowledge_level"] for row in inferred} == {"prediction"}
    assert {row["knowledge_level"] for row in rows if row["relation"] == "treats"} == {None}
    assert {row["qualifier:inference_score"] for row in rows if row["relation"] == "treats"} == {None}
    assert {row["qualifier:Trial"] for row in rows if row["relation"] == "treats"} == {"NCT1"}
    alzheimer = described(staged)["DOID:1"]
    assert (alzheimer["synonyms"], alzheimer["note"]) == (["AD", "senile dementia"], "x")
    assert {"ICD9:331.0", "OMIM:104300", "ICD10:G30"} <= set(alzheimer["xrefs"])
    reported = "\n".join(record.getMessage() for record in caplog.records)
    assert "kept as qualifiers: 'Trial'" in reported
    assert "kept as properties: 'note'" in reported
    assert "left out: gene_vocab.csv" in reported


@pytest.mark.parametrize("column", ["Source", "Sources", "Source_1"])
def test_columns_that_name_sources(folder: Path, column: str) -> None:
    (folder / "D_SE_res.csv").write_text(
        f"Drug,SideEffect,{column},Source_2\nDrugBank:DB00843,UMLS:C0027497,SIDER,FAERS; SIDER\n"
    )
    assert {source for _, relation, _, source in assertions(read(folder)) if relation == "causes"} == {"SIDER", "FAERS"}


def test_compressed_files(folder: Path) -> None:
    packed = gzip.compress((folder / "D_D_res.csv").read_bytes())
    (folder / "D_D_res.csv").unlink()
    (folder / "D_D_res.csv.gz").write_bytes(packed)
    assert set(assertions(read(folder))) == STATED


# Errors


def test_bad_rows_are_reported_with_file_and_line(folder: Path) -> None:
    (folder / "D_Di_res.csv").write_text(
        "Drug,Disease,Treats,Palliates,Source\n"
        'DrugBank:DB00843,DOID:1,1,0,"two\nlines"\n'  # the next row is on line 4
        "DrugBank:DB00843,DOID:1,2,0,CTD\n"
        ",DOID:1,1,0,CTD\n"
        "DrugBank:DB00843,:,1,0,CTD\n"
        "DrugBank:DB00843,DOID:1,1,CTD\n"
        "DrugBank:DB00682,DOID:1,1,perhaps,CTD\n"
    )
    (folder / "drug_vocab.csv").write_text(PAPER["drug_vocab.csv"] + ",Nameless,,,,,,,\n")
    problems = Problems("skip")
    staged = ibkh.read(folder, problems=problems)
    reported = {re.sub(r".*/", "", example) for example in problems.examples}
    assert reported == {
        "D_Di_res.csv:4: malformed value: Treats is '2', expected 0 or 1",
        "D_Di_res.csv:5: malformed row: no Drug",
        "D_Di_res.csv:6: malformed row: no Disease",
        "D_Di_res.csv:7: malformed row: 4 fields, expected 5",
        "D_Di_res.csv:8: malformed value: Palliates is 'perhaps', expected 0 or 1",
        "drug_vocab.csv:5: malformed row: no id",
    }
    kept = [found for found in assertions(staged) if found[2] == "DOID:1" and found[0].startswith("DrugBank")]
    assert kept == [("DrugBank:DB00843", "treats", "DOID:1", "two\nlines")]
    with pytest.raises(BuildError, match=r"D_Di_res\.csv:\d.*on_error='skip'"):
        read(folder)


def test_an_entity_that_no_vocabulary_has_is_dangling(folder: Path, tmp_path: Path) -> None:
    (folder / "D_SE_res.csv").write_text("Drug,SideEffect,Source\nCID100000085,UMLS:C0027497,SIDER\n")
    with pytest.raises(BuildError, match=r"D_SE_res\.csv:2: dangling reference: subject 'Drug:CID100000085'"):
        clew.build(folder, out=tmp_path / "graph.clew")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"drug_vocab.csv": None}, r"D_Di_res\.csv needs drug_vocab\.csv"),
        ({"drug_vocab.csv": "id,name\nx,y\n"}, r"drug_vocab\.csv has no column 'primary'.*'id', 'name'"),
        ({"D_SE_res.csv": "Drug,Source\nx,y\n"}, r"D_SE_res\.csv has no column 'side_effect'"),
        ({"D_D_res.csv": "Drug_1,Drug_2,Source\nx,y,z\n"}, r"D_D_res\.csv has none of the 0/1 columns interaction"),
        ({"D_D_res.csv": "Drug_1,Drug_2,Interaction,interaction\nx,y,1,1\n"}, r"'Interaction' and 'interaction'"),
        ({"D-D-res.csv": "Drug_1,Drug_2,Interaction\n"}, r"go by the same name"),
        ({"drug_vocab.csv": "primary,name,type\nx,y,z\n"}, r"a column 'type', which Clew makes itself"),
        ({"D_D_res.csv": ""}, r"D_D_res\.csv is empty"),
    ],
)
def test_files_that_cannot_be_used(folder: Path, changes: dict[str, str | None], message: str) -> None:
    for name, text in changes.items():
        (folder / name).unlink(missing_ok=True) if text is None else (folder / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read(folder)


def test_directories_that_are_no_ibkh(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no directory"):
        read(tmp_path / "absent")
    with pytest.raises(InputError, match=r"no vocabularies such as disease_vocab\.csv"):
        read(tmp_path)
    write(tmp_path, {"disease_vocab.csv": PAPER["disease_vocab.csv"]})
    with pytest.raises(InputError, match=r"no files of links such as D_Di_res\.csv"):
        read(tmp_path)
    with pytest.raises(InputError, match="Hetionet, HPO or iBKH"):
        recognise(tmp_path)


def test_recognition(folder: Path) -> None:
    assert recognise(folder) == "ibkh"
    assert recognise(str(folder)) == "ibkh"


# Identifiers


@pytest.mark.parametrize(
    ("given", "curie"),
    [
        ("DOID:10652", "DOID:10652"), ("mesh:D000544", "MESH:D000544"), ("MeSH: D000544 ", "MESH:D000544"),
        ("C0002395", "UMLS:C0002395"), ("C000657245", "MESH:C000657245"), ("D000544", "MESH:D000544"),
        ("DB00843", "DrugBank:DB00843"), ("H00056", "KEGG:H00056"), ("path:hsa04210", "KEGG:hsa04210"),
        ("R-HSA-109581", "Reactome:R-HSA-109581"), ("PA449394", "PharmGKB:PA449394"), ("iDISK:1", "iDISK:1"),
        ("other:1:2", "other:1:2"), ("nothing known", "Drug:nothing known"), ("", None), (":", None), ("x:", None),
    ],
)  # fmt: skip
def test_curies(given: str, curie: str | None) -> None:
    assert entity_curie(given, "Drug") == curie


def test_fields_of_several_items() -> None:
    assert separate(" a ;b| a;; ") == ["a", "b"]
    assert cross_references("H00056; kegg:H00057|:", "KEGG") == ["KEGG:H00056", "KEGG:H00057"]
    assert cross_references("331.0", "ICD9") == ["ICD9:331.0"]


# Against a reader that is slow and obvious

DISEASES = st.sampled_from(["DOID:1", "DOID:2", "DOID:3"])
DRUGS = st.sampled_from(["DrugBank:DB00843", "DrugBank:DB00682", "DrugBank:DB00945"])
FLAGS = st.sampled_from(["0", "1", "", "0.0", "1.0", "True", "False", "no", "yes"])
SOURCES = st.lists(st.sampled_from(["CTD", "Hetionet", " KEGG ", "", 'a "b", c']), max_size=4).map("|".join) | st.just(
    "A;B"
)


def rows_of(first: st.SearchStrategy[str], second: st.SearchStrategy[str], flags: int) -> Any:
    return st.lists(st.tuples(first, second, *[FLAGS] * flags, SOURCES), max_size=12)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    drug_disease=rows_of(DRUGS, DISEASES, 9), drug_drug=rows_of(DRUGS, DRUGS, 2), disease=rows_of(DISEASES, DISEASES, 2)
)
def test_equals_the_slow_reader_on_any_rows(folder: Path, drug_disease: Any, drug_drug: Any, disease: Any) -> None:
    for name, rows in (("D_Di_res.csv", drug_disease), ("D_D_res.csv", drug_drug), ("di_di_res.csv", disease)):
        with open(folder / name, "w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(PAPER[name].partition("\n")[0].split(","))
            writer.writerows(rows)
    assert Counter(assertions(read(folder))) == read_slowly(folder)
