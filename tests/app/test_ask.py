"""`clew ask` on a small graph, by words alone."""

from pathlib import Path

QUESTION = "Which phenotypes does FBN1 have?"


def test_an_answer_is_shown_with_its_query_and_evidence(run, graph: Path, tmp_path: Path) -> None:
    ran = run("ask", graph, QUESTION, "--no-embedding", "--explain", "--draw", tmp_path / "why.html")
    assert ran.code == 0
    assert "Arachnodactyly" in ran.out
    assert "MATCH" in ran.out
    assert "PMID:1" in ran.out
    assert "read as:" in ran.out
    assert (tmp_path / "why.html").read_text("utf-8").count("Arachnodactyly") > 1


def test_nothing_to_draw_is_said_and_nothing_is_written(run, graph: Path, tmp_path: Path) -> None:
    ran = run("ask", graph, "Which dragons breathe fire?", "--no-embedding", "--draw", tmp_path / "why.html")
    assert ran.code == 1
    assert "No entity of this graph was recognised" in ran.out
    assert ran.error == "clew: there is nothing to draw: no triple carries this answer\n"
    assert not (tmp_path / "why.html").exists()


def test_what_cannot_be_used_is_one_line(run, graph: Path) -> None:
    for options in (["--limit", -3], ["--draw", "a.txt"], ["--model", "nothere"], ["--store", "ftp://x"]):
        ran = run("ask", graph, QUESTION, "--no-embedding", *options)
        assert (ran.code, ran.out, ran.error.count("\n")) == (2, "", 1)
