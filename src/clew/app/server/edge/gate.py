"""Who gets in: the first and last to see a request.

It checks Host always, and for everything but the page Origin, Sec-Fetch-Site, the token and the type of a body; reads
bodies within a limit of bytes and seconds; adds the security headers and a request id; counts, logs, and turns every
failure into one JSON object.
"""

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from hashlib import sha256
from typing import Any

from clew.app.server.edge.failures import CLIENT_GONE, ClientGone, Refused, error_body, error_headers, status_of
from clew.app.server.edge.headers import ANSWER_HEADERS
from clew.app.server.edge.metrics import Metrics
from clew.app.server.settings import ServerSettings
from clew.app.server.workers import CLIENT, shutting_down
from clew.errors import ClewError

__all__ = ["App", "Gate", "Receive", "Send"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = dict[bytes, bytes]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

log = logging.getLogger("clew.server")
OPEN = ("/health",)  # answered without a token
SAME_SITE = (b"same-origin", b"none")  # values of Sec-Fetch-Site: this page, or an address that a person typed
ONCE = frozenset((b"host", b"origin", b"sec-fetch-site", b"authorization", b"content-type", b"content-length"))
METHODS = ("GET", "HEAD", "POST")
LONGEST_ADDRESS = 8192  # bytes


class Gate:
    """An ASGI application around another."""

    def __init__(self, app: App, settings: ServerSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._hosts = settings.hosts
        self._tokens = [sha256(token.encode()).digest() for token in settings.tokens]

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await _Passage(self, scope, send).answer(self._app, receive, self._metrics)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:  # websockets
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    def check(self, scope: MutableMapping[str, Any]) -> None:
        """Raise `Refused` for a request that does not get in."""
        headers = _headers(scope["headers"])
        host = headers.get(b"host", b"")
        if _without_port(host.decode("latin-1").lower()) not in self._hosts:
            raise Refused(
                "this server is not called that: use one of its own names, or start it with --allow-host", 403
            )
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > LONGEST_ADDRESS:
            raise Refused(f"the address is longer than {LONGEST_ADDRESS:,} bytes", 414)
        if scope["method"] not in METHODS and not (scope["method"] == "DELETE" and scope["path"] == "/mcp"):
            raise Refused(
                f"{scope['method'][:16]} is not supported: use GET or POST", 405, headers={"Allow": "GET, POST"}
            )
        if _is_page(scope["path"]):
            return
        _check_origin(headers, host)
        token = 0 if scope["path"] in OPEN else self._check_token(headers)
        client = scope.get("client")
        CLIENT.set(f"{client[0] if client else ''} {token}")  # two tokens are two clients, whatever their address
        if scope["method"] == "POST":
            given = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
            if given != b"application/json":
                raise Refused("a POST takes a JSON object: send it with Content-Type: application/json", 415)

    def _check_token(self, headers: Headers) -> int:
        """Which of the tokens a request has."""
        if not self._tokens:
            return 0
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        digest = sha256(given.strip()).digest()
        known = [hmac.compare_digest(digest, each) for each in self._tokens]  # all of them, whichever fits
        if scheme.lower() != b"bearer" or not any(known):
            raise Refused(
                "this server needs a token: send it as Authorization: Bearer TOKEN",
                401,
                headers={"WWW-Authenticate": 'Bearer realm="clew"'},
            )
        return known.index(True)

    async def body(self, scope: MutableMapping[str, Any], receive: Receive) -> bytes:
        """The whole body of a request, within the limits of bytes and seconds."""
        limits = self._settings.limits
        stated = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        if stated.isdigit() and int(stated) > limits.body:
            raise _too_large(limits.body)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(limits.sending):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGone
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limits.body:
                        raise _too_large(limits.body)
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            raise Refused(f"the body did not arrive within {limits.sending:g} s: send it at once", 408) from None


class _Passage:
    """One request on its way through the gate."""

    def __init__(self, gate: Gate, scope: MutableMapping[str, Any], send: Send) -> None:
        self.gate, self.scope, self._send = gate, scope, send
        self.id = secrets.token_hex(8)
        self.begun = time.perf_counter()
        self.status = 0
        self.error: Exception | None = None
        scope.setdefault("state", {})["request"] = self.id

    async def answer(self, app: App, receive: Receive, metrics: Metrics) -> None:
        try:
            self.gate.check(self.scope)
            await app(self.scope, await self._replayed(receive), self.send)
        except ClientGone:
            self.status = self.status or CLIENT_GONE
        except asyncio.CancelledError:  # the server stops, and has waited for this request as long as it waits
            await self._fail(shutting_down())
        except Exception as error:
            await self._fail(error)
        finally:
            self.error = self.error or self.scope["state"].get("error")
            route = getattr(self.scope.get("route"), "path", "other")
            seconds = time.perf_counter() - self.begun
            metrics.note(route, self.scope["method"], self.status, seconds)
            self._log(route, seconds)

    async def _replayed(self, receive: Receive) -> Receive:
        """What the application receives: the body that was read, and then whether the client is still there."""
        if self.scope["method"] != "POST":
            return receive
        body = await self.gate.body(self.scope, receive)
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return waiting.pop() if waiting else await receive()

        return replay

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = {name for name, _ in message["headers"]}
            own = [each for each in ANSWER_HEADERS if each[0] not in given]
            message["headers"] = [*message["headers"], *own, (b"x-request-id", self.id.encode())]
        await self._send(message)

    async def _fail(self, error: Exception) -> None:
        self.error = error
        if self.status:  # the answer has begun
            return
        self.status = status_of(error)
        body = error_body(error, self.id)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        headers += [(name.lower().encode(), value.encode()) for name, value in error_headers(error).items()]
        if self.status in (408, 413):  # the rest of the request body is not read
            headers.append((b"connection", b"close"))
        await self.send({"type": "http.response.start", "status": self.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": b"" if self.scope["method"] == "HEAD" else body})

    def _log(self, route: str, seconds: float) -> None:
        unexpected = self.error is not None and not isinstance(self.error, ClewError | ClientGone)
        if not unexpected and not log.isEnabledFor(logging.INFO):
            return
        client = self.scope.get("client")
        said = {
            "request": self.id,
            "method": self.scope["method"],
            "route": route,
            "status": self.status,
            "ms": round(seconds * 1000, 1),
            "client": client[0] if client else None,
            **self.scope["state"].get("log", {}),
        }
        if self.error is not None:
            said["error"] = type(self.error).__name__
        log.log(
            logging.ERROR if unexpected else logging.INFO,
            "request",
            extra=said,
            exc_info=self.error if unexpected else None,
        )


def _too_large(most: int) -> Refused:
    return Refused(f"the body is larger than {most:,} bytes: send less", 413)


def _is_page(path: str) -> bool:
    return path in ("/", "/favicon.ico") or path.startswith("/page/")


def _headers(listed: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Headers by name; those that decide who gets in may be given once."""
    found: Headers = {}
    for name, value in listed:
        if name in found and name in ONCE:
            raise Refused(f"the header {name.decode()} is given more than once: send it once", 400)
        found[name] = value
    return found


def _without_port(host: str) -> str:
    """The name of a Host header.

    >>> _without_port("localhost:8000"), _without_port("[::1]:80")
    ('localhost', '[::1]')
    """
    if host.startswith("["):
        name, bracket, port = host.partition("]")
        return name + bracket if port == "" or (port[0] == ":" and port[1:].isdigit()) else ""
    name, colon, port = host.partition(":")
    return name if not colon or port.isdigit() else ""


def _check_origin(headers: Headers, host: bytes) -> None:
    """Refuse requests that a page of another site makes in somebody's browser."""
    site = headers.get(b"sec-fetch-site")
    if site is not None and site not in SAME_SITE:
        raise Refused("requests from pages of other sites are not answered", 403)
    origin = headers.get(b"origin")
    if origin is not None and origin.lower() not in (b"http://" + host.lower(), b"https://" + host.lower()):
        raise Refused("requests from pages of other origins are not answered", 403)
