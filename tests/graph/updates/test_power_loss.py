"""Updates and power failures: whenever it fails, the graph is as it was before or as it is after, and whole."""

import shutil
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import clew
from clew.graph.storage.damage import find_all_damage
from clew.graph.storage.snapshots import prune, snapshots_of
from clew.graph.updates.update import compact_graph
from effort import WHOLE, examples
from living import Change, Model, Stated, build, drawn_change, drawn_model, state_of, update
from power_loss import ADVERSARIES, Disk, PowerLoss

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at open files in /proc")


def state(path: Path) -> tuple[dict, set]:
    return state_of(clew.open(path, verify=True))


def test_at_every_moment_of_an_update(tmp_path: Path) -> None:
    random, disk_folder = Random(11), tmp_path / "disk"
    disk_folder.mkdir()
    path, model = disk_folder / "g.clew", drawn_model(random)
    model.add([Stated("X:0", "has", "X:0", document="D:1")], {"X:0": (None, None)})
    build(model, path)
    before = state(path)
    change = Change(frozenset({Stated("Y:1", "binds", "X:0")}), {"Y:1": (None, None), "X:0": (None, None)},
                    documents=("D:1",))  # fmt: skip
    model.apply(change)
    after = (model.entities, model.rows)
    found: Counter[str] = Counter()
    shutil.copytree(disk_folder, tmp_path / "rehearsal")
    rehearsal = Disk(tmp_path / "rehearsal")
    with rehearsal.watched(lambda moment: None):
        assert update(tmp_path / "rehearsal" / "g.clew", change)
    last, disk = rehearsal.moments - 8, Disk(disk_folder)

    def fail(moment: int) -> None:
        if moment % 8 and moment < last and not WHOLE:  # most moments before the end are alike
            return
        for adversary in ADVERSARIES:
            crashed = tmp_path / f"{adversary}-{moment}"
            disk.after_power_loss(adversary, crashed)
            held = state(crashed / "g.clew")
            assert held in (before, after), (adversary, moment)
            assert find_all_damage(crashed / "g.clew") == []
            found["before" if held == before else "after"] += 1
            shutil.rmtree(crashed)

    with disk.watched(fail):
        assert update(path, change)
        acknowledged = tmp_path / "acknowledged"
        disk.after_power_loss("lazy", acknowledged)
    assert disk.moments == rehearsal.moments > 60
    assert min(found["before"], found["after"]) > 0
    assert state(acknowledged / "g.clew") == after  # what was said to be done stays done


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
    live_with_power_failures(tmp_path, Random(seed), cycles=8)


@pytest.mark.soak
def test_a_long_life_with_power_failures(tmp_path: Path) -> None:
    outcomes = live_with_power_failures(tmp_path, Random(99), cycles=10_000)
    assert outcomes["before"] > 1_000
    assert outcomes["after"] > 100


def fail_at(moment: int, adversary: str, folder: Path, crashed: Path, change: Change) -> bool:
    """Update the graph in a folder until that moment, and lay out what is then found; whether the update was done."""
    disk = Disk(folder)

    def fail(now: int) -> None:
        if now == moment:
            disk.after_power_loss(adversary, crashed)
            raise PowerLoss

    try:
        with disk.watched(fail):
            update(folder / "g.clew", change)
    except PowerLoss:
        return False
    disk.after_power_loss(adversary, crashed)
    return True


def live_with_power_failures(folder: Path, random: Random, *, cycles: int) -> Counter[str]:
    """Random updates, each with a power failure at a random moment: the model follows whatever was found after it."""
    disk_folder, model = folder / "disk", drawn_model(random)
    disk_folder.mkdir()
    build(model, disk_folder / "g.clew")
    outcomes: Counter[str] = Counter()
    for cycle in range(cycles):
        change, adversary = drawn_change(random, model), random.choice(ADVERSARIES)
        after = Model(dict(model.entities), set(model.rows))
        after.apply(change)
        moment, crashed = random.randint(0, 130), folder / f"crashed-{cycle}"
        done = fail_at(moment, adversary, disk_folder, crashed, change)
        held = state(crashed / "g.clew")
        assert held in ((model.entities, model.rows), (after.entities, after.rows))
        assert not done or held == (after.entities, after.rows)
        outcomes["after" if held == (after.entities, after.rows) else "before"] += 1
        model = after if held == (after.entities, after.rows) else model
        shutil.rmtree(disk_folder)
        crashed.rename(disk_folder)
        if len(snapshots_of(disk_folder / "g.clew")) > 20:
            compact_graph(disk_folder / "g.clew")
            prune(disk_folder / "g.clew")
    return outcomes
