"""The time limit of a query or a question, from its first character to the last row."""

import time
from dataclasses import dataclass, replace

from clew.cancellation import POLL, Signal, current_signal
from clew.errors import Cancelled, InputError, Timeout

__all__ = ["Deadline"]

DAY = 86_400.0  # seconds; no system can wait for a limit such as 1e99


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time on the monotonic clock, the limit in seconds it came from, and the signal that ends the work sooner."""

    at: float
    seconds: float
    what: str = "query"
    cancel: Signal | None = None

    @classmethod
    def after(cls, seconds: float, what: str = "query") -> "Deadline":
        """The deadline `seconds` from now."""
        if not seconds > 0:
            raise InputError(f"timeout must be a number of seconds above 0, not {seconds!r}")
        return cls(time.monotonic() + seconds, seconds, what, current_signal())

    def later(self, seconds: float) -> "Deadline":
        """The deadline moved by time that does not count."""
        return replace(self, at=self.at + seconds)

    @property
    def left(self) -> float:
        """Remaining seconds; negative after the deadline."""
        return self.at - time.monotonic()

    def check(self) -> None:
        """Raise `Timeout` after the deadline, `Cancelled` after the signal."""
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled(f"the {self.what} was cancelled by the caller")
        if self.left < 0:
            raise self.passed()

    @property
    def pause(self) -> float:
        """How long to wait for something before the next `check`."""
        return min(max(0.0, self.left), DAY if self.cancel is None else POLL)

    def passed(self) -> Timeout:
        """The error for a query or question that took too long."""
        return Timeout(f"the {self.what} was stopped after {self.seconds:.3g} s: narrow it, or raise the timeout")
