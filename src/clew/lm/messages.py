"""Requests, responses and the protocol of language models.

A `Request` gives a `Completion` or `Score`s. Requests are frozen and hashable, so they can be keys.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Literal, Protocol, runtime_checkable

from clew.closing import Closing
from clew.errors import InputError
from clew.lm.grammar import check_grammar
from clew.lm.schema import check_schema

__all__ = [
    "Completion",
    "Keeping",
    "LanguageModel",
    "Message",
    "Request",
    "Role",
    "Score",
    "Stream",
    "TokenLogprob",
    "Usage",
]

Role = Literal["system", "user", "assistant"]
Stream = Callable[[str], None]
ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise InputError(f"a message has the role system, user or assistant, not {self.role!r}")


@dataclass(frozen=True, slots=True)
class Request:
    """A conversation, or a bare prompt to continue, with sampling options.

    >>> Request([Message("user", "Name a gene.")], max_tokens=8).temperature
    0.0
    """

    messages: Sequence[Message] = ()  # kept as a tuple
    prompt: str | None = None
    stop: Sequence[str] = ()  # kept as a tuple; not part of the answer
    seed: int = 0
    temperature: float = 0.0
    max_tokens: int = 256
    grammar: str | None = None  # GBNF: the answer must match it
    schema: str | None = None  # JSON schema as text: the answer must match it
    logprobs: int = 0  # log-probabilities of this many alternatives for each token

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        object.__setattr__(self, "stop", (self.stop,) if isinstance(self.stop, str) else tuple(self.stop))
        if bool(self.messages) == (self.prompt is not None):
            raise InputError("a request has either messages or a prompt, not both")
        if not self.temperature >= 0:
            raise InputError(f"temperature must be 0 or more, not {self.temperature!r}")
        if self.max_tokens < 1:
            raise InputError(f"max_tokens must be 1 or more, not {self.max_tokens!r}")
        if self.logprobs < 0:
            raise InputError(f"logprobs must be a number of alternatives, 0 or more, not {self.logprobs!r}")
        if "" in self.stop:
            raise InputError("a stop text cannot be empty")
        self._check_shape()

    def _check_shape(self) -> None:
        if self.grammar is not None and self.schema is not None:
            raise InputError("give a grammar or a schema, not both")
        if self.grammar is not None:
            check_grammar(self.grammar)
        if self.schema is not None:
            check_schema(self.schema)


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and seconds of responses; add them with +."""

    calls: int = 0  # calls that reached a model
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0  # prompt tokens reused from an earlier call
    seconds: float = 0.0
    replayed: int = 0  # responses from a replay cache, which cost no call

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(Usage)))


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token of an answer with its log-probability (before any grammar), and the most likely alternatives."""

    token: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """A response; `finish` is "stop" if the model ended it and "length" if max_tokens did."""

    text: str
    finish: Literal["stop", "length"]
    usage: Usage
    model: str
    logprobs: tuple[TokenLogprob, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """The log-probability of one given continuation, and its number of tokens."""

    text: str
    logprob: float
    tokens: int
    usage: Usage = Usage()


class LanguageModel(Closing, Protocol):
    """The protocol of language models. Safe to share between threads; close it, or use it in a with block."""

    @property
    def name(self) -> str:
        """The name of the model."""

    @property
    def identity(self) -> str:
        """The model's identity: equal identities give equal responses at temperature 0."""

    @property
    def context(self) -> int | None:
        """The context window in tokens, for prompt and answer together; None if unknown."""

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        """Complete a request; `stream` receives the text piece by piece.

        Raises `Timeout` after `timeout` seconds, `ContextOverflow` if prompt and max_tokens exceed the window.
        """

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        """The log-probability of each continuation after the request's prompt or conversation.

        It is the sum of log p(token | everything before) over the tokens of the continuation, which is tokenised
        separately: it never merges with the end of the prompt into one token, so start it with a space if one belongs
        there. Sampling options, stop texts and grammars of the request are ignored.
        """

    def count(self, request: Request) -> int:
        """The number of tokens of the prompt, including the conversation template."""

    def close(self) -> None:
        """Release memory, sockets and threads; closing twice is harmless."""


@runtime_checkable
class Keeping(Protocol):
    """A model that keeps what it has read of a prompt for later processes."""

    def keep(self, request: Request, *, timeout: float | None = None) -> None:
        """Read a prompt that other requests begin with, or restore what an earlier process has read of it.

        Responses are the same either way, and the same as without: only sooner.
        """
