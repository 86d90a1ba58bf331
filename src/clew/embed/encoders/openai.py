"""A server with OpenAI's /v1/embeddings API: llama-server, Ollama, vLLM or OpenAI itself.

The weights behind a server are not visible, so its identity is the name of the model only. Proxies from the environment
are never used: data is sent to the given address only.
"""

import ipaddress
import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urlsplit

import numpy as np
from numpy.typing import NDArray

from clew.embed.encoder import unit_rows
from clew.errors import InputError, ModelError, Timeout
from clew.progress import Progress, silent

__all__ = ["OpenAIEncoder"]

KEYS = ("CLEW_API_KEY", "OPENAI_API_KEY")
BATCH_SIZE = 64  # texts in a request
BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # worth a retry
RETRY_DELAYS = (0.5, 1.0)  # seconds before the second and third attempt
SHOWN = 120  # characters of a response quoted in an error
MAX_BYTES = 1 << 28  # of a response

log = logging.getLogger(__name__)


class OpenAIEncoder:
    """The model of a server, as http://HOST:PORT/v1#MODEL; without #MODEL the one model that the server lists.

    The key comes from `api_key`, else from CLEW_API_KEY or OPENAI_API_KEY; keys from the environment are only sent over
    https or to this machine. `timeout` is for one request, including retries.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        timeout: float = 120.0,
        retry_delays: Sequence[float] = RETRY_DELAYS,
    ) -> None:
        address, model = urldefrag(url)
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise InputError(f"{url!r} is not the URL of a server: give http://HOST:PORT/v1#MODEL")
        self.name = url
        path = parts.path.rstrip("/").removesuffix("/embeddings") or "/v1"
        self._address = f"{parts.scheme}://{parts.netloc}{path}"
        self._stated_model = model
        self._key = api_key or _key_from_environment(self._address)
        self._timeout = timeout
        self._retry_delays = tuple(retry_delays)

    @cached_property
    def model(self) -> str:
        """The name of the model on the server."""
        if self._stated_model:
            return self._stated_model
        answer = self._ask("GET", "models", None)
        try:
            names = [str(model["id"]) for model in answer["data"]]
        except (KeyError, TypeError) as error:
            raise ModelError(f"{self._address}/models does not list models: name one as {self.name}#MODEL") from error
        if len(names) != 1:
            some = ", ".join(names[:5]) or "none"
            raise InputError(f"{self._address} has {len(names)} models ({some}): name one as {self.name}#MODEL")
        return names[0]

    @cached_property
    def identity(self) -> str:
        """The name of the model, without the folder if it is a file; its weights are not visible."""
        return f"openai-{Path(self.model).name if Path(self.model).is_absolute() else self.model}"

    @cached_property
    def dimension(self) -> int:
        """The dimension of the vectors, from one short request."""
        return int(self._request(["dimension"]).shape[1])

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
        """One unit vector for each text, in order."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), BATCH_SIZE):
            rows = self._request(texts[start : start + BATCH_SIZE])
            if rows.shape[1] != self.dimension:
                raise ModelError(
                    f"{self._address} returned vectors of {self.dimension} and then of {rows.shape[1]} numbers"
                )
            vectors[start : start + len(rows)] = rows
            progress("encoding", start + len(rows), len(texts))
        return vectors

    def _request(self, texts: Sequence[str]) -> NDArray[np.float32]:
        given = [text.encode("utf-8", "replace").decode() or " " for text in texts]  # servers reject empty inputs
        answer = self._ask("POST", "embeddings", {"model": self.model, "input": given, "encoding_format": "float"})
        try:
            rows = [row["embedding"] for row in sorted(answer["data"], key=lambda row: row["index"])]
        except (KeyError, TypeError) as error:
            raise ModelError(f"{self._address}/embeddings answered without embeddings: {_shortened(answer)}") from error
        return unit_rows(rows, len(texts), whose=f"the server {self._address}")

    def _ask(self, method: str, what: str, body: Mapping[str, Any] | None) -> Any:
        """The JSON response to a request, retried while the server is busy or the connection fails."""
        import httpx

        url, end = f"{self._address}/{what}", time.monotonic() + self._timeout
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        for pause in (*self._retry_delays, None):
            try:
                with (
                    httpx.Client(timeout=max(0.1, end - time.monotonic()), trust_env=False, headers=headers) as client,
                    client.stream(method, url, json=body) as answer,
                ):
                    content = self._read(answer, url, end)
                    if answer.status_code not in BUSY or pause is None:
                        return _parsed(answer, content, url)
            except httpx.TimeoutException as error:
                raise self._too_slow(url) from error
            except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
                if pause is None or not isinstance(error, httpx.TransportError):
                    raise ModelError(f"{url} cannot be reached ({error}): is the server running?") from error
            if time.monotonic() + pause > end:
                raise self._too_slow(url)
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _read(self, answer: Any, url: str, end: float) -> bytes:
        """The whole response, unless it takes too long or does not end."""
        content = bytearray()
        for chunk in answer.iter_bytes():
            content += chunk
            if time.monotonic() > end:
                raise self._too_slow(url)
            if len(content) > MAX_BYTES:
                raise ModelError(f"{url} answered with more than {MAX_BYTES:,} bytes")
        return bytes(content)

    def _too_slow(self, url: str) -> Timeout:
        return Timeout(f"{url} did not respond completely within {self._timeout:g} seconds")


def _key_from_environment(address: str) -> str | None:
    name = next((name for name in KEYS if os.environ.get(name)), None)
    if name is None:
        return None
    parts = urlsplit(address)
    if parts.scheme != "https" and not _is_this_machine(parts.hostname or ""):
        log.warning("%s is not sent to %s, which is not encrypted: pass api_key= to insist", name, address)
        return None
    return os.environ[name]


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parsed(answer: Any, content: bytes, url: str) -> Any:
    """The JSON of a response; anything else is an error that quotes it."""
    try:
        parsed = json.loads(content)
    except ValueError as error:
        parsed = None
        if answer.status_code == 200:
            kind = answer.headers.get("content-type", "no type")
            raise ModelError(f"{url} answered with {kind}, not JSON: {_shortened(content)}") from error
    if answer.status_code != 200:
        try:
            message = parsed["error"]["message"]
        except (KeyError, TypeError):
            message = content
        raise ModelError(f"{url} answered {answer.status_code}: {_shortened(message)}")
    return parsed


def _shortened(content: Any) -> str:
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else str(content)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
