"""Usage of a model, summed over all threads."""

import threading
from collections.abc import Sequence

from clew.lm.messages import Completion, LanguageModel, Request, Score, Stream, Usage
from clew.lm.wrappers.wrapper import Wrapper

__all__ = ["Metered"]


class Metered(Wrapper):
    """Sums the usage of every response; `failures` counts the calls that raised."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(model)
        self._lock = threading.Lock()
        self._usage, self._failures = Usage(), 0

    @property
    def usage(self) -> Usage:
        """The sum so far."""
        with self._lock:
            return self._usage

    @property
    def failures(self) -> int:
        with self._lock:
            return self._failures

    def reset(self) -> Usage:
        """Reset to zero; returns the sum so far."""
        with self._lock:
            until_now, self._usage, self._failures = self._usage, Usage(), 0
            return until_now

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        try:
            completion = self.model.complete(request, stream=stream, timeout=timeout)
        except BaseException:
            self._fail()
            raise
        self._add(completion.usage)
        return completion

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        try:
            scores = self.model.score(request, continuations, timeout=timeout)
        except BaseException:
            self._fail()
            raise
        self._add(sum((score.usage for score in scores), Usage()))
        return scores

    def _add(self, usage: Usage) -> None:
        with self._lock:
            self._usage += usage

    def _fail(self) -> None:
        with self._lock:
            self._failures += 1
