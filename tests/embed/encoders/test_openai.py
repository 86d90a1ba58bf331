"""The endpoint encoder, against llama.cpp's real server and against servers that misbehave."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from clew.embed import open_encoder
from clew.embed.encoders.openai import BATCH_SIZE, OpenAIEncoder
from clew.errors import InputError, ModelError, Timeout
from clew.models import locate

Answer = Callable[[str, Any, dict[str, str]], tuple[int, bytes | Iterator[bytes]]]


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """SmolLM2 with mean pooling, served by llama.cpp's own server on loopback."""
    import xllamacpp

    (file,) = locate("smollm2").values()
    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    settings.n_ctx = 512
    settings.cpuparams.n_threads = 1
    settings.warmup = False
    settings.verbosity = 0
    settings.embedding = True
    settings.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], str]]:
    """Start a server that answers with a function of path, body and headers; gives its URL."""
    with ExitStack() as stack:

        def start(answer: Answer) -> str:
            class Handler(BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    self.do_POST()

                def do_POST(self) -> None:
                    body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                    status, content = answer(self.path, json.loads(body or b"null"), dict(self.headers))
                    self.send_response(status)
                    self.send_header("Content-Type", "text/html" if content == b"<html>" else "application/json")
                    self.end_headers()
                    try:
                        for part in [content] if isinstance(content, bytes) else content:
                            self.wfile.write(part)
                            self.wfile.flush()
                    except OSError:
                        pass

                def log_message(self, *said: object) -> None:
                    pass

            listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            listening.daemon_threads = True
            listening.block_on_close = False
            stack.callback(listening.server_close)
            stack.callback(listening.shutdown)
            threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            return f"http://127.0.0.1:{listening.server_port}/v1#tiny"

        yield start


def rows(vectors: list[list[float]]) -> bytes:
    data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return json.dumps({"data": data[::-1]}).encode()  # a server may answer in any order


def test_a_real_server(llama: str) -> None:
    encoder = open_encoder(llama)
    texts = ["heart attack", "banana bread", "", "Café 🍞", "heart attack"]
    vectors = encoder.encode(texts)
    assert vectors.shape == (5, encoder.dimension) == (5, 576)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[4] > 0.9999 > vectors[0] @ vectors[1]
    assert encoder.identity == "openai-SmolLM2-135M-Instruct.Q4_1.gguf"
    assert encoder.encode([]).shape == (0, 576)


def test_a_refusal_of_a_real_server_is_quoted(llama: str) -> None:
    with pytest.raises(ModelError, match=r"/v1/embeddings answered [45]\d\d: .*(too large|context|batch)"):
        open_encoder(llama).encode(["word " * 3000])


def test_order_and_requests(serve: Callable[[Answer], str]) -> None:
    asked: list[Any] = []

    def answer(path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        asked.append((path, body["model"], len(body["input"])))
        return 200, rows([[float(text or 9), 1.0] for text in (given.strip() for given in body["input"])])

    encoder = open_encoder(serve(answer))
    encoder.__dict__["dimension"] = 2
    texts = [str(number) for number in range(BATCH_SIZE + 5)]
    vectors = encoder.encode(texts)
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], np.arange(BATCH_SIZE + 5), rtol=1e-4)
    assert asked == [("/v1/embeddings", "tiny", BATCH_SIZE), ("/v1/embeddings", "tiny", 5)]


@pytest.mark.parametrize(
    ("status", "content", "said"),
    [
        (200, b"<html>", "answered with text/html, not JSON: <html>"),
        (200, b'{"data": [', "not JSON"),
        (200, b"", "not JSON"),
        (200, b"[]", r"without embeddings: \[\]"),
        (200, b'{"data": [{"index": 0}]}', "without embeddings"),
        (200, b'{"data": []}', r"shape \(0,\) for 1 texts"),
        (200, rows([[1.0], [2.0]]), r"shape \(2, 1\) for 1 texts"),
        (200, rows([[0.0, 0.0]]), "zero or not finite"),
        (200, rows([["x"]]), "not numeric rows"),  # type: ignore[list-item]
        (401, b'{"error": {"message": "no key"}}', "answered 401: no key"),
        (404, b"<html>", "answered 404: <html>"),
        (500, b'{"error": "on fire"}', "answered 500: .*on fire"),
    ],
)
def test_nonsense_is_one_sentence(serve: Callable[[Answer], str], status: int, content: bytes, said: str) -> None:
    url = serve(lambda path, body, headers: (status, content))
    with pytest.raises(ModelError, match=said) as caught:
        OpenAIEncoder(url, retry_delays=(0.01,)).encode(["fever"])
    assert "\n" not in str(caught.value)


def test_a_dimension_that_changes_is_found_out(serve: Callable[[Answer], str]) -> None:
    url = serve(lambda path, body, headers: (200, rows([[1.0] * (2 if body["input"] == ["dimension"] else 3)])))
    with pytest.raises(ModelError, match="vectors of 2 and then of 3 numbers"):
        open_encoder(url).encode(["fever"])


def test_a_busy_server_is_asked_again(serve: Callable[[Answer], str]) -> None:
    tries: list[int] = []

    def answer(path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        tries.append(1)
        return (503, b"") if len(tries) < 3 else (200, rows([[1.0, 0.0]]))

    assert OpenAIEncoder(serve(answer), retry_delays=(0.01, 0.01)).dimension == 2
    assert len(tries) == 3


def test_a_slow_server_and_one_that_drips_are_left(serve: Callable[[Answer], str]) -> None:
    def drip() -> Iterator[bytes]:
        for _ in range(100):
            time.sleep(0.1)
            yield b" "

    def sleep(path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        time.sleep(3)
        return 200, b""

    for answer in (sleep, lambda path, body, headers: (200, drip())):
        begun = time.monotonic()
        with pytest.raises(Timeout, match=r"did not respond completely within 0\.4 seconds"):
            OpenAIEncoder(serve(answer), timeout=0.4).encode(["fever"])
        assert time.monotonic() - begun < 2.5


def test_no_server_at_all() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1#m"
        with pytest.raises(ModelError, match=r"cannot be reached \(.*\): is the server running\?"):
            OpenAIEncoder(url, retry_delays=()).encode(["fever"])


@pytest.mark.parametrize(("listed", "error"), [([], InputError), (["a", "b"], InputError), (None, ModelError)])
def test_which_model_must_be_clear(
    serve: Callable[[Answer], str], listed: list[str] | None, error: type[Exception]
) -> None:
    content = json.dumps({"data": None if listed is None else [{"id": name} for name in listed]}).encode()
    url = serve(lambda path, body, headers: (200, content)).removesuffix("#tiny")
    with pytest.raises(error, match="#MODEL"):
        open_encoder(url).encode(["fever"])


def test_the_key_is_sent_and_proxies_are_not_used(
    serve: Callable[[Answer], str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str | None] = []

    def answer(path: str, body: Any, headers: dict[str, str]) -> tuple[int, bytes]:
        seen.append(headers.get("Authorization"))
        return 200, rows([[1.0]])

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("CLEW_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert OpenAIEncoder(serve(answer)).dimension == 1
    assert OpenAIEncoder(serve(answer), api_key="other").dimension == 1
    assert seen == ["Bearer secret", "Bearer other"]
    OpenAIEncoder("http://192.0.2.1/v1#m")
    assert "OPENAI_API_KEY is not sent to http://192.0.2.1/v1" in caplog.text
    assert "secret" not in caplog.text
