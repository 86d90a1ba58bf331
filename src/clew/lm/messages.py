"""What is said to a language model and what it says back, and the protocol every model keeps.

A `Request` goes in, a `Completion` or `Score`s come out. Requests are frozen and hashable, so that they can be keys.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Literal, Protocol, Self

from clew.errors import InputError
from clew.lm.grammar import check_grammar
from clew.lm.schema import check_schema

__all__ = [
    "Completion",
    "LanguageModel",
    "Message",
    "Request",
    "Role",
    "Score",
    "Stream",
    "TokenChance",
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
            raise InputError(f"a message is of system, user or assistant, not of {self.role!r}")


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: a conversation, or a bare prompt to continue, and how.

    >>> Request([Message("user", "Name a gene.")], max_tokens=8).temperature
    0.0
    """

    messages: Sequence[Message] = ()  # kept as a tuple
    prompt: str | None = None
    stop: Sequence[str] = ()  # kept as a tuple; none of them is part of the answer
    seed: int = 0
    temperature: float = 0.0
    max_tokens: int = 256
    grammar: str | None = None  # GBNF: the answer is a sentence of it
    schema: str | None = None  # JSON schema as text: the answer is JSON of that shape
    logprobs: int = 0  # with each token of the answer, the chances of this many alternatives

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        object.__setattr__(self, "stop", (self.stop,) if isinstance(self.stop, str) else tuple(self.stop))
        if bool(self.messages) == (self.prompt is not None):
            raise InputError("a request has either messages or a prompt, and not both")
        if not self.temperature >= 0:
            raise InputError(f"temperature is 0 or more, not {self.temperature!r}")
        if self.max_tokens < 1:
            raise InputError(f"max_tokens is 1 or more, not {self.max_tokens!r}")
        if self.logprobs < 0:
            raise InputError(f"logprobs is a number of alternatives, 0 or more, not {self.logprobs!r}")
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
    """What answers cost. Sums are made with +."""

    calls: int = 0  # times a model really worked
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0  # of the prompt tokens: those the model still knew from an earlier call
    seconds: float = 0.0
    replayed: int = 0  # answers that came from a replay cache; they cost no call

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(Usage)))


@dataclass(frozen=True, slots=True)
class TokenChance:
    """A token of an answer with its log-probability (before any grammar), and the likeliest alternatives."""

    token: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer; `finish` is "stop" when the model ended it and "length" when max_tokens did."""

    text: str
    finish: Literal["stop", "length"]
    usage: Usage
    model: str
    logprobs: tuple[TokenChance, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """The log-probability of one given continuation, over so many tokens."""

    text: str
    logprob: float
    tokens: int
    usage: Usage = Usage()


class LanguageModel(Protocol):
    """Anything that completes and scores. Safe to share between threads; close it, or use it in a with block."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def identity(self) -> str:
        """What its answers depend on besides the request: equal identities give equal answers at temperature 0."""

    @property
    def context(self) -> int | None:
        """How many tokens prompt and answer may have together; None when nobody says."""

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        """Answer a request; `stream` is handed the text piece by piece.

        Raises `Timeout` after `timeout` seconds, `ContextOverflow` when prompt and max_tokens do not fit together.
        """

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        """The log-probability of each continuation after the request's prompt or conversation.

        It is the sum of log p(token | everything before) over the tokens of the continuation, which is cut into
        tokens by itself: a continuation never merges with the end of the prompt into one token, so begin it with the
        space that would stand there. Sampling, stop texts and grammars of the request play no part.
        """

    def count(self, request: Request) -> int:
        """How many tokens the prompt has, with everything the conversation's template adds."""

    def close(self) -> None:
        """Let go of memory, sockets and threads; closing twice is harmless."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
