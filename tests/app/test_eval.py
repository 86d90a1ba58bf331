"""`clew eval` end to end: a bench on a small graph, runs compared, Cypher rates, and what is refused in a sentence."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import pytest
import typer

import clew
from clew.answer import Answer, Asker, Question
from clew.app.cli.evaluation.graphs import kept_graph
from clew.app.cli.evaluation.group import application
from clew.app.cli.main import main
from clew.graph.storage.snapshots import snapshot_folder
from clew.lm.clients.scripted import Scripted

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def asked(built_graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small graph that was asked hpo-60 without embedding, and the run beside it."""
    folder = tmp_path_factory.mktemp("asked")
    graph = copytree(built_graph, folder / "small.clew")
    asking = ["eval", "qa", "hpo-60", "--graph", str(graph), "--no-embedding"]
    assert main([*asking, "--out", str(folder / "plain.json")]) == 0
    return folder


@pytest.fixture
def saved(asked: Path, tmp_path: Path) -> Path:
    """A copy of the run."""
    return Path(copy(asked / "plain.json", tmp_path))


# questions ------------------------------------------------------------------------------------------------------------


def test_a_bench_on_a_graph_that_lacks_most_of_it(saved: Path) -> None:
    record = json.loads(saved.read_text())
    pooled = record["summary"]["pooled"]
    assert (record["bench"], record["n"]) == ("hpo-60", 60)
    assert 0 <= pooled["coverage"] < 0.2
    uncovered = [each for each in record["questions"] if not each["covered"]]
    assert all(each["missing"] for each in uncovered)
    assert {each["model_calls"] for each in record["questions"]} == {0}
    assert record["settings"] == {
        "paraphrases": False, "embedding": False, "strategy": "readers", "model": None, "choose": "never",
        "compose": None, "phrase": False,
    }  # fmt: skip
    assert record["commit"]
    assert record["version"]


def test_what_is_shown_and_written(run: Run, asked: Path, tmp_path: Path) -> None:
    report, saved = tmp_path / "report.html", asked / "plain.json"
    asking = ("eval", "qa", "hpo-60", "--graph", asked / "small.clew", "--no-embedding")
    done = run(*asking, "--baseline", saved, "--out", report)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == ["level", "n", "result", "match", "query", "match", "MRR", "abstained", "covered"]
    times = {line.split("  ")[0]: line for line in lines}
    assert lines[6].split()[:5] == ["time", "median", "mean", "SD", "p95"]
    assert {"understanding", "execution", "text", "to the items", "to the text"} <= set(times)
    assert "≤ 60 ms, " in times["execution"]
    assert "≤ 1.50 s, " in times["to the items"]
    assert "≤ 3.00 s, " in times["to the text"]
    assert "Incorrect: " in done.out
    assert "more: --out and --json list all" in done.out
    assert "plain → this run" in done.out
    assert f"written to {report}" in done.out
    assert "Compared with other runs" in report.read_text()


def test_a_run_compared_with_a_saved_one(run: Run, asked: Path) -> None:
    asking = ("eval", "qa", "hpo-60", "--graph", asked / "small.clew", "--no-embedding")
    record = run(*asking, "--baseline", asked / "plain.json", "--json").json
    assert {each["first"] for each in record["comparisons"]} == {"plain"}
    assert {each["second"] for each in record["comparisons"]} == {"this run"}
    assert all(each["test"]["gained"] == each["test"]["lost"] == 0 for each in record["comparisons"])
    assert record["models"] == []


def test_a_saved_run_of_something_else_is_refused(run: Run, graph: Path, saved: Path, hpo: Path) -> None:
    done = run("eval", "qa", "hpo-held", "--graph", graph, "--baseline", saved)
    assert (done.code, done.out) == (2, "")
    assert "plain.json is a run of hpo-60, not of hpo-held" in done.error
    done = run("eval", "qa", "hpo-60", "--graph", hpo, "--baseline", saved)
    assert done.code == 2
    assert "is a run on snapshot" in done.error
    assert done.error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qa",), "BENCH"),
        (("qa", "hpo-60", "hpo-held"), "hpo-held"),
        (("qa", "hpo-61"), "known: hpo-60, hpo-held, ibkh, alzkb"),
        (("qa", "alzkb", "--paraphrases"), "alzkb has no paraphrases"),
        (("qa", "ibkh", "--data", "nowhere"), "expected the data folder that holds"),
        (("qa", "hpo-60", "--out", "report.pdf"), "ends in .json, .md or .html"),
        (("quiz",), "quiz"),
        (("cypher", "--data", "nowhere"), "holds no text2cypher"),
        (("cypher", "hpo-60"), "hpo-60"),
        (("cypher", "--model", "smollm2"), "--model"),
        (("compare", "--paraphrases", "a.json"), "--paraphrases"),
        (("compare",), "two runs or more, not 0"),
        (("compare", "a.json", "b.json"), "a.json is missing: expected a run"),
        (("mcq", "hpoo"), "hpoo is no graph on this machine and none of hpo, hetionet"),
        (("paths", "fb15k273"), "none of fb15k237"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path))
    done = run("eval", *arguments)
    assert done.code in (1, 2)
    assert done.out == ""
    assert message in done.error
    assert done.error.count("\n") == 1


def test_the_commands_have_a_help_of_their_own() -> None:
    group = typer.main.get_command(application())
    assert {"qa", "cypher", "compare", "extraction"} <= set(group.commands)  # type: ignore[attr-defined]
    options = {name: {each.name for each in group.commands[name].params} for name in ("qa", "cypher", "compare")}  # type: ignore[attr-defined]
    assert {"bench", "baseline", "choose", "compose", "data", "strategy"} <= options["qa"]
    assert options["cypher"] == {"data", "out", "as_json"}
    assert options["compare"] == {"runs", "out", "as_json"}


# comparisons ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def with_model(saved: Path) -> Path:
    """The same run as if a model had been called twice and had turned two wrong answers right."""
    record = json.loads(saved.read_text())
    wrong = [each for each in record["questions"] if not each["score"]["result_match"]]
    for each in wrong[:2]:
        each["score"]["result_match"] = True
        each["model_calls"] = 1
    path = saved.with_name("model.json")
    path.write_text(json.dumps(record))
    return path


def test_runs_are_compared(run: Run, saved: Path, with_model: Path) -> None:
    compared = run("eval", "compare", saved, with_model, "--json").json
    assert [each["name"] for each in compared["runs"]] == ["plain", "model"]
    whole = {each["measure"]: each["test"] for each in compared["comparisons"] if "level" not in each}
    assert (whole["result_match"]["gained"], whole["result_match"]["lost"]) == (2, 0)
    (change,) = compared["models"]
    assert (change["called"], change["wrong_to_right"], change["right_to_wrong"], change["net"]) == (2, 2, 0, 2)
    done = run("eval", "compare", saved, with_model)
    assert "With a language model" in done.out
    row = next(line for line in done.out.splitlines() if line.startswith("plain → model  2 of 60"))
    assert row.split()[-4:] == ["2", "0", "+2", "0.500"]


@pytest.mark.parametrize("name", ["compared.json", "compared.md", "compared.html"])
def test_a_comparison_is_written(run: Run, saved: Path, with_model: Path, tmp_path: Path, name: str) -> None:
    done = run("eval", "compare", saved, with_model, "--out", tmp_path / name)
    assert done.code == 0
    text = (tmp_path / name).read_text()
    assert "plain" in text
    assert "McNemar, exact" in text
    if name.endswith(".json"):
        assert json.loads(text)["models"][0]["net"] == 2


def test_runs_of_other_snapshots_are_refused(run: Run, saved: Path) -> None:
    record = json.loads(saved.read_text())
    other = saved.with_name("other.json")
    other.write_text(json.dumps({**record, "snapshot": "elsewhere"}))
    done = run("eval", "compare", saved, other)
    assert (done.code, done.out) == (2, "")
    assert "snapshot elsewhere" in done.error
    assert done.error.count("\n") == 1


# Cypher ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    queries = ["MATCH (m:Movie) RETURN m", "MATCH (m:Movie) UNWIND m.genres AS g RETURN g", "SELECT 1"]
    (tmp_path / "text2cypher").mkdir()
    with gzip.open(tmp_path / "text2cypher" / "pairs.jsonl.gz", "wt") as file:
        for query in queries:
            file.write(json.dumps({"type": "Simple", "question": "?", "cypher": query}) + "\n")
    return tmp_path


def test_cypher_rates(run: Run, pairs: Path) -> None:
    record = run("eval", "cypher", "--data", pairs, "--json").json
    assert (record["n"], record["parsed"], record["planned"]) == (3, 2, 1)
    done = run("eval", "cypher", "--data", pairs, "--out", pairs / "rates.json")
    assert "of 3 queries 2 parse (66.7%) and 1 become plans (33.3%)" in done.out
    assert "Simple" in done.out
    assert "UNWIND" in done.out
    assert json.loads((pairs / "rates.json").read_text())["planned"] == 1
    assert run("eval", "cypher", "--data", pairs, "--out", pairs / "rates.html").code == 2


# kept graphs ----------------------------------------------------------------------------------------------------------


def test_a_graph_is_kept_by_its_recipe(built_graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    built: list[Path] = []

    def build(out: Path) -> None:
        built.append(out)
        copytree(built_graph, out, dirs_exist_ok=True)

    first = kept_graph("ibkh", "aaa", build).snapshot.folder
    assert kept_graph("ibkh", "aaa", build).snapshot.folder == first
    assert len(built) == 1
    second = kept_graph("ibkh", "bbb", build).snapshot.folder  # the builder changed: what was kept is not taken
    assert second != first
    assert built == [first, second]
    (snapshot_folder(first) / "manifest.json").write_text("{}")  # damaged: built again
    kept_graph("ibkh", "aaa", build)
    assert built == [first, second, first]


def test_a_recipe_of_the_checkout_is_asked_for_elsewhere(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clew, "__file__", str(tmp_path / "site-packages" / "clew" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    done = run("eval", "qa", "ibkh", "--data", tmp_path)
    assert done.code == 1
    assert "the recipe of the ibkh graph is not part of the installed package" in done.error
    assert "give a graph with --graph" in done.error


# trust ----------------------------------------------------------------------------------------------------------------


def test_trust_in_answers_to_your_own_questions(run: Run, asked: Path, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.jsonl", tmp_path / "run.json"
    rows = [
        {"id": "right", "question": "Which diseases does FBN1 cause?", "gold": [{"ids": ["D:1", "D:2", "D:3"]}]},
        {"id": "wrong", "question": "Which diseases does FBN1 cause?", "gold": [{"ids": ["D:9"]}]},
        {"id": "beyond", "question": "Who wrote Hamlet?", "gold": []},
    ]
    questions.write_text("\n".join(map(json.dumps, rows)))
    done = run("eval", "trust", questions, "--graph", asked / "small.clew", "--out", out, "--list")
    assert done.code == 0, done.error
    assert "right, of the answerable" in done.out
    assert "- wrong (" in done.out
    record = json.loads(out.read_text())
    assert {each["id"]: each["right"] for each in record["outcomes"]} == {"right": True, "wrong": False, "beyond": True}


def test_graphs_share_one_model(run: Run, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions, opened = tmp_path / "questions.jsonl", []

    def open_model(spec: str) -> Scripted:
        opened.append(Scripted(["NONE"] * 9))
        return opened[-1]

    monkeypatch.setattr("clew.lm.open_model", open_model)
    copied = copytree(asked / "small.clew", tmp_path / "other.clew")
    rows = [{"graph": name, "question": "Which diseases does FBN1 cause?", "gold": []} for name in ("one", "two")]
    questions.write_text("\n".join(map(json.dumps, rows)))
    given = ("--graph", f"one={asked / 'small.clew'}", "--graph", f"two={copied}", "--model", "m")
    done = run("eval", "trust", questions, *given, "--json")
    assert done.code == 0, done.error
    assert len(opened) == 1


def test_a_run_that_was_stopped_goes_on(run: Run, asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions, out = tmp_path / "questions.jsonl", tmp_path / "run.json"
    gold = [{"ids": ["D:1", "D:2", "D:3"]}]
    questions.write_text(json.dumps({"question": "Which diseases does FBN1 cause?", "gold": gold}) + "\n" * 2)
    again = json.dumps({"question": "Which diseases does TGFBR1 cause?", "gold": []})
    questions.write_text(questions.read_text() + again)
    given = ("eval", "trust", questions, "--graph", asked / "small.clew", "--out", out)
    put = Asker.ask

    def stop(self: Asker, question: Question) -> Answer:
        if "TGFBR1" in question.text:
            raise KeyboardInterrupt
        return put(self, question)

    with monkeypatch.context() as patch:
        patch.setattr(Asker, "ask", stop)
        assert run(*given).code != 0
    assert not out.exists()
    done = run(*given)
    assert "1 of 2 questions were asked before" in done.error
    assert [each["id"] for each in json.loads(out.read_text())["outcomes"]] == ["1", "3"]
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("run")] == ["run.json"]


@pytest.mark.parametrize(
    ("question", "arguments", "message"),
    [
        ({"graph": "atlantis"}, ("--graph", "other=x.clew"), "none of club, drugs, films, gridiron, hetionet, hpo,"),
        ({"graph": "atlantis"}, (), "say where the graph is with --graph atlantis=PATH"),
        ({"graph": "drugs"}, ("--data", "nowhere"), "nowhere/biomed_edges is missing: expected the data folder"),
        ({}, ("--graph", "other=x.clew"), "say which one answers them with --graph PATH"),
    ],
)
def test_a_graph_that_has_no_recipe_has_to_be_given(
    question: dict[str, str], arguments: tuple[str, ...], message: str, run: Run, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(question | {"question": "A?", "gold": []}))
    done = run("eval", "trust", questions, *arguments)
    assert done.code == 2
    assert message in done.error


def test_missing_questions_are_named(run: Run, tmp_path: Path) -> None:
    done = run("eval", "trust", tmp_path / "none.jsonl")
    assert done.code == 2
    assert "none.jsonl is not a file: expected questions with gold" in done.error


@pytest.mark.parametrize(
    ("option", "message"), [("--compose", "needs a language model"), ("--model=no.gguf", "no model")]
)
def test_what_would_fail_every_question_is_refused_before_the_first(
    run: Run, asked: Path, tmp_path: Path, option: str, message: str
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({"question": "A?", "gold": []}))  # declining it would be right
    done = run("eval", "trust", questions, "--graph", asked / "small.clew", option)
    assert done.code != 0
    assert (done.out, done.error.count("\n")) == ("", 1)
    assert message in done.error


def test_each_graph_that_is_named_is_asked_its_own_questions(run: Run, asked: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    row = {"graph": "small", "question": "Which diseases does FBN1 cause?", "gold": [{"ids": ["D:1", "D:2", "D:3"]}]}
    questions.write_text(json.dumps(row))
    given = ("--graph", f"small={asked / 'small.clew'}", "--graph", "not-needed=nowhere.clew")
    record = json.loads(run("eval", "trust", questions, *given, "--json").out)
    assert record["graphs"] == {"small": "small.clew"}
    assert [each["right"] for each in record["outcomes"]] == [True]


def test_paths_of_a_graph_are_asked_and_shown(run: Callable, hpo: Path, tmp_path: Path) -> None:
    options = ("--count", 4, "--no-embedding", "--row", "random", "--out", tmp_path / "run.jsonl")
    ran = run("eval", "paths", hpo, *options)
    assert ran.code == 0
    assert "containment" in ran.out
    report = run("eval", "paths", hpo, *options, "--json").json  # from the file
    assert [row["row"] for row in report["rows"]] == ["random"]
    assert report["rows"][0]["calls"] <= 7
    assert "known: random; tog" in run("eval", "paths", hpo, "--row", "psychic").error
    assert "need an encoder" in run("eval", "paths", hpo, "--row", "names", "--count", 4, "--no-embedding").error


def test_multiple_choice_of_a_graph_is_asked_and_shown(run: Callable, hpo: Path, tmp_path: Path) -> None:
    options = ("--count", 4, "--no-embedding", "--out", tmp_path / "run.jsonl")
    ran = run("eval", "mcq", hpo, "--rows", "prior,evidence", *options)
    assert ran.code == 0
    assert "evidence against prior: " in ran.out
    report = run("eval", "mcq", hpo, "--rows", "prior,evidence", *options, "--json").json  # from the file
    assert [row["row"] for row in report["rows"]] == ["prior", "evidence"]
    assert report["rows"][1]["right"] == 1.0
    assert "known: random; prior" in run("eval", "mcq", hpo, "--rows", "psychic").error
    assert "needs a language model" in run("eval", "mcq", hpo, "--rows", "rag", "--count", 4, "--no-embedding").error
    assert "known: HPO" in run("eval", "mcq", hpo, "--without", "OMIM", "--no-embedding").error
    assert "leave out --without" in run("eval", "mcq", "biomixqa", "--without", "HPO").error
    assert "0 is not in the range" in run("eval", "mcq", hpo, "--count", 0).error


def test_graphs_are_compared_by_what_they_say_about_facts(run: Callable, hpo: Path, tmp_path: Path) -> None:
    facts = tmp_path / "facts.tsv"
    facts.write_text("subject\trelation\tobject\nOMIM:154700\thas_inheritance\tHP:0000006\nX:1\tis\tX:2\n", "utf-8")
    options = ("--graph", f"one={hpo}", "--graph", f"same={hpo}", "--no-embedding")
    ran = run("eval", "graphs", facts, *options)
    assert ran.code == 0
    assert "recall, same against one: +0.0% (+0.0% to +0.0%, p = 1, n = 1)" in ran.out
    assert "left out: 1 fact " in ran.out
    report = run("eval", "graphs", facts, *options, "--json").json
    assert [row["stated"]["mean"] for row in report["rows"]] == [1.0, 1.0]
    assert "NAME=VALUE" in run("eval", "graphs", facts, "--graph", hpo).error
    assert "is missing" in run("eval", "graphs", tmp_path / "none.tsv", *options).error
    assert "holds pubmedqa" in run("eval", "graphs", "pubmedqa", *options, "--data", tmp_path).error
