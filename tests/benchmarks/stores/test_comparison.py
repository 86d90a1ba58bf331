"""The stores benchmark: who took how long for which line of Table II, equal answers or none, and processes that end."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import clew
from benchmarks.graphs import ibkh_files
from benchmarks.stores import comparison as stores
from benchmarks.stores import loads as store_loads
from benchmarks.stores import questions as store_questions
from clew.errors import ClewError
from clew.store.embedded import build_embedded
from clew.store.store import open_store
from clew.store.values import Rows
from clew.traverse import Engine, open

ENTITIES, TRIPLES = 1_300, 60_000


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("stores")
    ibkh_files.write_files(folder / "files", entities=ENTITIES, triples=TRIPLES)
    clew.build(folder / "files", out=folder / "ibkh.clew")
    return open(folder / "ibkh.clew")


def test_the_lines_of_table_ii_hold_the_whole_graph(graph: Engine) -> None:
    counts = store_loads.counts(graph)
    assert counts.keys() == store_loads.PAPER_SECONDS.keys()
    assert sum(counts.values()) == ENTITIES + TRIPLES
    assert round(sum(store_loads.PAPER_SECONDS.values()), 2) == 259.07


def test_time_goes_to_the_line_that_was_loaded(graph: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(store_loads.time, "perf_counter", lambda: now)
    watch = store_loads.Watch(graph)
    reported: list[tuple[str, int]] = []

    def second_by_second(task: str, done: int, total: int | None) -> None:
        nonlocal now
        now += 1
        watch(task, done, total)
        reported.append((task, done))

    build_embedded(graph, path=tmp_path / "store", progress=second_by_second)
    steps = watch.steps(now)
    assert steps.keys() - {"all else"} == store_loads.PAPER_SECONDS.keys()
    assert sum(steps.values()) == now == len(reported)
    loaded = [done for task, done in reported if done and task == "loading entities"]
    assert steps["Disease"] >= 1
    assert sum(steps[line] for line in graph.schema.types) == len(loaded)
    assert steps["all else"] == sum(not done for _, done in reported)  # a task's beginning belongs to no line


@dataclass
class Forgetful:
    """A store that loses one row of each answer."""

    store: Any

    def run(self, query: str, parameters: Any, *, timeout: float, limit: int) -> Rows:
        found = self.store.run(query, parameters, timeout=timeout, limit=limit)
        return Rows(found.columns, found.rows[1:])


def test_answers_are_the_same_or_nothing_is_timed(graph: Engine, tmp_path: Path) -> None:
    build_embedded(graph, path=tmp_path / "store")
    engine = graph
    with open_store(tmp_path / "store", graph) as store:
        rows = store_questions.check_answers(engine, [("embedded", store)], timeout=60)
        assert rows.keys() == {question.what for question in store_questions.QUESTIONS}
        assert min(rows.values()) > 0
        with pytest.raises(AssertionError, match="embedded misses 1 rows and has 0 that clew has not"):
            store_questions.check_answers(engine, [("embedded", Forgetful(store))], timeout=60)


def test_a_task_in_its_own_process(graph: Engine, tmp_path: Path) -> None:
    found = stores._work("load", graph.snapshot.name, str(tmp_path / "store"))
    assert found["disk_bytes"] > 100_000
    assert found["steps"].keys() == {*store_loads.PAPER_SECONDS, "all else"}
    assert sum(found["steps"].values()) == pytest.approx(found["seconds"])
    with pytest.raises(ClewError, match=r"benchmarks.stores.worker load ended with status 1: .*no such graph"):
        stores._work("load", str(tmp_path / "no such graph"), str(tmp_path / "other"))


def test_a_server_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_worker", lambda *arguments: [sys.executable, "-c", "raise SystemExit('no Java')"])
    with pytest.raises(ClewError, match=r"did not start.*no Java"), stores._server(tmp_path / "server"):
        pytest.fail("it should not have started")


def test_a_server_ends_with_its_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = 'import sys; print("hello\\n{\\"port\\": 7, \\"database\\": \\"d\\"}", flush=True); sys.stdin.read()'
    monkeypatch.setattr(stores, "_worker", lambda *arguments: [sys.executable, "-c", code])
    started: list[subprocess.Popen[bytes]] = []
    begin = subprocess.Popen
    monkeypatch.setattr(stores.subprocess, "Popen", lambda *a, **k: started.append(begin(*a, **k)) or started[-1])
    with stores._server(tmp_path / "server") as url:
        assert url.startswith("bolt://root:")
        assert url.endswith("@127.0.0.1:7/d")
        assert started[0].poll() is None
    assert started[0].returncode == 0


def test_the_report_shows_the_paper_beside_ours() -> None:
    counted = dict.fromkeys(store_loads.PAPER_SECONDS, 10)
    steps = {**dict.fromkeys(store_loads.PAPER_SECONDS, 0.5), "all else": 1.0}
    cost = {"processor_seconds": 6.0, "peak_bytes": 1e9, "disk_bytes": 2e6}
    embedded = [{"seconds": each, "steps": steps, **cost} for each in (7.0, 8.0, 10.0)]
    server = {"seconds": 180.0, "steps": steps, "disk_bytes": 3e8}
    rows = [*stores._load_rows(counted, embedded, server), *stores._cost_rows(embedded[0], embedded, server)]
    rows.append({"kind": "question", "what": "symptoms", "count": 5, **stores._spread("clew", [0.001, 0.003, 0.002])})
    claims = [stores._claim(rows, quick=False)]
    report = {"graph": {"ibkh": {"entities": 5, "triples": 7}}, "rows": rows, "claims": claims}
    lines = stores.show(report).splitlines()
    assert "| Drug-Drug | 10 | 190 | 0.5 [0.5, 0.5] | 0.5 |" in lines
    assert "| all of Table II | 120 | 259 | 8 [7, 10] | 180 |" in lines
    assert "| symptoms | 5 |  |  | 0.002 [0.001, 0.003] |" in lines
    assert "| on disk, MB |  | 2 | 300 |" in lines
    assert "| bulk load into the embedded store, seconds | ≤ 20 | 8 | the paper's Neo4j, 259 s | yes |" in lines


@pytest.mark.slow
def test_the_whole_benchmark_on_a_small_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "QUICK", 80)  # at 100 nobody named Alzheimer has a symptom left
    report = stores.run(quick=True)
    assert report["agree"]
    total = next(row for row in report["rows"] if row["what"] == stores.TOTAL)
    assert total["server"] > 0
    assert total["count"] == 65_828 // 80 + 3_004_166 // 80
    assert {row["kind"] for row in report["rows"]} == {"load", "cost", "question"}
    assert [claim["holds"] for claim in report["claims"]] == [True]
