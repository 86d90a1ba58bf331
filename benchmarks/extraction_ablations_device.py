"""One variant on a GPU: trained, taught, asked, some fine-tuned; step by step, so that one that was stopped goes on.

Needs torch, NumPy and safetensors. Writes arrays and a report, anew after each step, under WORK/out/NAME.
"""

import json
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bc5cdr_device import START
from benchmarks.extraction_ablations_mentions import Questions, about_bc5cdr, add_leaves, find_new, shares
from benchmarks.extraction_ablations_plan import SECOND, Variant
from clew.evaluate.extraction.bc5cdr_finetuning import finetune_and_score
from clew.extract.chains.graphs import Chains, read_chains
from clew.extract.model.config import make_config
from clew.extract.predict.predictor import Predictor
from clew.extract.predict.query_arrays import Queries, read_query_arrays
from clew.extract.ranking.finetuning import finetune_model
from clew.extract.ranking.settings import RankingSettings
from clew.extract.training.pretraining import Settings, train
from clew.files import write_text

__all__ = ["REPORT", "TAUGHT", "Course", "Inputs", "read_report", "run_variant", "steps_of"]

BC5CDR_SEQUENCES = "bc5cdr_sequences.npy"
ALTERNATIVES = 4  # leaves of a head, as in the full model's chains
REPORT = "variant.json"
TAUGHT, TUNED = "taught", "fine-tuned"
STEPS = ("trained", "asked", TAUGHT, "asked again", TUNED)


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
    least: float = 0.5  # the share that an extracted triple has at least, to be added to the seed
    workers: int | None = None
    teaching: int = 4  # epochs
    teaching_rate: float = 2e-4
    tuning: int = 4  # epochs of fine-tuning on BC5CDR


def steps_of(variant: Variant) -> tuple[str, ...]:
    """What is done with a variant, in order."""
    return STEPS if variant.tuned else STEPS[:-1]


def read_report(variant: Variant, inputs: Inputs, course: Course) -> dict[str, Any]:
    """What was reported of a variant so far; nothing yet, if it went another course."""
    begin = {
        "name": variant.name,
        "says": variant.says,
        "switches": variant.config,
        "seed": variant.seed,
        "course": asdict(replace(course, workers=None)),
        "teaching": asdict(_teaching(variant, course)),
        "fine-tuning": asdict(_tuning(variant, course)),
    }
    path = inputs.work / "out" / variant.name / REPORT
    found = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found if begin.items() <= found.items() else begin | {"seconds": {}}


def run_variant(variant: Variant, inputs: Inputs, course: Course) -> dict[str, Any]:
    """Train, fine-tune and ask one variant; what an earlier call has done is not done again."""
    report = read_report(variant, inputs, course)
    place, out = inputs.work / variant.name, inputs.work / "out" / variant.name
    if not report["seconds"]:
        shutil.rmtree(place, ignore_errors=True)
    for folder in (place, out):
        folder.mkdir(parents=True, exist_ok=True)
    full = read_chains(inputs.chains)
    asked = {"planted": read_query_arrays(inputs.planted), "bc5cdr": _ask_bc5cdr(inputs, full)}
    ways: dict[str, Callable[[], Mapping[str, Any] | None]] = {
        "trained": lambda: _train(variant, full, inputs, course),
        "asked": lambda: _ask(place / "model", asked, out, "before"),
        TAUGHT: lambda: _teach(variant, full, inputs, course),
        "asked again": lambda: _ask(place / TAUGHT, asked, out, "after"),
        TUNED: lambda: _tune(variant, inputs, course),
    }
    for step in steps_of(variant):
        if step in report["seconds"]:
            continue
        began = time.perf_counter()
        report |= ways[step]() or {}
        report["seconds"][step] = round(time.perf_counter() - began, 1)
        print(f"{variant.name} {step}: {report['seconds'][step]} s", flush=True)
        write_text(out / REPORT, json.dumps(report, indent=1) + "\n")
    return report


def _teaching(variant: Variant, course: Course) -> RankingSettings:
    return RankingSettings(epochs=course.teaching, rate=course.teaching_rate, seed=variant.seed)


def _tuning(variant: Variant, course: Course) -> RankingSettings:
    return replace(START, loss="share", by_token=False, epochs=course.tuning, seed=variant.seed)


def _chains_of(variant: Variant, full: Chains, inputs: Inputs, course: Course) -> tuple[Chains, dict[str, Any]]:
    """The full model's chains, with leaves of the variant's own where it has them; and what is to be told of them."""
    if variant.name == SECOND:
        return _expand(variant, full, inputs, course)
    if not variant.leaves:
        return full, {}
    with np.load(inputs.variants / variant.name / "leaves.npz", allow_pickle=False) as leaves:
        own = {name: leaves[name] for name in leaves.files}
    shared = {field.name: getattr(full, field.name) for field in fields(full) if field.name not in own}
    return Chains(**shared, **own), {}


def _expand(variant: Variant, full: Chains, inputs: Inputs, course: Course) -> tuple[Chains, dict[str, Any]]:
    """Chains with leaves for what the first model reads out of the corpus and the seed does not know.

    Rows of the questions that became leaves, or could have, are kept with their shares.
    """
    questions = Questions.load(inputs.variants / "questions.npz")
    queries = questions.ask(full)
    answers = Predictor.open(inputs.work / str(variant.after) / TAUGHT).answer(queries, 0)
    share = shares(answers.weights, queries)
    rows, triples = find_new(questions, share, least=course.least, relations=len(full.relations))
    chains = add_leaves(full, questions, rows, share, most=ALTERNATIVES)
    bins = np.histogram(share[questions.free], bins=10, range=(0, 1))[0].tolist()
    added = {"rows": rows.astype(np.int32), "share": share[rows].astype(np.float16)}
    np.savez_compressed(inputs.work / "out" / variant.name / "added.npz", **added)
    told = {"triples added": triples, "rows with them": len(rows), "rows by tenths of share": bins}
    return chains, told | {"leaves added": len(chains.leaf_sequence) - len(full.leaf_sequence)}


def _train(variant: Variant, full: Chains, inputs: Inputs, course: Course) -> dict[str, Any]:
    chains, told = _chains_of(variant, full, inputs, course)
    shape = make_config(course.size, vocabulary=chains.vocabulary, relations=len(chains.relations))
    settings = Settings(
        steps=course.steps,
        sequences=course.sequences,
        rate=course.rate,
        seed=variant.seed,
        workers=course.workers,
    )
    model = inputs.work / variant.name / "model"
    training = train(chains, replace(shape, **variant.config), settings, model).training
    kept = ("steps", "epochs", "parameters", "tokens_per_second", "mfu", "device", "history")
    return {"leaves": len(chains.leaf_sequence), **told, **{name: training[name] for name in kept}}


def _teach(variant: Variant, full: Chains, inputs: Inputs, course: Course) -> dict[str, Any]:
    place = inputs.work / variant.name
    lessons = _lessons_of(variant, full, inputs)
    learnt = finetune_model(place / "model", lessons, _teaching(variant, course), place / TAUGHT)
    return {"history of teaching": learnt.training["taught"]["history"]}


def _tune(variant: Variant, inputs: Inputs, course: Course) -> None:
    place, out = inputs.work / variant.name, inputs.work / "out" / variant.name
    settings = _tuning(variant, course)
    finetune_and_score(place / TAUGHT, inputs.arrays, settings, place / "bc5cdr", seeds=(variant.seed,), dev=False)
    np.save(out / "train.npy", np.load(place / "bc5cdr" / "train.npy").astype(np.float16))


def _lessons_of(variant: Variant, full: Chains, inputs: Inputs) -> Path:
    """The folder of its lessons; those of a smaller seed are about the chains' own sequences."""
    if not variant.lessons:
        return inputs.lessons
    folder = inputs.work / variant.name / "lessons"
    folder.mkdir(exist_ok=True)
    with np.load(inputs.variants / variant.name / "lessons.npz", allow_pickle=False) as arrays:
        own = {name: arrays[name] for name in arrays.files}
    for name, array in (own | {"roots": full.roots, "offsets": full.offsets}).items():
        np.save(folder / f"{name}.npy", array)
    return folder


def _ask_bc5cdr(inputs: Inputs, chains: Chains) -> Queries:
    """What the chemicals that were found in BC5CDR's train abstracts induce, among the mentions of their sequences."""
    questions = Questions.load(inputs.variants / "questions.npz")
    return about_bc5cdr(questions, np.load(inputs.variants / BC5CDR_SEQUENCES), chains.relations).ask(chains)


def _ask(model: Path, asked: Mapping[str, Queries], out: Path, when: str) -> None:
    """Keep how a model weighs the mentions of some queries."""
    predictor = Predictor.open(model)
    for name, queries in asked.items():
        np.save(out / f"{name}_{when}.npy", predictor.answer(queries, 0).weights)
