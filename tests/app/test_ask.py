"""`clew ask` on a small graph, by words alone."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.answer import Answer, Asker, Question, Resources
from clew.answer.answer import Alternative
from clew.app.cli.terminal.conversation import ask_back

QUESTION = "Which phenotypes does FBN1 have?"


def test_an_answer_is_shown_with_its_query_and_evidence(run, graph: Path, tmp_path: Path) -> None:
    ran = run("ask", graph, QUESTION, "--no-embedding", "--explain", "--draw", tmp_path / "why.html")
    assert ran.code == 0
    assert "Arachnodactyly" in ran.out
    assert "MATCH" in ran.out
    assert "PMID:1" in ran.out
    assert "interpreted as:" in ran.out
    assert (tmp_path / "why.html").read_text("utf-8").count("Arachnodactyly") > 1


def test_nothing_to_draw_is_said_and_nothing_is_written(run, graph: Path, tmp_path: Path) -> None:
    ran = run("ask", graph, "Which dragons breathe fire?", "--no-embedding", "--draw", tmp_path / "why.html")
    assert ran.code == 1
    assert "No entity of this graph was recognised" in ran.out
    assert ran.error == "clew: there is nothing to draw: no triple supports this answer\n"
    assert not (tmp_path / "why.html").exists()


def test_what_cannot_be_used_is_one_line(run, graph: Path) -> None:
    for options in (["--limit", -3], ["--draw", "a.txt"], ["--model", "nothere"], ["--store", "ftp://x"]):
        ran = run("ask", graph, QUESTION, "--no-embedding", *options)
        assert (ran.code, ran.out, ran.error.count("\n")) == (2, "", 1)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lines on stdin, from a pipe or from somebody at a terminal."""

    def give(*lines: str, terminal: bool) -> None:
        stdin = io.StringIO("".join(f"{line}\n" for line in lines))
        stdin.isatty = lambda: terminal  # type: ignore[method-assign]
        monkeypatch.setattr(sys, "stdin", stdin)

    return give


def test_questions_come_through_a_pipe(run, graph: Path, typed: Callable[..., None]) -> None:
    typed(QUESTION, "", "Which dragons breathe fire?", "How many diseases does FBN1 cause?", terminal=False)
    ran = run("ask", graph, "--no-embedding")
    assert ran.code == 1  # one had no answer
    assert "Arachnodactyly" in ran.out
    assert "No entity of this graph was recognised" in ran.out
    assert "3 diseases that FBN1 causes" in ran.out
    assert "?" not in ran.out.splitlines()[0]


def test_piped_questions_give_one_object(run, graph: Path, typed: Callable[..., None]) -> None:
    typed(QUESTION, "How many diseases does FBN1 cause?", terminal=False)
    ran = run("ask", graph, "--no-embedding", "--json")
    assert ran.code == 0
    assert [answer["question"] for answer in ran.json["answers"]] == [QUESTION, "How many diseases does FBN1 cause?"]
    assert ran.json["answers"][1]["value"] == 3


def test_nothing_on_stdin_is_an_error(run, graph: Path, typed: Callable[..., None]) -> None:
    typed(terminal=False)
    ran = run("ask", graph, "--no-embedding")
    assert (ran.code, ran.out) == (2, "")
    assert "no question was given" in ran.error


def test_a_name_that_may_mean_two_things_is_asked_about(run, ambiguous_graph: Path, typed: Callable[..., None]) -> None:
    question = "Which genes explain ectopia lentis?"
    typed(question, "seven", "9", "2", question, "", "", terminal=True)
    ran = run("ask", ambiguous_graph, "--no-embedding")
    assert ran.code == 0
    first, again = ran.out.split("Which did you mean by ectopia lentis?")[1:]
    assert "a number from 1 to 2, not seven" in first
    assert "a number from 1 to 2, not 9" in first
    chosen = {"Disease": "D:2", "Phenotype": "P:1"}[first.splitlines()[2].split("(")[1].split(",")[0]]
    assert f"id: '{chosen}'" in first
    assert f"id: '{chosen}'" not in again  # an empty line keeps what was taken


@pytest.mark.parametrize("declined", [False, True])
def test_other_interpretations_are_chosen_by_number(
    graph: Path, typed: Callable[..., None], capsys: pytest.CaptureFixture[str], declined: bool
) -> None:
    asker = Asker(Resources(graph, encoder=None))
    patient = asker.ask(Question(QUESTION, timeout=600))
    other = Alternative(patient.query, 0.5, "diseases that FBN1 causes")
    doubtful = Answer(
        "What?", text="3 genes", confidence=0.5, interpretation=("interpreted as: genes",), alternatives=(other,)
    )
    given = Answer("What?", abstained="unclear", alternatives=(other,)) if declined else doubtful

    class Given:
        def answer(self, question: Question, resources: Resources) -> Answer:
            return given

    unsure = Asker(asker.resources, Given())
    typed("", "1" if declined else "2", terminal=True)
    assert ask_back(unsure, Question("What?")) is given  # an empty line keeps it
    chosen = ask_back(unsure, Question("What?"))
    assert (chosen.abstained, chosen.question) == (None, given.question)
    assert chosen.items == patient.items
    shown = capsys.readouterr().out.splitlines()
    offered = ["diseases that FBN1 causes"] if declined else ["genes", "diseases that FBN1 causes"]
    assert shown[1 : 1 + len(offered)] == [f"  {number}  {each}" for number, each in enumerate(offered, start=1)]
    asker.close()


def test_ambiguities_are_named_and_can_be_settled(run, ambiguous_graph: Path) -> None:
    question = "Which genes explain ectopia lentis?"
    ran = run("ask", ambiguous_graph, question, "--no-embedding")
    assert 'Interpreted "ectopia lentis" as Ectopia lentis' in ran.out
    assert "other matches: Ectopia lentis" in ran.out
    for meant, other in (("D:2", "P:1"), ("P:1", "D:2")):
        settled = run(
            "ask", ambiguous_graph, question, "--no-embedding", "--meaning", f"ectopia lentis={meant}", "--json"
        )
        assert (meant in settled.json["query"], other in settled.json["query"]) == (True, False)
        assert settled.json["ambiguities"] == []


def test_a_failing_question_does_not_end_the_conversation(run, graph: Path, typed: Callable[..., None]) -> None:
    typed(QUESTION, QUESTION, terminal=False)
    ran = run("ask", graph, "--no-embedding", "--timeout", 1e-9)
    assert ran.code == 1
    assert ran.error.count("clew: error:") == 2
    assert len(ran.error.splitlines()) == 2


def test_a_fault_of_one_question_leaves_the_others_their_answers(
    run, graph: Path, typed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asker.ask

    def faulty(asker: Asker, question: Question) -> Answer:
        if "dragons" in question.text:
            raise KeyError(6)
        return asked(asker, question)

    monkeypatch.setattr(Asker, "ask", faulty)
    typed("Which dragons breathe fire?", QUESTION, terminal=False)
    ran = run("ask", graph, "--no-embedding", "--json")
    assert ran.code == 1
    failed, answered = ran.json["answers"]
    assert failed["error"] == {"kind": "KeyError", "message": "unexpected KeyError: 6", "close": []}
    assert answered["total"] > 0
    assert "clew: error: unexpected KeyError: 6 (run with CLEW_DEBUG=1 for the traceback)" in ran.error


def test_options_that_need_a_question_say_so(run, graph: Path, typed: Callable[..., None]) -> None:
    typed(terminal=True)
    for options in (["--draw", "a.html"], ["--meaning", "a=P:1"], ["--json"]):
        ran = run("ask", graph, "--no-embedding", *options)
        assert (ran.code, ran.out, ran.error.count("\n")) == (2, "", 1)
        assert options[0] in ran.error


@pytest.mark.parametrize(
    "options",
    [["--choose", "ties"], ["--compose"], ["--choose", "often"], ["--meaning", "FBN1"], ["--meaning", "FBN1=NONE:1"]],
)
def test_a_model_is_needed_to_choose_and_an_id_to_mean(run, graph: Path, options: list[str]) -> None:
    ran = run("ask", graph, QUESTION, "--no-embedding", *options)
    assert (ran.code, ran.out, ran.error.count("\n")) == (2, "", 1)


def test_what_a_model_decided_is_shown(run, ambiguous_graph: Path) -> None:
    question = "Which genes explain ectopia lentis?"
    ran = run(
        "ask", ambiguous_graph, question, "--no-embedding", "--model", "smollm2", "--choose", "always", "--explain"
    )
    assert ran.code == 0
    assert "smollm2 chose among 2 interpretations" in ran.out


@pytest.fixture
def ambiguous_graph(tmp_path: Path) -> Path:
    """A graph with a disease and a phenotype of one name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from clew.traverse import build

    entities = [("G:1", "FBN1", "Gene"), ("D:1", "Marfan syndrome", "Disease"), ("D:2", "Ectopia lentis", "Disease")]
    entities.append(("P:1", "Ectopia lentis", "Phenotype"))
    triples = [("G:1", "associated_with", "D:1"), ("G:1", "associated_with", "D:2"), ("D:1", "has_phenotype", "P:1")]
    for name, columns, rows in (
        ("entities", ("id", "name", "type"), entities),
        ("triples", ("subject", "relation", "object"), triples),
    ):
        pq.write_table(pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True))), tmp_path / f"{name}.parquet")
    build(tmp_path / "triples.parquet", entities=tmp_path / "entities.parquet", out=tmp_path / "ambiguous.clew")
    return tmp_path / "ambiguous.clew"


def test_an_answer_may_rest_on_some_statements_only(run, graph: Path) -> None:
    question = "Which diseases does FBN1 cause?"
    every = run("ask", graph, question, "--no-embedding", "--json").json
    some = run("ask", graph, question, "--no-embedding", "--json", "--source", "A").json
    assert [len(each["items"]) for each in (every, some)] == [3, 2]
    assert any("from A" in line for line in some["interpretation"])
    wrong = run("ask", graph, question, "--no-embedding", "--as-of", "yesterday")
    assert (wrong.code, wrong.out, wrong.error.count("\n")) == (2, "", 1)


def test_options_stages_and_steps(run: Callable, graph: Path) -> None:
    asked = ("ask", graph, "Which gene causes Marfan syndrome?", "--no-embedding")
    options = ("--option", "FBN1", "--option", "FBN2")
    ran = run(*asked, "--strategy", "adaptive", *options, "--steps", "--without", "vote")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "FBN1")
    assert "s, plans: whole: " in ran.error
    assert "option: " not in run(*asked, "--strategy", "adaptive", *options, "--steps", "--without", "retrievals").error
    assert "known: decomposition, retrievals" in run(*asked, "--strategy", "adaptive", "--without", "magic").error
    for refused in (("--without", "vote"), options, ("--strategy", "rag", "--option", "FBN1")):
        ran = run(*asked, *refused)
        assert (ran.code, ran.out, ran.error.count("\n")) == (2, "", 1)
    rounds = run("ask", graph, "Which disease has arachnodactyly?", "--strategy", "two-rounds", "--no-embedding")
    assert (rounds.code, rounds.out.count("\n")) == (1, 1)  # this graph has no findings: a sentence says so


def test_strategies_by_name_and_compared(run: Callable, graph: Path) -> None:
    asked = "Which diseases does FBN1 cause?"
    for name in ("rag", "adaptive", "local"):
        ran = run("ask", graph, asked, "--strategy", name, "--no-embedding")
        assert (ran.code, "Marfan syndrome" in ran.out) == (0, True)
    compared = run("ask", graph, asked, "--compare", "cypher, rag", "--no-embedding", "--explain")
    assert "- rag: " in compared.out
    assert "did you mean 'rag'" in run("ask", graph, asked, "--strategy", "rags").error
    assert "two or more strategies" in run("ask", graph, asked, "--compare", "rag").error
    declined = run("ask", graph, "Why is FBN1 so frobnicated?", "--no-embedding")
    assert "clew: --strategy rag could try, from the facts around the names (no model call)" in declined.error
    told = run("ask", graph, "Why is FBN1 so frobnicated?", "--no-embedding", "--json").json
    assert told["suggestions"][0] == "rag could try, from the facts around the names (no model call)"
    assert run("ask", graph, asked, "--no-embedding", "--json").json["suggestions"] == []
