"""One SmolLM2 for all tests, seen from inside the process and over its loopback port, and servers that misbehave."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from clew.errors import MissingModel
from clew.lm import LanguageModel, open_model
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.clients.openai import OpenAI
from clew.models import locate

Handle = Callable[[BaseHTTPRequestHandler, bytes], None]


@pytest.fixture(scope="session")
def model() -> Iterator[LlamaCpp]:
    """SmolLM2 in this process, listening on loopback. One thread: two starve each other when tests run in parallel."""
    try:
        locate("smollm2")
    except MissingModel as error:
        pytest.fail(str(error), pytrace=False)
    with open_model("smollm2", threads=1, context=1024, listen=True) as opened:
        assert isinstance(opened, LlamaCpp)
        yield opened


@pytest.fixture(scope="session")
def server(model: LlamaCpp) -> Iterator[OpenAI]:
    """The same SmolLM2, through its port."""
    with OpenAI(model.listening, api_key=model.key) as client:
        yield client


@pytest.fixture(params=["llamacpp", "openai"])
def client(request: pytest.FixtureRequest, model: LlamaCpp, server: OpenAI) -> LanguageModel:
    """Each real client in turn."""
    return model if request.param == "llamacpp" else server


@pytest.fixture
def serve() -> Iterator[Callable[[Handle], str]]:
    """Start an HTTP server that answers every request with a function of it; returns its address."""
    with ExitStack() as stack:

        def start(handle: Handle) -> str:
            class Handler(BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    handle(self, b"")

                def do_POST(self) -> None:
                    handle(self, self.rfile.read(int(self.headers["Content-Length"])))

                def log_message(self, *said: object) -> None:
                    pass

            listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            listening.daemon_threads = True
            listening.block_on_close = False
            stack.callback(listening.server_close)
            stack.callback(listening.shutdown)
            threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            return f"http://127.0.0.1:{listening.server_port}/v1"

        yield start
