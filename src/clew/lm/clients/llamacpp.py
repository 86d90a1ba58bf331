"""llama.cpp inside this process, through xllamacpp: any GGUF file, with grammars and log-probabilities.

A prompt is tokenised and measured first, and then completed; a common prefix of consecutive prompts stays in the KV
cache, and what `keep` has read is restored by later processes.
"""

import os
import weakref
from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import xllamacpp

from clew.closing import Closing
from clew.errors import InputError
from clew.lm.clients.idle_cores import idle_cores
from clew.lm.clients.llama_engine import BATCH, LlamaEngine
from clew.lm.clients.llama_server import LlamaServer, score_tokens
from clew.lm.clients.llama_states import KeptStates, states_directory
from clew.lm.gguf import read_header
from clew.lm.messages import Completion, Request, Score, Stream
from clew.lm.trial import check_loads
from clew.lm.wire import Assembly, check_answer, check_room, sampling
from clew.lm.wrappers.time_limit import TimeLimit
from clew.models import MODELS, file_checksum

__all__ = ["LlamaCpp"]

CONTEXT = 4096
SECONDS = 300.0


class LlamaCpp(Closing):
    """A GGUF file as a language model.

    `threads` defaults to CLEW_THREADS, else to the number of cores that are idle when it is opened: llama.cpp's threads
    wait for each other by spinning, and two that share a core are far slower than one.
    `adapter` is a GGUF file of trained matrices of low rank, added to the weights as they are used.
    No port is opened unless `listen` is set; then `listening` is the address, which requires `key`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        context: int | None = None,
        threads: int | None = None,
        listen: bool = False,
        timeout: float = SECONDS,
        adapter: str | os.PathLike[str] | None = None,
    ) -> None:
        path = Path(path).absolute()
        header = read_header(path)
        self.name = name or path.stem
        self.context = _context(context, header.context, self.name)
        self._timeout = timeout
        self._checksum = file_checksum(path)
        self._adapted = "" if adapter is None else f"+{file_checksum(Path(adapter))}"
        if self._checksum not in {file.sha256 for model in MODELS.values() for file in model.files}:
            check_loads(path)
        states = states_directory()
        self._engine = LlamaEngine(
            path,
            name=self.name,
            context=self.context,
            threads=threads or _threads(),
            listen=listen,
            adapter=None if adapter is None else Path(adapter).absolute(),
            states=states,
        )
        self._states = KeptStates(self._engine, states, (self.identity, version("xllamacpp"), self.context, BATCH))
        self._prompts = LlamaServer(self._engine.connection)
        self._end = weakref.finalize(self, self._engine.close)  # at the latest when Python exits

    @property
    def identity(self) -> str:
        return f"gguf:{self._checksum}{self._adapted}"

    @property
    def listening(self) -> str:
        """The address of the server: unix://… for its private socket, http://… for a port, "" once closed."""
        return self._engine.listening

    @property
    def key(self) -> str:
        """The key that a client must send."""
        return self._engine.key

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        limit = TimeLimit(self._timeout if timeout is None else timeout, self.name)
        tokens = self._prompts.prompt_tokens(request, limit)
        check_room(len(tokens), request.max_tokens, self.context, self.name)
        payload = {**sampling(request), "prompt": tokens, "cache_prompt": True, "n_probs": request.logprobs}
        if (grammar := _grammar(request)) is not None:
            payload["grammar"] = grammar
        assembly = Assembly(self.name)
        with closing(self._engine.events(payload, limit)) as events:
            for event in events:
                if (text := assembly.add(event)) and stream is not None:
                    stream(text)
        return check_answer(request, assembly.completion(seconds=limit.spent))

    def keep(self, request: Request, *, timeout: float | None = None) -> None:
        limit = TimeLimit(self._timeout if timeout is None else timeout, self.name)
        tokens = self._prompts.prompt_tokens(request, limit)
        check_room(len(tokens), 1, self.context, self.name)
        if not self._states.restore(tokens, limit):
            self._answer({"prompt": tokens, "max_tokens": 1, "temperature": 0.0, "cache_prompt": True}, limit)
            self._states.save(tokens, limit)

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        limit = TimeLimit(self._timeout if timeout is None else timeout, self.name)
        prompt = self._prompts.prompt_tokens(request, limit)
        listed = [(text, self._prompts.text_tokens(text, limit)) for text in continuations]
        for _, tokens in listed:
            check_room(len(prompt), len(tokens), self.context, self.name)
        return [
            score_tokens(prompt, text, tokens, lambda payload: self._answer(payload, limit), name=self.name)
            for text, tokens in listed
        ]

    def count(self, request: Request) -> int:
        return len(self._prompts.prompt_tokens(request, TimeLimit(self._timeout, self.name)))

    def close(self) -> None:
        self._end()

    def _answer(self, payload: Mapping[str, Any], limit: TimeLimit) -> Mapping[str, Any]:
        """The complete response, assembled from the stream."""
        content: list[Any] = []
        last: Mapping[str, Any] = {}
        with closing(self._engine.events(payload, limit)) as events:
            for last in events:
                content += (last["choices"][0].get("logprobs") or {}).get("content") or []
        return {"choices": [{"logprobs": {"content": content}}], "usage": last.get("usage", {})}


def _grammar(request: Request) -> str | None:
    """The grammar of a request, or the one that corresponds to its schema."""
    if request.schema is None:
        return request.grammar
    try:
        return str(xllamacpp.json_schema_to_grammar(request.schema))
    except (RuntimeError, ValueError) as error:
        raise InputError(f"llama.cpp cannot use the JSON schema: {error}") from error


def _context(asked: int | None, trained: int | None, name: str) -> int:
    if asked is None:
        return min(CONTEXT, trained or CONTEXT)
    if asked < 1:
        raise InputError(f"context must be a number of tokens above 0, not {asked}")
    if trained is not None and asked > trained:
        raise InputError(f"{name} was trained on {trained:,} tokens: a context of {asked:,} is too long")
    return asked


def _threads() -> int:
    if named := os.environ.get("CLEW_THREADS"):
        if not named.isdecimal() or int(named) < 1:
            raise InputError(f"CLEW_THREADS must be a number of threads, 1 or more, not {named!r}")
        return int(named)
    return idle_cores()
