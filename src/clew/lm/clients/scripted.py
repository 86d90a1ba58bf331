"""A model with scripted responses, for tests, examples and dry runs. It records every request."""

import threading
from collections.abc import Callable, Mapping, Sequence

from clew.closing import Closing
from clew.errors import ModelError
from clew.lm.messages import Completion, Request, Score, Stream, Usage
from clew.lm.wire import check_answer, check_room
from clew.lm.wrappers.time_limit import TimeLimit

__all__ = ["Scripted"]

Line = str | Exception
SECONDS = 300.0


class Scripted(Closing):
    """Responds from a list, in order, or from a function of the request; an exception in place of a response
    is raised. `delay` makes it slow, `scores` are its log-probabilities of continuations. Tokens are words.

    >>> Scripted(["FBN1"]).complete(Request(prompt="Which gene?")).text
    'FBN1'
    """

    def __init__(
        self,
        answers: Sequence[Line] | Callable[[Request], Line] = (),
        *,
        scores: Mapping[str, float] | None = None,
        name: str = "scripted",
        context: int | None = None,
        delay: float = 0.0,
    ) -> None:
        self.name, self.context, self.identity = name, context, f"scripted:{name}"
        self.requests: list[Request] = []
        self.scored: list[tuple[Request, tuple[str, ...]]] = []
        self._answers, self._scores, self._delay = answers, dict(scores or {}), delay
        self._lock, self._closed = threading.Lock(), threading.Event()

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        limit = TimeLimit(SECONDS if timeout is None else timeout, self.name)
        check_room(self.count(request), request.max_tokens, self.context, self.name)
        with self._lock:
            self.requests.append(request)
            line = self._line(request)
        self._wait(limit)
        if isinstance(line, Exception):
            raise line
        words = line.split()
        usage = Usage(1, self.count(request), min(len(words), request.max_tokens), seconds=limit.spent)
        cut = len(words) > request.max_tokens
        text = " ".join(words[: request.max_tokens]) if cut else line
        if stream is not None and text:
            stream(text)
        return check_answer(request, Completion(text, "length" if cut else "stop", usage, self.name))

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        limit = TimeLimit(SECONDS if timeout is None else timeout, self.name)
        with self._lock:
            self.scored.append((request, tuple(continuations)))
        self._wait(limit)
        unknown = [text for text in continuations if text not in self._scores]
        if unknown:
            raise ModelError(f"the script of {self.name!r} has no score for {unknown[0]!r}")
        return [Score(text, self._scores[text], len(text.split()), Usage(calls=1)) for text in continuations]

    def count(self, request: Request) -> int:
        said = [request.prompt] if request.prompt is not None else [each.content for each in request.messages]
        return sum(len(text.split()) for text in said)

    def close(self) -> None:
        self._closed.set()

    def _line(self, request: Request) -> Line:
        if callable(self._answers):
            return self._answers(request)
        if len(self.requests) > len(self._answers):
            raise ModelError(
                f"the script of {self.name!r} has {len(self._answers)} responses, and one more was requested"
            )
        return self._answers[len(self.requests) - 1]

    def _wait(self, limit: TimeLimit) -> None:
        if self._delay:
            self._closed.wait(min(self._delay, limit.left()))
            limit.left()
