"""Responses cached on disk, so that an identical second run calls no model.

A response is stored under a hash of the model's identity (for local files the checksum of the weights) and of the whole
request. Each is one small file, written atomically: any number of threads and processes can share a directory, and a
damaged file costs one log line and one call.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from clew.errors import ClewError, ModelError
from clew.files import write_text
from clew.lm.messages import Completion, LanguageModel, Request, Score, Stream, TokenLogprob, Usage
from clew.lm.wrappers.wrapper import Wrapper

__all__ = ["Replayed"]

FORMAT = 1
T = TypeVar("T")
log = logging.getLogger(__name__)


class Replayed(Wrapper):
    """Responds from `directory` if possible; with `only`, a missing response is an error instead of a call.

    The usage of a replayed response has no call and no time, but the original tokens, so that reports stay the same.
    """

    def __init__(self, model: LanguageModel, directory: Path, *, only: bool = False) -> None:
        super().__init__(model)
        self._directory, self._only = Path(directory), only

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        key = self._key("complete", request)
        if (kept := self._recall(key, _read_completion)) is not None:
            if stream is not None:
                stream(kept.text)
            return replace(kept, usage=_replayed(kept.usage))
        self._refuse(request)
        completion = self.model.complete(request, stream=stream, timeout=timeout)
        self._keep(key, asdict(completion))
        return completion

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        keys = {text: self._key("score", request, text) for text in continuations}
        scores = {text: self._recall(key, _read_score) for text, key in keys.items()}
        missing = [text for text, score in scores.items() if score is None]
        found = {text: replace(score, usage=_replayed(score.usage)) for text, score in scores.items() if score}
        if missing:
            self._refuse(request)
            for score in self.model.score(request, missing, timeout=timeout):
                found[score.text] = score
                self._keep(keys[score.text], asdict(score))
        return [found[text] for text in continuations]

    def _refuse(self, request: Request) -> None:
        if self._only:
            said = request.prompt if request.prompt is not None else request.messages[-1].content
            raise ModelError(f"no response of {self.name} to {said[:60]!r} is cached in {self._directory}")

    def _key(self, *what: Any) -> str:
        plain = [asdict(each) if isinstance(each, Request) else each for each in what]
        text = json.dumps([FORMAT, self.identity, *plain], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _path(self, key: str) -> Path:
        return self._directory / key[:2] / f"{key}.json"

    def _recall(self, key: str, read: Callable[[dict[str, Any]], T]) -> T | None:
        path = self._path(key)
        try:
            kept = json.loads(path.read_text("utf-8"))
            if kept["checksum"] != _checksum(kept["answer"]) or kept["key"] != key:
                raise ValueError("its checksum differs")
            return read(kept["answer"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("the cached response %s is damaged and ignored: %s", path, error)
            return None

    def _keep(self, key: str, answer: dict[str, Any]) -> None:
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps({"key": key, "checksum": _checksum(answer), "answer": answer}))
        except (OSError, ClewError) as error:  # the response itself is valid
            log.warning("a response of %s is not cached: %s", self.name, error)


def _checksum(answer: Any) -> str:
    return hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()


def _replayed(usage: Usage) -> Usage:
    return replace(usage, calls=0, cached_tokens=0, seconds=0.0, replayed=1)


def _read_completion(answer: dict[str, Any]) -> Completion:
    logprobs = tuple(
        TokenLogprob(each["token"], each["logprob"], tuple((token, logprob) for token, logprob in each["alternatives"]))
        for each in answer["logprobs"]
    )
    usage = Usage(**answer["usage"])
    return Completion(answer["text"], answer["finish"], usage, answer["model"], logprobs)


def _read_score(answer: dict[str, Any]) -> Score:
    return Score(answer["text"], answer["logprob"], answer["tokens"], Usage(**answer["usage"]))
