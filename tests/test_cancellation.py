"""Work that is cancelled stops soon: in the engine, in a store's process, in the queue of a pool, in a model."""

import threading
import time
from collections.abc import Callable

import pytest

import clew
from clew.cancellation import cancellable, check_cancelled, current_signal
from clew.errors import Cancelled
from clew.lm import Request, Timed
from clew.lm.clients.scripted import Scripted
from clew.store.deadline import Deadline
from clew.store.store import open_store

SOON = 5.0  # seconds, on a busy machine too: what is not cancelled goes on for 30 or more


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> clew.GraphEngine:
    import pyarrow as pa

    pairs = [(f"e:{one}", f"e:{other}") for one in range(40) for other in range(40) if one != other]
    triples = pa.table(
        {"subject": [a for a, _ in pairs], "relation": ["r"] * len(pairs), "object": [b for _, b in pairs]}
    )
    return clew.build(triples, out=tmp_path_factory.mktemp("dense") / "dense.clew")


def seconds_to_stop(work: Callable[[], object], *, after: float = 0.3) -> float:
    """How long work goes on after it was cancelled."""
    signal = threading.Event()
    timer = threading.Timer(after, signal.set)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(Cancelled), cancellable(signal):
        work()
    timer.join()
    return time.monotonic() - begun - after


def test_there_is_a_signal_only_inside_the_block() -> None:
    signal = threading.Event()
    with cancellable(signal):
        assert current_signal() is signal
        check_cancelled()
        signal.set()
        with pytest.raises(Cancelled):
            check_cancelled()
    assert current_signal() is None
    check_cancelled()


def test_a_query_in_a_process_is_cancelled(graph: clew.GraphEngine) -> None:
    query = "MATCH (a)-[:R]->(b)-[:R]->(c)-[:R]->(d)-[:R]->(e)-[:R]->(f) RETURN count(*)"
    with open_store("embedded", graph, build=True) as store:
        assert seconds_to_stop(lambda: store.run(query, timeout=60)) < SOON
        assert len(store.run("MATCH (n) RETURN n.id LIMIT 1")) == 1, "the store goes on"


def test_paths_and_hops_are_cancelled(graph: clew.GraphEngine) -> None:
    assert seconds_to_stop(lambda: list(graph.paths("e:0", "e:1", k=8, limit=10**7))) < SOON
    signal = threading.Event()
    signal.set()
    with cancellable(signal), pytest.raises(Cancelled):
        graph.hop(["e:0"], k=3, mode="within")


def test_a_model_is_cancelled() -> None:
    model = Timed(Scripted(["slow"], delay=30), 60)
    assert seconds_to_stop(lambda: model.complete(Request(prompt="?"))) < SOON


def test_a_deadline_belongs_to_the_work_it_was_made_in() -> None:
    signal = threading.Event()
    with cancellable(signal):
        inside = Deadline.after(60)
    outside = Deadline.after(60)
    signal.set()
    with pytest.raises(Cancelled):
        inside.check()
    outside.check()
    assert inside.pause < 1 < outside.pause
