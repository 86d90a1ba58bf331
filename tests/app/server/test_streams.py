"""Streams of steps, and work that stops when its client goes away."""

import json
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pyarrow as pa
import pytest

import clew
from app.server.conftest import LIMITS, Server
from clew.app.server.settings import ServerSettings

ASK = "/api/graphs/small/ask"
QUESTION = {"question": "Which phenotypes does Marfan syndrome have?"}
HEAVY = "MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(d)-[:R]->(e)-[:R]->(f)-[:R]->(g) RETURN count(*)"


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph on which a query takes as long as one lets it."""
    pairs = [(f"e:{one}", f"e:{other}") for one in range(40) for other in range(40) if one != other]
    subjects, objects = zip(*pairs, strict=True)
    out = tmp_path_factory.mktemp("dense") / "dense.clew"
    clew.build(pa.table({"subject": subjects, "relation": ["r"] * len(pairs), "object": objects}), out=out)
    return out


def metric(client: httpx.Client, name: str) -> int:
    lines = client.get("/metrics").text.splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))


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


def test_whoever_disconnects_frees_the_worker_within_a_second(
    start: Callable[[ServerSettings], Server], settings: ServerSettings, dense: Path
) -> None:
    limits = replace(LIMITS, workers=1, seconds=60.0)
    server = start(replace(settings, graphs={"dense": dense}, limits=limits))
    where = urlsplit(server.address)
    body = json.dumps({"query": HEAVY}).encode()
    head = (
        f"POST /api/graphs/dense/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with server.client() as client:
        connection = socket.create_connection((where.hostname, where.port))
        connection.sendall(head.encode() + body)
        while metric(client, "clew_workers_running") == 0:
            time.sleep(0.02)
        time.sleep(0.2)
        connection.close()
        gone = time.monotonic()
        while metric(client, "clew_workers_running"):
            time.sleep(0.02)
            assert time.monotonic() - gone < 1.0
        assert metric(client, "clew_cancelled_total") == 1
        quick = client.post("/api/graphs/dense/query", json={"query": "MATCH (n) RETURN n.id LIMIT 1"})
        assert quick.json()["count"] == 1


def test_a_request_that_takes_too_long_is_told_so(
    start: Callable[[ServerSettings], Server], settings: ServerSettings, dense: Path
) -> None:
    with start(replace(settings, graphs={"dense": dense})).client() as client:
        begun = time.monotonic()
        stopped = client.post("/api/graphs/dense/query", json={"query": HEAVY, "timeout": 0.5})
        assert (stopped.status_code, stopped.json()["error"]["kind"]) == (422, "Timeout")
        assert time.monotonic() - begun < 5
        paths = {"source": "e:0", "target": "e:1", "k": 10, "limit": 1000, "timeout": 0.3, "kind": "walks"}
        assert client.post("/api/graphs/dense/paths", json=paths).status_code in (200, 422)


def test_fifty_questions_at_once_are_all_answered(
    start: Callable[[ServerSettings], Server], settings: ServerSettings
) -> None:
    server = start(settings)
    places: list[int] = []
    together = threading.Barrier(50)

    def ask(number: int) -> str:
        with server.client() as client:
            together.wait(30)
            with client.stream("POST", ASK, json=QUESTION, headers={"accept": "application/x-ndjson"}) as answer:
                events = [json.loads(line) for line in answer.iter_lines()]
        places.extend(each["position"] for each in events if each["event"] == "queued")
        return str(events[-1]["event"])

    with ThreadPoolExecutor(50) as threads:
        ends = list(threads.map(ask, range(50)))
    assert ends == ["answer"] * 50
    assert max(places) > 2, "they did wait"


def test_too_many_get_429_and_when_to_come_back(
    start: Callable[[ServerSettings], Server], settings: ServerSettings, dense: Path
) -> None:
    limits = replace(LIMITS, workers=1, queue=2, queue_of_client=1, seconds=2.0)
    server = start(replace(settings, graphs={"dense": dense}, limits=limits))

    def query(_: int) -> httpx.Response:
        with server.client() as client:
            return client.post("/api/graphs/dense/query", json={"query": HEAVY})

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(query, range(6)))
    refused = [each for each in answers if each.status_code == 429]
    assert len(refused) == 4
    assert all(int(each.headers["retry-after"]) > 0 for each in refused)
    assert {each.status_code for each in answers} == {422, 429}
