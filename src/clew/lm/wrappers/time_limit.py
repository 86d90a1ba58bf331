"""The time limit of one call, counted from its start."""

import time

from clew.cancellation import check_cancelled
from clew.errors import InputError, Timeout

__all__ = ["TimeLimit"]


class TimeLimit:
    """Remaining seconds; `left` raises `Timeout` when there are none, and `Cancelled` for work that was cancelled."""

    __slots__ = ("_begun", "_seconds", "_who")

    def __init__(self, seconds: float, who: str) -> None:
        if not seconds > 0:
            raise InputError(f"timeout must be a number of seconds above 0, not {seconds!r}")
        self._seconds, self._who = seconds, who
        self._begun = time.monotonic()

    @property
    def spent(self) -> float:
        return time.monotonic() - self._begun

    def left(self) -> float:
        """The remaining seconds."""
        check_cancelled()
        if (left := self._seconds - self.spent) <= 0:
            raise self.over()
        return left

    def over(self) -> Timeout:
        """The error to raise at the time limit."""
        return Timeout(
            f"{self._who} did not answer within {self._seconds:g} s: allow more time, a shorter prompt or fewer tokens"
        )
