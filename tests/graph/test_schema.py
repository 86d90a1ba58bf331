"""A schema that cannot be relied on is one sentence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.errors import DamagedGraph
from clew.graph.schema import RelationSchema, Schema, count_joins, joins_of, read_schema, schema_of_joins, sum_joins

SCHEMA = Schema(
    {"Gene": 2, "Disease": 1},
    (RelationSchema("causes", 0, 3, joins="0,1,2;0,0,1", type_names=("Gene", "Disease")),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "schema.json").write_text(SCHEMA.to_json())
    return tmp_path / "schema.json"


def test_what_was_written_is_read(path: Path) -> None:
    assert read_schema(path) == SCHEMA
    assert [each.object for each in read_schema(path).relation("causes").signatures] == ["Disease", "Gene"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", 7), ("name", None), ("triples", "3"), ("triples", None), ("negated", "no"), ("symmetric", 1),
        ("transitive", None), ("inverse", []), ("joins", None), ("joins", "0,1"), ("joins", "0,1,x"),
        ("joins", "0,1,2;;0,0,1"), ("number", 1), ("number", "0"), ("colour", "red"),
    ],
)  # fmt: skip
def test_odd_relations(path: Path, key: str, value: Any) -> None:
    body = json.loads(path.read_text())
    body["relations"][0][key] = value
    path.write_text(json.dumps(body))
    with pytest.raises(DamagedGraph, match=r"schema\.json is damaged"):
        read_schema(path)


@pytest.mark.parametrize("content", ["", "[]", "null", "{}", '{"types": 7, "relations": []}', "[" * 100_000])
def test_what_is_no_schema(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.raises(DamagedGraph, match=r"schema\.json is damaged"):
        read_schema(path)


def test_types_that_do_not_exist(path: Path) -> None:
    path.write_text(path.read_text().replace("0,1,2", "0,9,2"))
    with pytest.raises(DamagedGraph, match="do not exist"):
        read_schema(path).relation("causes").signatures  # noqa: B018


def test_counts_of_joins_are_read_added_and_written() -> None:
    types = {"Gene": 2, 'a "quoted" é': 1}
    relations = [clew.Relation("causes"), clew.Relation("unused")]
    counted = count_joins(
        np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]), np.array([2, 1, 2, 2]), np.array([0, 0, 1]), 2
    )
    schema = schema_of_joins(counted, relations, types)
    assert [each.joins for each in schema.relations] == ["0,1,3;0,0,1", ""]
    assert schema.to_json() == json.dumps(json.loads(schema.to_json()), indent=1)
    again = sum_joins([joins_of(schema), counted, np.array([[0, 0, 0, -2]])])
    assert [each.joins for each in schema_of_joins(again, relations, types).relations] == ["0,1,6", ""]
    assert len(sum_joins([])) == 0
