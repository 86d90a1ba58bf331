"""`clew context` as a user runs it."""

from collections.abc import Callable
from pathlib import Path


def test_the_context_is_on_stdout_and_its_summary_on_stderr(run: Callable, graph: Path) -> None:
    ran = run("context", graph, "Which phenotypes does Marfan syndrome have?", "--no-embedding")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("[1] Marfan syndrome (disease) has ")
    assert all(line.startswith(f"[{at}] ") and ". Source: " in line for at, line in enumerate(lines, 1))
    assert "\x1b" not in ran.out
    assert f"{len(lines)} lines about D:1; " in ran.error


def test_json_is_one_documented_object(run: Callable, graph: Path) -> None:
    report = run("context", graph, "What does FBN1 cause?", "--budget", 60, "--no-embedding", "--json").json
    assert set(report) == {
        "graph", "snapshot", "question", "text", "style", "entities", "budget", "tokens", "found", "pruned", "left_out",
        "ranking", "notes", "seconds", "lines",
    }  # fmt: skip
    assert report["tokens"] <= 60
    assert report["left_out"] > 0
    assert set(report["lines"][0]) == {"text", "score", "triples", "sources", "documents"}


def test_mistakes_are_one_line(run: Callable, graph: Path) -> None:
    assert "not 0" in run("context", graph, "What does FBN1 cause?", "--budget", 0).error
    assert "sentences, json, table" in run("context", graph, "What does FBN1 cause?", "--style", "prose").error
    assert run("context", graph, " ").code == 2
    nothing = run("context", graph, "Who won the cup?", "--no-embedding")
    assert (nothing.code, nothing.out) == (0, "")
    assert "no entity of the graph is named" in nothing.error
    small = run("context", graph, "What does FBN1 cause?", "--budget", 3, "--no-embedding")
    assert (small.out, "no line fits a budget of 3 tokens" in small.error) == ("", True)
