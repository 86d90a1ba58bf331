"""Updates while the power fails, while they are killed, and while readers look.

`power_failures` makes random updates of a small graph, each with a failure at a random write, fsync, rename, link or
removal, and every two-hundredth with one at each of them; what a disk would then hold is opened and compared with a
model kept in memory. `readers` keeps readers of every age through a hundred updates. `killed` ends real processes that
update.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import clew
from attack import killing
from attack.tally import Tally
from clew.graph.storage.damage import find_all_damage
from clew.graph.storage.snapshots import prune, snapshots_of
from clew.graph.updates.update import compact_graph
from living import Change, Model, build, drawn_change, drawn_model, state_of, update
from power_loss import ADVERSARIES, Disk, Found, PowerLoss, lay_out

__all__ = ["Life", "fail_at", "killed", "power_failures", "readers", "state"]

EVERY = 200  # updates; the last of so many fails at every moment
LAST_MOMENT = 260  # an update has about 160
LAST_MOMENTS = 8
MOST_SNAPSHOTS = 8
UPDATES = 100  # that a reader lives through


def state(path: Path) -> tuple[dict, set]:
    """What a graph holds; all its checksums are compared."""
    return state_of(clew.open(path, verify=True))


def fail_at(moment: int, adversary: str, folder: Path, crashed: Path, change: Change) -> bool:
    """Update the graph in a folder until that moment, and lay out what is then found; whether the update was done."""
    disk = Disk(folder)

    def fail(now: int) -> None:
        if now == moment:
            lay_out(disk.after_power_loss(adversary), crashed)
            raise PowerLoss

    try:
        with disk.watched(fail):
            update(folder / "g.clew", change)
    except PowerLoss:
        return False
    lay_out(disk.after_power_loss(adversary), crashed)
    return True


class Life:
    """A graph on a disk, and the model of what it holds."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.folder, self.random, self.model = folder, random, drawn_model(random)
        self.disk = folder / "disk"
        self.disk.mkdir()
        build(self.model, self.disk / "g.clew")

    def drawn(self) -> tuple[Change, Model]:
        """A change that changes something, and the model after it."""
        change, after = drawn_change(self.random, self.model), Model(dict(self.model.entities), set(self.model.rows))
        after.apply(change)
        return (change, after) if after != self.model else self.drawn()

    def fail_once(self) -> str:
        """One update with a failure at a random moment; the model follows what was found: "before" or "after"."""
        change, after = self.drawn()
        crashed = self.folder / "crashed"
        done = fail_at(self.random.randint(0, LAST_MOMENT), self.random.choice(ADVERSARIES), self.disk, crashed, change)
        held = state(crashed / "g.clew")
        assert held in ((self.model.entities, self.model.rows), (after.entities, after.rows)), f"a mix after {change}"
        assert not done or held == (after.entities, after.rows), f"an update that was done is lost: {change}"
        outcome = "after" if held == (after.entities, after.rows) else "before"
        self.model = after if outcome == "after" else self.model
        shutil.rmtree(self.disk)
        crashed.rename(self.disk)
        self._tidy()
        return outcome

    def fail_always(self, *, each: int = 1) -> Iterator[str]:
        """One update, and what is found if the power fails at each moment of it: "before" or "after".

        With `each`, only at so many of the moments before the last ones, which are much alike.
        """
        change, after = self.drawn()
        disk, found, known, whole = Disk(self.disk), list[str](), dict[int, str](), set[int]()
        last = self._moments(change) - LAST_MOMENTS if each > 1 else 0

        def fail(moment: int) -> None:
            if moment % each and moment < last:
                return
            for adversary in ADVERSARIES:
                left = disk.after_power_loss(adversary)
                key = hash(frozenset(left.items()))  # the same files are not looked at twice
                if key not in known:
                    known[key] = self._found(left, after, whole, f"moment {moment}, {adversary}: {change}")
                found.append(known[key])

        with disk.watched(fail):
            update(self.disk / "g.clew", change)
            acknowledged = disk.after_power_loss("lazy")
        assert self._found(acknowledged, after, set(), f"the end: {change}") == "after", f"an update is lost: {change}"
        self.model = after
        self._tidy()
        yield from found

    def _found(self, left: Found, after: Model, whole: set[int], moment: str) -> str:
        """Whether the graph is found as "before" or as "after" an update; it must be one of them, and whole.

        `doctor` looks once at files that differ only in the hidden folder of the writer.
        """
        crashed = self.folder / "crashed"
        lay_out(left, crashed)
        held = state(crashed / "g.clew")
        assert held in ((self.model.entities, self.model.rows), (after.entities, after.rows)), f"a mix at {moment}"
        seen = hash(frozenset(file for file in left.items() if "/." not in file[0]))
        if seen not in whole:
            assert find_all_damage(crashed / "g.clew") == [], f"damage at {moment}"
            whole.add(seen)
        shutil.rmtree(crashed)
        return "after" if held == (after.entities, after.rows) else "before"

    def _moments(self, change: Change) -> int:
        """How many moments an update has: it is made to a copy."""
        shutil.copytree(self.disk, self.folder / "rehearsal")
        rehearsal = Disk(self.folder / "rehearsal")
        with rehearsal.watched(lambda moment: None):
            update(self.folder / "rehearsal" / "g.clew", change)
        return rehearsal.moments

    def _tidy(self) -> None:
        if len(snapshots_of(self.disk / "g.clew")) > MOST_SNAPSHOTS:
            compact_graph(self.disk / "g.clew")
            prune(self.disk / "g.clew")


def power_failures(folder: Path, *, seed: int, tries: int, seconds: float) -> Tally:
    """As many updates as `tries` with power failures, or until the time is over; what is counted is failures."""
    tally, life, until, number = Tally("power failures"), Life(folder, Random(seed)), time.monotonic() + seconds, 0
    while number < tries and time.monotonic() < until:
        number += 1
        kind = "at every moment" if number % EVERY == 0 else "at a random moment"
        try:
            outcomes = list(life.fail_always()) if number % EVERY == 0 else [life.fail_once()]
        except (AssertionError, clew.ClewError) as error:
            tally.add(kind, "failed", str(error)[:400], f"seed {seed}, update {number}")
            break
        for outcome in outcomes:
            tally.add(kind, outcome)
        tally.kinds["updates"] += 1
    return tally


def killed(folder: Path, *, seed: int, tries: int, seconds: float) -> Tally:
    """`clew update` killed with SIGKILL while it writes."""
    return killing.attack(folder, seed=seed, tries=tries, seconds=seconds, only=("update",), name="updates killed")


def readers(folder: Path, *, seed: int, tries: int, seconds: float, updates: int = UPDATES) -> Tally:
    """Readers of every age say at the end, after many updates and `gc`, what they said at first; a try is a reader."""
    tally, until, life = Tally("readers under update"), time.monotonic() + seconds, 0
    while tally.tries < tries and time.monotonic() < until:
        random, path = Random(f"{seed}-{life}"), folder / f"{life}.clew"
        model, opened = drawn_model(random), []
        build(model, path)
        for number in range(updates):
            opened.append((clew.open(path), dict(model.entities), set(model.rows)))
            change = drawn_change(random, model)
            update(path, change, compact=number % 10 == 9)
            model.apply(change)
        prune(path)
        for number, (reader, entities, rows) in enumerate(opened):
            same = state_of(reader) == (entities, rows)
            tally.add("reader", "its own snapshot", None if same else "a mix", f"seed {seed}-{life}, reader {number}")
        life += 1
        del opened
        shutil.rmtree(path)
    return tally
