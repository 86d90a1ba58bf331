"""The base of wrappers: passes every call on, so that a wrapper implements only what it changes."""

from collections.abc import Sequence

from clew.closing import Closing
from clew.lm.messages import Completion, LanguageModel, Request, Score, Stream

__all__ = ["Wrapper"]


class Wrapper(Closing):
    """Passes every call on to `model`."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def identity(self) -> str:
        return self.model.identity

    @property
    def context(self) -> int | None:
        return self.model.context

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        return self.model.complete(request, stream=stream, timeout=timeout)

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        return self.model.score(request, continuations, timeout=timeout)

    def count(self, request: Request) -> int:
        return self.model.count(request)

    def close(self) -> None:
        self.model.close()
