"""Readers of a graph that is rebuilt under them: each sees one snapshot to its end, or is told that it was replaced."""

import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np

import clew
from attack.graphs import build, tables
from attack.tally import Tally
from attack.zygote import Commands
from clew.answer import Asker, Resources
from clew.errors import ClewError, GraphError

__all__ = ["attack", "expect", "read"]

SEEDS = (1, 2)


def observe(engine: clew.Engine, what: str) -> Any:
    """One thing that a graph says."""
    match what:
        case "names":
            return engine.describe(np.arange(engine.counts["entities"]))["name"].to_pylist()
        case "hop":
            return sorted(engine.hop("G:3", 2).entities["name"].to_pylist())
        case "batch":
            return [sorted(each.ids.tolist()) for each in engine.hop_batch([["G:3"], ["D:7"]], 2)]
        case "degree":
            return engine.degree(["G:1", "D:1", "P:1"]).tolist()
        case "assertions":
            return [repr(engine.assertions(number)) for number in range(0, 50, 5)]
        case "find":
            return [found.name for found in engine.find("gene bakex")][:1]
        case "triples":
            return [str(each) for each in engine.triples("G:3")]
        case "details":
            return engine.details(["G:3"]).to_pylist()
    with Resources(engine, encoder=None) as resources:
        answer = Asker(resources).ask(f"Which genes cause {engine.describe(engine.resolve(['D:1']))['name'][0]}?")
        return [item.name for item in answer.items]


THINGS = ("names", "hop", "batch", "degree", "assertions", "find", "triples", "details", "ask")


def expect(folder: str) -> dict[str, Any]:
    """What each of the graphs says."""
    found = {}
    for seed in SEEDS:
        path = str(Path(folder) / f"expected{seed}.clew")
        build(path, seed)
        engine = clew.open(path)
        found[engine.snapshot.id] = {what: observe(engine, what) for what in THINGS}
    return found


def read(path: str, seed: int, seconds: float) -> dict[str, Any]:
    """Open the graph and look at one thing after another while it is rebuilt; what was seen of which snapshot."""
    rng, seen = random.Random(seed), []
    engine = clew.open(path)
    snapshot, until = engine.snapshot.id, time.monotonic() + seconds
    things = rng.sample(THINGS, len(THINGS))
    while things and time.monotonic() < until:
        what = things.pop()
        try:
            seen.append([what, observe(engine, what)])
        except GraphError as error:
            seen.append([what, {"sentence": str(error)}])
            break
        except ClewError as error:
            seen.append([what, {"other": f"{type(error).__name__}: {error}"}])
        time.sleep(rng.random() * 0.3)
    return {"snapshot": snapshot, "seen": seen}


def rebuild(path: str, seconds: float) -> int:
    """Build one graph after the other at the same place."""
    until, times = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        triples, entities = tables(SEEDS[times % 2])
        clew.build(triples, entities=entities, out=Path(path), overwrite=True)
        times += 1
    return times


def attack(folder: Path, *, seed: int, tries: int, seconds: float, each: float = 8.0) -> Tally:
    """Let readers look at a graph that is rebuilt all the time, six of them for `each` seconds."""
    tally, until = Tally("readers under rebuild"), time.monotonic() + seconds
    graph = folder / "rebuilt.clew"
    with Commands(folder) as commands:
        expected: dict[str, Any] = json.loads(commands.call("attack.rebuilding:expect", str(folder)).out)
        commands.call("attack.graphs:build", str(graph), SEEDS[0])
        number = 0
        while not tally.tries or (tally.tries < tries and time.monotonic() < until):
            writer = commands.start_call("attack.rebuilding:rebuild", str(graph), each)
            readers = [
                commands.start_call("attack.rebuilding:read", str(graph), seed + number + at, each) for at in range(6)
            ]
            for pid in readers:
                ran = commands.end(pid)
                tally.largest = max(tally.largest, ran.peak)
                outcome, fault = _judged(ran.out, expected) if ran.fault() is None else ("failed", ran.fault())
                tally.add("reader", outcome, fault, ran.err[-300:])
            built = commands.end(writer)
            if built.fault() is not None:
                tally.add("writer", "failed", built.fault())
            number += 6
    return tally


def _judged(out: str, expected: dict[str, Any]) -> tuple[str, str | None]:
    got = json.loads(out)
    right = expected.get(got["snapshot"])
    if right is None:
        return "failed", f"a snapshot that nobody wrote: {got['snapshot']}"
    outcome = "whole to the end"
    for what, saw in got["seen"]:
        if isinstance(saw, dict):
            if "other" in saw or "replaced" not in saw["sentence"]:
                return "failed", f"{what}: {saw}"
            outcome = "told that it was replaced"
        elif saw != right[what]:
            return "failed", f"mixed: {what} is {str(saw)[:150]}, not {str(right[what])[:150]}"
    return outcome, None
