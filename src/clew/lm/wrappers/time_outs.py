"""A time limit for any model, even one that ignores its own."""

import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any, TypeVar, cast

from clew.cancellation import POLL, check_cancelled
from clew.errors import InputError, Timeout
from clew.lm.messages import Completion, LanguageModel, Request, Score, Stream
from clew.lm.wrappers.wrapper import Wrapper

__all__ = ["Timed"]

T = TypeVar("T")
GRACE = 0.25  # seconds for the model to stop by itself


class Timed(Wrapper):
    """Every call returns within `seconds`, or sooner if the caller says so.

    The limit is passed to the model; if it does not return in time it is abandoned and the caller gets `Timeout`, or
    `Cancelled` if the work was cancelled meanwhile. The stream is called from the model's thread, and no longer after
    the limit.
    """

    def __init__(self, model: LanguageModel, seconds: float | Callable[[], float]) -> None:
        """`seconds` is a number, or a function that says how much time is left at each call."""
        super().__init__(model)
        if not callable(seconds) and not seconds > 0:
            raise InputError(f"a time limit must be a number of seconds above 0, not {seconds!r}")
        self._seconds = seconds

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        limit = self._limit(timeout)
        over = threading.Event()

        def pass_on(text: str) -> None:
            if stream is not None and not over.is_set():
                stream(text)

        try:
            return self._within(
                limit, lambda: self.model.complete(request, stream=pass_on if stream else None, timeout=limit)
            )
        finally:
            over.set()

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        limit = self._limit(timeout)
        return self._within(limit, lambda: self.model.score(request, continuations, timeout=limit))

    def count(self, request: Request) -> int:
        return self._within(self._limit(None), lambda: self.model.count(request))

    def _limit(self, timeout: float | None) -> float:
        seconds = self._seconds() if callable(self._seconds) else self._seconds
        if seconds <= 0:
            raise Timeout("no time is left for the model: allow more time")
        return seconds if timeout is None else min(seconds, timeout)

    def _within(self, limit: float, work: Callable[[], T]) -> T:
        outcome: list[Any] = []

        def run() -> None:
            try:
                outcome.append((True, work()))
            except BaseException as error:  # raised in the waiting thread
                outcome.append((False, error))

        thread = threading.Thread(target=copy_context().run, args=(run,), name="clew time limit", daemon=True)
        ends = time.monotonic() + limit + GRACE
        thread.start()
        while thread.is_alive() and (left := ends - time.monotonic()) > 0:
            thread.join(min(left, POLL))
            check_cancelled()
        if not outcome:
            raise Timeout(f"the model did not answer within {limit:g} s: allow more time, or request less")
        well, value = outcome[0]
        if not well:
            raise value
        return cast(T, value)
