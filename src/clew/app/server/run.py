"""Run a server until it is told to stop: slow clients are cut off, and requests in work are finished first."""

import socket
import sys
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from clew.app.server.application import create_application
from clew.app.server.edge.logs import log_as_json
from clew.app.server.settings import ServerSettings
from clew.errors import InputError
from clew.progress import Progress, silent

__all__ = ["address_of", "listen", "make_server", "run_server"]

SHUTDOWN_SECONDS = 10  # for requests in work when the server is told to stop
KEEP_ALIVE = 15  # seconds
SWITCH_SECONDS = 0.001  # a thread that works gives way to the one that answers as often
BACKLOG = 512
LARGEST_HEAD = 1 << 16  # bytes of the headers of a request


class _Protocol(HttpToolsProtocol):
    """HTTP that closes a connection whose headers do not arrive in time, or are too long."""

    seconds = 15.0
    _received: int | None = 0  # bytes of a head that is not complete yet

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._late = self.loop.call_later(self.seconds, self._hang_up)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._received is not None:
            self._received += len(data)
            if self._received > LARGEST_HEAD:
                self._hang_up()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._late.cancel()
        self._received = 0
        self._late = self.loop.call_later(self.seconds, self._hang_up)

    def on_headers_complete(self) -> None:
        self._late.cancel()
        self._received = None
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._late.cancel()
        super().connection_lost(exc)

    def _hang_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


def run_server(settings: ServerSettings, *, progress: Progress = silent) -> None:
    """Serve until SIGINT or SIGTERM."""
    with listen(settings) as listening:
        sys.setswitchinterval(SWITCH_SECONDS)
        server = make_server(settings, progress=progress)
        log_as_json()
        address = address_of(listening)
        listening.listen(BACKLOG)  # whoever reads the next line may connect at once, and waits for the loop
        print(f"clew: serving {', '.join(settings.graphs)} at {address}", file=sys.stderr, flush=True)
        server.run(sockets=[listening])


def make_server(settings: ServerSettings, *, progress: Progress = silent) -> uvicorn.Server:
    """The server of an application; it runs over a socket of `listen`."""
    config = uvicorn.Config(
        create_application(settings, progress=progress),
        http=type("Protocol", (_Protocol,), {"seconds": settings.limits.sending}),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        limit_concurrency=settings.limits.connections,
        backlog=BACKLOG,
    )
    return uvicorn.Server(config)


def address_of(listening: socket.socket) -> str:
    """The address of a server that listens there."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def listen(settings: ServerSettings) -> socket.socket:
    """The socket of the server, before anything is opened: a port that is taken is found at once."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {settings.host} port {settings.port} ({error.strerror or error}): choose another --port"
        ) from error
    listening.set_inheritable(False)
    return listening
