"""Waiting for work no longer than allowed: it runs on a thread of its own, so the caller always comes back in time."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from clew.errors import Timeout

__all__ = ["GRACE", "wait_for"]

T = TypeVar("T")
GRACE = 0.5  # seconds that work has to end after it was told to stop


class _Outcome(Generic[T]):
    """What became of the work."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None


def wait_for(
    work: Callable[[], T],
    *,
    seconds: float,
    stop: Callable[[], None],
    abandon: Callable[[threading.Event], None],
    late: str,
) -> T:
    """The value of `work`, or `Timeout` with the sentence `late`.

    When the time is up `stop` asks the work to end. Work that does not is left behind, and `abandon` is given the event
    that tells when it has ended; until then nobody else may use, or take away, what it works with.
    """
    outcome: _Outcome[T] = _Outcome()

    def run() -> None:
        try:
            outcome.value = work()
        except BaseException as error:  # handed to the caller below
            outcome.error = error
        finally:
            outcome.done.set()

    threading.Thread(target=run, name="clew-store", daemon=True).start()
    try:
        in_time = outcome.done.wait(seconds)
    except BaseException:  # the caller was interrupted: so is the work
        _end(outcome, stop, abandon)
        raise
    if not in_time:
        _end(outcome, stop, abandon)
        raise Timeout(late)
    if outcome.error is not None:
        raise outcome.error
    return outcome.value  # type: ignore[return-value]


def _end(outcome: "_Outcome[T]", stop: Callable[[], None], abandon: Callable[[threading.Event], None]) -> None:
    with suppress(RuntimeError):
        stop()
    if not outcome.done.wait(GRACE):
        abandon(outcome.done)
