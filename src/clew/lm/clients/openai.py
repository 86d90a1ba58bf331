"""Any server with OpenAI's protocol: llama-server, vLLM, Ollama and others, at a URL.

Differences between servers (grammars, scoring, counting) are resolved by asking the server once what it is; a missing
feature is an error, never silently worked around.
"""

import ipaddress
import json
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from clew.closing import Closing
from clew.errors import InputError, ModelError
from clew.lm.clients.http import Connection
from clew.lm.clients.llama_server import LlamaServer, score_tokens
from clew.lm.failures import Unreachable
from clew.lm.messages import Completion, Request, Score, Stream, Usage
from clew.lm.wire import Assembly, check_answer, check_room, sampling
from clew.lm.wrappers.time_limit import TimeLimit

__all__ = ["OpenAI"]

SECONDS = 300.0
KEYS = ("CLEW_API_KEY", "OPENAI_API_KEY")
LLAMA, VLLM = "llamacpp", "vllm"  # the owner of the models, as reported by those servers
Body = dict[str, Any]
log = logging.getLogger(__name__)


class OpenAI(Closing):
    """A model behind a URL. Without `model`, the server must offer exactly one.

    The key comes from `api_key`, else from CLEW_API_KEY or OPENAI_API_KEY; keys from the environment are only sent over
    https or to this machine.
    """

    def __init__(
        self, url: str, *, model: str | None = None, api_key: str | None = None, timeout: float = SECONDS
    ) -> None:
        self._url = _clean(url)
        root = self._url.removesuffix("/v1")
        key = api_key or _key_from_environment(self._url)
        who = f"the server at {self._url}"
        self._api = Connection(self._url, who=who, key=key)
        self._root = Connection(root, who=who, key=key)
        self._llama = LlamaServer(self._root)
        self._timeout = timeout
        self._asked = model
        self._record: Mapping[str, Any] | None = None
        self._context: int | None = None
        self._context_known = False

    @property
    def name(self) -> str:
        return self._asked or str(self._about(TimeLimit(self._timeout, self._api.who))["id"])

    @property
    def identity(self) -> str:
        return f"openai:{self._url}#{self.name}"  # the weights behind a URL are not visible

    @property
    def context(self) -> int | None:
        return self._window(TimeLimit(self._timeout, self._api.who))

    def complete(self, request: Request, *, stream: Stream | None = None, timeout: float | None = None) -> Completion:
        limit = TimeLimit(self._timeout if timeout is None else timeout, self._api.who)
        self._about(limit)  # the server's kind, determined within this call's time limit
        path, body = self._body(request, limit)
        if self._owner(limit) == LLAMA:  # it would truncate the answer; others reject the request
            check_room(self._count(request, limit), request.max_tokens, self._window(limit), self.name)
        assembly = Assembly(self.name)
        if stream is None:
            assembly.add(self._api.post(path, body, limit))
        else:
            streaming = {**body, "stream": True, "stream_options": {"include_usage": True}}
            for event in self._api.events(path, streaming, limit):
                if text := assembly.add(event):
                    stream(text)
        return check_answer(request, assembly.completion(seconds=limit.spent))

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        limit = TimeLimit(self._timeout if timeout is None else timeout, self._api.who)
        owner = self._owner(limit)
        if owner == LLAMA:
            prompt = self._llama.prompt_tokens(request, limit)
            return [self._forced_score(prompt, text, limit) for text in continuations]
        if owner == VLLM:
            prompt = self._vllm_tokens(_asked_of(request), limit)
            return [self._echoed_score(prompt, text, limit) for text in continuations]
        raise ModelError(f"{self._api.who} cannot score continuations: serve the model with llama-server or vLLM")

    def count(self, request: Request) -> int:
        return self._count(request, TimeLimit(self._timeout, self._api.who))

    def close(self) -> None:
        self._api.close()
        self._root.close()

    def _body(self, request: Request, limit: TimeLimit) -> tuple[str, Body]:
        body = {"model": self.name, **_asked_of(request), **sampling(request), **self._shape(request, limit)}
        if request.prompt is None:
            logprobs: Body = {"logprobs": True, "top_logprobs": request.logprobs}
            return "/chat/completions", body | (logprobs if request.logprobs else {})
        return "/completions", body | ({"logprobs": request.logprobs} if request.logprobs else {})

    def _shape(self, request: Request, limit: TimeLimit) -> Body:
        """The grammar or schema, in this server's format."""
        if request.schema is not None:
            schema = json.loads(request.schema)
            shape = {"name": "answer", "schema": schema, "strict": True}
            body: Body = {"response_format": {"type": "json_schema", "json_schema": shape}}
            if request.prompt is not None and self._owner(limit) == LLAMA:
                body = {"json_schema": schema}
            return body
        if request.grammar is None:
            return {}
        owner = self._owner(limit)
        if owner == LLAMA:
            return {"grammar": request.grammar}
        if owner == VLLM:
            return {"structured_outputs": {"grammar": request.grammar}}
        raise ModelError(f"{self._api.who} is not known to support grammars: use a JSON schema, or llama-server")

    def _about(self, limit: TimeLimit) -> Mapping[str, Any]:
        """The server's record of the model; requested once."""
        if self._record is None:
            try:
                self._record = self._choose(self._listed(limit))
            except Unreachable:
                raise
            except ModelError:
                if self._asked is None:
                    raise
                self._record = {"id": self._asked}  # a server without a list may still know the name
        return self._record

    def _listed(self, limit: TimeLimit) -> list[Mapping[str, Any]]:
        listed = self._api.get("/models", limit)
        records = listed.get("data") if isinstance(listed, Mapping) else None
        if not isinstance(records, list) or not all(isinstance(each, Mapping) and "id" in each for each in records):
            raise ModelError(f"{self._api.who} does not list its models: is it an OpenAI-compatible server?")
        return records

    def _choose(self, records: list[Mapping[str, Any]]) -> Mapping[str, Any]:
        names = [str(each["id"]) for each in records]
        for each in records:
            if self._asked is not None and each["id"] in (self._asked, f"{self._asked}:latest"):  # as in Ollama
                return each
        if self._asked is None and len(records) == 1:
            return records[0]
        if self._asked is not None and len(records) == 1 and records[0].get("owned_by") == LLAMA:
            return records[0]  # llama-server answers to any name
        known = ", ".join(names[:8]) or "none"
        if self._asked is None:
            raise InputError(f"{self._api.who} offers several models, choose one as {self._url}#NAME: {known}")
        raise InputError(f"{self._api.who} has no model {self._asked!r}: it offers {known}")

    def _window(self, limit: TimeLimit) -> int | None:
        """The context window; requested once."""
        if not self._context_known:
            if self._owner(limit) == LLAMA:
                settings = self._llama.properties(limit).get("default_generation_settings")
                self._context = settings.get("n_ctx") if isinstance(settings, Mapping) else None
            else:
                self._context = self._about(limit).get("max_model_len")
            self._context_known = True
        return self._context

    def _owner(self, limit: TimeLimit) -> str:
        return str(self._about(limit).get("owned_by", ""))

    def _count(self, request: Request, limit: TimeLimit) -> int:
        owner = self._owner(limit)
        if owner == LLAMA:
            return len(self._llama.prompt_tokens(request, limit))
        if owner == VLLM:
            return len(self._vllm_tokens(_asked_of(request), limit))
        asked = {"model": self.name, "max_tokens": 1, "temperature": 0.0}
        path = "/completions" if request.prompt is not None else "/chat/completions"
        assembly = Assembly(self.name)  # generate one token, to get the prompt's token count
        assembly.add(self._api.post(path, {**asked, **_asked_of(request)}, limit))
        if not assembly.prompt_tokens:
            raise ModelError(f"{self._api.who} does not count tokens")
        return assembly.prompt_tokens

    def _forced_score(self, prompt: Sequence[int], text: str, limit: TimeLimit) -> Score:
        tokens = self._llama.text_tokens(text, limit)
        check_room(len(prompt), len(tokens), self._window(limit), self.name)
        return score_tokens(
            prompt,
            text,
            tokens,
            lambda payload: self._api.post("/completions", {"model": self.name, **payload}, limit),
            name=self._api.who,
        )

    def _echoed_score(self, prompt: Sequence[int], text: str, limit: TimeLimit) -> Score:
        """vLLM repeats the prompt with the log-probability of each of its tokens."""
        tokens = self._vllm_tokens({"prompt": text, "add_special_tokens": False}, limit)
        body = {"model": self.name, "prompt": [*prompt, *tokens], "max_tokens": 1, "echo": True, "logprobs": 1}
        answer = self._api.post("/completions", {**body, "temperature": 0.0}, limit)
        try:
            logprobs = answer["choices"][0]["logprobs"]["token_logprobs"][len(prompt) : len(prompt) + len(tokens)]
            logprob = sum(map(float, logprobs))
        except (KeyError, IndexError, TypeError) as error:
            raise ModelError(f"{self._api.who} cannot score: it returns no log-probabilities of the prompt") from error
        return Score(text, logprob, len(tokens), Usage(calls=1, prompt_tokens=len(prompt) + len(tokens)))

    def _vllm_tokens(self, asked: Body, limit: TimeLimit) -> list[int]:
        answer = self._root.post("/tokenize", {"model": self.name, **asked}, limit)
        if not isinstance(answer, Mapping) or not isinstance(answer.get("tokens"), list):
            raise ModelError(f"{self._api.who} does not return the tokens of a text: is it vLLM?")
        return [int(token) for token in answer["tokens"]]


def _asked_of(request: Request) -> Body:
    """The prompt or the conversation, under its name in the protocol."""
    if request.prompt is not None:
        return {"prompt": request.prompt}
    return {"messages": [{"role": each.role, "content": each.content} for each in request.messages]}


def _clean(url: str) -> str:
    """The normalised address; a bare host gets the usual /v1."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"expected a server address such as http://127.0.0.1:8080/v1, not {url!r}")
    path = parts.path.rstrip("/") or "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _key_from_environment(url: str) -> str | None:
    name = next((name for name in KEYS if os.environ.get(name)), None)
    if name is None:
        return None
    if urlsplit(url).scheme != "https" and not _is_this_machine(urlsplit(url).hostname or ""):
        log.warning("%s is not sent to %s, which is not encrypted: pass api_key= to insist", name, url)
        return None
    return os.environ[name]


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
