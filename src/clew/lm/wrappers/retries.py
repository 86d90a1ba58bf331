"""Retries: for servers that are unreachable or busy, and for bad responses sampled at random."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from clew.errors import InputError
from clew.lm.failures import BadAnswer, Unreachable
from clew.lm.messages import Completion, LanguageModel, Request, Score, Stream
from clew.lm.wrappers.wrapper import Wrapper

__all__ = ["Retrying"]

T = TypeVar("T")
LONGEST_WAIT = 30.0  # seconds at most, whatever the server asks for
log = logging.getLogger(__name__)


class Retrying(Wrapper):
    """Tries up to `attempts` times, waiting `wait` seconds and then twice as long each time (or as the server asks).

    A bad response (empty, malformed JSON) is retried only at a temperature above 0, with the next seed: at 0 it would
    be the same. There is no retry once text was streamed. A time limit applies to each attempt; wrap it in `Timed` for
    one that applies to all.
    """

    def __init__(self, model: LanguageModel, *, attempts: int = 3, wait: float = 0.5) -> None:
        super().__init__(model)
        if attempts < 1 or wait < 0:
            raise InputError(f"attempts must be 1 or more and wait 0 or more, not {attempts} and {wait}")
        self._attempts, self._wait = attempts, wait

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        streamed = False

        def pass_on(text: str) -> None:
            nonlocal streamed
            streamed = True
            if stream is not None:
                stream(text)

        def attempt(number: int) -> Completion:
            asked = replace(request, seed=request.seed + number)
            return self.model.complete(asked, stream=pass_on if stream else None, timeout=timeout)

        def worth_it(error: BadAnswer | Unreachable) -> bool:
            return not streamed and (isinstance(error, Unreachable) or request.temperature > 0)

        return self._try(attempt, worth_it)

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        def attempt(number: int) -> list[Score]:
            return self.model.score(request, continuations, timeout=timeout)

        return self._try(attempt, lambda error: isinstance(error, Unreachable))

    def _try(self, attempt: Callable[[int], T], worth_it: Callable[[BadAnswer | Unreachable], bool]) -> T:
        bad_answers = 0
        for left in range(self._attempts - 1, -1, -1):
            try:
                return attempt(bad_answers)
            except (BadAnswer, Unreachable) as error:
                if not left or not worth_it(error):
                    raise
                bad_answers += isinstance(error, BadAnswer)
                log.info("retrying %s: %s", type(self.model).__name__, error)
                if isinstance(error, Unreachable):
                    backoff = self._wait * 2 ** (self._attempts - 1 - left)
                    time.sleep(min(LONGEST_WAIT, backoff if error.wait is None else error.wait))
        raise AssertionError("every attempt returns or raises")
