"""RDF in its several syntaxes: IRIs as CURIEs, labels, literals, OWL restrictions, blank nodes, bad lines."""

import gzip
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.errors import InputError
from clew.graph.readers import stage
from clew.graph.staging import Problems, Relation, Staged

TURTLE = """
@prefix ex: <http://ex.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
<http://ex.example/ontology> a owl:Ontology ; owl:versionInfo "2024-05-01" .
ex:treats a owl:ObjectProperty ; rdfs:label "is treatment of" ; rdfs:range ex:Disease .
ex:near a owl:ObjectProperty, owl:SymmetricProperty .
ex:Disease a owl:Class ; rdfs:label "human disease" .
ex:aspirin a ex:Drug ; rdfs:label "Aspirine"@fr, "Aspirin"@en ; skos:altLabel "ASA" ; ex:mass 180.2 ;
  ex:brand "A", "B" ; ex:treats ex:pain ; skos:exactMatch <http://id.nlm.nih.gov/mesh/D001241> ; ex:near ex:ibuprofen .
ex:pain a ex:Disease .
obo:HP_0001250 a owl:Class ; rdfs:label "Seizure" ; rdfs:subClassOf obo:HP_0012638 ,
  [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom obo:UBERON_0000955 ] ,
  [ a owl:Class ; owl:unionOf ( obo:HP_1 obo:HP_2 ) ] .
obo:HP_0000057 a owl:Class ; owl:deprecated true ; rdfs:subClassOf obo:HP_0012638 .
[] ex:treats ex:pain .
"""


def rows(staged: Staged) -> set[tuple[str, str, str]]:
    return {(row["subject"], row["relation"], row["object"]) for row in staged.triples.to_pylist()}


def entities(staged: Staged) -> dict[str, dict[str, Any]]:
    assert staged.entities is not None
    return {row["id"]: row for row in staged.entities.to_pylist()}


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_turtle(tmp_path: Path) -> None:
    problems = Problems()
    staged = stage(write(tmp_path / "mine.ttl", TURTLE), problems=problems)
    assert rows(staged) == {
        ("ex:aspirin", "is_treatment_of", "ex:pain"),
        ("ex:aspirin", "near", "ex:ibuprofen"),
        ("HP:0001250", "is_a", "HP:0012638"),
        ("HP:0001250", "part_of", "UBERON:0000955"),
    }
    assert {relation.name: relation for relation in staged.relations}["near"] == Relation("near", symmetric=True)
    found = entities(staged)
    assert found["ex:aspirin"]["name"] == "Aspirin"
    assert found["ex:aspirin"]["synonyms"] == ["Aspirine", "ASA"]
    assert found["ex:aspirin"]["xrefs"] == ["MESH:D001241"]
    assert found["ex:aspirin"]["mass"] == "180.2"
    assert sorted(found["ex:aspirin"]["brand"]) == ["A", "B"]
    assert [found[each]["type"] for each in ("ex:aspirin", "ex:pain", "HP:0001250", "ex:ibuprofen")] == [
        "Drug",
        "HumanDisease",
        "Phenotype",
        None,
    ]
    assert "HP:0000057" not in found
    assert "ex:treats" not in found
    assert staged.sources[0].version == "2024-05-01"
    assert problems.differences["obsolete term left out"] == 1
    assert problems.differences["statement about a blank node left out"] >= 1
    assert problems.differences["class expression other than: some value from left out"] == 1


def test_prefixes_of_the_caller_come_first(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.nt", "<http://ex.example/a> <http://ex.example/r> <http://ex.example/b> .\n")
    assert rows(stage(path, problems=Problems())) == {("http://ex.example/a", "r", "http://ex.example/b")}
    staged = stage(path, prefixes={"mine": "http://ex.example/"}, problems=Problems())
    assert rows(staged) == {("mine:a", "r", "mine:b")}
    with pytest.raises(InputError, match="expected PREFIX=IRI"):
        stage(path, prefixes={"": "nowhere"}, problems=Problems())
    with pytest.raises(InputError, match="prefixes= can be given for the rdf format only"):
        stage("hpo", prefixes={"a": "http://a/"}, problems=Problems())


def test_bad_lines_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "mine.nt.gz"
    lines = ["# a comment", "<http://x/a> <http://x/r> <http://x/b> .", "", "nonsense", "<http://x/a> <http://x/r> ."]
    path.write_bytes(gzip.compress("\r\n".join([*lines, "<http://x/b> <http://x/r> <http://x/c> ."]).encode()))
    problems = Problems("skip")
    staged = stage(path, problems=problems)
    assert rows(staged) == {("http://x/a", "r", "http://x/b"), ("http://x/b", "r", "http://x/c")}
    assert problems.counts == {"malformed row": 2}
    assert [example.rpartition(".gz:")[2].partition(":")[0] for example in problems.examples] == ["4", "5"]
    assert staged.triple_origin(1).endswith("mine.nt.gz:6")


def test_relations_of_the_same_last_part_stay_apart(tmp_path: Path) -> None:
    text = "<http://x/a> <http://x/r> <http://x/b> .\n<http://x/a> <http://y/r> <http://x/b> .\n"
    found = rows(stage(write(tmp_path / "mine.nt", text), problems=Problems()))
    assert {relation for _, relation, _ in found} == {"r", "http://y/r"}


def test_named_graphs_are_sources(tmp_path: Path) -> None:
    text = "<http://x/a> <http://x/r> <http://x/b> <http://x/g> .\n<http://x/a> <http://x/r> <http://x/c> .\n"
    staged = stage(write(tmp_path / "mine.nq", text), problems=Problems())
    assert staged.triples["source"].to_pylist() == ["http://x/g", "mine"]


RDF_XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x.example/">
  <rdf:Description rdf:about="http://x.example/a"><x:r rdf:resource="http://x.example/b"/></rdf:Description>
</rdf:RDF>"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.rdf", RDF_XML),
        ("mine.owl", RDF_XML),
        ("mine.owl", "@prefix x: <http://x.example/> . x:a x:r x:b ."),
        ("mine.owl", "<http://x.example/a> <http://x.example/r> <http://x.example/b> ."),
        ("mine.jsonld", '{"@id": "http://x.example/a", "http://x.example/r": {"@id": "http://x.example/b"}}'),
        ("mine.trig", "@prefix x: <http://x.example/> . x:g { x:a x:r x:b }"),
    ],
)
def test_every_syntax(tmp_path: Path, name: str, text: str) -> None:
    graph = clew.build(write(tmp_path / name, text), out=tmp_path / "mine.clew")
    assert graph.counts["triples"] == 1
    assert [relation.name for relation in graph.schema.relations] == ["r"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("mine.ttl", "x:a x:r x:b .", r"mine\.ttl:1 cannot be read as RDF"),
        ("mine.nt", "", "has no statements"),
        ("mine.owl", "Prefix(:=<http://x/>)\nOntology(<http://x/>)", "functional"),
        ("mine.owl", '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#">', "OWL/XML"),
        ("mine.rdf", "<rdf", "cannot be read as RDF"),
    ],
)
def test_what_is_no_rdf(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        stage(write(tmp_path / name, text), problems=Problems())


def test_entities_of_xml_do_not_explode(tmp_path: Path) -> None:
    """Billion laughs: ten entities, each ten times the one before."""
    laughs = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 10))
    text = RDF_XML.replace(
        '<?xml version="1.0"?>', f'<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY l0 "ha">{laughs}]>'
    ).replace(
        "</rdf:RDF>", '<rdf:Description rdf:about="http://x.example/c"><x:n>&l9;</x:n></rdf:Description></rdf:RDF>'
    )
    with pytest.raises(InputError, match="entities"):
        stage(write(tmp_path / "mine.rdf", text), problems=Problems())
