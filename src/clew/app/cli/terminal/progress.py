"""Progress: one line on stderr, redrawn and cleared at the end; without a terminal none, or a line now and then."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.app.cli.terminal.output import one_line, printable, shorten, terminal_width
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.answer import Step

__all__ = ["announced", "step_shower", "terminal_progress"]

BAR = 24  # characters of a full bar
STEP, SECONDS_WIDTH = 70, 10  # columns of a step, and of its seconds
REDRAW_SECONDS = 0.05
STEP_SECONDS = 1.0  # between two drawings of a step, and before the first
LINE_SECONDS = 30.0  # between lines where there is no terminal


@contextmanager
def terminal_progress(*, lines: bool = False) -> Iterator[Progress]:
    """A progress that draws on a terminal, until the block ends; with `lines`, files and pipes get some too."""
    if not sys.stderr.isatty():
        yield _Lines() if lines else silent
        return
    line = _Line()
    try:
        yield line
    finally:
        line.wipe()


def announced(progress: Progress, sentence: str, *, after: float = 0.0) -> Progress:
    """A progress that, after some seconds, announces once on stderr what is being prepared.

    Unlike bars, the sentence goes to files and pipes too.
    """
    begun: float | None = None
    said = False

    def report(task: str, done: int, total: int | None) -> None:
        nonlocal begun, said
        now = time.monotonic()
        begun = now if begun is None else begun
        if not said and now - begun >= after:
            said = True
            print(f"clew: {printable(sentence)}", file=sys.stderr)
        progress(task, done, total)

    return report


def step_shower(progress: Progress) -> "Callable[[Step], None] | None":
    """What shows the steps of a question on the line of a terminal, while they last; None where there is none."""
    if not isinstance(progress, _Line):
        return None
    progress.show_step("preparing")
    return lambda step: progress.show_step(f"{step.name}: {one_line(step.text)}")


class _Line:
    """The line being redrawn: by tasks as they report, or with the seconds of a step that takes long."""

    def __init__(self) -> None:
        self._begun = self._drawn = time.monotonic()
        self._task = self._step = ""
        self._guard, self._over = threading.Lock(), threading.Event()
        self._ticking: threading.Thread | None = None

    def __call__(self, task: str, done: int, total: int | None) -> None:
        with self._guard:
            now = time.monotonic()
            if task == self._task and now - self._drawn < REDRAW_SECONDS and done != total:
                return
            self._task = task
            self._draw(_render(task, done, total, now - self._begun), now)

    def show_step(self, step: str) -> None:
        """Show a step, if it takes long, until the next one."""
        with self._guard:
            self._step = step
        if self._ticking is None:
            self._ticking = threading.Thread(target=self._tick, name="clew steps", daemon=True)
            self._ticking.start()

    def wipe(self) -> None:
        self._over.set()
        if self._ticking is not None:
            self._ticking.join()
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()

    def _tick(self) -> None:
        while not self._over.wait(STEP_SECONDS):
            with self._guard:
                now = time.monotonic()
                if now - self._drawn >= STEP_SECONDS:
                    width = min(STEP, (terminal_width() or STEP) - SECONDS_WIDTH)
                    self._draw(f"{shorten(self._step, width)}  {now - self._begun:.0f} s", now)

    def _draw(self, line: str, now: float) -> None:
        self._drawn = now
        sys.stderr.write(f"\r\x1b[2K{line}")
        sys.stderr.flush()


class _Lines:
    """A line every half minute."""

    def __init__(self) -> None:
        self._begun = self._printed = time.monotonic()

    def __call__(self, task: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._printed >= LINE_SECONDS:
            self._printed = now
            share = f"{done:,}" if total is None else f"{done:,}/{total:,}"
            print(f"clew: {printable(task)} {share}, {now - self._begun:.0f} s", file=sys.stderr, flush=True)


def _render(task: str, done: int, total: int | None, seconds: float) -> str:
    words = f"{shorten(task, 32):<32}"
    if total is None:
        return f"{words} {done:,}  {seconds:.0f} s"
    filled = BAR * min(done, total) // total if total else BAR
    return f"{words} {'━' * filled}{'─' * (BAR - filled)} {done:,}/{total:,}  {seconds:.0f} s"
