"""Servers that are down, slow, busy or talk nonsense: each is one sentence, and nothing hangs."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from clew.errors import ClewError, ContextOverflow, InputError, ModelError, Timeout
from clew.lm import BadAnswer, Message, Request, Unreachable, open_model
from clew.lm.clients.openai import OpenAI

Serve = Callable[[Callable[[BaseHTTPRequestHandler, bytes], None]], str]
CHAT = Request([Message("user", "Hello?")], max_tokens=8)
PROMPT = Request(prompt="Hello", max_tokens=8)
MODELS = {"data": [{"id": "small", "owned_by": "someone"}]}


def send(handler: BaseHTTPRequestHandler, body: object, *, status: int = 200, kind: str = "application/json") -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def said(text: str, finish: str = "stop") -> dict[str, Any]:
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    return {"choices": [{"message": {"content": text}, "finish_reason": finish}], "usage": usage}


@pytest.fixture
def client_of(serve: Serve) -> Iterator[Callable[..., OpenAI]]:
    """A client of a server whose completions are made by a function."""
    opened: list[OpenAI] = []

    def make(answer: Callable[[BaseHTTPRequestHandler, dict[str, Any]], None], models: object = MODELS) -> OpenAI:
        def handle(handler: BaseHTTPRequestHandler, body: bytes) -> None:
            if handler.path == "/v1/models":
                send(handler, models)
            else:
                answer(handler, json.loads(body))

        opened.append(OpenAI(serve(handle)))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def fails(client: OpenAI, kind: type[ClewError], sentence: str, request: Request = CHAT, **options: Any) -> None:
    begun = time.monotonic()
    with pytest.raises(kind, match=sentence) as caught:
        client.complete(request, **options)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begun < 5


def test_a_plain_server_is_asked_in_the_usual_words(client_of: Callable[..., OpenAI]) -> None:
    asked: list[dict[str, Any]] = []

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        asked.append({**body, "path": handler.path})
        send(handler, said("Hi."))

    client = client_of(answer)
    request = Request([Message("system", "Be kind."), Message("user", "Hello?")], stop=["!"], seed=5, max_tokens=8)
    completion = client.complete(request)
    assert (completion.text, completion.finish, completion.model) == ("Hi.", "stop", "small")
    assert (completion.usage.calls, completion.usage.prompt_tokens, completion.usage.completion_tokens) == (1, 3, 2)
    [body] = asked
    assert body == {
        "path": "/v1/chat/completions",
        "model": "small",
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello?"}],
        "max_tokens": 8,
        "temperature": 0.0,
        "seed": 5,
        "stop": ["!"],
    }


def test_a_server_that_is_down() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with OpenAI(address) as client:
            fails(client, Unreachable, "cannot be reached .*is it running")


def test_a_server_that_takes_the_call_and_says_nothing(client_of: Callable[..., OpenAI]) -> None:
    fails(client_of(lambda handler, body: time.sleep(3)), Timeout, r"did not answer within 0\.4 s", timeout=0.4)


@pytest.mark.parametrize("name", ["", "#small"])
def test_a_server_that_never_says_anything_at_all(serve: Serve, name: str) -> None:
    url = serve(lambda handler, body: time.sleep(3))
    with open_model(url + name) as client:
        assert isinstance(client, OpenAI)
        fails(client, Timeout, r"did not answer within 0\.4 s", timeout=0.4)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_a_server_that_drips(client_of: Callable[..., OpenAI], kind: str) -> None:
    def drip(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.end_headers()
        for _ in range(100):
            try:
                handler.wfile.write(b" ")
                handler.wfile.flush()
            except OSError:
                return
            time.sleep(0.05)

    streamed = {"stream": print} if "event" in kind else {}
    fails(client_of(drip), Timeout, r"did not answer within 0\.4 s", timeout=0.4, **streamed)


def test_a_server_that_hangs_up(client_of: Callable[..., OpenAI]) -> None:
    fails(client_of(lambda handler, body: handler.connection.close()), Unreachable, "closed the connection")


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
def test_a_web_page(client_of: Callable[..., OpenAI], kind: str) -> None:
    page = b"<!doctype html><title>Welcome</title>"
    client = client_of(lambda handler, body: send(handler, page, kind=kind))
    fails(client, ModelError, "a web page, not JSON.*/v1")


BROKEN = {
    b'{"choices": [{"mess': "malformed JSON",
    b"": "malformed JSON",
    b'["no object"]': "not with a JSON object",
    b'{"something": "else"}': "without choices",
    b'{"choices": ["text"]}': "in an unknown shape",
    b'{"choices": [{"message": "text"}]}': "in an unknown shape",
    b"[" * 200_000: "malformed JSON",
}


@pytest.mark.parametrize(("content", "sentence"), BROKEN.items())
def test_malformed_answers(client_of: Callable[..., OpenAI], content: bytes, sentence: str) -> None:
    fails(client_of(lambda handler, body: send(handler, content)), ModelError, sentence)


def test_an_empty_answer(client_of: Callable[..., OpenAI]) -> None:
    fails(client_of(lambda handler, body: send(handler, said(" \n"))), BadAnswer, "returned nothing")


def test_an_answer_lost_in_reasoning(client_of: Callable[..., OpenAI]) -> None:
    thought = {"choices": [{"message": {"content": None, "reasoning_content": "Hm"}, "finish_reason": "length"}]}
    fails(client_of(lambda handler, body: send(handler, thought)), BadAnswer, "on reasoning: raise max_tokens")


def test_a_server_that_ignores_the_schema(client_of: Callable[..., OpenAI]) -> None:
    request = Request(CHAT.messages, schema='{"type": "object", "required": ["gene"]}', max_tokens=8)
    client = client_of(lambda handler, body: send(handler, said("Sure, FBN1!")))
    fails(client, BadAnswer, "malformed JSON", request)
    client = client_of(lambda handler, body: send(handler, said('{"name": "FBN1"}')))
    fails(client, BadAnswer, "'gene' is missing", request)
    client = client_of(lambda handler, body: send(handler, said('{"gene": "FB', "length")))
    fails(client, BadAnswer, "truncated after 8 tokens", request)


STATUSES = {
    401: (ModelError, "rejects the API key .401.: set CLEW_API_KEY"),
    404: (ModelError, "rejects the request .404.: the reason"),
    429: (Unreachable, "too busy or failing .429.: the reason"),
    500: (Unreachable, "too busy or failing .500."),
    302: (ModelError, "rejects the request .302."),
}


@pytest.mark.parametrize("status", STATUSES)
def test_refusals(client_of: Callable[..., OpenAI], status: int) -> None:
    body = {"error": {"message": "the reason"}}
    fails(client_of(lambda handler, asked: send(handler, body, status=status)), *STATUSES[status])


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "This model's maximum context length is 4096 tokens."}},
        {"error": {"message": "request (9 tokens) exceeds the available context size (4 tokens)"}},
        {"message": "the prompt exceeds the context window"},
    ],
)
def test_a_prompt_that_the_server_finds_too_long(client_of: Callable[..., OpenAI], body: object) -> None:
    fails(client_of(lambda handler, asked: send(handler, body, status=400)), ContextOverflow, "rejects the prompt")


def test_streams_that_break_off_or_fail(client_of: Callable[..., OpenAI]) -> None:
    def stream(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        piece = json.dumps({"choices": [{"delta": {"content": "Hel"}}]})
        send(handler, f"data: {piece}\n\ndata: {ending}\n\n".encode(), kind="text/event-stream")

    pieces: list[str] = []
    ending = '{"error": {"message": "out of memory"}}'
    fails(client_of(stream), ModelError, "out of memory", stream=pieces.append)
    ending = '{"cho'
    fails(client_of(stream), ModelError, "malformed JSON", stream=pieces.append)
    assert pieces == ["Hel", "Hel"]
    ending = "[DONE]"
    assert client_of(stream).complete(CHAT, stream=pieces.append).text == "Hel"


def test_what_a_server_lacks_is_said(client_of: Callable[..., OpenAI]) -> None:
    client = client_of(lambda handler, body: send(handler, said("yes")))
    fails(client, ModelError, "not known to support grammars", Request(CHAT.messages, grammar='root ::= "yes"'))
    with pytest.raises(ModelError, match="cannot score continuations"):
        client.score(PROMPT, [" you"])
    assert client.count(CHAT) == 3
    assert client.context is None


def test_models_are_chosen_by_name(client_of: Callable[..., OpenAI], serve: Serve) -> None:
    several = {"data": [{"id": "large"}, {"id": "small"}]}
    fails(client_of(lambda handler, body: None, several), InputError, "several models.*#NAME: large, small")
    url = serve(lambda handler, body: send(handler, several if "models" in handler.path else said("Hi.")))
    with open_model(f"{url}#small") as model:
        assert model.complete(CHAT).model == "small"
        assert model.identity.endswith("/v1#small")
    with open_model(f"{url}#tiny") as model, pytest.raises(InputError, match="no model 'tiny': it offers large, small"):
        model.complete(CHAT)
    fails(client_of(lambda handler, body: None, {"hello": 1}), ModelError, "does not list its models")


def test_names_are_taken_as_servers_mean_them(serve: Serve) -> None:
    listed: dict[str, Any] = {"data": [{"id": "llama3.2:latest"}, {"id": "other"}]}
    url = serve(lambda handler, body: send(handler, listed if "models" in handler.path else said("Hi.")))
    with open_model(f"{url}#llama3.2") as model:
        assert model.complete(CHAT).text == "Hi."
    listed = {"error": "there is no list here"}
    with open_model(f"{url}#anything") as model:
        assert model.complete(CHAT).model == "anything"


def test_scores_of_a_server_that_repeats_the_prompt(client_of: Callable[..., OpenAI]) -> None:
    """An imitation of vLLM's answers: vLLM itself cannot run here."""

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if handler.path == "/tokenize":
            assert body.get("add_special_tokens", True) is (body["prompt"] == "Hello")
            return send(handler, {"tokens": [1, 2] if body["prompt"] == "Hello" else [7, 8, 9]})
        assert body["prompt"] == [1, 2, 7, 8, 9]
        assert body["echo"] is True
        logprobs = {"token_logprobs": [None, -9.0, -1.0, -0.5, -0.25, -7.0]}
        return send(handler, {"choices": [{"text": "", "logprobs": logprobs}]})

    client = client_of(answer, {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 512}]})
    [score] = client.score(PROMPT, [" you all"])
    assert (score.logprob, score.tokens) == (-1.75, 3)
    assert client.context == 512


def test_keys_of_the_environment_stay_on_this_machine_or_encrypted(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_API_KEY", "hidden")
    seen: list[str | None] = []

    def handle(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        seen.append(handler.headers["Authorization"])
        send(handler, MODELS if handler.path == "/v1/models" else said("Hi."))

    with OpenAI(serve(handle)) as client:
        client.complete(CHAT)
    assert set(seen) == {"Bearer hidden"}
    from clew.lm.clients.openai import _key_from_environment

    assert _key_from_environment("http://models.example.org/v1") is None
    assert _key_from_environment("https://models.example.org/v1") == "hidden"


def test_proxies_of_the_environment_are_not_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    url = serve(lambda handler, body: send(handler, MODELS if handler.path == "/v1/models" else said("Hi.")))
    with OpenAI(url) as client:
        assert client.complete(CHAT).text == "Hi."


@pytest.mark.parametrize("url", ["ftp://host/v1", "http://", "localhost:8080"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(InputError, match="as http://127"):
        OpenAI(url)
