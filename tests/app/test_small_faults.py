"""What users tripped over: each is one clear sentence now."""

import io
import re
import socket
from pathlib import Path

import pytest

from clew.app.cli.asking.link import link

QUESTION = "Which diseases does FBN1 cause?"


def refused(ran) -> str:
    assert ran.code != 0
    assert ran.out == ""
    assert ran.error.count("\n") == 1, ran.error
    return str(ran.error)


@pytest.mark.parametrize("command", [["ask", QUESTION, "--no-embedding"], ["hop", "FBN1"], ["paths", "FBN1", "P:1"]])
def test_an_unknown_source_is_refused(run, graph: Path, command: list[str]) -> None:
    name, *rest = command
    said = refused(run(name, graph, *rest, "--source", "AA"))
    assert "source 'AA'" in said
    assert "known: A, B" in said
    assert run(name, graph, *rest, "--source", "A").code == 0


def test_a_source_that_comes_close_is_named(run, graph: Path) -> None:
    assert "did you mean 'A'?" in refused(run("ask", graph, QUESTION, "--no-embedding", "--source", "AA"))


def test_a_model_that_cannot_be_reached_is_an_error(run, graph: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1#any"
    said = refused(run("ask", graph, QUESTION, "--no-embedding", "--model", url))
    assert "cannot be reached" in said


@pytest.mark.parametrize(("question", "sent"), [([""], ""), (["  "], ""), ([], ""), ([], "\n \n")])
def test_no_question_is_an_error(run, graph: Path, monkeypatch: pytest.MonkeyPatch, question, sent) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(sent))
    assert "question" in refused(run("ask", graph, *question, "--no-embedding"))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--as-of", "yesterday"], "--as-of takes a day"),
        (["--timeout", "-1"], "--timeout must be a number of seconds"),
        (["--max-degree", "-1"], "--max-degree must be a number of triples"),
        (["--k", "-1"], "--k must be a number of hops"),
    ],
)
def test_errors_name_options(run, graph: Path, options: list[str], named: str) -> None:
    for command in (["hop", graph, "FBN1"], ["paths", graph, "FBN1", "P:1"]):
        said = refused(run(*command, *options))
        assert named in said
        assert not re.search(r"\w=|_", said.replace(str(graph), ""))


def test_the_examples_of_link_find_something(run, hpo: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Arachnodactyly was seen.")
    examples = re.findall(r"^ +clew link (.*)$", link.__doc__ or "", re.MULTILINE)
    assert len(examples) == 3
    for example in examples:
        import shlex

        words = [str(letter) if word == "letter.txt" else word for word in shlex.split(example)[1:]]
        found = run("link", hpo, *words, *([] if "--json" in words else ["--json"])).json
        listed = found["linked"] if "linked" in found else found["mentions"]
        assert listed
        assert all(each["best"] is not None for each in listed), example


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("MATCH (g:Gnee) RETURN g.name", "no label Gnee: did you mean Gene?"),
        ("MATCH (g:Gene)-[:CAUSE]->(d) RETURN d.name", "no relationship CAUSE: did you mean CAUSES?"),
        ("MATCH (g:Gene) RETURN g.nmae", "no property nmae: did you mean name?"),
        ("MATCH (g:Gene {nmae: 'FBN1'}) RETURN g.name", "no property nmae: did you mean name?"),
        ("MATCH (g:Gene)-[r:CAUSES]->() RETURN r.sources", "no property sources: did you mean source?"),
        ("MATCH (g:Zebra) RETURN g.name", "no label Zebra: it has"),
        ("MTCH (g:Gene) RETURN g.name", "did you mean MATCH?"),
        ("MATCH (g:Gene) RETRUN g.name", "did you mean RETURN?"),
        ("MATCH (g:Gene) WHERE g.name STARTSWITH 'F' RETURN g.name", "did you mean STARTS WITH?"),
        ("MATCH (g:Gene) RETURN cuont(g)", "did you mean count?"),
    ],
)
def test_a_slip_in_cypher_gets_a_suggestion(run, graph: Path, query: str, hint: str) -> None:
    ran = run("cypher", graph, query)
    assert ran.code != 0
    assert hint in ran.error


def test_the_first_question_says_why_there_is_something_to_wait_for(
    run, graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.app.cli.asking.ask.PATIENCE", 0.0)
    first, second = (run("ask", graph, QUESTION, "--no-embedding") for _ in range(2))
    assert first.error == f"clew: preparing {graph} for questions, once\n"
    assert second.error == ""


def test_partial_evidence_says_so_and_all_can_be_had(run, hpo: Path) -> None:
    question = "Which diseases show ectopia lentis but not arachnodactyly?"
    partial = run("ask", hpo, question, "--no-embedding").out
    assert "partial: for 25 of 35 items (--all-evidence gives all)" in partial
    whole = run("ask", hpo, question, "--no-embedding", "--all-evidence")
    assert "partial" not in whole.out
    assert " more (" not in whole.out.split("evidence:")[1]
    record = run("ask", hpo, question, "--no-embedding", "--all-evidence", "--json").json
    assert record["evidence"]["complete"]
    assert {each["item"] for each in record["evidence"]["supports"]} == {item["id"] for item in record["items"]}
    assert not run("ask", hpo, question, "--no-embedding", "--json").json["evidence"]["complete"]
