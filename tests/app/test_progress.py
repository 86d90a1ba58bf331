"""The line of a terminal while something takes long: bars of tasks, and the steps of a question with their seconds."""

import io
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from clew.answer import Answer, Asker, Question, Resources, Step
from clew.app.cli.terminal import progress as module
from clew.app.cli.terminal.conversation import ask_shown
from clew.app.cli.terminal.progress import step_shower, terminal_progress
from clew.progress import silent

WIPED = "\r\x1b[2K"


class Terminal(io.StringIO):
    """A terminal that remembers what was drawn on it."""

    def isatty(self) -> bool:
        return True

    def await_line(self, words: str) -> str:
        """The first line that was drawn with these words."""
        ends = time.monotonic() + 30
        while time.monotonic() < ends:
            for line in self.getvalue().split(WIPED):
                if words in line:
                    return line
            time.sleep(0.001)
        raise AssertionError(f"{words!r} was not drawn: {self.getvalue()!r}")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=made))  # pytest puts back its own at every phase
    monkeypatch.setattr(module, "STEP_SECONDS", 0.002)
    monkeypatch.setenv("COLUMNS", "100")
    return made


class Slow:
    """A strategy whose step lasts until it is seen."""

    def __init__(self, seen: Callable[[], object]) -> None:
        self.seen = seen

    def answer(self, question: Question, resources: Resources) -> Answer:
        if question.report is not None:
            question.report(Step("model", "writing\na query", 1.5))
        self.seen()
        return Answer(question.text)


def test_a_step_that_takes_long_is_shown_with_its_seconds_and_wiped(graph: Path, terminal: Terminal) -> None:
    asker = Asker(Resources(graph, encoder=None), Slow(lambda: terminal.await_line("model")))
    assert ask_shown(asker, Question("Who?")).question == "Who?"
    assert terminal.await_line("model") == "model: writing a query  0 s"
    assert terminal.getvalue().endswith(WIPED)
    drawn = len(terminal.getvalue())
    time.sleep(0.05)
    assert len(terminal.getvalue()) == drawn, "nothing is drawn after it"


def test_steps_that_are_reported_elsewhere_are_not_shown_too(graph: Path, terminal: Terminal) -> None:
    steps: list[Step] = []
    asker = Asker(Resources(graph, encoder=None), Slow(lambda: time.sleep(0.05)))
    ask_shown(asker, Question("Who?", report=steps.append))
    assert (len(steps), terminal.getvalue()) == (1, WIPED)


def test_without_a_terminal_nothing_is_drawn(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert step_shower(silent) is None
    ask_shown(Asker(Resources(graph, encoder=None), Slow(lambda: None)), Question("Who?"))
    assert capsys.readouterr().err == ""


def test_a_short_step_is_not_drawn(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    monkeypatch.setattr(module, "STEP_SECONDS", 60.0)
    with terminal_progress() as progress:
        show = step_shower(progress)
        assert show is not None
        show(Step("names", "FBN1", 0.1))
    assert terminal.getvalue() == WIPED


def test_a_task_that_reports_has_the_line_to_itself(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    now = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with terminal_progress() as progress:
        assert step_shower(progress) is not None
        progress("loading", 1, 2)
        time.sleep(0.05)
        assert "preparing" not in terminal.getvalue()
        now[0] += 1
        assert terminal.await_line("preparing") == "preparing  1 s"


def test_a_long_step_fits_the_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    with terminal_progress() as progress:
        show = step_shower(progress)
        assert show is not None
        show(Step("query", "MATCH " + "x" * 200, 0.1))
        line = terminal.await_line("MATCH")
    assert len(line) <= 40
    assert "…" in line
