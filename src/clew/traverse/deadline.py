"""Time limits and cancellation, checked between hops and between blocks of work."""

import time

from clew.cancellation import Signal, current_signal
from clew.errors import Cancelled, InputError, Timeout

__all__ = ["NEVER", "Deadline", "deadline"]


class Deadline:
    """`check` raises `Timeout` after the time limit, or `Cancelled` after the signal."""

    __slots__ = ("_cancel", "_ends", "seconds", "watched")

    def __init__(self, timeout: float | None = None, cancel: Signal | None = None) -> None:
        if timeout is not None and not timeout > 0:
            raise InputError(f"timeout must be a number of seconds above 0, not {timeout!r}")
        self.seconds = timeout
        self._ends = None if timeout is None else time.monotonic() + timeout
        self._cancel = cancel
        self.watched = timeout is not None or cancel is not None  # whether there is anything to check

    def check(self) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise Cancelled("cancelled by the caller")
        if self._ends is not None and time.monotonic() > self._ends:
            raise Timeout(f"not finished within {self.seconds} s: allow more time, fewer hops or a narrower filter")


NEVER = Deadline()


def deadline(timeout: float | None, cancel: Signal | None) -> Deadline:
    """The deadline of a call; without a limit and a signal, its own or that of the work in progress, it is `NEVER`."""
    if cancel is None:
        cancel = current_signal()
    return NEVER if timeout is None and cancel is None else Deadline(timeout, cancel)
