"""Values as JSON and Arrow take them."""

import json
from collections.abc import Callable
from datetime import date

import pytest

import clew
from clew.errors import StoreError
from clew.store.values import EntityValue, PathValue, RelationshipValue, Rows, Triples, to_record

GENE = EntityValue("G:1", "FBN1", "Gene", {"day": date(2020, 1, 2)})
LINK = RelationshipValue("causes", "G:1", "D:1", 7, False, {"confidence": [float("nan"), 0.5]})


def test_records_are_json() -> None:
    path = PathValue((GENE,), (LINK,))
    rows = Rows(("a", "b"), [(GENE, [path, {"x": LINK}]), (None, True)])
    assert json.loads(json.dumps(rows.records(), allow_nan=False)) == rows.records()
    assert rows.records()[0][0] == {"id": "G:1", "name": "FBN1", "type": "Gene", "properties": {"day": "2020-01-02"}}
    assert to_record(LINK)["properties"] == {"confidence": [None, 0.5]}
    assert len(path) == 1


def test_arrow() -> None:
    table = Rows(("n", "gene", "mixed"), [(1, GENE, 1), (2, None, "x")]).to_arrow()
    assert table["n"].to_pylist() == [1, 2]
    assert table["gene"][0]["id"].as_py() == "G:1"
    assert table["mixed"].to_pylist() == ["1", '"x"']
    assert Rows(("x",), []).to_arrow().column_names == ["x"]


def test_ends_of_triples(make: Callable[..., clew.Engine]) -> None:
    graph = make()
    triples = Triples(graph)
    assert {triples.ends(number) for number in range(graph.counts["triples"])} == {
        ("G:1", "D:1"), ("G:1", "D:2"), ("G:2", "D:2"), ("D:1", "D:2"),
    }  # fmt: skip
    for number in (None, -1, graph.counts["triples"]):
        with pytest.raises(StoreError, match="does not"):
            triples.ends(number)
