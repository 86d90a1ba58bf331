"""`clew info` and `clew find`."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

import clew


def test_info_json(run, graph: Path) -> None:
    report = run("info", graph, "--json").json
    assert list(report) == [
        "graph", "snapshot", "format_version", "created_by", "bytes", "counts", "widths", "partitions",
        "partitioning", "largest_load", "types", "relations",
        "super_relations", "sources", "problems",
    ]  # fmt: skip
    assert report["types"] == {"Disease": 3, "Gene": 2, "Other": 1, "Phenotype": 4}
    assert {r["name"]: r["triples"] for r in report["relations"]} == {
        "causes": 3,
        "has": 4,
        "is_a": 1,
        "lacks": 1,
        "near": 1,
    }
    assert report["sources"] == [
        {"name": "A", "version": None, "license": None, "url": None, "attribution": None, "curated": True}
    ]
    on_disk = sum(f.stat().st_size for f in graph.rglob("*.*") if f.is_file() and f.name != "manifest.json")
    assert report["bytes"] == on_disk


def test_super_relations_are_made_kept_and_shown(run, tmp_path: Path) -> None:
    names = ("film.actor.film", "film.actor.award", "film.actor.born_in", "has_sign", "has_cause", "treats")
    rows = [("a", name, "b") for name in names]
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*rows, strict=True), strict=True)))
    graph = tmp_path / "films.clew"
    clew.build(table, out=graph).close()
    assert "3 super-relations, made by names" in run("info", graph).out
    made = run("index", graph, "--no-vectors", "--relations", "names", "--json").json["super_relations"]
    assert (made["made_by"], made["relations"], made["count"]) == ("names", 6, 3)
    kept = graph / "super_relations.json"
    assert json.loads(kept.read_text())["groups"]["has"] == ["has_cause", "has_sign"]
    kept.write_text('{"made_by": "me", "groups": {"all of them": ["has_sign", "treats"]}}')
    edited = run("info", graph)
    assert "made by me" in edited.out
    assert "all of them" in edited.out
    kept.write_text('{"made_by": "me", "groups": {"odd": ["no such"]}}')
    refused = run("info", graph)
    assert refused.code == 2
    assert "'no such', which is no relation of this graph; edit it" in refused.error
    refused = run("index", graph, "--no-vectors", "--relations", "colour")
    assert "names or types or clusters, not by 'colour'" in refused.error


def test_info_for_people(run, graph: Path) -> None:
    out = run("info", graph).out
    assert "10 entities, 10 triples, 11 assertions" in out
    assert "Disease → Phenotype" in out
    assert "source A" in out


@pytest.mark.parametrize(
    ("text", "first", "how"),
    [
        ("D:1", "D:1", "id"),
        ("marfan syndrome", "D:1", "name"),
        ("arachno", "P:1", "prefix"),
        ("marfen syndrom", "D:1", "close"),
    ],
)
def test_find(run, graph: Path, text: str, first: str, how: str) -> None:
    report = run("find", graph, text, "--json").json
    assert list(report) == ["graph", "text", "count", "found"]
    assert list(report["found"][0]) == ["id", "name", "type", "matched", "how", "score"]
    assert (report["found"][0]["id"], report["found"][0]["how"]) == (first, how)
    assert report["count"] == len(report["found"])


def test_find_limit(run, graph: Path) -> None:
    assert run("find", graph, "same", "--limit", 1, "--json").json["count"] == 1
    assert run("find", graph, "same", "--limit", 5, "--json").json["count"] >= 2
    refused = run("find", graph, "same", "--limit", -1)
    assert (refused.code, refused.error) == (2, "clew: error: --limit is a number of rows, 0 or more, not -1\n")


def test_find_nothing_is_an_answer(run, graph: Path) -> None:
    ran = run("find", graph, "zzzzzzzzzzzz")
    assert ran.code == 0
    assert ran.out.startswith("nothing in ")


def test_names_never_break_a_table(run, graph: Path) -> None:
    ran = run("find", graph, "lonely")
    assert "\x1b" not in ran.out
    assert "Lonely\\x1b[31m" in ran.out


def test_the_same_graph_is_described_as_the_library_does(run, graph: Path) -> None:
    assert run("info", graph, "--json").json["snapshot"] == clew.open(graph).snapshot.id
