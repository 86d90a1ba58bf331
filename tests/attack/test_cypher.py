"""A short attack on the embedded store in every run, and proof that the attack would notice."""

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import clew
from attack.cypher import Texts, attack
from clew.store.embedded import EmbeddedStore, build_embedded
from clew.store.process.child import OWN_MEMORY

MEMORY = 512 << 20


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    out = tmp_path_factory.mktemp("attack") / "g.clew"
    ids = [f"{letter}:{number}" for letter in "GD" for number in range(30)]
    table = {
        "subject": ids,
        "relation": ["causes", "treats", "is a"] * 20,
        "object": ids[7:] + ids[:7],
        "source": ["A", "B"] * 30,
    }
    types = ["Gene" if each[0] == "G" else "Disease" for each in ids]
    entities = pa.table({"id": ids, "name": ids, "type": types, "score": list(range(60))})
    clew.build(pa.table(table), entities=entities, out=out)
    graph = clew.open(out)
    build_embedded(graph)
    with EmbeddedStore(graph, memory=MEMORY) as opened:
        yield opened


def test_a_short_attack_finds_nothing(store: EmbeddedStore) -> None:
    tally = attack(store, iter(Texts(store.schema, seed=7)), queries=150, seconds=12, timeout=1.0)
    assert tally.failures == []
    assert 0 < tally.largest < MEMORY + OWN_MEMORY
    assert tally.outcomes["answered"] > tally.tries // 10
    assert tally.outcomes["refused"] > tally.tries // 10


def test_texts_are_those_of_their_seed(store: EmbeddedStore) -> None:
    one, same, other = (list(itertools.islice(Texts(store.schema, seed), 50)) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    assert {kind for kind, _ in itertools.islice(Texts(store.schema, 1), 300)} == {
        "grammar", "mutated", "writing", "deep", "hungry",
    }  # fmt: skip


class Faulty:
    """A store with a fault."""

    def __init__(self, store: EmbeddedStore, fault: str) -> None:
        self._store, self._fault = store, fault

    def run(self, query: str, *, timeout: float = 1.0, limit: int = 10) -> Any:
        if query == "fault":
            if self._fault == "error":
                raise RecursionError("maximum recursion depth exceeded")
            time.sleep(timeout + 1.1)
        return self._store.run("RETURN 1 AS x", timeout=timeout, limit=limit)


@pytest.mark.parametrize(("fault", "says"), [("error", "RecursionError"), ("late", "past its limit")])
def test_the_attack_notices(store: EmbeddedStore, fault: str, says: str) -> None:
    faulty: Any = Faulty(store, fault)
    tally = attack(faulty, iter([("grammar", "fault")]), queries=1, seconds=10, timeout=0.2)
    assert says in tally.failures[0][0]
