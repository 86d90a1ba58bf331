"""`clew hop`: every option reaches the walk, in JSON, in tables and in errors."""

from pathlib import Path

import pytest

import clew


def ids(run, graph: Path, *arguments: object) -> list[str]:
    ran = run("hop", graph, *arguments, "--json")
    assert (ran.code, ran.error) == (0, ""), ran.error
    return [entity["id"] for entity in ran.json["entities"]]


def test_json_has_the_documented_keys(run, graph: Path) -> None:
    report = run("hop", graph, "FBN1", "--k", 2, "--json", "--triples").json
    assert list(report) == [
        "graph", "snapshot", "seeds", "k", "mode", "direction", "count", "truncated", "types", "entities",
        "triple_count", "triples",
    ]  # fmt: skip
    assert report["seeds"] == [{"id": "G:1", "name": "FBN1", "type": "Gene"}]
    assert list(report["triples"][0]) == ["hop", "subject", "subject_name", "relation", "object", "object_name"]
    assert "triples" not in run("hop", graph, "FBN1", "--json").json


def test_a_cache_loads_the_graph_in_parts(run, graph: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts.clew"
    assert run("build", graph, "--out", parts, "--partitions", 3).code == 0
    whole = run("hop", graph, "FBN1", "--k", 2, "--json").json
    report = run("hop", parts, "FBN1", "--k", 2, "--cache", "1MB", "--json").json
    assert {each["id"] for each in report["entities"]} == {each["id"] for each in whole["entities"]}
    assert "cache" not in whole
    assert 0 < report["cache"]["loads"] <= 2 * 3
    assert report["cache"]["capacity"] == 1_000_000
    assert "cache of 1.0 MB: " in run("hop", parts, "FBN1", "--cache", "1MB").out
    assert "3 partitions (balanced), largest load " in run("info", parts).out
    assert run("info", parts, "--json").json["partitions"] == 3
    for odd in ("1", "lots"):
        refused = run("hop", parts, "FBN1", "--cache", odd)
        assert refused.code != 0
        assert refused.error.count("\n") == 1
    assert run("paths", parts, "FBN1", "P:1", "--cache", "1MB", "--json").json["paths"]


def test_the_result_is_the_librarys(run, graph: Path) -> None:
    engine = clew.open(graph)
    for mode in ("exact", "within", "shortest"):
        for direction in ("out", "in", "both"):
            expected = list(engine.hop("P:1", 2, mode=mode, direction=direction))
            assert ids(run, graph, "P:1", "--k", 2, "--mode", mode, "--direction", direction) == expected
    assert len(expected) > 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["FBN1"], {"D:1", "D:2", "D:3", "G:2"}),
        (["FBN1", "Other gene"], {"D:1", "D:2", "D:3", "G:1", "G:2"}),
        (["FBN1", "--relation", "near"], {"G:2"}),
        (["FBN1", "-r", "near", "-r", "causes"], {"D:1", "D:2", "D:3", "G:2"}),
        (["FBN1", "--type", "Gene"], {"G:2"}),
        (["FBN1", "--metapath", "causes ; has,is_a"], {"P:1", "P:2", "D:3"}),
        (["FBN1", "--metapath", "* ; is_a"], {"D:3"}),
        (["FBN1", "-k", "2", "--through", "Gene"], {"G:1"}),
        (["FBN1", "-k", "2", "--max-degree", "2"], {"P:1", "G:1"}),
        (["FBN1", "--layer", "curated"], {"D:1", "D:3", "G:2"}),
        (["FBN1", "--source", "B"], {"D:2"}),
        (["FBN1", "--as-of", "2020-05-01"], {"D:1", "D:3", "G:2"}),
        (["Marfan syndrome", "--qualifier", "frequency=often"], {"P:1"}),
        (["Marfan syndrome", "--with-negated"], {"P:1", "P:2", "P:3", "D:3"}),
        (["Marfan syndrome"], {"P:1", "P:2", "D:3"}),
        (["FBN1", "--min-confidence", "0.5"], set()),
        (["FBN1", "-k", "0"], {"G:1"}),
        (["FBN1", "--backend", "reference"], {"D:1", "D:2", "D:3", "G:2"}),
        (["FBN1", "--timeout", "100"], {"D:1", "D:2", "D:3", "G:2"}),
    ],
)
def test_every_option_reaches_the_walk(run, graph: Path, options: list[str], expected: set[str]) -> None:
    assert set(ids(run, graph, *options)) == expected


def test_limit_and_types(run, graph: Path) -> None:
    report = run("hop", graph, "FBN1", "--limit", 2, "--json").json
    assert (report["count"], report["truncated"], len(report["entities"])) == (4, True, 2)
    assert report["types"] == {"Disease": 3, "Gene": 1}
    assert not run("hop", graph, "FBN1", "--json").json["truncated"]
    assert "2 of 4 shown (--limit)" in run("hop", graph, "FBN1", "--limit", 2).out
    assert "shown" not in run("hop", graph, "FBN1").out


def test_triples_lead_to_the_result(run, graph: Path) -> None:
    report = run("hop", graph, "FBN1", "--k", 2, "--type", "Phenotype", "--triples", "--json").json
    assert {t["hop"] for t in report["triples"]} == {1, 2}
    assert {t["object"] for t in report["triples"] if t["hop"] == 2} == {"P:1", "P:2"}
    assert "G:2" not in {t["subject"] for t in report["triples"]}
    assert report["triple_count"] == len(report["triples"])


def test_names_never_break_a_table(run, graph: Path) -> None:
    out = run("hop", graph, "FBN1").out
    rows = [line for line in out.splitlines() if line.startswith("D:")]
    assert sorted(row.split()[0] for row in rows) == ["D:1", "D:2", "D:3"]
    assert "Two\\nlines\\tand a tab" in out
    assert "手指 🖐 wide" in run("hop", graph, "D:1").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["FBN2"], "did you mean G:1 (FBN1)"),
        (["Same"], "2 entities are called 'Same': pass one of the ids P:3, P:4"),
        (["FBN1", "--k", "-1"], "k must be a number of hops, 0 or more, not -1"),
        (["FBN1", "--k", "two"], "--k"),
        (["FBN1", "--relation", "cause"], "did you mean 'causes'"),
        (["FBN1", "--type", "Genes"], "did you mean 'Gene'"),
        (["FBN1", "--mode", "exakt"], "known: exact, within, shortest"),
        (["FBN1", "--direction", "up"], "known: out, in, both"),
        (["FBN1", "--layer", "best"], "known: all, curated"),
        (["FBN1", "--as-of", "yesterday"], "--as-of takes a day"),
        (["FBN1", "--qualifier", "frequency"], "--qualifier takes NAME=VALUE"),
        (["FBN1", "--qualifier", "onset=late"], "no qualifier 'onset'"),
        (["FBN1", "--limit", "-3"], "--limit is a number of rows"),
        (["FBN1", "--metapath", "causes ;; has"], "--metapath takes relations"),
        (["FBN1", "--metapath", "causes", "--k", "2"], "leave --k out"),
        (["FBN1", "--metapath", "causes", "-r", "has"], "not both"),
        (["FBN1", "--backend", "nump"], "did you mean"),
        (["FBN1", "--timeout", "0"], "timeout must be a number of seconds above 0"),
        (["FBN1", "--triples", "--k", "100000"], "at most 1,000 hops"),
        (["FBN1", "--realtion", "causes"], "--relation"),
        ([], "SEED"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(run, graph: Path, arguments: list[str], words: str) -> None:
    for more in ((), ("--json",)):
        ran = run("hop", graph, *arguments, *more)
        assert (ran.code, ran.out) == (2, "")
        assert ran.error.startswith("clew: error: ")
        assert ran.error.count("\n") == 1
        assert words in ran.error
        assert "Traceback" not in ran.error


def test_what_is_not_a_graph_is_exit_1(run, tmp_path: Path) -> None:
    missing = run("hop", tmp_path / "none", "x")
    assert (missing.code, missing.out) == (1, "")
    assert "does not exist; make one with `clew build`" in missing.error
    other = run("hop", tmp_path, "x")
    assert other.code == 1
    assert "is not a Clew graph" in other.error


def test_a_time_limit_is_a_failure(run, graph: Path) -> None:
    ran = run("hop", graph, "FBN1", "--k", 3, "--timeout", "1e-9")
    assert (ran.code, ran.out) == (1, "")
    assert "not finished within" in ran.error
