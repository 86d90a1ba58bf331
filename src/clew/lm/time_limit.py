"""How long one call may take, counted from its beginning."""

import time

from clew.errors import InputError, Timeout

__all__ = ["TimeLimit"]


class TimeLimit:
    """Seconds that run down; `left` raises `Timeout` once they are gone."""

    __slots__ = ("_begun", "_seconds", "_who")

    def __init__(self, seconds: float, who: str) -> None:
        if not seconds > 0:
            raise InputError(f"timeout is a number of seconds above 0, not {seconds!r}")
        self._seconds, self._who = seconds, who
        self._begun = time.monotonic()

    @property
    def spent(self) -> float:
        return time.monotonic() - self._begun

    def left(self) -> float:
        """Seconds that remain."""
        if (left := self._seconds - self.spent) <= 0:
            raise self.over()
        return left

    def over(self) -> Timeout:
        """What to raise when time has run out."""
        return Timeout(
            f"{self._who} did not answer within {self._seconds:g} s: allow more time, a shorter prompt or fewer tokens"
        )
