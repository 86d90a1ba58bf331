"""Progress: one line on stderr, redrawn and cleared at the end; without a terminal none, or a line now and then."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from clew.app.cli.terminal.output import printable, shorten
from clew.progress import Progress, silent

__all__ = ["announced", "terminal_progress"]

BAR = 24  # characters of a full bar
REDRAW_SECONDS = 0.05
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


class _Line:
    """The line being redrawn."""

    def __init__(self) -> None:
        self._begun = self._drawn = time.monotonic()
        self._task = ""

    def __call__(self, task: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if task == self._task and now - self._drawn < REDRAW_SECONDS and done != total:
            return
        self._task, self._drawn = task, now
        sys.stderr.write(f"\r\x1b[2K{_render(task, done, total, now - self._begun)}")
        sys.stderr.flush()

    def wipe(self) -> None:
        sys.stderr.write("\r\x1b[2K")
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
