"""Cancellation of work in progress: whoever starts it holds a signal, and the work checks it between its steps.

    with cancellable(signal):
        answer = asker.ask(question)  # raises Cancelled soon after signal.is_set()

The signal belongs to the current thread (or task): what is called inside the block sees it, however deep.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from clew.errors import Cancelled

__all__ = ["POLL", "Signal", "cancellable", "check_cancelled", "current_signal"]

POLL = 0.1  # seconds between two looks at a signal, where one waits for something else


class Signal(Protocol):
    """A cancellation signal, such as threading.Event."""

    def is_set(self) -> bool: ...


_signal: ContextVar[Signal | None] = ContextVar("clew cancellation", default=None)


@contextmanager
def cancellable(signal: Signal) -> Iterator[None]:
    """Work in the block raises `Cancelled` soon after the signal is set."""
    token = _signal.set(signal)
    try:
        yield
    finally:
        _signal.reset(token)


def current_signal() -> Signal | None:
    """The signal of the work in progress, if it has one."""
    return _signal.get()


def check_cancelled() -> None:
    """Raise `Cancelled` if the work in progress was cancelled."""
    signal = _signal.get()
    if signal is not None and signal.is_set():
        raise Cancelled("cancelled by the caller")
