"""Updates and power failures: whenever it fails, the graph is as it was before or as it is after, and whole."""

import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import clew
from attack.updates import Life, fail_at, state
from effort import WHOLE, examples
from living import Change, Stated, build, drawn_model

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at open files in /proc")


def test_at_every_moment_of_an_update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    life = Life(tmp_path, Random(11))
    change = Change(frozenset({Stated("Y:1", "binds", "X:0")}), {"Y:1": (None, None), "X:0": (None, None)})
    monkeypatch.setattr("attack.updates.drawn_change", lambda random, model: change)
    found = Counter(life.fail_always(each=1 if WHOLE else 8))
    assert min(found["before"], found["after"]) > 0
    assert found.total() > 30


@pytest.mark.parametrize("forgotten", ["sync_tree", "sync"])
def test_a_forgotten_flush_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: str) -> None:
    """The layer is able to fail: without one of the flushes, an update that was done is lost or not whole."""
    folder, model = tmp_path / "disk", drawn_model(Random(11))
    folder.mkdir()
    build(model, folder / "g.clew")
    change = Change(frozenset({Stated("Y:1", "binds", "X:0")}), {"Y:1": (None, None), "X:0": (None, None)})
    monkeypatch.setattr(f"clew.graph.storage.snapshots.{forgotten}", lambda path: None)
    assert fail_at(-1, "lazy", folder, tmp_path / "crashed", change)
    model.apply(change)
    with suppress(clew.ClewError):
        assert state(tmp_path / "crashed" / "g.clew") != (model.entities, model.rows)


@pytest.mark.parametrize("seed", range(examples(6)))
def test_a_life_with_power_failures(tmp_path: Path, seed: int) -> None:
    life = Life(tmp_path, Random(seed))
    assert {life.fail_once() for _ in range(8)} == {"before", "after"}
