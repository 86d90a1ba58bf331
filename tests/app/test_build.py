"""`clew build`: every option reaches the graph, and what is wrong is said once and clearly."""

import json
from pathlib import Path

import pytest

import clew
from clew.graph.readers.parts import DESCRIPTIONS
from clew.graph.staging import ASSERTION_TYPES

GOOD = "subject\trelation\tobject\na\tr\tb\nb\tr\tc\n"
BAD = "subject\trelation\tobject\na\tr\tb\nb\tr\n\tr\tc\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.tsv"
    path.write_text(GOOD)
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.tsv"
    path.write_text(BAD)
    return path


def test_json_has_the_documented_keys(run, good: Path, tmp_path: Path) -> None:
    ran = run("build", good, "--out", tmp_path / "g", "--json")
    assert (ran.code, ran.error) == (0, "")
    assert list(ran.json) == ["graph", "snapshot", "counts", "problems", "differences", "examples", "seconds"]
    assert ran.json["counts"]["triples"] == 2
    assert ran.json["counts"]["entities"] == 3
    assert ran.json["snapshot"] == clew.open(tmp_path / "g").snapshot.id


def test_sentence_counts_what_was_built(run, good: Path, tmp_path: Path) -> None:
    ran = run("build", good, "--out", tmp_path / "g")
    assert "3 entities, 2 triples, 2 assertions, 1 relation" in ran.out


def test_flags_are_declared(run, graph: Path) -> None:
    flags = {r["name"]: r for r in run("info", graph, "--json").json["relations"]}
    assert [name for name, r in flags.items() if r["symmetric"]] == ["near"]
    assert [name for name, r in flags.items() if r["negated"]] == ["lacks"]
    assert [name for name, r in flags.items() if r["transitive"]] == ["is_a"]


def test_columns_are_mapped(run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("drug,does,disease\na,treats,b\n")
    (tmp_path / "e.csv").write_text("code,title\na,Aspirin\nb,Pain\n")
    ran = run(
        "build", tmp_path / "t.csv",
        "--column", "subject=drug", "--column", "relation=does", "--column", "object=disease",
        "--entities", tmp_path / "e.csv", "--entity-column", "id=code", "--entity-column", "name=title",
        "--out", tmp_path / "g",
    )  # fmt: skip
    assert ran.code == 0, ran.error
    assert list(clew.open(tmp_path / "g").hop("Aspirin")) == ["b"]


def test_several_files_become_one_graph(run, good: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("subject,relation,object\nc,s,d\n")
    ran = run("build", good, tmp_path / "more.csv", "--out", tmp_path / "g", "--json")
    assert ran.json["counts"]["triples"] == 3


def test_kgx_files_are_known_by_their_names(run, tmp_path: Path) -> None:
    (tmp_path / "x_nodes.tsv").write_text("id\tname\tcategory\na\tA\tbiolink:Gene\nb\tB\tbiolink:Gene\n")
    (tmp_path / "x_edges.tsv").write_text("subject\tpredicate\tobject\na\tbiolink:affects\tb\n")
    ran = run("build", tmp_path / "x_edges.tsv", tmp_path / "x_nodes.tsv", "--out", tmp_path / "g", "--json")
    assert ran.code == 0, ran.error
    assert run("info", tmp_path / "g", "--json").json["types"] == {"Gene": 2}


def test_bad_rows_are_refused_in_one_line_and_nothing_is_written(run, bad: Path, tmp_path: Path) -> None:
    ran = run("build", bad, "--out", tmp_path / "g")
    assert (ran.code, ran.out) == (1, "")
    assert ran.error.startswith("clew: error: ")
    assert ran.error.count("\n") == 1
    assert "bad.tsv:3" in ran.error
    assert "--on-error skip" in ran.error
    assert not (tmp_path / "g").exists()


def test_bad_rows_are_skipped_counted_and_shown(run, bad: Path, tmp_path: Path) -> None:
    ran = run("build", bad, "--out", tmp_path / "g", "--on-error", "skip")
    assert ran.code == 0
    assert "left out" in ran.out
    assert "bad.tsv:3" in ran.out
    again = run("build", bad, "--out", tmp_path / "h", "--on-error", "skip", "--json").json
    assert sum(again["problems"].values()) == len(again["examples"]) == 2
    assert again["counts"]["triples"] == 1


def test_an_existing_graph_is_replaced_only_on_request(run, good: Path, tmp_path: Path) -> None:
    out = tmp_path / "g"
    assert run("build", good, "--out", out).code == 0
    good.write_text(GOOD + "c\tr\td\n")
    refused = run("build", good, "--out", out)
    assert refused.code == 1
    assert "--overwrite" in refused.error
    assert clew.open(out)._graph.triple_count == 2
    assert run("build", good, "--out", out, "--overwrite").code == 0
    assert clew.open(out)._graph.triple_count == 3


def test_wide_numbers(run, good: Path, tmp_path: Path) -> None:
    run("build", good, "--out", tmp_path / "g", "--wide")
    assert run("info", tmp_path / "g", "--json").json["widths"]["entity"] == "int64"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--format", "tabel"], "did you mean 'table'"),
        (["--column", "subject"], "--column takes NAME=VALUE, not 'subject'"),
        (["--column", "subject=a", "--column", "subject=b"], "twice"),
        (["--column", "subjekt=subject"], "subjekt"),
        (["--on-error", "ignore"], "'refuse' or 'skip'"),
        (["--overwrit"], "--overwrite"),
    ],
)
def test_wrong_options(run, good: Path, tmp_path: Path, options: list[str], words: str) -> None:
    ran = run("build", good, "--out", tmp_path / "g", *options)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.error
    assert ran.error.count("\n") == 1


def test_a_missing_file_is_named(run, tmp_path: Path) -> None:
    ran = run("build", tmp_path / "none.csv", "--out", tmp_path / "g")
    assert ran.code == 2
    assert "none.csv" in ran.error


def test_options_of_tables_are_refused_for_kgx(run, tmp_path: Path) -> None:
    ran = run("build", "x_nodes.tsv", "x_edges.tsv", "--column", "subject=s", "--out", tmp_path / "g")
    assert ran.code == 2
    assert ran.error == "clew: error: --column can be given for tables only; the kgx format brings its own\n"


def test_errors_name_options_and_not_keywords(run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("h;r;t\na;r;b\n")
    ran = run("build", tmp_path / "t.csv", "--out", tmp_path / "g")
    assert "its columns are 'h', 'r', 't'; name them with --column subject=COLUMN --column relation=COLUMN" in ran.error
    assert "separated by --delimiter)" in ran.error
    assert "columns=" not in ran.error
    ran = run("build", tmp_path / "t.csv", "--column", "subject=x", "--out", tmp_path / "g")
    assert "has no column 'x', which --column names" in ran.error
    (tmp_path / "short.csv").write_text("subject,relation,object\na,r\n")
    ran = run("build", tmp_path / "short.csv", "--out", tmp_path / "g")
    assert "; --on-error skip leaves such rows out)" in ran.error


def test_a_delimiter_of_ones_own(run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("subject:relation:object\na:r:b\n")
    assert run("build", tmp_path / "t.csv", "--delimiter", ":", "--out", tmp_path / "g").code == 0
    ran = run("build", tmp_path / "t.csv", "--delimiter", "::", "--out", tmp_path / "h")
    assert "--delimiter takes one character, or tab, comma, semicolon or pipe, not '::'" in ran.error


def test_the_help_names_every_column(run) -> None:
    words = run("build", "--help").out.split()
    for name in (*ASSERTION_TYPES, *DESCRIPTIONS, "qualifier:NAME", "--delimiter"):
        assert name in [word.strip("(),.;") for word in words], name


def test_graphs_and_tables_are_merged_and_differences_told(run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("subject,relation,object,subject_name,object_type\na,r,b,Alpha,Gene\n")
    (tmp_path / "b.csv").write_text("subject,relation,object,subject_name,object_type\na,r,b,Aleph,Drug\n")
    for name in ("a", "b"):
        assert run("build", tmp_path / f"{name}.csv", "--out", tmp_path / f"{name}.clew").code == 0
    (tmp_path / "more.csv").write_text("subject,relation,object\nb,r,c\n")
    given = (tmp_path / "a.clew", tmp_path / "b.clew", tmp_path / "more.csv")
    ran = run("build", *given, "--out", tmp_path / "c.clew", "--json")
    assert ran.json["counts"]["triples"] == 2
    assert ran.json["counts"]["entities"] == 3
    assert ran.json["differences"] == {"different name": 1, "different type": 1}
    ran = run("build", *given, "--out", tmp_path / "c.clew", "--overwrite")
    assert "noted" in ran.out
    assert "b.clew: different type: 'b': 'Drug', but 'Gene' in " in ran.out
    assert run("find", tmp_path / "c.clew", "Aleph", "--json").json["found"][0]["id"] == "a"


def test_an_export_is_built_again(run, graph: Path, tmp_path: Path) -> None:
    before = run("info", graph, "--json").json
    for form in ("parquet", "kgx", "kgx-jsonl"):
        assert run("export", graph, "--to", form, "--out", tmp_path / form).code == 0
        assert run("build", tmp_path / form, "--out", tmp_path / f"{form}.clew").code == 0
        after = run("info", tmp_path / f"{form}.clew", "--json").json
        assert after["counts"] == before["counts"]


def test_formats_of_others_are_built_and_merged(run, tmp_path: Path) -> None:
    (tmp_path / "m.nt").write_text("<http://ex.org/a> <http://ex.org/treats> <http://ex.org/b> .\nnonsense\n")
    done = run("build", tmp_path / "m.nt", "--prefix", "ex=http://ex.org/", "--out", tmp_path / "g", "--json")
    assert done.code == 1
    assert "m.nt:2: malformed row" in done.error
    (tmp_path / "m.nt").write_text("<http://ex.org/a> <http://ex.org/treats> <http://ex.org/b> .\n")
    (tmp_path / "t.csv").write_text("subject,relation,object\nother:a,treats,other:c\n")
    (tmp_path / "m.sssom.tsv").write_text("subject_id\tpredicate_id\tobject_id\nex:a\tskos:exactMatch\tother:a\n")
    sources = ("build", tmp_path / "m.nt", tmp_path / "t.csv", "--prefix", "ex=http://ex.org/", "--out", tmp_path / "g")
    done = run(*sources, "--merge", tmp_path / "m.sssom.tsv", "--prefer", "ex", "--json")
    assert done.code == 0
    assert json.loads(done.out)["counts"]["entities"] == 3
    assert json.loads(done.out)["differences"] == {"entity merged": 1}
    done = run(*sources, "--prefer", "ex")
    assert done.code == 2
    assert "--merge FILE, which was not given" in done.error
