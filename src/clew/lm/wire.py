"""The JSON of OpenAI-compatible servers, including llama.cpp's in-process one: requests and responses.

A response arrives complete or in chunks; `Assembly` accepts either and builds the `Completion`.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

from clew.errors import ContextOverflow, ModelError
from clew.lm.failures import BadAnswer
from clew.lm.messages import Completion, Request, TokenLogprob, Usage
from clew.lm.schema import mismatch

__all__ = ["Assembly", "check_answer", "check_room", "error_in", "sampling"]

Json = Mapping[str, Any]


def sampling(request: Request) -> dict[str, Any]:
    """The options of a request that have the same name on every server."""
    settings: dict[str, Any] = {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
    }
    if request.stop:
        settings["stop"] = list(request.stop)
    return settings


def error_in(body: Any) -> str | None:
    """The reason in an error response of the common servers; None if it is not an error."""
    if not isinstance(body, Mapping):
        return None
    for key in ("error", "detail", "message"):
        found = body.get(key)
        if isinstance(found, Mapping):
            found = found.get("message") or json.dumps(dict(found))
        if isinstance(found, list) and found:
            found = json.dumps(found[0])
        if found and "choices" not in body:
            return str(found)
    return None


def check_room(prompt: int, answer: int, context: int | None, name: str) -> None:
    """Raise `ContextOverflow` unless prompt and answer fit into the context window."""
    if context is not None and prompt + answer > context:
        raise ContextOverflow(
            f"the prompt has {prompt:,} tokens and max_tokens is {answer:,}, but {name} has room for {context:,} "
            "together: shorten the prompt, ask for less, or open the model with a larger context"
        )


class Assembly:
    """Builds a response from one or many chunks."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._pieces: list[str] = []
        self._thought = False
        self._logprobs: list[TokenLogprob] = []
        self._finish: str | None = None
        self._usage: Json = {}
        self._timings: Json = {}

    def add(self, chunk: Any) -> str:
        """Add a chunk; returns its new text."""
        if not isinstance(chunk, Mapping):
            raise ModelError(f"{self._name} answered with {json.dumps(chunk)[:60]}, not with a JSON object")
        if not isinstance(chunk.get("choices"), list):
            raise ModelError(f"{self._name} answered without choices: {json.dumps(dict(chunk))[:80]}")
        try:
            self._usage = chunk.get("usage") or self._usage
            self._timings = chunk.get("timings") or self._timings
            return self._take(chunk["choices"][0]) if chunk["choices"] else ""  # the last may only have token counts
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{self._name} answered in an unknown shape: {json.dumps(dict(chunk))[:80]}") from error

    def _take(self, choice: Json) -> str:
        said = choice.get("message") or choice.get("delta") or choice
        self._thought = self._thought or bool(said.get("reasoning_content") or said.get("reasoning"))
        text = str(said.get("content" if said is not choice else "text") or "")
        self._pieces.append(text)
        self._finish = choice.get("finish_reason") or self._finish
        self._logprobs += _logprobs(choice.get("logprobs"))
        return text

    @property
    def prompt_tokens(self) -> int:
        return int(self._usage.get("prompt_tokens", 0))

    def completion(self, *, seconds: float) -> Completion:
        """The complete response."""
        if self._finish == "content_filter":
            raise BadAnswer(f"{self._name} withheld its answer (content filter)")
        text = "".join(self._pieces)
        if not text and self._thought:
            raise BadAnswer(f"{self._name} spent all its tokens on reasoning: raise max_tokens")
        details = self._usage.get("prompt_tokens_details") or {}
        usage = Usage(
            calls=1,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=int(self._usage.get("completion_tokens") or 0),
            cached_tokens=int(self._timings.get("cache_n") or details.get("cached_tokens") or 0),
            seconds=seconds,
        )
        finish: Literal["stop", "length"] = "length" if self._finish == "length" else "stop"
        return Completion(text, finish, usage, self._name, tuple(self._logprobs))


def check_answer(request: Request, completion: Completion) -> Completion:
    """The completion, unless it is empty or not the requested JSON."""
    who, text = completion.model, completion.text
    if not text.strip() and request.grammar is None:
        raise BadAnswer(f"{who} returned nothing: rephrase the prompt, or try another model")
    if request.schema is not None and (why := mismatch(text, request.schema)) is not None:
        why = f"it was truncated after {request.max_tokens} tokens" if completion.finish == "length" else why
        raise BadAnswer(f"{who} was asked for JSON of a given schema and answered {text[:40]!r}: {why}")
    return completion


def _logprobs(logprobs: Any) -> list[TokenLogprob]:
    """Log-probabilities in the chat format, or in the older completion format."""
    if not logprobs:
        return []
    if "content" in logprobs:
        return [
            TokenLogprob(
                each["token"],
                float(each["logprob"]),
                tuple((top["token"], float(top["logprob"])) for top in each.get("top_logprobs") or ()),
            )
            for each in logprobs["content"] or ()
        ]
    tops = logprobs.get("top_logprobs") or [None] * len(logprobs.get("tokens", ()))
    return [
        TokenLogprob(token, float(logprob or 0.0), tuple((top or {}).items()))
        for token, logprob, top in zip(logprobs["tokens"], logprobs["token_logprobs"], tops, strict=True)
    ]
