"""One variant on a GPU: trained, taught, asked; and a driver that has several of them side by side.

Needs torch, NumPy and safetensors. Each variant is a process of its own, so that one that fails takes none with it;
what it measured comes back in one archive, which is written anew whenever a variant ends.
"""

import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bc5cdr_device import START
from benchmarks.extraction_ablations_mentions import Questions, about_bc5cdr, add_leaves, find_new, shares
from benchmarks.extraction_ablations_plan import PLAN, SECOND, Variant
from clew.evaluate.extraction.bc5cdr_finetuning import finetune_and_score
from clew.extract.chains import Chains, read_chains
from clew.extract.model.config import make_config
from clew.extract.prediction import Predictor
from clew.extract.queries import Queries, read_queries
from clew.extract.teaching.finetuning import teach
from clew.extract.teaching.settings import FineTuning
from clew.extract.training import Settings, train

__all__ = ["Course", "Inputs", "run_plan", "run_variant"]

BC5CDR_SEQUENCES = "bc5cdr_sequences.npy"
ALTERNATIVES = 4  # leaves of a head, as in the full model's chains
ARCHIVE = "ablations.tar"
REPORT = "variant.json"
POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class Inputs:
    """Folders that the variants read, and the one in which they work."""

    chains: Path  # of the full model
    variants: Path  # what `prepare` wrote
    lessons: Path
    planted: Path
    arrays: Path  # of BC5CDR
    work: Path


@dataclass(frozen=True, slots=True)
class Course:
    """What is the same for all variants."""

    size: str = "small"
    steps: int = 1210
    sequences: int = 512
    rate: float = 1e-3
    seed: int = 0
    k: int = 20
    least: float = 0.8  # the share that an extracted triple has at least, to be added to the seed
    workers: int | None = None
    teaching: int = 4  # epochs
    tuning: int = 8  # epochs of fine-tuning on BC5CDR


def run_variant(variant: Variant, inputs: Inputs, course: Course) -> dict[str, Any]:
    """Train, teach and ask one variant; writes its arrays and its report under `work`/out/NAME."""
    began, times = time.perf_counter(), dict[str, float]()
    teaching, tuning = FineTuning(epochs=course.teaching), replace(START, loss="document", epochs=course.tuning)
    place, out = inputs.work / variant.name, inputs.work / "out" / variant.name
    for folder in (place, out):
        folder.mkdir(parents=True, exist_ok=True)

    def lap(name: str) -> None:
        times[name] = round(time.perf_counter() - began - sum(times.values()), 1)
        print(f"{time.perf_counter() - began:7.1f} s  {variant.name}: {name}", flush=True)

    chains, told = _chains_of(variant, inputs, course)
    lap("chains")
    training = _train(variant, chains, course, place / "model")
    lap("trained")
    asked = {"planted": read_queries(inputs.planted), "bc5cdr": _ask_bc5cdr(inputs, chains)}
    _ask(place / "model", asked, out, "before", tokens={"planted": course.k})
    lap("asked")
    teach(place / "model", _lessons_of(variant, inputs, chains, place), teaching, place / "taught")
    lap("taught")
    _ask(place / "taught", asked, out, "after")
    lap("asked again")
    finetune_and_score(place / "taught", inputs.arrays, tuning, place / "bc5cdr", dev=False)
    np.save(out / "train.npy", np.load(place / "bc5cdr" / "train.npy").astype(np.float16))
    lap("fine-tuned")
    report = {
        "name": variant.name,
        "says": variant.says,
        "switches": variant.config,
        "course": asdict(course),
        "teaching": asdict(teaching),
        "fine-tuning": asdict(tuning),
        "leaves": len(chains.leaf_sequence),
        "seconds": times,
        **told,
        **{name: training[name] for name in ("steps", "epochs", "parameters", "tokens_per_second", "mfu", "device")},
        "history": training["history"],
    }
    (out / REPORT).write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return report


def _chains_of(variant: Variant, inputs: Inputs, course: Course) -> tuple[Chains, dict[str, Any]]:
    """The full model's chains, with leaves of the variant's own where it has them; and what is to be told of them."""
    full = read_chains(inputs.chains)
    if variant.name == SECOND:
        return _expand(variant, full, inputs, course)
    if not variant.leaves:
        return full, {}
    with np.load(inputs.variants / variant.name / "leaves.npz", allow_pickle=False) as leaves:
        own = {name: leaves[name] for name in leaves.files}
    shared = {field.name: getattr(full, field.name) for field in fields(full) if field.name not in own}
    return Chains(**shared, **own), {}


def _expand(variant: Variant, full: Chains, inputs: Inputs, course: Course) -> tuple[Chains, dict[str, Any]]:
    """Chains with leaves for what the first model reads out of the corpus and the seed does not know."""
    questions = Questions.load(inputs.variants / "questions.npz")
    queries = questions.ask(full)
    answers = Predictor.open(inputs.work / str(variant.after) / "taught").answer(queries, 0)
    share = shares(answers.weights, queries)
    rows, triples = find_new(questions, share, least=course.least, relations=len(full.relations))
    chains = add_leaves(full, questions, rows, share, most=ALTERNATIVES)
    bins = np.histogram(share[questions.free], bins=10, range=(0, 1))[0].tolist()
    told = {"triples added": triples, "rows with them": len(rows), "rows by tenths of share": bins}
    return chains, told | {"leaves added": len(chains.leaf_sequence) - len(full.leaf_sequence)}


def _train(variant: Variant, chains: Chains, course: Course, model: Path) -> Mapping[str, Any]:
    shape = make_config(course.size, vocabulary=chains.vocabulary, relations=len(chains.relations))
    settings = Settings(
        steps=course.steps,
        sequences=course.sequences,
        rate=course.rate,
        seed=course.seed,
        workers=course.workers,
    )
    return train(chains, replace(shape, **variant.config), settings, model).training


def _lessons_of(variant: Variant, inputs: Inputs, chains: Chains, place: Path) -> Path:
    """The folder of its lessons; those of a smaller seed are about the chains' own sequences."""
    if not variant.lessons:
        return inputs.lessons
    folder = place / "lessons"
    folder.mkdir()
    with np.load(inputs.variants / variant.name / "lessons.npz", allow_pickle=False) as arrays:
        own = {name: arrays[name] for name in arrays.files}
    for name, array in (own | {"roots": chains.roots, "offsets": chains.offsets}).items():
        np.save(folder / f"{name}.npy", array)
    return folder


def _ask_bc5cdr(inputs: Inputs, chains: Chains) -> Queries:
    """What the chemicals that were found in BC5CDR's train abstracts induce, among the mentions of their sequences."""
    questions = Questions.load(inputs.variants / "questions.npz")
    return about_bc5cdr(questions, np.load(inputs.variants / BC5CDR_SEQUENCES), chains.relations).ask(chains)


def _ask(
    model: Path, asked: Mapping[str, Queries], out: Path, when: str, *, tokens: Mapping[str, int] | None = None
) -> None:
    """Keep what a model says to some queries: how it weighs their mentions, and some tokens of each slot of some."""
    predictor = Predictor.open(model)
    for name, queries in asked.items():
        k = (tokens or {}).get(name, 0)
        found = predictor.answer(queries, k)
        np.save(out / f"{name}_{when}.npy", found.weights)
        if k:
            arrays = {"tokens": found.tokens, "log_probs": found.log_probs.astype(np.float16)}
            np.savez_compressed(out / f"{name}_{when}_tokens.npz", **arrays)


def run_plan(
    names: list[str], inputs: Inputs, course: Course, out: Path, *, side_by_side: int = 3, limit: float = 420.0
) -> dict[str, str]:
    """Run variants, some at a time; after `limit` seconds none is begun. Returns what became of each."""
    began = time.monotonic()
    waiting, running, ended = list(names), dict[str, subprocess.Popen[bytes]](), dict[str, str]()
    while waiting or running:
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                ended[name] = "ok" if process.returncode == 0 else f"failed ({process.returncode})"
                print(f"{time.monotonic() - began:6.1f} s  {name}: {ended[name]}", flush=True)
                _pack(inputs.work, out)
        late = time.monotonic() - began > limit
        while not late and len(running) < side_by_side:
            ready = next((each for each in waiting if _is_ready(each, names, ended)), None)
            if ready is None:
                break
            waiting.remove(ready)
            if (needed := PLAN[ready].after) and ended.get(needed) != "ok":
                ended[ready] = f"not begun: it needs {needed}"
                continue
            running[ready] = _begin(ready, inputs, course)
        if late:
            ended |= dict.fromkeys(waiting, "not begun: out of time")
            waiting.clear()
        time.sleep(POLL_S)
    (inputs.work / "out" / "ended.json").write_text(json.dumps(ended, indent=1) + "\n", "utf-8")
    _pack(inputs.work, out)
    return ended


def _is_ready(name: str, names: list[str], ended: dict[str, str]) -> bool:
    """Whether what a variant needs has ended, or never will."""
    needed = PLAN[name].after
    return needed is None or needed in ended or needed not in names


def _begin(name: str, inputs: Inputs, course: Course) -> "subprocess.Popen[bytes]":
    out = inputs.work / "out" / name
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.extraction_ablations", "one", name]
    for each in fields(inputs):
        command += [f"--{each.name}", str(getattr(inputs, each.name))]
    for each in fields(course):
        if (value := getattr(course, each.name)) is not None:
            command += [f"--{each.name}", str(value)]
    with (out / "log.txt").open("wb") as log:
        return subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | {"OMP_NUM_THREADS": "2"}
        )


def _pack(work: Path, out: Path) -> None:
    """Everything that was measured so far, as one archive."""
    out.mkdir(parents=True, exist_ok=True)
    unfinished = work / ARCHIVE
    with tarfile.open(unfinished, "w") as archive:
        for file in sorted((work / "out").rglob("*")):
            if file.is_file():
                archive.add(file, file.relative_to(work / "out").as_posix())
    (out / ARCHIVE).write_bytes(unfinished.read_bytes())
