"""Extraction's model on a GPU: check the kernels, measure speed, train, predict. One script, no network, no pyarrow.

    python -m benchmarks.extraction_device check
    python -m benchmarks.extraction_device speed --size paper --chains RUN/chains --out results/
    python -m benchmarks.extraction_device train --chains RUN/chains --minutes 3 --model work/small --out results/
    python -m benchmarks.extraction_device predict --model work/small --queries RUN/queries --out results/
    python -m benchmarks.extraction_device join results/small --model models/small

Needs Python 3.11, torch, numpy and safetensors, and `src` on the path. What is written under --out is in parts of at
most 15 MiB; `join` puts a model together again.
"""

import argparse
import json
import math
import sys
import tarfile
import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import torch

from benchmarks.extraction_check import check
from benchmarks.extraction_speed import configure, keep, machine, profile, speed
from clew.extract.chains.graphs import SLOTS, Chains, read_chains
from clew.extract.model.config import Config
from clew.extract.model.graphmert import count_parameters
from clew.extract.model.storage import read_model, write_model
from clew.extract.predict.predictor import Predictor, Tails
from clew.extract.predict.query_arrays import read_query_arrays
from clew.extract.training.pretraining import Settings, Trainer, train

PART_BYTES = 15 * 1024 * 1024
BEGAN = time.perf_counter()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run, says, options in (
        ("check", lambda given: check(), "the fused kernel against plain attention", ()),
        (
            "speed",
            speed,
            "tokens a second, share of peak, memory",
            ("chains", "size", "switch", "sequences", "out", "steps"),
        ),
        ("profile", profile, "where the time of a step goes", ("chains", "size", "switch", "sequences", "steps")),
        (
            "train",
            run_training,
            "chains to a model",
            ("chains", "size", "switch", "sequences", "out", "steps", "model"),
        ),
        ("predict", predict, "the likeliest tokens of each slot", ("model", "queries", "out")),
        ("beam", beam, "the best tails", ("model", "queries", "out")),
        ("score", score, "log probabilities of given tails", ("model", "queries", "out")),
        ("join", join, "a model from its parts", ("model",)),
    ):
        command = commands.add_parser(name, help=says)
        command.set_defaults(run=run)
        add_options(command, name, options)
    given = parser.parse_args(arguments)
    given.run(given)


def add_options(command: argparse.ArgumentParser, name: str, options: tuple[str, ...]) -> None:
    paths = {"chains": Path, "out": Path, "model": Path, "queries": Path}
    for option in options:
        if option in paths:
            needed = option != "chains" or name == "train"
            command.add_argument(f"--{option}", type=Path, required=needed)
    if "size" in options:
        command.add_argument("--size", default="paper", choices=("tiny", "small", "paper"))
        command.add_argument(
            "--switch", action="append", default=[], metavar="NAME=JSON", help="of Config, e.g. hgat=false"
        )
        command.add_argument("--sequences", type=int, default=128, help="in a batch")
        command.add_argument("--steps", type=int)
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--peak", type=float, default=989e12, help="operations a second that MFU is a share of")
    if name in ("speed", "profile"):
        command.add_argument("--naive-sequences", type=int, default=32)
        command.add_argument("--random-sequences", type=int, default=20_000, help="without --chains")
        command.add_argument("--relations", type=int, default=28)
        command.add_argument("--vocabulary", type=int, default=30_522)
        command.add_argument("--only", choices=("captured", "compiled", "eager", "naive"), action="append")
    if name == "train":
        command.add_argument("--minutes", type=float, help="of the whole command; steps are chosen to fit")
        command.add_argument("--epochs", type=float, default=25.0)
        command.add_argument("--accumulate", type=int, default=1)
        command.add_argument("--rate", type=float, default=4e-4)
        command.add_argument("--start-from", type=Path)
        command.add_argument("--neighbours", action="store_true", help="begin with embeddings from co-occurrence")
        command.add_argument("--checkpoint-every", type=int, default=0)
        command.add_argument("--no-capture", action="store_true", help="launch every kernel instead of one CUDA graph")
        command.add_argument("--licence", action="append", default=[])
        command.add_argument("--bring", action="store_true", help="put the weights under --out too, in bfloat16")
    if name == "predict":
        command.add_argument("--k", type=int, default=20)
    if name == "beam":
        command.add_argument("--k", type=int, default=5)
        command.add_argument("--width", type=int, default=5)
    if name == "score":
        command.add_argument("--tails", type=Path, required=True, help="folder with query.npy, tokens.npy, length.npy")
        command.add_argument("--left-to-right", action="store_true")
    if name == "join":
        command.add_argument("parts", type=Path)


def run_training(given: argparse.Namespace) -> None:
    """Train a model on chains, in a given number of minutes if so asked."""
    chains = read_chains(given.chains)
    config = configure(given, chains)
    settings = Settings(
        steps=given.steps,
        epochs=given.epochs,
        sequences=given.sequences,
        accumulate=given.accumulate,
        rate=given.rate,
        seed=given.seed,
        checkpoint_every=given.checkpoint_every,
        neighbours=given.neighbours,
        peak_flops=given.peak,
        licences=tuple(given.licence),
        captured=False if given.no_capture else None,
    )
    if given.minutes:
        settings = replace(settings, steps=choose_steps(chains, config, settings, minutes=given.minutes))
    saved = train(chains, config, settings, given.model, start_from=given.start_from, progress=say)
    facts = {"machine": machine(), "config": json.loads(config.to_json()), **saved.training}
    keep(given.out / f"{given.model.name}.training.json", facts)
    (given.out / f"{given.model.name}.loss.svg").write_text((given.model / "loss.svg").read_text("utf-8"), "utf-8")
    if given.bring:
        bring(given.model, given.out / given.model.name)
    last = saved.training["history"][-1]
    print(json.dumps({**last, "steps": saved.training["steps"], "epochs": saved.training["epochs"]}))
    print(f"{saved.training['tokens_per_second']:,.0f} tokens/s, MFU {saved.training['mfu']:.1%}")


def choose_steps(chains: Chains, config: Config, settings: Settings, *, minutes: float) -> int:
    """As many steps as fit what is left of the minutes, by the pace of a short training that is thrown away."""
    trial = Trainer(chains, config, replace(settings, steps=10_000, report_every=20))
    trial.run(80 if trial.compiled else 20)
    pace = trial.pace.seconds_per_step
    left = 60 * minutes - (time.perf_counter() - BEGAN) - 15  # to start again and to write
    steps = max(1, int(0.97 * left / pace))
    print(
        f"{pace * 1000:.1f} ms a step, {left:.0f} s left: {steps} steps, {steps / trial.per_epoch:.1f} epochs",
        flush=True,
    )
    return steps


def say(task: str, done: int, total: int | None) -> None:
    print(f"{time.perf_counter() - BEGAN:7.1f} s  {done}/{total}  {task}", flush=True)


def predict(given: argparse.Namespace) -> None:
    """The k likeliest tokens of each slot of each query: tokens and log_probs."""
    predictor, queries = Predictor.open(given.model), read_query_arrays(given.queries)
    begin = time.perf_counter()
    tokens, scores = predictor.top(queries, given.k)
    print(f"{len(queries):,} queries in {time.perf_counter() - begin:.1f} s")
    keep_array(given.out, "tokens", tokens)
    keep_array(given.out, "log_probs", scores.astype(np.float16))


def beam(given: argparse.Namespace) -> None:
    """The k best tails of each query by a beam: tokens (queries, k, 7), padded with 0, and their log_probs."""
    predictor, queries = Predictor.open(given.model), read_query_arrays(given.queries)
    begin = time.perf_counter()
    tokens = np.zeros((len(queries), given.k, SLOTS), np.uint16)
    scores = np.full((len(queries), given.k), -np.inf, np.float32)
    for row, phrases in enumerate(predictor.beam(queries, width=given.width, k=given.k)):
        for rank, phrase in enumerate(phrases):
            tokens[row, rank, : len(phrase.tokens)] = phrase.tokens
            scores[row, rank] = phrase.log_probability
    print(f"{len(queries):,} queries in {time.perf_counter() - begin:.1f} s")
    keep_array(given.out, "tails", tokens)
    keep_array(given.out, "tail_log_probs", scores)


def score(given: argparse.Namespace) -> None:
    """The log probabilities of given tails."""
    predictor, queries = Predictor.open(given.model), read_query_arrays(given.queries)
    tails = Tails(*(np.load(given.tails / f"{name}.npy") for name in ("query", "tokens", "length")))
    begin = time.perf_counter()
    scores = predictor.score_tails(queries, tails, left_to_right=given.left_to_right)
    print(f"{len(scores):,} tails in {time.perf_counter() - begin:.1f} s")
    keep_array(given.out, "scores", scores)


def join(given: argparse.Namespace) -> None:
    """Put a model together from the parts that `train --bring` left."""
    parts = sorted(given.parts.parent.glob(f"{given.parts.name}.tar.part-*"))
    if not parts:
        sys.exit(f"there are no parts {given.parts}.tar.part-*")
    with tarfile.open(fileobj=BytesIO(b"".join(part.read_bytes() for part in parts))) as archive:
        archive.extractall(given.model, filter="data")
    saved = read_model(given.model)
    print(f"{given.model}: {count_parameters(saved.model):,} parameters")


def bring(model: Path, to: Path) -> None:
    """A model in bfloat16 as one archive in parts."""
    small = model.with_name(f"{model.name}.bfloat16")
    write_model(
        small,
        read_model(model),
        identity={"model": model.name},
        kind=torch.bfloat16,
        files={"loss.svg": (model / "loss.svg").read_text()},
    )
    whole = BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for file in sorted(small.iterdir()):
            archive.add(file, file.name)
    content = whole.getvalue()
    for number in range(math.ceil(len(content) / PART_BYTES)):
        part = content[number * PART_BYTES : (number + 1) * PART_BYTES]
        to.with_name(f"{to.name}.tar.part-{number:02}").write_bytes(part)


def keep_array(out: Path, name: str, array: np.ndarray) -> None:
    """An array as .npy, in parts by rows if it is larger than may travel."""
    out.mkdir(parents=True, exist_ok=True)
    parts = max(1, math.ceil(array.nbytes / PART_BYTES))
    for number, part in enumerate(np.array_split(array, parts)):
        np.save(out / (f"{name}.npy" if parts == 1 else f"{name}.part-{number:02}.npy"), part)


if __name__ == "__main__":
    main()
