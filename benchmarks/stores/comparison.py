"""The paper's Table II beside ours: a graph of that size and shape, loaded into the embedded store and a server.

The server is ArcadeDB, which speaks Bolt: Neo4j itself is not on the package index.

clew bench stores --quick --json stores.json
"""

import json
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import clew
from benchmarks.graphs import ibkh_files
from benchmarks.report import claim_table, environment
from benchmarks.statistics import median
from benchmarks.stores.loads import PAPER_SECONDS, Watch, counts
from benchmarks.stores.questions import QUESTIONS, check_answers
from benchmarks.workers import last_line, run_worker, worker_command, worker_environment
from clew.errors import ClewError
from clew.evaluate.report.tables import markdown_table
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["run", "show"]

QUICK = 10  # how many times smaller the quick run is
LOAD_SECONDS = 20.0  # what the embedded store may take at the paper's scale
START_SECONDS, TASK_SECONDS, QUERY_SECONDS = 120.0, 900.0, 120.0
WORKER = "benchmarks.stores.worker"
TOTAL = "all of Table II"


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Make the files, build the graph, load it into both stores, compare all answers, then time the questions."""
    repeats = {"load": 1 if quick else 3, "ask": 5 if quick else 9}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scale = QUICK if quick else 1
        written = ibkh_files.write_files(
            folder / "files", entities=ibkh_files.ENTITIES // scale, triples=ibkh_files.TRIPLES // scale,
            progress=progress,
        )  # fmt: skip
        progress("building the graph", 0, None)
        built = _work("build", str(folder / "files"), str(folder / "ibkh.clew"))
        graph = clew.open(folder / "ibkh.clew")
        assert graph.counts["triples"] == sum(written.triples.values()), "the graph has not the triples of its files"
        embedded = []
        for repeat in range(repeats["load"]):
            progress("loading the embedded store", repeat, repeats["load"])
            embedded.append(_work("load", str(folder / "ibkh.clew"), str(folder / f"embedded-{repeat}")))
        with _server(folder / "server") as url:
            server = _load_server(graph, url, progress)
            server["disk_bytes"] = _size(folder / "server")
            asked = _ask(graph, folder / "embedded-0", url, repeats["ask"], progress)
    rows = [*_load_rows(counts(graph), embedded, server), *_cost_rows(built, embedded, server), *asked]
    libraries = {library: version(library) for library in ("ladybug", "neo4j", "arcadedb-embedded")}
    return {
        "benchmark": "stores",
        "graph": {"ibkh": {"entities": graph.counts["entities"], "triples": graph.counts["triples"], "seed": 7}},
        "agree": True,
        **environment(libraries),
        "quick": quick,
        "repeats": repeats,
        "rows": rows,
        "claims": [_claim(rows, quick=quick)],
    }


def show(report: Mapping[str, Any]) -> str:
    """Table II beside ours, the questions, and the claim."""
    size = report["graph"]["ibkh"]
    parts = [
        f"### stores: {size['entities']:,} entities, {size['triples']:,} triples; seconds, median [least, most]",
        _table("load", report["rows"], ("paper", "embedded", "server"), count="entities or triples"),
        _table("question", report["rows"], ("embedded", "server", "clew"), count="rows"),
        _table("cost", report["rows"], ("clew", "embedded", "server")),
        claim_table(report["claims"]),
        "*paper: Neo4j 4.4.5 on other hardware, and at full scale. embedded: Ladybug. server: ArcadeDB over Bolt, "
        "since Neo4j itself is not to be had here. clew: the engine, looking the names up and walking.*",
    ]
    return "\n\n".join(parts)


# ---- loading


def _claim(rows: list[dict[str, Any]], *, quick: bool) -> dict[str, Any]:
    total = next(row for row in rows if row["what"] == TOTAL)
    return {
        "claim": f"bulk load into the embedded store{', a tenth of the scale' if quick else ''}, seconds",
        "at_most": LOAD_SECONDS,
        "measured": total["embedded"],
        "against": f"the paper's Neo4j, {total['paper']:.0f} s",
        "holds": total["embedded"] <= LOAD_SECONDS,
    }


def _load_server(graph: GraphEngine, url: str, progress: Progress) -> dict[str, Any]:
    from clew.store.server_load import load_server

    watch = Watch(graph)

    def both(task: str, done: int, total: int | None) -> None:
        watch(task, done, total)
        progress(f"{task} into the server", done, total)

    start = time.perf_counter()
    load_server(graph, url, progress=both)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "steps": watch.steps(seconds)}


def _load_rows(
    sizes: Mapping[str, int], embedded: list[dict[str, Any]], server: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for line, paper in PAPER_SECONDS.items():
        times = [each["steps"].get(line, 0.0) for each in embedded]
        row = {"kind": "load", "what": line, "count": sizes.get(line, 0), "paper": paper}
        yield row | _spread("embedded", times) | {"server": server["steps"].get(line, 0.0)}
    times = [each["steps"]["all else"] for each in embedded]
    row = {"kind": "load", "what": "tables, indexes, checks", "count": 0, "paper": None}
    yield row | _spread("embedded", times) | {"server": server["steps"]["all else"]}
    row = {"kind": "load", "what": TOTAL, "count": sum(sizes.values()), "paper": sum(PAPER_SECONDS.values())}
    yield row | _spread("embedded", [each["seconds"] for each in embedded]) | {"server": server["seconds"]}


def _cost_rows(
    built: Mapping[str, Any], embedded: list[dict[str, Any]], server: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """What building the graph and loading it cost beside time; processor time does not grow on a busy machine."""
    busy = _spread("embedded", [each["processor_seconds"] for each in embedded])
    peak = max(each["peak_bytes"] for each in embedded) / 1e9
    disk = {"embedded": embedded[0]["disk_bytes"] / 1e6, "server": server["disk_bytes"] / 1e6}
    figures: dict[str, dict[str, Any]] = {
        "building the graph from the files, seconds": {"clew": built["seconds"]},
        "building or loading, processor seconds": {"clew": built["processor_seconds"], **busy},
        "building or loading, peak memory, GB": {"clew": built["peak_bytes"] / 1e9, "embedded": peak},
        "on disk, MB": disk,
    }
    return [{"kind": "cost", "what": what, **row} for what, row in figures.items()]


# ---- asking


def _ask(graph: GraphEngine, embedded: Path, url: str, repeats: int, progress: Progress) -> list[dict[str, Any]]:
    """Time every question on both stores and the engine, in turns, once all of them have given the same answers."""
    from clew.store.store import open_store

    with open_store(embedded, graph) as embedded_store, open_store(url, graph) as server_store:
        progress("comparing answers", 0, None)
        stores = [("embedded", embedded_store), ("server", server_store)]
        found = check_answers(graph, stores, timeout=QUERY_SECONDS)
        rows = []
        for at, question in enumerate(QUESTIONS):
            progress("asking", at, len(QUESTIONS))
            ways: dict[str, Callable[[], object]] = {
                "embedded": lambda question=question: question.ask(embedded_store, timeout=QUERY_SECONDS),
                "server": lambda question=question: question.ask(server_store, timeout=QUERY_SECONDS),
                "clew": lambda question=question: question.walk(graph, question.text),
            }
            times: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(repeats):
                for way, ask in ways.items():
                    times[way].append(_timed(ask))
            row = {"kind": "question", "what": question.what, "count": found[question.what]}
            for way, taken in times.items():
                row |= _spread(way, taken)
            rows.append(row)
    return rows


def _timed(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start


def _spread(who: str, seconds: list[float]) -> dict[str, Any]:
    low, high = min(seconds), max(seconds)
    return {who: median(np.array(seconds)), f"{who}_range": [low, high]} if len(seconds) > 1 else {who: seconds[0]}


# ---- processes


def _work(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        run_worker(_worker(*arguments), name=f"{WORKER} {arguments[0]}", timeout=TASK_SECONDS)
    )
    return found


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    """A server of our own on the loopback; gives its address, and ends it."""
    folder.mkdir()
    password = secrets.token_hex(12)
    said, complained = folder / "said.txt", folder / "complained.txt"  # files: a pipe that nobody empties would fill up
    with open(said, "wb") as out, open(complained, "wb") as errors:
        process = subprocess.Popen(
            _worker("serve", str(folder)), stdin=subprocess.PIPE, stdout=out, stderr=errors, env=worker_environment(),
            cwd=folder,
        )  # fmt: skip
    assert process.stdin is not None
    try:
        with suppress(OSError):  # it may have ended already: the next line finds out
            process.stdin.write(f"{password}\n".encode())
            process.stdin.flush()
        where = _listening(process, said, complained)
        yield f"bolt://root:{password}@127.0.0.1:{where['port']}/{where['database']}"
    finally:
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _listening(process: "subprocess.Popen[bytes]", said: Path, complained: Path) -> dict[str, Any]:
    """The line of JSON in which a server says where it listens."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for line in said.read_text("utf-8", "replace").splitlines(keepends=True):
            if line.startswith("{") and line.endswith("\n"):
                found: dict[str, Any] = json.loads(line)
                return found
        time.sleep(0.1)
    reason = last_line(complained.read_text("utf-8", "replace"))
    raise ClewError(f"the ArcadeDB server did not start within {START_SECONDS:.0f} s: {reason}")


def _worker(*arguments: str) -> list[str]:
    return worker_command(WORKER, *arguments)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


# ---- showing


def _table(kind: str, rows: list[Mapping[str, Any]], systems: tuple[str, ...], *, count: str | None = None) -> str:
    body = []
    for row in rows:
        if row["kind"] == kind:
            number = [f"{row['count']:,}" if row["count"] else ""] if count else []
            body.append([row["what"], *number, *(_cell(row, system) for system in systems)])
    return markdown_table([kind, *([count] if count else []), *systems], body)


def _cell(row: Mapping[str, Any], system: str) -> str:
    value, spread = row.get(system), row.get(f"{system}_range")
    if value is None:
        return ""
    return f"{value:.3g}" if spread is None else f"{value:.3g} [{spread[0]:.3g}, {spread[1]:.3g}]"
