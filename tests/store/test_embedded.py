"""The embedded store: built whole, sealed, read-only, and never in the way of another process."""

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import clew
from clew.errors import DerivedError, GraphError, QueryError, StoreError, Timeout
from clew.store import embedded
from clew.store.deadline import Deadline
from clew.store.embedded import FILE, EmbeddedStore, build_embedded
from clew.store.process.process import QueryFailed
from clew.store.store import open_store

Make = Callable[..., clew.Engine]
WRITES = (
    "CREATE (:Gene {id: 'new'})",
    "MATCH (n) DETACH DELETE n",
    "DROP TABLE Gene",
    "CREATE NODE TABLE X(id STRING PRIMARY KEY)",
)


def test_it_lies_beside_the_graph(make: Make) -> None:
    graph = make()
    path = build_embedded(graph)
    assert path == graph.snapshot.folder / "derived" / graph.snapshot.id / "ladybug"
    assert sorted(file.name for file in path.iterdir()) == ["seal.json", FILE]
    with EmbeddedStore(graph) as store:
        assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]
    assert sorted(file.name for file in path.iterdir()) == ["seal.json", FILE]


def test_progress_reaches_the_end(make: Make) -> None:
    told: list[tuple[str, int, int | None]] = []
    build_embedded(make(), progress=lambda *report: told.append(report))
    assert told[0] == ("loading entities", 0, 4)
    assert ("loading entities", 4, 4) in told
    assert told[-1] == ("loading relationships", 4, 4)


def test_without_one_the_message_says_what_to_run(make: Make) -> None:
    graph = make()
    with pytest.raises(DerivedError, match=r"does not exist yet: run `clew cypher .*g\.clew --load`"):
        open_store("embedded", graph)
    with open_store("embedded", graph, build=True) as store:
        assert store.name == "embedded"


def test_a_store_of_another_snapshot_is_refused_and_rebuilt(make: Make) -> None:
    graph = make()
    build_embedded(graph, path=graph.snapshot.folder.with_name("store"))
    other = make([("G:1", "associated with", "D:9")], name="other.clew")
    with pytest.raises(DerivedError, match="snapshot"):
        EmbeddedStore(other, path=graph.snapshot.folder.with_name("store"))
    with open_store(graph.snapshot.folder.with_name("store"), other, build=True) as store:
        assert store.run("MATCH (n:Disease) RETURN n.id").rows == [("D:9",)]


def test_a_damaged_store_is_one_sentence(make: Make) -> None:
    graph = make()
    file = build_embedded(graph) / FILE
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(DerivedError, match=r"has \d+ bytes, not \d+: run `clew cypher"):
        EmbeddedStore(graph)
    file.write_bytes(b"\0" * len(whole))
    with pytest.raises(DerivedError, match=r"block 0 .* differs: run `clew cypher .*--load"):
        EmbeddedStore(graph)


def test_a_store_without_its_seal_is_built_again(make: Make) -> None:
    graph = make()
    path = build_embedded(graph)
    (path / "seal.json").unlink()
    with pytest.raises(DerivedError, match="--load"):
        EmbeddedStore(graph)
    build_embedded(graph)  # as the message advises
    (path / "seal.json").unlink()
    with open_store("embedded", graph, build=True) as store:
        assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]


def test_a_directory_of_something_else_is_not_replaced(make: Make, tmp_path: Path) -> None:
    graph = make()
    for name in ("thesis.txt", FILE):
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / name).write_text("years of work")
        with pytest.raises(GraphError, match=r"seal\.json"):
            build_embedded(graph, path=tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


FULL_DISK = """
import resource, signal, sys
import clew
from clew.errors import ClewError
from clew.store.embedded import build_embedded
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
graph = clew.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    build_embedded(graph)
except ClewError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("size", [0, 4_096, 20_000, 100_000])
def test_a_full_disk_is_one_sentence(make: Make, size: int) -> None:
    """A limit on the size of files fails as a full disk does."""
    graph = make()
    build = [sys.executable, "-c", FULL_DISK, str(graph.snapshot.folder), str(size)]
    ran = subprocess.run(build, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("StoreError ")
    assert re.search(r"cannot be written \((File too large|a write was incomplete)\): free disk space", ran.stdout)
    assert ran.stdout.count("\n") == 1
    assert list((graph.snapshot.folder / "derived" / graph.snapshot.id).iterdir()) == []


def test_a_failed_build_leaves_what_was_there(make: Make) -> None:
    graph = make()
    build_embedded(graph)

    def fail(task: str, done: int, total: int | None) -> None:
        if task == "loading relationships":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_embedded(graph, progress=fail)
    assert [each.name for each in graph.snapshot.derived("ladybug").parent.iterdir()] == ["ladybug"]
    with EmbeddedStore(graph) as store:
        assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]


def test_the_file_itself_is_opened_read_only(make: Make) -> None:
    graph = make()
    build_embedded(graph)
    with EmbeddedStore(graph) as store, store._pool.lend(Deadline.after(60)) as process:
        for write in WRITES:
            with pytest.raises(QueryFailed, match="read-only"):
                process.ask(write, {}, limit=1, deadline=Deadline.after(60))


def test_two_processes_read_it_at_once(make: Make) -> None:
    graph = make()
    build_embedded(graph)
    program = (
        "import sys; import clew; from clew.store.embedded import EmbeddedStore\n"
        "print(EmbeddedStore(clew.open(sys.argv[1])).run('MATCH (n) RETURN count(n)').rows)"
    )
    with EmbeddedStore(graph) as store:
        other = subprocess.run(
            [sys.executable, "-c", program, str(graph.snapshot.folder)],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert other.stdout == "[(4,)]\n"
        assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]


def test_a_language_model_can_be_loaded_beside_it(make: Make) -> None:
    """Two libraries in C++ in one process: the symbols of one must not be taken for those of the other."""
    graph = make()
    build_embedded(graph)
    program = (
        "import sys; import clew; from clew.store.embedded import EmbeddedStore\n"
        "store = EmbeddedStore(clew.open(sys.argv[1]))\n"
        "store.run('RETURN 1 AS x'); import xllamacpp; print(store.run('MATCH (n) RETURN count(n)').rows)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(graph.snapshot.folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "[(4,)]\n"), ran.stderr


@pytest.mark.parametrize("wide", [False, True])
def test_widths_and_isolated_entities(make: Make, wide: bool) -> None:
    graph = make(entities=("X:1",), wide=wide)
    build_embedded(graph)
    with EmbeddedStore(graph) as store:
        assert store.run("MATCH (n:Other) RETURN n.id").rows == [("X:1",)]
        assert len(store.run("MATCH (a)-[r:ASSOCIATED_WITH]->(b) RETURN r")) == 3


def test_a_graph_without_triples(make: Make) -> None:
    graph = make([], entities=("X:1",))
    build_embedded(graph)
    with EmbeddedStore(graph) as store:
        assert store.run("MATCH (n) RETURN n.name").rows == [("name of X:1",)]


def test_tables_come_in_parts(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "ROWS_AT_ONCE", 1)
    graph = make()
    build_embedded(graph)
    with EmbeddedStore(graph) as store:
        assert len(store.run("MATCH (a)-[r:ASSOCIATED_WITH]->(b) RETURN DISTINCT r.triple")) == 3


def test_memory_is_bounded(make: Make) -> None:
    graph = make()
    build_embedded(graph)
    with EmbeddedStore(graph, memory=64 << 20) as store:
        with pytest.raises(StoreError, match="memory"):
            store.run("UNWIND range(1, 3000000) AS i WITH i, toUpper('text') AS t RETURN i ORDER BY t, i SKIP 2999990")
        assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]


def test_work_that_ignores_its_timer_is_ended(make: Make) -> None:
    """Ladybug makes the whole of a large range before it looks at the clock."""
    graph = make()
    build_embedded(graph)
    with EmbeddedStore(graph) as store:
        store.run("RETURN 1 AS x")
        begun = time.monotonic()
        with pytest.raises(Timeout, match=r"after 0\.2 s"):
            store.run("UNWIND [60000000] AS n UNWIND range(1, n) AS i RETURN sum(i)", timeout=0.2)
        assert time.monotonic() - begun < 1.2
        assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]


def test_a_closed_store_says_so(make: Make) -> None:
    graph = make()
    build_embedded(graph)
    store = EmbeddedStore(graph)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.run("RETURN 1 AS x")


def test_what_ladybug_cannot_run_is_a_query_error(make: Make) -> None:
    graph = make()
    build_embedded(graph)
    with EmbeddedStore(graph) as store, pytest.raises(QueryError, match="colour"):
        store.run("MATCH (n:Gene) RETURN n.colour")


def test_a_store_at_a_path_of_its_own(make: Make, tmp_path: Path) -> None:
    graph = make()
    build_embedded(graph, path=tmp_path / "elsewhere")
    with open_store(str(tmp_path / "elsewhere"), graph) as store:
        assert store.run("MATCH (n) RETURN count(n)").rows == [(4,)]
    assert not graph.snapshot.derived("ladybug").exists()
