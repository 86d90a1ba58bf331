"""JSON over HTTP to one server, with a time limit on every wait and a clear error for every failure.

Proxies and credentials from the environment are never used: data is sent to the given address only.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from clew.errors import ContextOverflow, ModelError
from clew.lm.failures import Unreachable
from clew.lm.wire import error_in
from clew.lm.wrappers.time_limit import TimeLimit

__all__ = ["Connection"]

CONNECT_SECONDS = 10.0
LARGEST = 64 << 20  # bytes of one response
BUSY = (408, 425, 429, 500, 502, 503, 504)
OVERFLOW = ("context size", "maximum context length", "context length", "context window")


class Connection:
    """A server's address with its key. `who` names it in messages."""

    def __init__(self, url: str, *, who: str, key: str | None = None, socket: str | None = None) -> None:
        self.url, self.who = url, who
        self._client = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            transport=httpx.HTTPTransport(uds=socket, trust_env=False),
            trust_env=False,
            timeout=CONNECT_SECONDS,
        )

    def get(self, path: str, limit: TimeLimit) -> Any:
        """The JSON at a path."""
        with self._open("GET", path, None, limit) as response:
            return self._read(response, limit)

    def post(self, path: str, body: Mapping[str, Any], limit: TimeLimit) -> Any:
        """The JSON response to a body."""
        with self._open("POST", path, body, limit) as response:
            return self._read(response, limit)

    def events(self, path: str, body: Mapping[str, Any], limit: TimeLimit) -> Iterator[Any]:
        """The JSON objects of a stream of server-sent events; a server that does not stream returns one."""
        with self._open("POST", path, body, limit) as response:
            if "event-stream" not in response.headers.get("content-type", ""):
                yield self._read(response, limit)
                return
            for line in self._lines(response, limit):
                field, _, value = line.partition(b":")
                if field not in (b"data", b"error"):
                    continue
                if value.strip() == b"[DONE]":
                    return
                event = self._parse(value, "an event")
                if (reason := error_in(event)) is not None:
                    raise self._refusal(400, reason)
                yield event

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def _open(
        self, method: str, path: str, body: Mapping[str, Any] | None, limit: TimeLimit
    ) -> Iterator[httpx.Response]:
        if self._client.is_closed:
            raise ModelError(f"{self.who} is closed: open it again")
        left = limit.left()
        timeout = httpx.Timeout(left, connect=min(CONNECT_SECONDS, left))
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        try:
            with self._client.stream(method, path, content=content, headers=headers, timeout=timeout) as response:
                if response.status_code != 200:
                    raise self._failure(response, limit)
                yield response
        except httpx.ConnectTimeout as error:
            raise Unreachable(f"{self.who} does not accept connections: is it running?") from error
        except httpx.TimeoutException as error:
            raise limit.over() from error
        except httpx.ConnectError as error:
            raise Unreachable(f"{self.who} cannot be reached ({_plain(error)}): is it running?") from error
        except httpx.TransportError as error:
            raise Unreachable(f"{self.who} closed the connection ({_plain(error)})") from error
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise ModelError(f"{self.who} cannot be queried: {_plain(error)}") from error

    def _read(self, response: httpx.Response, limit: TimeLimit) -> Any:
        kind = response.headers.get("content-type", "")
        content = self._content(response, limit)
        if "html" in kind or content[:1] == b"<":
            raise ModelError(
                f"{self.who} answered with a web page, not JSON: the address of an OpenAI-compatible server "
                "usually ends in /v1"
            )
        return self._parse(content, "its answer")

    def _content(self, response: httpx.Response, limit: TimeLimit) -> bytes:
        return b"".join(self._chunks(response, limit))

    def _lines(self, response: httpx.Response, limit: TimeLimit) -> Iterator[bytes]:
        unfinished = b""
        for chunk in self._chunks(response, limit):
            *lines, unfinished = (unfinished + chunk).split(b"\n")
            yield from lines
        yield unfinished

    def _chunks(self, response: httpx.Response, limit: TimeLimit) -> Iterator[bytes]:
        size = 0
        for chunk in response.iter_bytes():
            limit.left()  # a slow stream never reaches the transport's own limit
            size += len(chunk)
            if size > LARGEST:
                raise ModelError(f"{self.who} answered with more than {LARGEST >> 20} MiB")
            yield chunk

    def _parse(self, content: bytes, what: str) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            glimpse = content[:40].decode("utf-8", "replace")
            raise ModelError(f"{self.who} answered with malformed JSON: {what} begins with {glimpse!r}") from error

    def _failure(self, response: httpx.Response, limit: TimeLimit) -> ModelError:
        try:
            body = json.loads(self._content(response, limit))
        except (ValueError, RecursionError):
            body = None
        reason = error_in(body) or response.reason_phrase or "no reason given"
        wait = response.headers.get("retry-after", "")
        return self._refusal(response.status_code, reason, wait=float(wait) if wait.isdecimal() else None)

    def _refusal(self, status: int, reason: str, *, wait: float | None = None) -> ModelError:
        if any(sign in reason for sign in OVERFLOW):
            return ContextOverflow(f"{self.who} rejects the prompt: {reason}")
        if status in (401, 403):
            return ModelError(f"{self.who} rejects the API key ({status}): set CLEW_API_KEY or pass api_key=")
        if status in BUSY:
            return Unreachable(f"{self.who} is too busy or failing ({status}): {reason}", wait=wait)
        return ModelError(f"{self.who} rejects the request ({status}): {reason}")


def _plain(error: Exception) -> str:
    return str(error) or type(error).__name__
