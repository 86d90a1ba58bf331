"""Entity resolution: mappings and cross-references merge entities, names do not, and a record says what and why."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from clew.errors import InputError, UnknownName
from clew.graph.resolution.resolve import resolve
from clew.graph.staging import Problems, Staged

SSSOM = """#mapping_set_id: https://example.org/m
#curie_map:
#  MONDO: http://purl.obolibrary.org/obo/MONDO_
subject_id\tsubject_label\tpredicate_id\tobject_id\tmapping_justification\tpredicate_modifier
MONDO:1\tdisease\tskos:exactMatch\tDOID:1\tsemapv:ManualMappingCuration\t
DOID:2\t\tskos:exactMatch\tELSEWHERE:2\tsemapv:LexicalMatching\t
ELSEWHERE:2\t\tskos:exactMatch\tMONDO:2\tsemapv:LexicalMatching\t
MONDO:3\t\tskos:closeMatch\tDOID:3\tsemapv:LexicalMatching\t
MONDO:4\t\tskos:exactMatch\tDOID:4\tsemapv:ManualMappingCuration\tNot
DOID:5\t\tskos:exactMatch\tMONDO:5\tsemapv:ManualMappingCuration\t
DOID:5\t\tskos:exactMatch\tMONDO:6\tsemapv:ManualMappingCuration\t
"""


def staged() -> Staged:
    ids = [f"{prefix}:{number}" for prefix in ("DOID", "MONDO") for number in (1, 2, 3, 4, 5)] + ["MONDO:6", "HP:1"]
    entities = pa.table(
        {
            "id": ids,
            "name": ["same name" if each.endswith(":4") else f"name of {each}" for each in ids],
            "type": ["Disease"] * 11 + ["Phenotype"],
            "xrefs": pa.array([["UMLS:C1"] if each == "DOID:1" else None for each in ids], pa.list_(pa.string())),
        }
    )
    triples = pa.table({"subject": ["DOID:1", "MONDO:1", "DOID:2"], "relation": ["has"] * 3, "object": ["HP:1"] * 3})
    return Staged(triples, entities)


@pytest.fixture
def mappings(tmp_path: Path) -> Path:
    path = tmp_path / "m.sssom.tsv"
    path.write_text(SSSOM)
    return path


def ids(made: Staged) -> set[str]:
    assert made.entities is not None
    return set(made.entities["id"].to_pylist())


def entity(made: Staged, identifier: str) -> dict[str, Any]:
    assert made.entities is not None
    (row,) = [row for row in made.entities.to_pylist() if row["id"] == identifier]
    return row


def test_exact_mappings_merge_and_nothing_else(mappings: Path) -> None:
    problems = Problems()
    made = resolve(staged(), [mappings], prefer=["mondo"], problems=problems)
    assert ids(made) == {each for each in ids(staged()) if each not in ("DOID:1", "DOID:2")}
    first = entity(made, "MONDO:1")
    assert (first["name"], first["synonyms"]) == ("name of MONDO:1", ["name of DOID:1"])
    assert first["xrefs"] == ["DOID:1", "UMLS:C1"]
    rows = made.triples.to_pylist()
    assert [(row["subject"], row["qualifier:original_subject"]) for row in rows] == [
        ("MONDO:1", "DOID:1"),
        ("MONDO:1", None),
        ("MONDO:2", "DOID:2"),  # through an id that the graph does not have
    ]
    assert problems.differences == {"entity merged": 2, "conflicting mappings": 1}
    assert made.merged is not None
    assert made.merged.to_pylist()[0] == {
        "subject_id": "DOID:1",
        "subject_label": "name of DOID:1",
        "predicate_id": "skos:exactMatch",
        "object_id": "MONDO:1",
        "object_label": "name of MONDO:1",
        "mapping_justification": "semapv:ManualMappingCuration",
        "mapping_source": "m.sssom.tsv:5",
        "comment": "MONDO:1 = DOID:1",
    }


def test_other_predicates_on_request(mappings: Path) -> None:
    made = resolve(
        staged(), [mappings], predicates=["exactMatch", "skos:closeMatch"], prefer=["DOID"], problems=Problems()
    )
    assert ids(made) == ids(staged()) - {"MONDO:1", "MONDO:2", "MONDO:3"}
    with pytest.raises(UnknownName, match="'exactmach': did you mean 'skos:exactMatch'"):
        resolve(staged(), [mappings], predicates=["exactmach"], problems=Problems())
    with pytest.raises(UnknownName, match="'MOND', which no entity has: did you mean 'MONDO'"):
        resolve(staged(), [mappings], prefer=["MOND"], problems=Problems())


def test_the_most_frequent_vocabulary_stays_by_default(mappings: Path) -> None:
    assert {"DOID:1", "DOID:2"}.isdisjoint(ids(resolve(staged(), [mappings], problems=Problems())))


def test_shared_cross_references() -> None:
    xrefs = {
        "A:1": ["UMLS:1"],
        "B:1": ["UMLS:1"],
        "A:2": ["B:2"],
        "B:2": [],
        "A:3": ["U:9"],
        "A:4": ["U:9", "U:8"],
        "A:5": ["U:8"],
        "B:3": ["U:9"],
    }
    entities = pa.table({"id": list(xrefs), "xrefs": pa.array(list(xrefs.values()), pa.list_(pa.string()))})
    triples = pa.table({"subject": ["A:1"], "relation": ["r"], "object": ["B:2"]})
    problems = Problems()
    made = resolve(Staged(triples, entities), ["xrefs"], prefer=["B"], problems=problems)
    assert ids(made) == {"B:1", "B:2", "A:3", "A:4", "A:5", "B:3"}
    assert problems.differences == {"entity merged": 2, "ambiguous cross-reference": 1}
    assert made.merged is not None
    assert made.merged["mapping_justification"].to_pylist() == [
        "shared cross-reference UMLS:1",
        "shared cross-reference B:2",
    ]


def test_built_recorded_and_findable(mappings: Path, tmp_path: Path) -> None:
    graph = clew.build(staged(), merge=[mappings], prefer=["MONDO"], out=tmp_path / "g.clew")
    assert graph.counts["entities"] == 10
    assert next(iter(graph.find("name of DOID:1"))).id == "MONDO:1"
    (record,) = (tmp_path / "g.clew").rglob("merged.sssom.tsv")
    lines = record.read_text().splitlines()
    assert lines[0].startswith("subject_id\tsubject_label\tpredicate_id\tobject_id")
    assert len(lines) == 3
    clew.open(tmp_path / "g.clew", verify=True)
    again = clew.build(staged(), merge=[record], out=tmp_path / "h.clew")  # the record is a file of mappings
    assert again.counts["entities"] == 10


@pytest.mark.parametrize(
    ("text", "words"), [("a\tb\n1\t2\n", "subject_id"), ("", "no header|subject_id"), (None, "there is no file")]
)
def test_what_is_no_file_of_mappings(tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "m.tsv"
    if text is not None:
        path.write_text(text)
    with pytest.raises((InputError, ValueError), match=words):
        resolve(staged(), [path], problems=Problems())


def test_mappings_without_effect_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "m.tsv"
    path.write_text("subject_id\tpredicate_id\tobject_id\nX:1\tskos:exactMatch\tY:1\n")
    problems = Problems()
    made = resolve(staged(), [path], problems=problems)
    assert ids(made) == ids(staged())
    assert list(problems.differences) == ["mappings without effect"]
