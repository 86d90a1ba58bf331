"""A real server on a loopback port, over a small graph, and clients of it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copytree

import httpx
import pytest

from clew.app.server.run import address_of, listen, make_server
from clew.app.server.settings import Limits, ServerSettings

LIMITS = replace(Limits(), workers=2)


@dataclass(frozen=True)
class Server:
    """A server at work: its address, and the files of its graph."""

    address: str
    path: Path

    def client(self, **options: object) -> httpx.Client:
        return httpx.Client(
            base_url=self.address, timeout=60, verify=False, **options
        )  # reading certificates takes long


@contextmanager
def serving(settings: ServerSettings) -> Iterator[Server]:
    listening = listen(replace(settings, port=0))
    server = make_server(settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Server(address_of(listening), next(iter(settings.graphs.values())))
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def served_graph(built_graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copytree(built_graph, tmp_path_factory.mktemp("served") / "small.clew")


@pytest.fixture(scope="session")
def settings(served_graph: Path) -> ServerSettings:
    return ServerSettings({"small": served_graph}, encoder=None, extraction=None, limits=LIMITS)


@pytest.fixture(scope="session")
def server(settings: ServerSettings) -> Iterator[Server]:
    """The server that most tests share."""
    with serving(settings) as server:
        yield server


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def start() -> Iterator[Callable[[ServerSettings], Server]]:
    """Start a server of one's own."""
    with contextmanager(_started)() as start:
        yield start


def _started() -> Iterator[Callable[[ServerSettings], Server]]:
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda settings: stack.enter_context(serving(settings))
