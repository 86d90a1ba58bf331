"""UMLS files: concepts with names, codes and types; relations of one direction; filters by vocabulary and relation."""

from pathlib import Path

import pytest

import clew
from clew.errors import InputError, UnknownName
from clew.graph.readers import recognise, stage
from clew.graph.staging import Problems

CONSO = [  # CUI LAT TS STT ISPREF SAB CODE STR SUPPRESS
    ("C1", "ENG", "S", "PF", "Y", "MSH", "D1", "Renal Failure", "N"),
    ("C1", "ENG", "P", "PF", "Y", "SNOMEDCT_US", "42", "Kidney failure", "N"),
    ("C1", "ENG", "P", "VO", "N", "SNOMEDCT_US", "42", "kidney failure", "N"),
    ("C1", "SPA", "P", "PF", "Y", "MSHSPA", "D1", "Insuficiencia renal", "N"),
    ("C1", "ENG", "P", "PF", "N", "OLD", "NOCODE", "obsolete name", "O"),
    ("C2", "ENG", "P", "PF", "Y", "SNOMEDCT_US", "7", 'Kidney "disease"', "N"),
    ("C3", "ENG", "P", "PF", "Y", "RXNORM", "9", "Furosemide", "N"),
]
REL = [  # CUI1 REL CUI2 RELA SAB DIR SUPPRESS
    ("C2", "CHD", "C1", "isa", "SNOMEDCT_US", "", "N"),
    ("C1", "PAR", "C2", "inverse_isa", "SNOMEDCT_US", "", "N"),
    ("C1", "RO", "C3", "may_treat", "MED-RT", "Y", "N"),
    ("C3", "RO", "C1", "may_be_treated_by", "MED-RT", "N", "N"),
    ("C1", "RO", "C2", "", "MSH", "", "N"),
    ("C1", "SY", "C1", "", "MSH", "", "N"),
    ("C1", "RO", "C2", "gone", "MSH", "", "O"),
]
STY = [
    ("C1", "Disease or Syndrome"),
    ("C2", "Disease or Syndrome"),
    ("C3", "Organic Chemical"),
    ("C3", "Pharmacologic Substance"),
]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    conso = [(c, lat, ts, "", stt, "", pref, "", "", "", "", sab, "", code, name, "", gone, "")
             for c, lat, ts, stt, pref, sab, code, name, gone in CONSO]  # fmt: skip
    rel = [(one, "", "", rel, two, "", "", rela, "", "", sab, "", "", way, gone, "")
           for one, rel, two, rela, sab, way, gone in REL]  # fmt: skip
    sty = [(c, "", "", name, "", "") for c, name in STY]
    folder = tmp_path / "META"
    folder.mkdir()
    for name, rows in (("MRCONSO", conso), ("MRREL", rel), ("MRSTY", sty)):
        (folder / f"{name}.RRF").write_text("".join("|".join(row) + "|\n" for row in rows))
    return folder


def test_concepts_and_relations(release: Path, tmp_path: Path) -> None:
    assert recognise(release) == "umls"
    problems = Problems()
    staged = stage(release, problems=problems)
    rows = {(row["subject"], row["relation"], row["object"], row["source"]) for row in staged.triples.to_pylist()}
    assert rows == {
        ("UMLS:C1", "is_a", "UMLS:C2", "SNOMEDCT_US"),
        ("UMLS:C3", "may_treat", "UMLS:C1", "MED-RT"),
        ("UMLS:C2", "related_to", "UMLS:C1", "MSH"),
    }
    assert staged.entities is not None
    found = {row["id"]: row for row in staged.entities.to_pylist()}
    assert found["UMLS:C1"]["name"] == "Kidney failure"
    assert found["UMLS:C1"]["synonyms"] == ["kidney failure", "Renal Failure"]
    assert sorted(found["UMLS:C1"]["xrefs"]) == ["MSH:D1", "SNOMEDCT_US:42"]
    assert found["UMLS:C2"]["name"] == 'Kidney "disease"'
    assert (found["UMLS:C1"]["type"], found["UMLS:C3"]["type"]) == ("DiseaseOrSyndrome", "OrganicChemical")
    assert found["UMLS:C3"]["semantic_types"] == ["OrganicChemical", "PharmacologicSubstance"]
    assert problems.differences == {"relation of a concept to itself left out": 1}
    graph = clew.build(release, out=tmp_path / "umls.clew")
    assert list(graph.hop("Furosemide", relations=["may_treat"])) == ["UMLS:C1"]


def test_filters(release: Path) -> None:
    staged = stage(release, vocabularies=["snomedct_us"], problems=Problems())
    assert staged.triples["relation"].to_pylist() == ["is_a"]
    assert staged.entities is not None
    assert staged.entities["id"].to_pylist() == ["UMLS:C1", "UMLS:C2"]
    assert staged.entities["name"].to_pylist() == ["Kidney failure", 'Kidney "disease"']
    staged = stage(release, keep_relations=["may_treat"], problems=Problems())
    assert staged.triples["relation"].to_pylist() == ["may_treat"]
    with pytest.raises(UnknownName, match=r"vocabularies= names 'SNOMEDCT_UK', .* did you mean 'SNOMEDCT_US'"):
        stage(release, vocabularies=["SNOMEDCT_UK"], problems=Problems())
    with pytest.raises(UnknownName, match="keep_relations= names 'may_trat'"):
        stage(release, keep_relations=["may_trat"], problems=Problems())


def test_bad_lines_and_missing_files(release: Path) -> None:
    with (release / "MRREL.RRF").open("ab") as file:
        file.write(b"C1|too short|\n\xff" + b"|" * 16 + b"\n")
    problems = Problems("skip")
    assert stage(release, problems=problems).triples.num_rows == 3
    assert problems.counts == {"malformed row": 2}
    assert problems.examples[0].startswith("MRREL.RRF:8: malformed row: not the 16 fields of MRREL")
    (release / "MRSTY.RRF").unlink()
    with pytest.raises(InputError, match=r"there is no MRSTY\.RRF"):
        stage(release / "MRREL.RRF", problems=Problems())
