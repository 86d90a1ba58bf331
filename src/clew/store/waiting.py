"""Run work with a time limit: it runs on its own thread, so the caller always gets control back in time."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from clew.errors import Timeout

__all__ = ["GRACE", "wait_for"]

T = TypeVar("T")
GRACE = 0.5  # seconds for work to end after it was asked to stop


class _Outcome(Generic[T]):
    """The result of the work, or its error."""

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
    """The value of `work`, or `Timeout` with the message `late`.

    At the time limit `stop` asks the work to end. Work that does not end is abandoned, and `abandon` receives the event
    that signals its end; until then its resources must be neither used nor released.
    """
    outcome: _Outcome[T] = _Outcome()

    def run() -> None:
        try:
            outcome.value = work()
        except BaseException as error:  # raised to the caller below
            outcome.error = error
        finally:
            outcome.done.set()

    threading.Thread(target=run, name="clew-store", daemon=True).start()
    try:
        in_time = outcome.done.wait(seconds)
    except BaseException:  # the caller was interrupted, so stop the work
        _stop_work(outcome, stop, abandon)
        raise
    if not in_time:
        _stop_work(outcome, stop, abandon)
        raise Timeout(late)
    if outcome.error is not None:
        raise outcome.error
    return outcome.value  # type: ignore[return-value]


def _stop_work(outcome: "_Outcome[T]", stop: Callable[[], None], abandon: Callable[[threading.Event], None]) -> None:
    with suppress(RuntimeError):
        stop()
    if not outcome.done.wait(GRACE):
        abandon(outcome.done)
