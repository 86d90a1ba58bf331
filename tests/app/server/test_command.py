"""`clew serve` as it is started and stopped: in a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.conftest import Ran

LIGHT = ("--no-embedding", "--extraction", "none")  # what takes long to open


def started(graph: Path, *options: str, **environment: str) -> tuple[subprocess.Popen[str], str]:
    """A server in a process, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "clew.app.cli.main", "serve", str(graph), "--port", "0", *LIGHT, *options],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"serving small at (http://\S+)", line):
            return process, found[1]
    raise AssertionError(process.wait())


def test_it_starts_answers_logs_and_stops(graph: Path) -> None:
    process, address = started(graph, "--log-questions", CLEW_TOKEN="0123456789abcdef-secret")
    try:
        with httpx.Client(base_url=address, timeout=60) as client:
            assert client.get("/api/server").status_code == 401
            client.headers["authorization"] = "Bearer 0123456789abcdef-secret"
            answer = client.post("/api/graphs/small/ask", json={"question": "Which diseases does FBN1 cause?"})
            assert answer.json()["items"]
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert process.returncode in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    asked = next(line for line in lines if line.get("route") == "/api/graphs/{graph}/ask")
    assert asked["question"] == "Which diseases does FBN1 cause?"
    assert "0123456789abcdef-secret" not in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "CLEW_TOKEN"),
        (["--port", "70000"], "--port is a number"),
        (["--timeout", "0"], "--timeout is a number"),
        (["--workers", "0"], "--workers is a number"),
        (["--token-file", "/nowhere"], "cannot be read"),
        (["--host", "203.0.113.1", "--token-file", "TOKEN"], "cannot listen"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(
    run: Callable[..., Ran], graph: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdef-secret")
    ran = run("serve", graph, *[str(token) if each == "TOKEN" else each for each in options])
    assert ran.code == 2
    assert said in ran.error
    assert ran.error.count("\n") == 1


def test_a_graph_that_is_none_is_said(run: Callable[..., Ran], tmp_path: Path) -> None:
    ran = run("serve", tmp_path / "absent.clew", "--port", "0")
    assert ran.code == 1
    assert "does not exist" in ran.error
