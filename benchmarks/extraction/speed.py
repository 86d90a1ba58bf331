"""How fast the model trains: captured, compiled, eager, and the naive version of the same model, in one run.

    python -m benchmarks.extraction.speed --size paper --chains RUN/chains --json speed.json
    python -m benchmarks.extraction.speed --size paper --profile

Without --chains, random chains of the usual shape are made. --profile shows where the time of a step goes instead.
"""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.extraction.kernels import relative
from benchmarks.extraction.naive import NaiveGraphMert
from benchmarks.report import write_json
from clew.extract.batches.batch import Batch, Packed
from clew.extract.batches.loading import load_batches
from clew.extract.chains.graphs import FIRST_WORD, ROOTS, SLOTS, Chains, read_chains
from clew.extract.model.attention import pick_kernel
from clew.extract.model.config import Config, make_config
from clew.extract.model.graphmert import GraphMert, count_parameters
from clew.extract.training.pretraining import Trainer
from clew.extract.training.settings import TrainingSettings

__all__ = ["configure", "profile", "random_chains", "speed"]

VERSIONS = ("captured", "compiled", "eager", "naive")


def speed(given: argparse.Namespace) -> None:
    """Tokens a second, share of peak and memory: compiled, eager, and the naive version of the same model."""
    chains = open_chains(given)
    config = configure(given, chains)
    print(f"{given.size}: {count_parameters(GraphMert(config)):,} parameters, {len(chains):,} sequences")
    check_naive(chains, config, given)
    rows = []
    for version in given.only or VERSIONS:
        rows.append(measure(version, chains, config, given))
        print(json.dumps(rows[-1]), flush=True)
        if given.json:
            facts = {"machine": machine(), "config": json.loads(config.to_json()), "rows": rows}
            write_json(given.json, facts)
    rates = {row["version"]: row["tokens_per_second"] for row in rows}
    for row in rows:
        against = f", {row['tokens_per_second'] / rates['naive']:.1f} times naive" if "naive" in rates else ""
        memory = f"{(row['peak_memory_bytes'] or 0) / 2**30:.1f} GiB"
        print(f"{row['version']:9} {row['tokens_per_second']:,.0f} tokens/s, MFU {row['mfu']:.1%}, {memory}{against}")


def prepare(version: str, chains: Chains, config: Config, given: argparse.Namespace, *, lap: int) -> Trainer:
    """A trainer that trains one of the versions."""
    settings = TrainingSettings(
        steps=10_000,
        sequences=given.naive_sequences if version == "naive" else given.sequences,
        compiled=version in ("captured", "compiled"),
        captured=version == "captured",
        report_every=lap,
        peak_flops=given.peak,
        seed=given.seed,
    )
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    trainer = Trainer(chains, config, settings)
    if version == "naive":
        trainer.stepper = trainer.make_stepper(NaiveGraphMert(trainer.model))
    return trainer


def measure(version: str, chains: Chains, config: Config, given: argparse.Namespace) -> dict[str, Any]:
    steps = given.steps or (200 if version == "captured" else 60)
    trainer = prepare(version, chains, config, given, lap=max(1, steps // 4))
    begin = time.perf_counter()
    trainer.run(steps)
    pace = trainer.describe()
    wanted = ("tokens_per_second", "mfu", "peak_memory_bytes", "peak_flops", "parameters", "limits", "device", "torch")
    return {
        "version": version,
        "sequences": trainer.settings.sequences,
        **{name: pace[name] for name in wanted},
        "laps": [round(row["tokens_per_second"]) for row in trainer.history],
        "first_lap_seconds": trainer.history[0]["seconds"],
        "seconds": time.perf_counter() - begin,
    }


def profile(given: argparse.Namespace) -> None:
    """Where the time of a step goes: making batches, launching, and the kernels themselves."""
    chains = open_chains(given)
    config = configure(given, chains)
    for version in given.only or ("captured", "compiled"):
        trainer = prepare(version, chains, config, given, lap=10_000)
        batches = load_batches(trainer._schedule(), workers=trainer.workers, pin=trainer.device.type == "cuda")
        first = time_calls(lambda: next(batches), 1)  # noqa: B023 -- called at once
        ready = time_calls(lambda: next(batches), 400)  # noqa: B023
        group = [next(batches)]
        for _ in range(8):
            trainer.advance(group)
        wait(trainer)
        launch = time_calls(lambda: trainer.advance(group), 20)  # noqa: B023
        wait(trainer)
        begin = time.perf_counter()
        for _ in range(30):
            trainer.advance(group)
        wait(trainer)
        step = (time.perf_counter() - begin) / 30
        print(
            f"{version}: {group[0].counts.tokens} tokens, {trainer.workers} workers; first batch {first:.1f} s, then"
            f" {1e3 * ready:.2f} ms a batch; a step {1e3 * step:.2f} ms, of it launching {1e3 * launch:.2f} ms"
        )
        show_kernels(trainer, group)


def show_kernels(trainer: Trainer, group: list[Packed], *, steps: int = 5, rows: int = 60) -> None:
    """The kernels of a step by their time on the device."""
    kinds = [torch.profiler.ProfilerActivity.CPU]
    if trainer.device.type == "cuda":
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=kinds) as seen:
        for _ in range(steps):
            trainer.advance(group)
        wait(trainer)
    kernels = [event for event in seen.key_averages() if event.self_device_time_total > 0]
    total = sum(event.self_device_time_total for event in kernels) / steps
    print(f"kernels: {total / 1e3:.2f} ms a step, {sum(event.count for event in kernels) / steps:.0f} launches")
    for event in sorted(kernels, key=lambda each: -each.self_device_time_total)[:rows]:
        taken = event.self_device_time_total / steps
        print(f"  {taken / 1e3:7.3f} ms {100 * taken / total:5.1f} %  {event.count / steps:6.1f} x  {event.key[:100]}")


def time_calls(work: Callable[[], Any], times: int) -> float:
    begin = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - begin) / times


def wait(trainer: Trainer) -> None:
    if trainer.device.type == "cuda":
        torch.cuda.synchronize()


def open_chains(given: argparse.Namespace) -> Chains:
    if given.chains:
        return read_chains(given.chains)
    return random_chains(given.random_sequences, vocabulary=given.vocabulary, relations=given.relations)


def check_naive(chains: Chains, config: Config, given: argparse.Namespace) -> None:
    """The naive version must give the same losses before its speed is worth anything."""
    trainer = Trainer(
        chains, config, TrainingSettings(steps=1, sequences=4, compiled=False, workers=0, seed=given.seed)
    )
    batch = Batch.unpack(next(trainer._schedule().batches()), trainer.device)
    trainer.model.eval()
    with torch.no_grad():
        ours, naive = trainer.model(batch), NaiveGraphMert(trainer.model)(batch)
    error = relative(naive, ours)
    print(f"losses {ours.tolist()}, naive {naive.tolist()}, relative error {error:.1e}")
    if not error < 1e-3:  # float32 matrix products may be in TF32 on the device
        sys.exit("the naive version computes something else")


def configure(given: argparse.Namespace, chains: Chains) -> Config:
    config = make_config(given.size, vocabulary=chains.vocabulary, relations=len(chains.relations))
    known = {field.name for field in fields(Config)}
    switches = {}
    for stated in given.switch:
        name, _, value = stated.partition("=")
        if name not in known:
            sys.exit(f"Config has no {name}: it has {', '.join(sorted(known))}")
        switches[name] = json.loads(value) if not value.isalpha() or value in ("true", "false") else value
    return replace(config, **switches)


def random_chains(sequences: int, *, vocabulary: int, relations: int) -> Chains:
    """Chains shaped like real ones: mostly full sequences, three leaves each or so, some relations far commoner."""
    random = np.random.default_rng(0)
    lengths = np.minimum(ROOTS, random.integers(60, 190, sequences))
    leaf_sequence = np.sort(random.integers(0, sequences, 3 * sequences))
    first = (random.random(len(leaf_sequence)) * lengths[leaf_sequence]).astype(np.int64)
    last = np.minimum(first + random.integers(1, 6, len(first)), lengths[leaf_sequence])
    size = random.integers(1, SLOTS + 1, len(first))
    tail = random.integers(FIRST_WORD, vocabulary, (len(first), SLOTS))
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[END]", "[NONE]", *map(str, range(FIRST_WORD, vocabulary))]
    frequency = 1 / np.arange(1, relations + 1)
    return Chains(
        roots=random.integers(FIRST_WORD, vocabulary, lengths.sum()),
        offsets=np.concatenate(([0], np.cumsum(lengths))),
        leaf_sequence=leaf_sequence,
        leaf_root=first,
        head_first=first,
        head_last=last,
        leaf_relation=random.choice(relations, len(first), p=frequency / frequency.sum()),
        tail=np.where(np.arange(SLOTS) < size[:, None], tail, 0),
        tail_length=size,
        relations=tuple(f"relation {number}" for number in range(relations)),
        tokenizer=json.dumps({"model": {"vocab": {name: number for number, name in enumerate(names)}}}),
    )


def machine() -> dict[str, Any]:
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor() or "cpu"
    kernel = pick_kernel(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    return {"device": device, "torch": torch.__version__, "cores": os.cpu_count(), "attention": kernel}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chains", type=Path, help="of a prepared run")
    parser.add_argument("--size", default="paper", choices=("tiny", "small", "paper"))
    parser.add_argument("--switch", action="append", default=[], metavar="NAME=JSON", help="of Config: hgat=false")
    parser.add_argument("--sequences", type=int, default=128, help="in a batch")
    parser.add_argument("--naive-sequences", type=int, default=32)
    parser.add_argument("--random-sequences", type=int, default=20_000, help="without --chains")
    parser.add_argument("--relations", type=int, default=28)
    parser.add_argument("--vocabulary", type=int, default=30_522)
    parser.add_argument("--only", choices=VERSIONS, action="append")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peak", type=float, default=989e12, help="operations a second that MFU is a share of")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    (profile if given.profile else speed)(given)


if __name__ == "__main__":
    main()
