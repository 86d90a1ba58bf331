"""Writers killed while they write: what was there before, or the new whole, is there afterwards.

A writer is killed at a random moment after its first temporary file has appeared. Then `doctor` must be content with
what is found, which must be the old graph or the new one, and the same command must succeed when it is run again.
"""

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow.csv

from attack.graphs import tables
from attack.tally import Tally
from attack.zygote import Commands

__all__ = ["attack"]

LONGEST = 0.6  # seconds after the first temporary file
SHORTEST = 0.001


class Killer:
    """Starts writers and kills them."""

    def __init__(self, folder: Path, seed: int, commands: Commands) -> None:
        self.folder, self.rng, self.commands = folder, random.Random(seed), commands
        self.graph = folder / "g.clew"
        for number in (1, 2):
            triples, entities = tables(number, size=2400)
            names = [name for name in triples.column_names if name != "evidence"]
            pyarrow.csv.write_csv(triples.select(names), folder / f"triples{number}.csv")
            pyarrow.csv.write_csv(entities.drop_columns(["synonyms"]), folder / f"entities{number}.csv")
        (folder / "more.csv").write_text("subject,relation,object\nG:3,causes,D:1\nNew:1,causes,G:3\n")
        self.pristine = folder / "pristine.clew"
        self.known: set[str] = set()  # what a whole graph says of itself
        for command in (self.build(2), self.update(), self.build(1), self.update(), self.build(1)):
            ran = commands.run(*command, seconds=120)
            if ran.code != 0:
                raise AssertionError(ran.err)
            self.known.add(self.says())
        shutil.copytree(self.graph, self.pristine, symlinks=True)

    def build(self, number: int) -> list[str]:
        files = [str(self.folder / f"triples{number}.csv"), "--entities", str(self.folder / f"entities{number}.csv")]
        return ["build", *files, "--out", str(self.graph), "--overwrite"]

    def update(self) -> list[str]:
        return ["update", str(self.graph), str(self.folder / "more.csv"), "--retract-entity", "G:5"]

    def writers(self) -> Iterator[tuple[str, list[str]]]:
        """Commands that write, in an order that the seed decides."""
        (self.folder / "text.jsonl").write_text('{"id": "1", "text": "gene bakex 1 causes disease bamox 1."}\n' * 300)
        while True:
            graph, out, run, text = (
                str(each) for each in (self.graph, *(self.folder / n for n in ("out", "run", "text.jsonl")))
            )
            made = {
                "build": self.build(self.rng.choice([1, 2])),
                "update": self.update(),
                "index": ["index", graph, "--no-vectors"],
                "load": ["cypher", graph, "--load"],
                "export": ["export", graph, "--to", "parquet", "--out", out, "--overwrite"],
                "extract": ["extract", "prepare", run, text, "--seed-graph", graph],
            }
            names = self.rng.choices(list(made), [4, 4, 2, 3, 1, 1], k=1)
            yield names[0], made[names[0]]

    def says(self) -> str:
        """What the graph says of itself: its snapshot and a hop."""
        ran = self.commands.run("hop", str(self.graph), "G:3", "-k", "2", "--json")
        return ran.out if ran.code == 0 else f"status {ran.code}: {ran.err}"

    def strike(self, args: list[str]) -> bool:
        """Start a writer and kill it; whether that was while it wrote."""
        before = self.temporary()
        pid = self.commands.start(*args)
        begun, seen = time.monotonic(), None
        wait = SHORTEST * (LONGEST / SHORTEST) ** self.rng.random()  # fast machines write for milliseconds only
        while time.monotonic() - begun < 60:
            if not alive(pid):
                break
            if seen is None and self.temporary() - before:
                seen = time.monotonic()
            if seen is not None and time.monotonic() - seen >= wait:
                break
            time.sleep(SHORTEST / 2)
        writing = alive(pid) and bool(self.temporary() - before)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        self.commands.end(pid)
        return writing

    def temporary(self) -> set[str]:
        """Unfinished folders and files, and what is in them; some vanish while they are listed."""
        found = set()
        for place, folders, files in os.walk(self.folder):
            inside = ".part" in place
            found |= {f"{place}/{each}" for each in (*folders, *files) if inside or each.endswith(".part")}
        return found

    def restore(self) -> None:
        for each in ("out", "run"):
            shutil.rmtree(self.folder / each, ignore_errors=True)
        shutil.rmtree(self.graph)
        shutil.copytree(self.pristine, self.graph, symlinks=True)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return False
    return state != "Z"


def attack(
    folder: Path, *, seed: int, tries: int, seconds: float, only: Sequence[str] = (), name: str = "kills"
) -> Tally:
    """Kill writers, or those of some kinds `only`, until there were enough or the time is over."""
    tally = Tally(name)
    with Commands(folder) as commands:
        killer = Killer(folder, seed, commands)
        until = time.monotonic() + seconds
        chosen = ((kind, args) for kind, args in killer.writers() if not only or kind in only)
        for number, (kind, args) in enumerate(chosen):
            if tally.tries >= tries or time.monotonic() > until:
                break
            writing = killer.strike(args)
            faults = []
            doctor = commands.run("doctor", str(killer.graph), seconds=120)
            if doctor.code != 0 or doctor.fault():
                faults.append(f"doctor: {doctor.fault() or doctor.err or doctor.out}")
            if killer.says() not in killer.known:
                faults.append(f"neither the old nor the new graph: {killer.says()[:200]}")
            if number % 5 == 0:
                again = commands.run(*args, seconds=120)
                if again.fault() or (again.code != 0 and kind != "extract"):
                    faults.append(f"again: {again.fault() or again.err}")
                if kind in ("build", "update") and (
                    left := [each for each in killer.temporary() if "/.build." in each]
                ):
                    faults.append(f"left behind: {left[0]}")
                killer.restore()
            tally.add(
                kind, "while writing" if writing else "before or after", "; ".join(faults) or None, " ".join(args)
            )
    return tally
