"""The queue in front of the workers: fair to clients, bounded, and left by whoever goes away."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from clew.app.server.settings import Limits
from clew.app.server.workers import Busy, Workers
from clew.cancellation import check_cancelled
from clew.errors import Cancelled, Timeout

ONE = replace(Limits(), workers=1, queue=6, queue_of_client=4)


def in_loop(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


def until_cancelled() -> None:
    while True:
        check_cancelled()
        time.sleep(0.01)


def test_clients_take_turns() -> None:
    async def play() -> None:
        workers, order, gate = Workers(ONE), [], threading.Event()
        first = workers.submit("a", gate.wait, seconds=5)
        tickets = [
            workers.submit(client, lambda name=name: order.append(name), seconds=5)
            for client, name in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1")]
        ]
        assert [workers.position(each) for each in (first, *tickets)] == [0, 1, 4, 5, 2, 3]
        gate.set()
        await asyncio.gather(first.done, *(each.done for each in tickets))
        assert order == ["a1", "b1", "c1", "a2", "a3"]
        workers.close()

    in_loop(play)


def test_a_full_queue_refuses_with_a_status() -> None:
    async def play() -> None:
        workers, gate = Workers(ONE), threading.Event()
        tickets = [workers.submit("a", gate.wait, seconds=5) for _ in range(5)]
        with pytest.raises(Busy) as greedy:
            workers.submit("a", gate.wait, seconds=5)
        assert greedy.value.status == 429
        tickets += [workers.submit("b", gate.wait, seconds=5) for _ in range(2)]
        with pytest.raises(Busy) as full:
            workers.submit("c", gate.wait, seconds=5)
        assert (full.value.status, workers.refused, workers.waiting, workers.running) == (503, 2, 6, 1)
        gate.set()
        await asyncio.gather(*(each.done for each in tickets))
        assert (workers.waiting, workers.running) == (0, 0)
        workers.close()

    in_loop(play)


def test_whoever_goes_away_frees_the_worker() -> None:
    async def play() -> None:
        workers = Workers(ONE)
        running = workers.submit("a", until_cancelled, seconds=60)
        waiting = workers.submit("a", until_cancelled, seconds=60)
        other = workers.submit("b", lambda: "done", seconds=60)
        await asyncio.sleep(0.05)
        workers.cancel(waiting)
        workers.cancel(running)
        assert await asyncio.wait_for(other.done, 20) == "done"
        assert workers.cancelled == 2
        with pytest.raises(Cancelled):
            await running.done
        workers.close()

    in_loop(play)


def test_work_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.app.server.workers.GRACE", 0.05)

    async def play() -> None:
        workers = Workers(ONE)
        with pytest.raises(Timeout, match=r"stopped after 0\.1 s"):
            await workers.submit("a", until_cancelled, seconds=0.1).done
        workers.close()

    in_loop(play)


def test_nobody_waits_for_ever() -> None:
    async def play() -> None:
        workers, gate = Workers(replace(ONE, patience=0.05)), threading.Event()
        first = workers.submit("a", gate.wait, seconds=5)
        second = workers.submit("a", gate.wait, seconds=5)
        await asyncio.sleep(0.1)
        gate.set()
        await first.done
        with pytest.raises(Busy, match="for its turn"):
            await second.done
        workers.close()

    in_loop(play)


def test_errors_reach_the_caller_and_the_next_one_runs() -> None:
    async def play() -> None:
        workers = Workers(ONE)
        failing = workers.submit("a", lambda: 1 // 0, seconds=5)
        after = workers.submit("a", lambda: "fine", seconds=5)
        with pytest.raises(ZeroDivisionError):
            await failing.done
        assert await after.done == "fine"
        workers.close()

    in_loop(play)


def test_a_closing_server_takes_nothing_and_stops_what_runs() -> None:
    async def play() -> None:
        workers = Workers(ONE)
        running = workers.submit("a", until_cancelled, seconds=60)
        waiting = workers.submit("a", until_cancelled, seconds=60)
        await asyncio.sleep(0.05)
        workers.close()
        with pytest.raises(Cancelled):
            await asyncio.wait_for(running.done, 20)
        for late in (waiting.done, asyncio.ensure_future(_submitted(workers))):
            with pytest.raises(Busy, match="shutting down"):
                await late

    in_loop(play)


async def _submitted(workers: Workers) -> None:
    workers.submit("a", until_cancelled, seconds=60)
