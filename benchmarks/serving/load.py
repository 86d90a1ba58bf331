"""Load on a server, client included: hops beside a constant handler and a NetworkX peer; asks together; mixed load.

clew bench serve --json benchmarks/results/serve.json    # a quarter of an hour; --quick takes two minutes
CLEW_UPDATE_DOCS=1 pytest tests/benchmarks/serving       # the figures into docs/serving.md

The client is wrk (Debian's package); what is reported is the highest rate at which 99 % of requests take at most 50 ms,
and the processor time that the server takes for a request, which does not depend on what else the machine does.
"""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

import clew
from benchmarks.report import claim_table, environment
from benchmarks.statistics import median
from benchmarks.workers import worker_command, worker_environment
from clew.errors import ClewError
from clew.evaluate.report.tables import markdown_table
from clew.graph import read_entities
from clew.progress import Progress, silent

__all__ = ["run", "show"]

K, SEEDS = 2, 2_000
P99 = 0.05  # seconds
CONNECTIONS = (2, 8, 32)
ASKS = 50
SHARE = 0.6  # of the constant handler's rate
GROWTH = 1.05  # of resident memory under mixed load
QUESTIONS = (
    "Which genes are linked to arachnodactyly?",
    "Which diseases show both seizure and ataxia?",
    "How many phenotypes does Marfan syndrome have?",
    "How is FBN1 connected to arachnodactyly?",
)
SCRIPT = """
local bodies = {}
for line in io.lines("BODIES") do bodies[#bodies + 1] = line end
local at = 0
request = function()
  at = at % #bodies + 1
  return wrk.format("POST", "PATH", {["Content-Type"] = "application/json"}, bodies[at])
end
"""
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}
SAMPLES = 20  # of memory under mixed load


@dataclass(frozen=True, slots=True)
class Served:
    """A server in a process of its own."""

    address: str
    process: int

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Build HPO, compare answers, then measure rates in turns, asks together, and memory under mixed load."""
    if shutil.which("wrk") is None:
        raise ClewError("this benchmark needs wrk: install it, on Debian with `apt-get install wrk`")
    rounds, seconds, mixed = (2, 2, 20) if quick else (5, 8, 600)
    made_on = environment()  # before the load of its own
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        progress("building HPO", 0, None)
        clew.build("hpo", out=folder / "hpo.clew")
        engine = clew.open(folder / "hpo.clew")
        ids = read_entities(engine, ["id"])["id"].to_pylist()
        seeds = random.Random(0).sample(ids, SEEDS)
        length = _mean_length(engine, seeds)
        with _server("clew", folder, length) as ours, _server("networkx", folder, length) as peer:
            _compare(ours.address, peer.address, seeds[:100])
            targets = {
                "hop": (ours, "/api/graphs/hpo/hop"),
                "constant": (ours, "/api/graphs/hpo/constant"),
                "networkx": (peer, "/hop"),
            }
            rows = _rates(targets, seeds, folder, rounds=rounds, seconds=seconds, progress=progress)
        with _server("clew", folder, length) as ours:
            asked = _asks(ours.address)
            memory = _mixed(ours.address, seeds, seconds=mixed, progress=progress)
    return {
        "benchmark": "serve",
        "environment": made_on,
        "graph": "HPO",
        "k": K,
        "mean_body": length,
        "rows": rows,
        "asks": asked,
        "memory": memory,
        "claims": _claims(rows, asked, memory),
    }


def show(report: dict[str, Any]) -> str:
    """The report as Markdown."""
    header = ["handler", "requests/s", "p99 ms", "connections", "share of constant", "CPU µs a request"]
    best = {row["handler"]: row for row in report["rows"]}
    table = markdown_table(
        header,
        [
            [
                name,
                f"{row['rate']:,.0f}",
                f"{row['p99'] * 1000:.1f}",
                str(row["connections"]),
                f"{row['rate'] / best['constant']['rate']:.2f}",
                f"{row['cpu'] * 1e6:.0f}",
            ]
            for name, row in best.items()
        ],
    )
    asks, memory, machine = report["asks"], report["memory"], report["environment"]["machine"]
    said = (
        f"{asks['answered']} of {asks['asked']} concurrent asks answered, the last after {asks['seconds']:.1f} s; "
        f"{memory['seconds']} s of mixed load, {memory['requests']:,} requests: {memory['first'] >> 20} MiB after a "
        f"quarter of it, {memory['last'] >> 20} MiB at the end. {machine['processor']}, {machine['cores']} cores, "
        f"load {machine['load'][0]:g} before."
    )
    return f"{table}\n\n{said}\n\n{claim_table(report['claims'])}"


@contextmanager
def _server(kind: str, folder: Path, length: int) -> Iterator[Served]:
    """A server in a process of its own."""
    process = subprocess.Popen(
        worker_command("benchmarks.serving.servers", kind, str(folder / "hpo.clew"), str(length)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=worker_environment(),
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise ClewError(f"the server {kind} did not start")
        for _ in range(200):
            with httpx.Client(base_url=address) as client:
                try:
                    client.get("/health")
                    break
                except httpx.ConnectError:
                    time.sleep(0.05)
        yield Served(address, process.pid)
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def _body(seed: str) -> dict[str, Any]:
    return {"seeds": [seed], "k": K, "ids_only": True, "limit": 10_000}


def _mean_length(engine: clew.GraphEngine, seeds: Sequence[str]) -> int:
    """About as many bytes as an answer has: 300 for what is around the ids, and each id in quotes with a comma."""
    sizes = [len("".join(engine.hop([seed], K))) + 3 * len(engine.hop([seed], K)) for seed in seeds[:500]]
    return 300 + sum(sizes) // len(sizes)


def _compare(ours: str, peer: str, seeds: Sequence[str]) -> None:
    with httpx.Client() as client:
        for seed in seeds:
            mine = client.post(f"{ours}api/graphs/hpo/hop", json=_body(seed)).json()["ids"]
            theirs = client.post(f"{peer}hop", json={"seeds": [seed], "k": K}).json()["ids"]
            assert set(mine) == set(theirs), f"the servers disagree about {seed}"


def _rates(
    targets: dict[str, tuple[Served, str]],
    seeds: Sequence[str],
    folder: Path,
    *,
    rounds: int,
    seconds: int,
    progress: Progress,
) -> list[dict[str, Any]]:
    """The highest rate of each target within the limit of latency: medians over rounds in which all take turns."""
    bodies = folder / "bodies"
    bodies.write_text("".join(f"{json.dumps(_body(seed))}\n" for seed in seeds), "utf-8")
    measured: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    done, total = 0, rounds * len(CONNECTIONS) * len(targets)
    for _ in range(rounds):
        for connections in CONNECTIONS:
            for name, (server, path) in targets.items():
                progress("measuring rates", done, total)
                before = server.cpu()
                rate, p99, requests = _wrk(server.address, path, folder, connections=connections, seconds=seconds)
                measured.setdefault((name, connections), []).append((rate, p99, (server.cpu() - before) / requests))
                done += 1
    rows = []
    for name in targets:
        held = []
        for connections in CONNECTIONS:
            some = measured[name, connections]
            row = {
                key: median(list(each))
                for key, each in zip(("rate", "p99", "cpu"), zip(*some, strict=True), strict=True)
            }
            rates = [round(rate) for rate, _, _ in some]
            held.append({"handler": name, "connections": connections, **row, "rates": rates})
        within = [row for row in held if row["p99"] <= P99]
        rows.append(max(within or held, key=lambda row: row["rate"]))
    return rows


def _wrk(address: str, path: str, folder: Path, *, connections: int, seconds: int) -> tuple[float, float, int]:
    """Requests per second, the 99th percentile of latency in seconds, and the number of requests."""
    script = folder / "load.lua"
    script.write_text(SCRIPT.replace("BODIES", str(folder / "bodies")).replace("PATH", path), "utf-8")
    said = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script), address],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "Non-2xx" not in said, said
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", said)
    requests = re.search(r"(\d+) requests in", said)
    assert rate is not None, said
    assert p99 is not None, said
    assert requests is not None, said
    return float(rate[1]), float(p99[1]) * UNITS[p99[2]], int(requests[1])


def _asks(address: str) -> dict[str, Any]:
    """Questions at once, four of five from one client: how many are answered, and how a second client fares."""
    together, begun = threading.Barrier(ASKS), [0.0]
    ends: list[tuple[float, bool]] = []

    def ask(number: int) -> bool:
        few = number % 5 == 0
        transport = httpx.HTTPTransport(local_address="127.0.0.2" if few else "127.0.0.1")
        with httpx.Client(base_url=address, transport=transport, timeout=300) as client:
            together.wait()
            begun[0] = begun[0] or time.monotonic()
            body = {"question": QUESTIONS[number % len(QUESTIONS)]}
            well = client.post("/api/graphs/hpo/ask", json=body).status_code == 200
        ends.append((time.monotonic() - begun[0], few))
        return well

    with ThreadPoolExecutor(ASKS) as threads:
        answered = sum(threads.map(ask, range(ASKS)))
    last = {few: max(end for end, each in ends if each is few) for few in (True, False)}
    return {"asked": ASKS, "answered": answered, "seconds": last[False], "small_client_seconds": last[True]}


def _mixed(address: str, seeds: Sequence[str], *, seconds: int, progress: Progress) -> dict[str, Any]:
    """Memory of the server while hops, paths, questions and searches go on together."""
    ends = time.monotonic() + seconds
    failures: list[str] = []
    answered = [0] * 4

    def play(number: int) -> None:
        order = random.Random(number)
        with httpx.Client(base_url=f"{address}api/graphs/hpo", timeout=60) as client:
            while time.monotonic() < ends:
                seed, other = order.sample(seeds, 2)
                answers = (
                    client.post("/hop", json=_body(seed)),
                    client.get("/entities", params={"text": seed}),
                    client.get("/neighbourhood", params={"id": seed}),
                    client.post("/paths", json={"source": seed, "target": other, "k": 2, "timeout": 5}),
                    client.post("/ask", json={"question": order.choice(QUESTIONS)}),
                )
                failures.extend(each.text for each in answers if each.status_code >= 500)
                answered[number] += len(answers)

    samples: list[int] = []
    with ThreadPoolExecutor(4) as threads:
        playing = [threads.submit(play, number) for number in range(4)]
        for at in range(SAMPLES):
            progress("mixed load", at, SAMPLES)
            time.sleep(seconds / SAMPLES)
            samples.append(_resident(address))
        for each in playing:
            each.result()
    return {
        "seconds": seconds,
        "requests": sum(answered),
        "first": samples[SAMPLES // 4],
        "last": _resident(address),
        "samples": samples,
        "failures": failures[:3],
    }


def _resident(address: str) -> int:
    found = re.search(r"^process_resident_memory_bytes (\d+)", httpx.get(f"{address}metrics").text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def _claims(rows: Sequence[dict[str, Any]], asked: dict[str, Any], memory: dict[str, Any]) -> list[dict[str, Any]]:
    rates = {row["handler"]: row for row in rows}
    share = rates["hop"]["rate"] / rates["constant"]["rate"]
    ahead = rates["hop"]["rate"] / rates["networkx"]["rate"]
    growth = memory["last"] / memory["first"]
    small = asked["small_client_seconds"] / asked["seconds"]
    return [
        {"claim": "hops, share of a constant handler's rate", "at_least": SHARE, "measured": share,
         "against": "constant body", "holds": share >= SHARE},
        {"claim": "hops, times the rate of a NetworkX peer", "at_least": 1.0, "measured": ahead,
         "against": "bare FastAPI", "holds": ahead >= 1},
        {"claim": "99 % of hops, seconds", "at_most": P99, "measured": rates["hop"]["p99"],
         "holds": rates["hop"]["p99"] <= P99},
        {"claim": "concurrent asks that are answered", "at_least": ASKS, "measured": asked["answered"],
         "holds": asked["answered"] == ASKS},
        {"claim": "a client of few asks waits, share of the other's time", "at_most": 0.9, "measured": small,
         "holds": small <= 0.9},
        {"claim": "resident memory after mixed load", "at_most": GROWTH, "measured": growth, "holds": growth <= GROWTH},
        {"claim": "failures under mixed load", "at_most": 0, "measured": len(memory["failures"]),
         "holds": not memory["failures"]},
    ]  # fmt: skip
