"""A model whose answers are made elsewhere: it notes what it is asked, and once the answers are there it gives them.

For rows whose prompts do not depend on answers (multiple choice, two rounds, judged summaries, triples read from
texts): a machine without a GPU retrieves and words the prompts, `benchmarks.contexts.batch` answers them all together,
and the same run reads them.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.contexts.grammar import grammar_pattern
from clew.answer.context.tokens import estimate_tokens
from clew.closing import Closing
from clew.errors import ModelError
from clew.lm import Completion, Request, Score, Usage
from clew.lm.failures import BadAnswer
from clew.lm.messages import Stream

__all__ = ["Offline"]

PLACEHOLDER = "A"


class Offline(Closing):
    """Answers from `responses`; without them every request is appended to `requests`, once, and gets a placeholder."""

    context: int | None = 2048

    def __init__(self, requests: Path, responses: Path | None = None, *, name: str = "smollm2") -> None:
        self.name, self.identity = name, f"offline:{name}"
        self._requests, self.noting = requests, responses is None
        self._noted = _by_key(requests) if requests.exists() else {}
        self._known = {} if responses is None else _by_key(responses)
        self.last_key = ""  # of the last request

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        found = self._answer(request, ())
        if found is None:
            return Completion(PLACEHOLDER, "stop", Usage(calls=1), self.name)
        if not found["text"].strip():
            raise BadAnswer(f"{self.name} returned nothing")
        usage = Usage(1, found["prompt_tokens"], found["completion_tokens"])
        return Completion(found["text"], found["finish"], usage, self.name)

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        found = self._answer(request, continuations)
        if found is None:
            return [Score(text, 0.0, 1, Usage(calls=1)) for text in continuations]
        calls = [Usage(1, found["prompt_tokens"], 0), *([Usage()] * (len(continuations) - 1))]  # one reading for all
        listed = zip(continuations, found["scores"], calls, strict=True)
        return [Score(text, score, 1, usage) for text, score, usage in listed]

    def count(self, request: Request) -> int:
        said = [request.prompt] if request.prompt is not None else [each.content for each in request.messages]
        return sum(map(estimate_tokens, said))

    def close(self) -> None:
        pass

    def _answer(self, request: Request, continuations: Sequence[str]) -> dict[str, Any] | None:
        """The response; None if it is noted for later."""
        if request.prompt is not None or request.stop or request.schema or request.logprobs:
            raise ModelError("conversations are answered offline, without stop texts, schemas or log-probabilities")
        asked: dict[str, Any] = {"messages": [asdict(each) for each in request.messages]}
        if continuations:
            asked["continuations"] = list(continuations)
        else:
            asked |= {"max_tokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed}
            asked |= {} if request.grammar is None else {"pattern": grammar_pattern(request.grammar)}
        key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]
        self.last_key = key
        if not self.noting:
            if key not in self._known:
                raise ModelError(
                    f"no answer to {request.messages[-1].content[:60]!r} is there: note the requests again"
                )
            return self._known[key]
        if key not in self._noted:
            self._noted[key] = asked
            with self._requests.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **asked}, ensure_ascii=False) + "\n")
        return None


def _by_key(path: Path) -> dict[str, dict[str, Any]]:
    return {record["key"]: record for record in map(json.loads, path.read_text("utf-8").splitlines())}
