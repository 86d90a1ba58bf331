"""A script in the place of the model that was trained to write queries."""

from dataclasses import replace
from math import log

from clew.answer.models.capability import TRAINED
from clew.answer.models.trained import CHECK, RIGHT, WRONG
from clew.lm import Completion, Request, TokenLogprob, Usage
from clew.lm.clients.scripted import Scripted

__all__ = ["Trained"]


class Trained(Scripted):
    """A script in the place of the trained model, with one log-probability for every token, that likes its queries."""

    def __init__(self, *lines: str | Exception, logprob: float = -0.0001, right: float | None = 0.999) -> None:
        super().__init__(lines, name="trained")
        (self.identity,) = TRAINED
        self.logprob, self.right = logprob, right
        self.checks: list[Request] = []

    def complete(self, request: Request, **options: object) -> Completion:
        if request.messages[-1].content == CHECK:
            self.checks.append(request)
            return Completion("", "length", Usage(calls=1), self.name, logprobs=self._verdict())
        if request.max_tokens == 1:  # it reads the graph
            return Completion("", "length", Usage(calls=1), self.name)
        said = super().complete(request, **options)  # type: ignore[arg-type]
        return replace(said, logprobs=tuple(TokenLogprob(word, self.logprob) for word in said.text.split()))

    def _verdict(self) -> tuple[TokenLogprob, ...]:
        if self.right is None:
            return (TokenLogprob("well", -0.1, (("maybe", -2.0),)),)
        return (TokenLogprob(RIGHT, log(self.right), ((WRONG, log(1 - self.right)),)),)
