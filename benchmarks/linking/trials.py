"""Misspelt names, and how long it takes to link names of all kinds and to find them in text."""

import random
import string
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.linking.corpora import DATA, read_bc5cdr
from clew.graph import read_entities
from clew.link import Linker, open_index
from clew.progress import Progress, silent

__all__ = ["misspell", "timing_rows", "typo_rows"]

SEED = 3
EDITS = ("insert", "delete", "substitute", "transpose")
TYPO_LETTERS = 8


def typo_rows(linker: Linker, *, count: int, progress: Progress = silent) -> list[dict[str, Any]]:
    """Names with one random edit; right if the entity is first or shares the first place."""
    draw = random.Random(SEED)
    named = read_entities(linker.engine, ("id", "name")).to_pylist()
    described = [row for row in named if sum(map(str.isalpha, row["name"])) >= TYPO_LETTERS]
    real = {row["name"].casefold() for row in named}
    outcomes: dict[str, list[tuple[bool, bool, bool]]] = {edit: [] for edit in EDITS}
    for at, row in enumerate(draw.sample(described, count)):
        progress("linking misspelt names", at, count)
        edit = draw.choice(EDITS)
        written = misspell(row["name"], edit, draw)
        linked = linker.link(written, limit=50)
        top = {each.id for each in linked.candidates if each.score == linked.candidates[0].score}
        first = row["id"] in top
        outcomes[edit].append((first, first and linked.best is not None, written.casefold() in real))
    together = [each for edit in EDITS for each in outcomes[edit]]
    return [_typo_row("any", together), *(_typo_row(edit, outcomes[edit]) for edit in EDITS if outcomes[edit])]


def _typo_row(edit: str, outcomes: Sequence[tuple[bool, bool, bool]]) -> dict[str, Any]:
    first, accepted, collisions = np.array(outcomes).T
    return {
        "edit": edit,
        "names": len(outcomes),
        "top_1": float(first.mean()),
        "accepted": float(accepted.mean()),
        "collisions": int(collisions.sum()),
    }


def misspell(name: str, edit: str, draw: random.Random) -> str:
    """The name with one letter inserted, deleted, substituted, or two neighbours swapped; never the name itself."""
    while True:
        at = draw.randrange(len(name))
        letter = draw.choice(string.ascii_lowercase)
        written = {
            "insert": name[:at] + letter + name[at:],
            "delete": name[:at] + name[at + 1 :],
            "substitute": name[:at] + letter + name[at + 1 :],
            "transpose": name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :],
        }[edit]
        if written.casefold() != name.casefold():
            return written


def timing_rows(linker: Linker, *, repeats: int, progress: Progress = silent) -> list[dict[str, Any]]:
    """Median times of one link by kind of mention, of opening the index, and the speed of detection at its fastest."""
    draw = random.Random(SEED)
    kinds = _timed_mentions(linker, draw)
    rows: list[dict[str, Any]] = []
    every: list[float] = []
    for kind, mentions in kinds.items():
        progress("timing links", len(rows), len(kinds))
        for mention in mentions[:20]:
            linker.link(mention)  # warm
        times = [_seconds(partial(linker.link, mention)) for mention in mentions]
        busy = [_seconds(partial(linker.link, mention), time.thread_time) for mention in mentions]
        every += times
        rows.append({"what": f"link, {kind}", "ms": _median_ms(times), "cpu_ms": _median_ms(busy)})
    rows.append({"what": "mix", "ms": _median_ms(every)})
    opening = [_seconds(lambda: open_index(linker.engine)) for _ in range(repeats)]
    rows.append({"what": "opening the name index", "ms": _median_ms(opening)})
    texts = list(dict.fromkeys(each.text for each in read_bc5cdr(DATA / "bc5cdr" / "cdr_dev.pubtator.gz")))
    whole = "\n\n".join(texts)
    ways: dict[str, Callable[[], object]] = {
        "detection, one long text": lambda: linker.detect(whole, marks=False),
        "detection, abstract by abstract": lambda: [linker.detect(text, marks=False) for text in texts],
        "detection with marks, abstract by abstract": lambda: [linker.detect(text) for text in texts],
    }
    for what, work in ways.items():
        progress(f"timing {what}", 0, None)
        megabytes = len(whole.encode()) / 1e6
        fastest = min(_seconds(work) for _ in range(repeats))  # other work on the machine can only slow it
        busy = min(_seconds(work, time.thread_time) for _ in range(repeats))
        rows.append({"what": what, "mb_s": megabytes / fastest, "cpu_mb_s": megabytes / busy})
    return rows


def _timed_mentions(linker: Linker, draw: random.Random) -> dict[str, list[str]]:
    entities = read_entities(linker.engine, ("id", "name"))
    rows = draw.sample(range(linker.engine.counts["entities"]), 2000)
    names = [entities["name"][row].as_py() for row in rows]
    synonyms = [each[0] for each in linker.engine.details(np.sort(rows))["synonyms"].to_pylist() if each]
    long = [name for name in names if len(name) >= TYPO_LETTERS]
    foreign = [each.mention for each in read_bc5cdr(DATA / "bc5cdr" / "cdr_dev.pubtator.gz") if each.type == "Chemical"]
    return {
        "exact names": names[:250],
        "synonyms": synonyms[:250],
        "misspelt names": [misspell(name, draw.choice(EDITS), draw) for name in long[:250]],
        "names of other things": draw.sample(sorted(set(foreign)), 250),
    }


def _median_ms(seconds: Sequence[float]) -> float:
    return float(np.median(seconds)) * 1000


def _seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    begun = clock()
    work()
    return clock() - begun
