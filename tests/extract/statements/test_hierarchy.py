"""Broader and narrower entities of a document, by the is_a triples of a seed."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from clew.extract.statements.hierarchy import Hierarchy, read_hierarchy


def test_an_entity_above_another_one_has_a_narrower_one() -> None:
    hierarchy = Hierarchy({"hepatitis": ["liver disease"], "liver disease": ["disease"]}, {})
    assert hierarchy.has_narrower(["hepatitis", "disease", "gout"]).tolist() == [False, True, False]
    assert hierarchy.has_narrower(["hepatitis", "hepatitis"]).tolist() == [False, False]
    assert hierarchy.has_narrower([]).tolist() == []


def test_a_circle_ends() -> None:
    assert Hierarchy({"a": ["b"], "b": ["a"]}, {}).has_narrower(["a", "b"]).tolist() == [True, True]


def test_ids_of_gold_corpora_are_found_by_cross_references(tmp_path: Path) -> None:
    entities = {"id": ["X:1", "X:2"], "xrefs": [["MESH:D1"], ["MESH:D2", "OMIM:3"]]}
    pq.write_table(pa.table(entities), tmp_path / "entities.parquet")
    triples = {"subject": ["X:1", "X:2"], "relation": ["is_a", "part_of"], "object": ["X:2", "X:1"]}
    pq.write_table(pa.table(triples), tmp_path / "triples.parquet")
    hierarchy = read_hierarchy(tmp_path)
    assert hierarchy.has_narrower(["D1", "D2"]).tolist() == [False, True]
    assert hierarchy.has_narrower(["X:1", "OMIM:3"]).tolist() == [False, True]
