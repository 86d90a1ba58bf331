"""The time limit of a query or a question, from its first character to the last row."""

import time
from dataclasses import dataclass, replace

from clew.errors import InputError, Timeout

__all__ = ["Deadline"]


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time on the monotonic clock, and the limit in seconds it came from."""

    at: float
    seconds: float
    what: str = "query"

    @classmethod
    def after(cls, seconds: float, what: str = "query") -> "Deadline":
        """The deadline `seconds` from now."""
        if not seconds > 0:
            raise InputError(f"timeout must be a number of seconds above 0, not {seconds!r}")
        return cls(time.monotonic() + seconds, seconds, what)

    def later(self, seconds: float) -> "Deadline":
        """The deadline moved by time that does not count."""
        return replace(self, at=self.at + seconds)

    @property
    def left(self) -> float:
        """Remaining seconds; negative after the deadline."""
        return self.at - time.monotonic()

    def check(self) -> None:
        """Raise `Timeout` after the deadline."""
        if self.left < 0:
            raise self.passed()

    def passed(self) -> Timeout:
        """The error for a query or question that took too long."""
        return Timeout(f"the {self.what} was stopped after {self.seconds:.3g} s: narrow it, or raise the timeout")
