"""The time limit of a query, from parsing to the last row."""

import time
from dataclasses import dataclass

from clew.errors import InputError, Timeout

__all__ = ["Deadline"]


@dataclass(frozen=True, slots=True)
class Deadline:
    """A time on the monotonic clock, and the limit in seconds it came from."""

    at: float
    seconds: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """The deadline `seconds` from now."""
        if not seconds > 0:
            raise InputError(f"timeout must be a number of seconds above 0, not {seconds!r}")
        return cls(time.monotonic() + seconds, seconds)

    @property
    def left(self) -> float:
        """Remaining seconds; negative after the deadline."""
        return self.at - time.monotonic()

    def check(self) -> None:
        """Raise `Timeout` after the deadline."""
        if self.left < 0:
            raise self.passed()

    def passed(self) -> Timeout:
        """The error for a query that took too long."""
        return Timeout(f"the query was stopped after {self.seconds:.3g} s: narrow the query, or raise the timeout")
