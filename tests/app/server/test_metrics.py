"""Counts, in the format that Prometheus reads, and logs."""

import json
import logging
import time

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.server.conftest import Server
from clew.app.server.edge.logs import _Lines
from clew.app.server.edge.metrics import CONTENT_TYPE


def samples(client: httpx.Client) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == CONTENT_TYPE
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_requests_are_counted(client: httpx.Client) -> None:
    route = ("route", "/api/graphs/{graph}/hop")
    counted = ("clew_requests_total", (("method", "POST"), route, ("status", "200")))
    total = ("clew_request_seconds_count", (route,))
    before = samples(client)
    for _ in range(3):
        client.post("/api/graphs/small/hop", json={"seeds": ["G:1"]})
    client.post("/api/graphs/small/hop", json={"seeds": ["unknown"]})
    after = samples(client)
    assert after[counted] - before.get(counted, 0) == 3
    assert after[total] - before.get(total, 0) == 4
    assert after["clew_request_seconds_bucket", (("le", "+Inf"), route)] == after[total]
    refused = ("clew_requests_total", (("method", "POST"), route, ("status", "404")))
    assert after[refused] - before.get(refused, 0) == 1


def test_the_server_is_described(client: httpx.Client) -> None:
    found = samples(client)
    assert found["clew_graph_entities", (("graph", "small"),)] == 10
    assert found["clew_workers_running", ()] == 0
    assert found["process_resident_memory_bytes", ()] > 1 << 20
    snapshots = [dict(labels)["snapshot"] for name, labels in found if name == "clew_graph_info"]
    assert snapshots == [client.get("/api/server").json()["graphs"][0]["snapshot"]]


def test_addresses_without_a_route_are_counted_together(client: httpx.Client) -> None:
    """Whoever tries addresses cannot fill the memory with counts."""
    for number in range(20):
        client.get(f"/nothing/{number}")
    routes = {dict(labels)["route"] for name, labels in samples(client) if name == "clew_requests_total"}
    assert "other" in routes
    assert not [each for each in routes if "nothing" in each]


def test_logs_have_the_request_and_no_question(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "clew.server"), server.client() as client:
        answer = client.post("/api/graphs/small/ask", json={"question": "Which diseases does FBN1 cause?"})
        ends, wanted = time.monotonic() + 30, answer.headers["x-request-id"]
        while not (found := [each for each in caplog.records if getattr(each, "request", "") == wanted]):
            assert time.monotonic() < ends  # it is logged after it was answered
            time.sleep(0.01)
    (record,) = found
    line = json.loads(_Lines().format(record))
    assert line["route"] == "/api/graphs/{graph}/ask"
    assert (line["status"], line["graph"], line["event"]) == (200, "small", "request")
    assert "FBN1" not in json.dumps(line)
