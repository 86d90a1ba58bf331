"""A few processes for many threads."""

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import clew
from clew.errors import StoreError, Timeout
from clew.store.deadline import Deadline
from clew.store.embedded import FILE, EmbeddedStore, build_embedded
from clew.store.process.pool import Pool
from clew.store.process.process import Process, QueryFailed

SLOW = "UNWIND range(1, 100000) AS i UNWIND range(1, 100000) AS j WITH i, j WHERE i * j = -1 RETURN count(*) AS n"


@pytest.fixture
def started(make: Callable[..., clew.Engine]) -> list[Process]:
    return []


@pytest.fixture
def pool(make: Callable[..., clew.Engine], started: list[Process]) -> Iterator[Pool]:
    file = build_embedded(make()) / FILE

    def start() -> Process:
        started.append(Process(file, memory=256 << 20, remedy="load it"))
        return started[-1]

    made = Pool(start, most=2)
    yield made
    made.close()


def ask(pool: Pool, text: str = "RETURN 1 AS x", seconds: float = 60.0) -> list[list[object]]:
    deadline = Deadline.after(seconds)
    with pool.lend(deadline) as process:
        return process.ask(text, {}, limit=10, deadline=deadline).rows


def test_one_process_serves_one_thread(pool: Pool, started: list[Process]) -> None:
    for _ in range(5):
        assert ask(pool) == [[1]]
    assert len(started) == 1


def test_threads_share_no_more_than_allowed(pool: Pool, started: list[Process]) -> None:
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda _: ask(pool), range(24))) == [[[1]]] * 24
    assert len(started) <= 2


def test_waiting_for_a_process_counts(pool: Pool) -> None:
    deadline = Deadline.after(60)
    with pool.lend(deadline), pool.lend(deadline):
        begun = time.monotonic()
        with pytest.raises(Timeout):
            ask(pool, seconds=0.2)
        assert time.monotonic() - begun < 1.2
    assert ask(pool) == [[1]]


def test_one_that_had_to_be_stopped_is_replaced(pool: Pool, started: list[Process]) -> None:
    with pytest.raises(StoreError, match="memory"):
        ask(pool, "RETURN size(range(0, 100000 * 100000)) AS s")
    assert ask(pool) == [[1]]
    assert [each.alive for each in started] == [False, True]


def test_one_that_somebody_killed_is_not_lent(pool: Pool, started: list[Process]) -> None:
    ask(pool)
    os.kill(started[0].pid, signal.SIGKILL)
    while started[0].alive:
        time.sleep(0.01)
    assert ask(pool) == [[1]]


def test_interrupting_the_caller_ends_the_work(pool: Pool, started: list[Process]) -> None:
    with pytest.raises(KeyboardInterrupt), pool.lend(Deadline.after(60)):
        raise KeyboardInterrupt
    assert ask(pool) == [[1]]
    assert not started[0].alive


def test_a_closed_pool_has_no_processes(pool: Pool, started: list[Process]) -> None:
    deadline = Deadline.after(60)
    with pool.lend(deadline):
        ask(pool)
        pool.close()
    assert not any(each.alive for each in started)
    with pytest.raises(StoreError, match="closed"):
        ask(pool)


def test_a_store_that_nobody_closed_leaves_no_process(make: Callable[..., clew.Engine]) -> None:
    graph = make()
    build_embedded(graph)
    store = EmbeddedStore(graph)
    store.run("RETURN 1 AS x")
    (process,) = store._pool._idle
    del store
    gc.collect()
    assert not process.alive


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_copy_has_processes_of_its_own(pool: Pool, started: list[Process]) -> None:
    ask(pool)
    reader, writer = os.pipe()
    if (forked := os.fork()) == 0:
        try:
            os.write(writer, repr(ask(pool)).encode())
        finally:
            os._exit(0)
    os.waitpid(forked, 0)
    assert os.read(reader, 100) == b"[[1]]"
    assert ask(pool) == [[1]]
    assert len(started) == 1


def test_a_slow_query_does_not_hold_up_others(pool: Pool) -> None:
    slow = threading.Thread(target=partial(_quietly, pool))
    slow.start()
    assert ask(pool) == [[1]]
    slow.join()


def _quietly(pool: Pool) -> None:
    with pytest.raises((Timeout, QueryFailed), match=r"stopped|Interrupted"):
        ask(pool, SLOW, seconds=1.0)
