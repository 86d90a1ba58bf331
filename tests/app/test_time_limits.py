"""The time limit of a question: one default for the command line and the server, and what is shown if it was short."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.answer import Answer, Item
from clew.answer.models.capability import TRAINED
from clew.answer.strategy import MODEL_SECONDS, SECONDS
from clew.app.cli.asking.ask import show_answer
from clew.app.cli.serve import time_limits
from clew.app.records import answer_record
from clew.app.server.agents import _short
from clew.app.server.graphs import Graphs, OpenGraph
from clew.app.server.routes.chat import message_of
from clew.app.server.serving import Serving
from clew.app.server.settings import Limits, ServerSettings
from clew.app.server.workers import Workers
from clew.lm import LanguageModel, Request
from clew.lm.clients.scripted import Scripted

LATE = Answer(
    "Who?",
    text="1 person: Ann Moss.",
    items=(Item("P:1", "Ann Moss", "Person"),),
    total=1,
    late="writer ran out of time (30 s): this is the answer without it; timeout=120 gives it more",
)


@pytest.mark.parametrize("command", [("ask",), ("eval", "trust"), ("serve",), ("mcp",)])
def test_help_states_the_defaults(run: Callable[..., Any], command: tuple[str, ...]) -> None:
    said = " ".join(run(*command, "--help").out.split())
    assert f"(default: {SECONDS:g}, or {MODEL_SECONDS:g} " in said


def test_a_question_without_a_limit_has_the_default_of_the_library(
    run: Callable[..., Any], graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clew.answer import Asker

    given = []
    monkeypatch.setattr(Asker, "ask", lambda self, question: given.append(question.timeout) or LATE)
    for options in ([], ["--timeout", 5]):
        assert run("ask", graph, "Who?", "--no-embedding", *options).code == 0
    assert given == [None, 5]


def test_the_terminal_shows_that_a_model_was_late_and_which_option_helps(capsys: pytest.CaptureFixture[str]) -> None:
    told = "writer ran out of time (30 s): this is the answer without it; --timeout 120 gives it more.\n"
    for answer in (LATE, replace(LATE, abstained="unclear", items=())):
        show_answer(answer)
        assert told in capsys.readouterr().out
    show_answer(replace(LATE, late=""))
    assert "out of time" not in capsys.readouterr().out


def test_so_do_json_chats_and_agents() -> None:
    intime = replace(LATE, late="")
    assert answer_record(LATE, graph="g", snapshot="s")["late"] == LATE.late
    assert answer_record(intime, graph="g", snapshot="s")["late"] == ""
    assert (LATE.late in message_of(LATE), "out of time" in message_of(intime)) == (True, False)
    assert (_short(LATE, 5)["late"], "late" in _short(intime, 5)) == (LATE.late, False)


@pytest.mark.parametrize("model", [None, Scripted([])])
def test_a_server_gives_questions_with_a_model_longer_than_other_requests(model: LanguageModel | None) -> None:
    settings = ServerSettings({}, limits=Limits())
    serving = Serving(settings, Graphs({}), Workers(settings.limits), model, None)
    most = SECONDS if model is None else MODEL_SECONDS
    assert [serving.seconds(each, question=True) for each in (None, 5, 1000)] == [most, 5, most]
    assert [serving.seconds(each) for each in (None, 5, 1000)] == [SECONDS, 5, SECONDS]


def test_what_is_set_for_a_server_holds_for_all_requests() -> None:
    limits = Limits(**time_limits(7))
    assert (limits.seconds, limits.model_seconds) == (7, 7)
    assert Limits(**time_limits(None)) == Limits()


def test_a_server_lets_a_trained_model_read_the_graph_before_any_request(graph: Path) -> None:
    class Keeps(Scripted):
        kept: tuple[str, ...] = ()

        def keep(self, request: Request, *, timeout: float | None = None) -> None:
            self.kept += (request.messages[-1].content,)

    trained, other = Keeps([]), Keeps([])
    (trained.identity,) = TRAINED
    for model in (trained, other):
        opened = OpenGraph("small", graph, model=model, encoder=None)
        opened.prepare()
        opened.resources.close()
    assert (len(trained.kept), other.kept) == (1, ())
