"""What llama.cpp's server offers beyond OpenAI's protocol: its templates, its tokens, and forced decoding.

Both the in-process client and the one for URLs use it: the server inside xllamacpp and `llama-server` are the same.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clew.errors import InputError, ModelError
from clew.lm.clients.http import Connection
from clew.lm.grammar import sequence
from clew.lm.messages import Request, Score, Usage
from clew.lm.time_limit import TimeLimit

__all__ = ["LlamaServer", "score_tokens"]

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class LlamaServer:
    """Prompts as the model sees them, through a connection to the server's root."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def properties(self, limit: TimeLimit) -> Mapping[str, Any]:
        """What the server says of itself."""
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
            raise InputError("the prompt is empty: a model needs something to go on from")
        return tokens

    def text_tokens(self, text: str, limit: TimeLimit) -> list[int]:
        """The tokens of a text by itself; what looks like a marker of the template is plain text here."""
        return self._tokens({"content": text, "add_special": False, "parse_special": False}, limit)

    def _tokens(self, body: Mapping[str, Any], limit: TimeLimit) -> list[int]:
        return [int(token) for token in self._ask("/tokenize", body, "tokens", list, limit)]

    def _ask(self, path: str, body: Mapping[str, Any], field: str, kind: type, limit: TimeLimit) -> Any:
        """One field of what the server answers."""
        answer = self._connection.post(path, body, limit)
        if not isinstance(answer, Mapping) or not isinstance(answer.get(field), kind):
            raise ModelError(f"{self._connection.who} answered {path} without {field!r}: is it a llama.cpp server?")
        return answer[field]


def score_tokens(prompt: Sequence[int], text: str, tokens: Sequence[int], answer: Answer, *, name: str) -> Score:
    """Force the model to say `tokens` after `prompt` and add up what it thought of each.

    llama.cpp states the log-probability of a chosen token before the grammar narrows the choice, so a grammar that
    admits one sequence scores that sequence in a single call.
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
        raise ModelError(f"{name} cannot score: its answer has no log-probabilities of tokens") from error
    if forced != list(tokens):
        raise ModelError(f"{name} cannot score: it did not keep to the grammar that forces {text[:40]!r}")
    details = used.get("prompt_tokens_details") or {}
    cached = int(details.get("cached_tokens") or 0)
    usage = Usage(1, used["prompt_tokens"], used["completion_tokens"], cached, time.monotonic() - begun)
    return Score(text, logprob, len(tokens), usage)
