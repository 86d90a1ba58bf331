"""`clew paths`: the library's paths, with their sources, and a drawing."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import clew


def test_json_has_the_documented_keys(run, graph: Path) -> None:
    ran = run("paths", graph, "FBN1", "Arachnodactyly", "--json")
    assert (ran.code, ran.error) == (0, "")
    report = ran.json
    assert list(report) == [
        "graph", "snapshot", "source", "target", "k", "kind", "count", "count_kind", "truncated", "paths", "drawing",
    ]  # fmt: skip
    assert report["source"] == {"id": "G:1", "name": "FBN1", "type": "Gene"}
    assert list(report["paths"][0]) == ["length", "text", "triples"]
    triple = report["paths"][0]["triples"][0]
    assert list(triple) == [
        "triple", "subject", "subject_name", "relation", "object", "object_name", "forward", "assertions",
    ]  # fmt: skip
    assert (report["k"], report["kind"], report["count_kind"], report["truncated"]) == (3, "simple", "exact", False)


def test_the_paths_are_the_librarys(run, graph: Path) -> None:
    expected = [str(path) for path in clew.open(graph).paths("FBN1", "P:1", 3)]
    report = run("paths", graph, "FBN1", "P:1", "--json").json
    assert [path["text"] for path in report["paths"]] == expected
    assert report["count"] == len(expected) == 4


def test_every_statement_of_a_triple_is_there(run, graph: Path) -> None:
    report = run("paths", graph, "D:1", "P:1", "-k", 1, "--json").json
    said = report["paths"][0]["triples"][0]["assertions"]
    assert {each["source"]: each["evidence"] for each in said} == {
        "A": ["PMID:13"],
        "B": ["PMID:14", "javascript:alert(1)"],
    }
    assert {each["source"]: each["qualifiers"] for each in said} == {
        "A": {"frequency": "P:3"},
        "B": {"frequency": "often"},
    }


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["-k", "1"], 0),
        (["-k", "2"], 3),
        (["-k", "3"], 4),
        (["--kind", "shortest"], 3),
        (["--kind", "walks", "--direction", "both", "-k", "2"], 3),
        (["--relation", "causes", "--relation", "has"], 3),
        (["--metapath", "causes ; is_a ; has"], 1),
        (["--source", "A"], 3),
        (["--as-of", "2020-05-01", "-k", "2"], 2),
        (["--through", "Gene"], 0),
        (["--max-degree", "2"], 1),
    ],
)
def test_every_option_reaches_the_search(run, graph: Path, options: list[str], count: int) -> None:
    assert run("paths", graph, "FBN1", "P:1", *options, "--json").json["count"] == count


def test_backwards_triples_are_marked(run, graph: Path) -> None:
    report = run("paths", graph, "P:1", "FBN1", "--direction", "both", "-k", 2, "--json").json
    assert [t["forward"] for t in report["paths"][0]["triples"]] == [False, False]
    assert report["paths"][0]["triples"][0]["object"] == "P:1"


def test_people_see_publications_and_frequencies(run, graph: Path) -> None:
    out = run("paths", graph, "FBN1", "Arachnodactyly").out
    assert "4 paths of up to 3 hops from FBN1 (G:1) to Arachnodactyly (P:1)" in out
    assert "FBN1 —causes→ Marfan syndrome —has→ Arachnodactyly" in out
    assert "PMID:13, frequency Same (P:3); PMID:14" in out
    assert "causes: as in" in out
    assert "Two\\nlines" in out


def test_limit_says_how_many_there_are(run, graph: Path) -> None:
    out = run("paths", graph, "FBN1", "P:1", "--limit", 1).out
    assert out.startswith("1 of at most ")
    assert "(--limit)" in out
    report = run("paths", graph, "FBN1", "P:1", "--limit", 1, "--json").json
    assert (len(report["paths"]), report["truncated"], report["count_kind"]) == (1, True, "upper_bound")


def test_no_path_is_an_answer(run, graph: Path) -> None:
    ran = run("paths", graph, "P:1", "FBN1")
    assert ran.code == 0
    ends = "from Arachnodactyly (P:1) to FBN1 (G:1)"
    assert ran.out == f"No path of up to 3 hops {ends} in this graph under these conditions\n"


def test_a_number_with_thousands_of_digits(run, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = 10**5000 + 7  # more digits than Python prints unasked
    monkeypatch.setattr("clew.Paths.count", many)
    ran = run("paths", graph, "FBN1", "P:1", "--json")
    assert ran.code == 0, ran.error
    assert ran.json["count"] == many
    assert "about 10^5000 paths" in run("paths", graph, "FBN1", "P:1").out


def test_drawings(run, graph: Path, tmp_path: Path) -> None:
    for name in ("d.svg", "d.html"):
        ran = run("paths", graph, "FBN1", "P:1", "--draw", tmp_path / name)
        assert ran.code == 0
        assert ran.out.endswith(f"drawn in {tmp_path / name}\n")
    root = ElementTree.parse(tmp_path / "d.svg").getroot()
    assert root.get("role") == "img"
    assert run("paths", graph, "FBN1", "P:1", "--draw", tmp_path / "d.svg", "--json").json["drawing"] == str(
        tmp_path / "d.svg"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["FBN1", "Nobody"], "no entity has the id or name 'Nobody'"),
        (["FBN1", "P:1", "--kind", "short"], "known: simple, walks, shortest"),
        (["FBN1", "P:1", "--limit", "-1"], "--limit"),
        (["FBN1", "P:1", "--k", "-1"], "k must be a number of hops"),
        (["FBN1", "P:1", "--draw", "d.png"], "cannot draw to 'd.png': the file name must end in .html or .svg"),
        (["FBN1"], "TO"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(run, graph: Path, arguments: list[str], words: str) -> None:
    ran = run("paths", graph, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.error.count("\n") == 1
    assert words in ran.error


def test_a_drawing_that_cannot_be_written_is_exit_1(run, graph: Path, tmp_path: Path) -> None:
    ran = run("paths", graph, "FBN1", "P:1", "--draw", tmp_path / "none" / "d.svg", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert "cannot write" in ran.error
