"""Streams of steps, and work that stops when its client goes away."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import httpx
import pyarrow as pa
import pytest

import clew
from app.server.conftest import LIMITS, Server, serving
from clew.app.server.settings import ServerSettings

ASK = "/api/graphs/small/ask"
QUESTION = {"question": "Which phenotypes does Marfan syndrome have?"}
HEAVY = "MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(d)-[:R]->(e)-[:R]->(f)-[:R]->(g) RETURN count(*)"


@pytest.fixture(scope="module")
def dense(settings: ServerSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of one worker and a short queue, with a graph on which a query takes as long as one lets it."""
    pairs = [(f"e:{one}", f"e:{other}") for one in range(40) for other in range(40) if one != other]
    subjects, objects = zip(*pairs, strict=True)
    out = tmp_path_factory.mktemp("dense") / "dense.clew"
    clew.build(pa.table({"subject": subjects, "relation": ["r"] * len(pairs), "object": objects}), out=out)
    limits = replace(LIMITS, workers=1, queue=2, queue_of_client=1, seconds=120.0)
    with serving(replace(settings, graphs={"dense": out}, limits=limits)) as server:
        yield server


@contextmanager
def heavy(server: Server, *headers: str) -> Iterator[socket.socket]:
    """A connection with a query that takes long."""
    where = urlsplit(server.address)
    body = json.dumps({"query": HEAVY}).encode()
    head = [
        "POST /api/graphs/dense/query HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    with socket.create_connection((where.hostname, where.port)) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
        yield connection


def metric(client: httpx.Client, name: str) -> int:
    lines = client.get("/metrics").text.splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))


def wait_for(client: httpx.Client, seconds: float = 30.0, **metrics: int) -> float:
    """Wait until metrics have these values; how long that took."""
    begun = time.monotonic()
    while {name: metric(client, f"clew_{name}") for name in metrics} != metrics:
        assert time.monotonic() - begun < seconds
        time.sleep(0.02)
    return time.monotonic() - begun


def test_lines_of_json(client: httpx.Client) -> None:
    whole = client.post(ASK, json=QUESTION).json()
    with client.stream("POST", ASK, json=QUESTION, headers={"accept": "application/x-ndjson"}) as answer:
        assert answer.headers["content-type"] == "application/x-ndjson"
        events = [json.loads(line) for line in answer.iter_lines()]
    assert [each["step"] for each in events if each["event"] == "step"] == ["names", "plans", "query", "evidence"]
    assert events[0]["text"] == "Marfan syndrome: Marfan syndrome"
    assert [each["event"] for each in events].count("answer") == 1
    last = events[-1]["answer"]
    for each in (last, whole):
        each.pop("usage"), each.pop("trace")
    assert last == whole


def test_server_sent_events(client: httpx.Client) -> None:
    with client.stream("POST", ASK, json=QUESTION, headers={"accept": "text/event-stream, */*"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        blocks = "".join(answer.iter_text()).split("\n\n")
    events = [block.split("\n") for block in blocks if block]
    assert events[0][0] == "event: step"
    assert json.loads(events[0][1].removeprefix("data: "))["step"] == "names"
    assert events[-1][0] == "event: answer"


def test_a_stream_ends_with_an_error_in_place_of_an_answer(client: httpx.Client) -> None:
    body = {"cypher": "MATCH (n:Nothing) RETURN n"}
    with client.stream("POST", ASK, json=body, headers={"accept": "application/x-ndjson"}) as answer:
        assert answer.status_code == 200
        events = [json.loads(line) for line in answer.iter_lines()]
    assert events[-1]["event"] == "error"
    assert events[-1]["error"]["kind"] == "QueryError"
    refused = client.post(ASK, json={}, headers={"accept": "application/x-ndjson"})
    assert refused.status_code == 400, "what is wrong from the beginning has its status"


def test_whoever_disconnects_frees_the_worker(dense: Server) -> None:
    freed(dense, within=30)


@pytest.mark.soak  # a time, which needs a quiet machine
def test_the_worker_is_free_within_a_second(dense: Server) -> None:
    freed(dense, within=1)


def freed(server: Server, *, within: float) -> None:
    """A client of a query of two minutes goes away: the worker is free in time, and answers the next request."""
    with server.client() as client:
        before = metric(client, "clew_cancelled_total")
        with heavy(server):
            wait_for(client, workers_running=1)
        wait_for(client, within, workers_running=0)
        assert metric(client, "clew_cancelled_total") == before + 1
        quick = client.post("/api/graphs/dense/query", json={"query": "MATCH (n) RETURN n.id LIMIT 1"})
        assert quick.json()["count"] == 1


def test_a_request_that_takes_too_long_is_told_so(dense: Server) -> None:
    with dense.client() as client:
        stopped = client.post("/api/graphs/dense/query", json={"query": HEAVY, "timeout": 0.3})
        assert (stopped.status_code, stopped.json()["error"]["kind"]) == (422, "Timeout")
        paths = {"source": "e:0", "target": "e:1", "k": 10, "limit": 1000, "timeout": 0.3, "kind": "walks"}
        assert client.post("/api/graphs/dense/paths", json=paths).status_code in (200, 422)


def test_too_many_get_429_and_when_to_come_back(dense: Server) -> None:
    with dense.client() as client:
        with heavy(dense):
            wait_for(client, workers_running=1)
            with heavy(dense):
                wait_for(client, queue_waiting=1)
                refused = client.post("/api/graphs/dense/query", json={"query": HEAVY})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert "wait already" in refused.json()["error"]["message"]
        wait_for(client, workers_running=0, queue_waiting=0)


def test_a_server_that_stops_says_so_to_requests_that_take_longer(
    settings: ServerSettings, dense: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.app.server.run.SHUTDOWN_SECONDS", 0.1)
    with ThreadPoolExecutor(1) as thread:
        with serving(replace(settings, graphs={"dense": dense.path})) as server, server.client() as client:
            waiting = thread.submit(httpx.post, f"{server.address}api/graphs/dense/query", json={"query": HEAVY})
            wait_for(client, workers_running=1)
        stopped = waiting.result(30)
    assert (stopped.status_code, stopped.json()["error"]["kind"]) == (503, "Busy")
    assert "shutting down" in stopped.json()["error"]["message"]


@pytest.mark.parametrize("trusted", [(), ("127.0.0.1",)])
def test_clients_of_a_trusted_proxy_are_told_apart(
    settings: ServerSettings, dense: Server, trusted: tuple[str, ...]
) -> None:
    """Two clients behind one proxy: as one they have a request too many, as two they do not."""
    limits = replace(LIMITS, workers=1, queue=8, queue_of_client=1, seconds=120.0)
    proxied = replace(settings, graphs={"dense": dense.path}, limits=limits, trusted_proxies=trusted)
    with serving(proxied) as server, server.client() as client, heavy(server, "x-forwarded-for: 192.0.2.1"):
        wait_for(client, workers_running=1)
        with heavy(server, "x-forwarded-for: 192.0.2.1"):
            wait_for(client, queue_waiting=1)
            with heavy(server, "x-forwarded-for: 192.0.2.1, 192.0.2.2"):
                wait_for(client, queue_waiting=2 if trusted else 1, refused_total=0 if trusted else 1)


def test_fifty_questions_at_once_are_all_answered(server: Server) -> None:
    places: list[int] = []
    together = threading.Barrier(50)

    def ask(number: int) -> str:
        with server.client() as client:
            together.wait(60)
            with client.stream("POST", ASK, json=QUESTION, headers={"accept": "application/x-ndjson"}) as answer:
                events = [json.loads(line) for line in answer.iter_lines()]
        places.extend(each["position"] for each in events if each["event"] == "queued")
        return str(events[-1]["event"])

    with ThreadPoolExecutor(50) as threads:
        ends = list(threads.map(ask, range(50)))
    assert ends == ["answer"] * 50
    assert max(places) > 2, "they did wait"
