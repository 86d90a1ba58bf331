"""llama.cpp server features beyond OpenAI's protocol: templates, tokens, and forced decoding.

Both the in-process client and the one for URLs use it: the server inside xllamacpp and `llama-server` are the same.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clew.errors import InputError, ModelError
from clew.lm.clients.http import Connection
from clew.lm.grammar import sequence
from clew.lm.messages import Request, Score, Usage
from clew.lm.wrappers.time_limit import TimeLimit

__all__ = ["LlamaServer", "score_tokens"]

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class LlamaServer:
    """Tokenised prompts, through a connection to the server's root."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def properties(self, limit: TimeLimit) -> Mapping[str, Any]:
        """The properties of the server."""
        properties = self._connection.get("/props", limit)
        return properties if isinstance(properties, Mapping) else {}

    def prompt_tokens(self, request: Request, limit: TimeLimit) -> list[int]:
        """The tokens of a request's prompt or of its conversation in the model's own template."""
        if request.prompt is not None:
            text = request.prompt
        else:
            turns = [{"role": each.role, "content": each.content} for each in request.messages]
            text = self._ask("/apply-template", {"messages": turns}, "prompt", str, limit)
        tokens = self._tokens({"content": text, "add_special": True, "parse_special": True}, limit)
        if not tokens:
            raise InputError("the prompt is empty: a model needs text to continue")
        return tokens

    def text_tokens(self, text: str, limit: TimeLimit) -> list[int]:
        """The tokens of a text on its own; template markers in it are treated as plain text."""
        return self._tokens({"content": text, "add_special": False, "parse_special": False}, limit)

    def _tokens(self, body: Mapping[str, Any], limit: TimeLimit) -> list[int]:
        return [int(token) for token in self._ask("/tokenize", body, "tokens", list, limit)]

    def _ask(self, path: str, body: Mapping[str, Any], field: str, kind: type, limit: TimeLimit) -> Any:
        """One field of the server's response."""
        answer = self._connection.post(path, body, limit)
        if not isinstance(answer, Mapping) or not isinstance(answer.get(field), kind):
            raise ModelError(f"{self._connection.who} answered {path} without {field!r}: is it a llama.cpp server?")
        return answer[field]


def score_tokens(prompt: Sequence[int], text: str, tokens: Sequence[int], answer: Answer, *, name: str) -> Score:
    """Force the model to generate `tokens` after `prompt` and sum their log-probabilities.

    llama.cpp reports the log-probability of a token before the grammar restricts the choice, so a grammar that accepts
    one sequence scores that sequence in a single call.
    """
    if not tokens:
        return Score(text, 0.0, 0)
    begun = time.monotonic()
    body = answer(
        {
            "prompt": list(prompt),
            "max_tokens": len(tokens),
            "temperature": 0.0,
            "grammar": sequence(tokens),
            "n_probs": 1,
            "logprobs": 1,
            "cache_prompt": True,
        }
    )
    try:
        said = body["choices"][0]["logprobs"]["content"]
        forced = [int(each["id"]) for each in said]
        logprob = sum(float(each["logprob"]) for each in said)
        used = body["usage"]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ModelError(f"{name} cannot score: its response has no token log-probabilities") from error
    if forced != list(tokens):
        raise ModelError(f"{name} cannot score: it did not follow the grammar that forces {text[:40]!r}")
    details = used.get("prompt_tokens_details") or {}
    cached = int(details.get("cached_tokens") or 0)
    usage = Usage(1, used["prompt_tokens"], used["completion_tokens"], cached, time.monotonic() - begun)
    return Score(text, logprob, len(tokens), usage)
