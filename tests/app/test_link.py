"""`clew link` and `clew index` as a user runs them."""

from collections.abc import Callable
from pathlib import Path

import pytest


def test_names_are_linked_with_reasons(run: Callable, graph: Path) -> None:
    ran = run("link", graph, "marfan syndrom", "G:1", "nothing like it")
    assert ran.code == 0
    assert "Marfan syndrome" in ran.out
    assert "1 of 15 letters differs" in ran.out
    assert "exact id" in ran.out
    assert "no entity of" in ran.out


def test_entities_that_share_a_name_are_alternatives(run: Callable, graph: Path) -> None:
    ran = run("link", graph, "Same")
    assert "1 alternative with a similar score" in ran.out
    assert "P:3" in ran.out
    assert "P:4" in ran.out
    linked = run("link", graph, "Same", "--json").json["linked"][0]
    assert linked["best"]["id"] == "P:3"
    assert [alternative["id"] for alternative in linked["alternatives"]] == ["P:4"]
    assert linked["margin"] == 0


def test_json_is_one_documented_object(run: Callable, graph: Path) -> None:
    report = run("link", graph, "FBN1", "--type", "Gene", "--json").json
    assert set(report) == {"graph", "snapshot", "types", "linked"}
    assert set(report["linked"][0]) == {"mention", "best", "alternatives", "margin", "candidates"}
    assert set(report["linked"][0]["best"]) == {"id", "name", "type", "matched", "stage", "score", "reason"}


def test_running_text(run: Callable, graph: Path, tmp_path: Path) -> None:
    text = "No arachnodactyly; the mother has Marfan syndrome (MFS). MFS is rare."
    report = run("link", graph, "--text", text, "--json").json
    assert [mention["text"] for mention in report["mentions"]] == ["arachnodactyly", "Marfan syndrome", "MFS", "MFS"]
    assert report["mentions"][0]["marks"]["negated"]
    assert report["mentions"][1]["marks"]["family"]
    assert report["mentions"][2]["abbreviation_of"] == "Marfan syndrome"
    (tmp_path / "letter.txt").write_text(text, "utf-8")
    ran = run("link", graph, "--file", tmp_path / "letter.txt", "--limit", 1)
    assert "4 mentions in 69 characters" in ran.out
    assert "negated" in ran.out
    assert "1 of 4 shown" in ran.out


def test_types_forgive_a_slip(run: Callable, graph: Path) -> None:
    assert run("link", graph, "Same", "--type", "phenotpye", "--json").json["types"] == ["Phenotype"]
    ran = run("link", graph, "Same", "--type", "Spaceship")
    assert ran.code == 2
    assert "this graph has no type 'Spaceship'" in ran.error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing to link"),
        (("--file", "no-such-file.txt"), "cannot be read"),
        (("x", "--file", "also.txt"), "not both"),
        (("x", "--limit", "-1"), "--limit"),
        (("x", "--encoder", "word2vec"), "no encoder is called 'word2vec'"),
    ],
)
def test_what_cannot_be_used_is_one_line(run: Callable, graph: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = run("link", graph, *arguments)
    assert ran.code == 2
    assert said in ran.error
    assert ran.error.count("\n") == 1


def test_control_characters_stay_escapes(run: Callable, graph: Path) -> None:
    assert "\x1b" not in run("link", graph, "Lonely\x1b[31m").out


def test_the_index_is_made_once(run: Callable, tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.clew"
    arguments = [tables / "triples.parquet", "--entities", tables / "entities.parquet", "--out", out]
    assert run("build", *arguments).code == 0
    first = run("index", out, "--no-vectors", "--json").json
    assert first["names"]["made"]
    assert first["vectors"] is None
    assert not run("index", out, "--no-vectors", "--json").json["names"]["made"]
    damaged = out / "derived" / first["snapshot"] / "names" / "key_hash.npy"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\xff")
    assert run("index", out, "--no-vectors", "--json").json["names"]["made"]  # damage is found and mended
    said = run("index", out, "--no-vectors")
    assert "10 names" in said.out
    assert "up to date" in said.out


def test_a_graph_that_is_none(run: Callable, tmp_path: Path) -> None:
    for command in (("link", tmp_path, "x"), ("index", tmp_path)):
        ran = run(*command)
        assert ran.code == 1
        assert ran.error.startswith("clew: error: ")
