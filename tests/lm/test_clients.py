"""SmolLM2 through both real clients: the same answers, the same refusals, and nothing that hangs."""

import json
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from clew.errors import ContextOverflow, InputError, ModelError, Timeout
from clew.lm import LanguageModel, Message, Request, open_model
from clew.lm.clients.llamacpp import LlamaCpp
from clew.lm.clients.openai import OpenAI

CHAT = Request([Message("system", "Be brief."), Message("user", "What is the capital of France?")], max_tokens=10)
PROMPT = Request(prompt="The capital of France is", max_tokens=4, logprobs=2)
CITY = json.dumps(
    {
        "type": "object",
        "properties": {"city": {"enum": ["Paris", "Rome"]}},
        "required": ["city"],
        "additionalProperties": False,
    }
)


@pytest.mark.parametrize("request_", [CHAT, PROMPT], ids=["chat", "prompt"])
def test_both_clients_say_the_same_at_temperature_0(model: LlamaCpp, server: OpenAI, request_: Request) -> None:
    inside, outside = model.complete(request_), server.complete(request_)
    assert inside.text
    assert inside.text == outside.text
    assert (inside.finish, inside.logprobs) == (outside.finish, outside.logprobs)
    assert inside.usage.prompt_tokens == outside.usage.prompt_tokens == model.count(request_) == server.count(request_)


def test_log_probabilities_come_with_alternatives(client: LanguageModel) -> None:
    first = client.complete(PROMPT).logprobs[0]
    assert first.token == " Paris"
    assert len(first.alternatives) == 2
    assert first.alternatives[0] == (" Paris", first.logprob)
    assert first.alternatives[1][1] < first.logprob < 0


def test_the_stream_is_the_answer_in_pieces(client: LanguageModel) -> None:
    pieces: list[str] = []
    answer = client.complete(CHAT, stream=pieces.append)
    assert len(pieces) > 3
    assert "".join(pieces) == answer.text
    assert answer.finish == "stop"
    assert len(pieces) <= answer.usage.completion_tokens <= CHAT.max_tokens


def test_stop_texts_end_the_answer_and_are_not_part_of_it(client: LanguageModel) -> None:
    free = client.complete(PROMPT).text
    assert "." in free
    stopped = client.complete(replace(PROMPT, stop="."))
    assert stopped.text == free.split(".")[0]
    assert stopped.finish == "stop"


def test_the_seed_settles_what_chance_decides(model: LlamaCpp) -> None:
    drawn = [model.complete(replace(PROMPT, temperature=2.0, seed=seed)).text for seed in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1


@pytest.mark.parametrize("request_", [replace(CHAT, schema=CITY), replace(PROMPT, schema=CITY)], ids=["chat", "prompt"])
def test_answers_under_a_schema_fit_it(client: LanguageModel, request_: Request) -> None:
    text = client.complete(replace(request_, max_tokens=40)).text
    assert "".join(text.split()) in ('{"city":"Paris"}', '{"city":"Rome"}')


def test_a_shared_beginning_is_not_read_twice(model: LlamaCpp) -> None:
    beginning = "The graph has genes, diseases and phenotypes. " * 12
    first = model.complete(Request(prompt=beginning + "First question:", max_tokens=1)).usage
    second = model.complete(Request(prompt=beginning + "Another one:", max_tokens=1)).usage
    assert first.prompt_tokens > 100
    read = second.prompt_tokens - second.cached_tokens
    assert read <= 8, f"{read} of {second.prompt_tokens} tokens were read again"


def test_a_prompt_that_does_not_fit_is_refused_with_the_counts(client: LanguageModel) -> None:
    with pytest.raises(ContextOverflow, match=r"1,0\d\d tokens and max_tokens is 4, but .* has room for 1,024"):
        client.complete(Request(prompt="gene " * 1030, max_tokens=4))
    with pytest.raises(ContextOverflow, match=r"max_tokens is 1,020"):
        client.complete(replace(PROMPT, max_tokens=1020))


def test_a_time_limit_really_ends_the_call_and_the_work(client: LanguageModel) -> None:
    begun = time.monotonic()
    with pytest.raises(Timeout, match=r"did not answer within 0\.3 s"):
        client.complete(Request(prompt="Once upon a time", max_tokens=1000, temperature=1.0), timeout=0.3)
    assert time.monotonic() - begun < 3
    client.complete(replace(PROMPT, max_tokens=1), timeout=20)  # a thousand tokens would take longer than this


ENDS_EARLY = """
from clew.errors import Timeout
from clew.lm import Request, open_model
model = open_model(threads=1, context=512)
try:
    model.complete(Request(prompt="Once", max_tokens=400, temperature=1.0), timeout=0.2)
except Timeout:
    print(model.listening)
"""


def test_python_may_end_while_the_model_works() -> None:
    done = subprocess.run([sys.executable, "-c", ENDS_EARLY], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert not Path(done.stdout.strip().removeprefix("unix://")).parent.exists()


def test_threads_share_a_model(client: LanguageModel) -> None:
    requests = [Request(prompt=f"{number} and {number} is", max_tokens=2) for number in range(4)]
    alone = [client.complete(each).text for each in requests]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: client.complete(each).text, requests)) == alone


def test_an_empty_prompt_is_refused(client: LanguageModel) -> None:
    with pytest.raises(InputError, match="empty"):
        client.complete(Request(prompt=""))


def test_the_port_asks_for_the_key(model: LlamaCpp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEW_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert model.listening.startswith("http://127.0.0.1:")
    with OpenAI(model.listening) as stranger, pytest.raises(ModelError, match="rejects the API key"):
        stranger.complete(PROMPT)


def test_by_default_no_port_is_open_and_the_socket_is_private(capfd: pytest.CaptureFixture[str]) -> None:
    with open_model(threads=1, context=256) as opened:
        assert isinstance(opened, LlamaCpp)
        assert opened.listening.startswith("unix://")
        socket = Path(opened.listening.removeprefix("unix://"))
        assert stat.S_ISSOCK(socket.stat().st_mode)
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
        transport = httpx.HTTPTransport(uds=str(socket))
        with httpx.Client(transport=transport, base_url="http://localhost", trust_env=False) as stranger:
            assert stranger.post("/tokenize", json={"content": "gene"}).status_code == 401
        listening = _listening_ports()
        assert opened.complete(replace(PROMPT, max_tokens=1)).text == " Paris"
        assert _listening_ports() == listening
    assert not socket.parent.exists()
    assert opened.listening == ""
    with pytest.raises(ModelError, match="is closed: open it again"):
        opened.complete(PROMPT)
    opened.close()
    said = capfd.readouterr()
    assert said.out == said.err == "", "llama.cpp's own words reach nobody"


def _listening_ports() -> set[str]:
    """Sockets of this process that listen on TCP, as Linux tells."""
    listening = {
        line.split()[9]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(table).exists()
        for line in Path(table).read_text().splitlines()[1:]
        if line.split()[3] == "0A"
    }
    ours = {str(each.readlink()).removeprefix("socket:[").rstrip("]") for each in _descriptors()}
    return listening & ours


def _descriptors() -> list[Path]:
    folder = Path("/proc/self/fd")
    return [each for each in folder.iterdir() if each.is_symlink()] if folder.exists() else []
