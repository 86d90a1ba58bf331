"""Training: chains in, a model directory out.

One process, or several under torchrun, each with its own batches; what a step computes depends on the settings only,
not on how many processes share it. Masks and dropout of a step are drawn from the seed and the step's number, so a
training that went on from a checkpoint ends with the same numbers as one that was never stopped: bit for bit on a CPU;
on a GPU sums over tokens are added in no fixed order, and may differ in their last bits with or without a stop.
"""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed

from clew.errors import InputError, ModelError
from clew.extract.batches.batch import Packed
from clew.extract.batches.loading import BatchSchedule, load_batches
from clew.extract.batches.plan import Limits, make_layout, make_limits, plan_epoch
from clew.extract.batches.random_numbers import make_key
from clew.extract.bert import WEIGHTS as BERT
from clew.extract.chains.graphs import Chains
from clew.extract.model.attention import pick_kernel
from clew.extract.model.config import Config
from clew.extract.model.cooccurrence import cooccurrence_embeddings
from clew.extract.model.graphmert import SPREAD, GraphMert, compile_parts, count_parameters
from clew.extract.model.start import load_start
from clew.extract.model.storage import (
    Checkpoint,
    SavedModel,
    load_weights,
    read_checkpoint,
    write_checkpoint,
    write_model,
)
from clew.extract.training.loss_curve import draw_losses
from clew.extract.training.optimiser import load_state, make_optimiser, rate_at, save_state
from clew.extract.training.settings import TrainingSettings
from clew.extract.training.steps import CapturedStep, Step
from clew.extract.training.throughput import Throughput
from clew.progress import Progress, silent
from clew.sealed import Identity

__all__ = ["Trainer", "pick_device", "train"]

logger = logging.getLogger(__name__)
DROPOUT = 200  # what a random number is for: see `masking` and `plan`


def train(
    chains: Chains,
    config: Config,
    settings: TrainingSettings,
    out: Path,
    *,
    identity: Identity | None = None,
    start_from: Path | None = None,
    progress: Progress = silent,
) -> SavedModel:
    """Train a model and write it to `out`; resumes from `out`.checkpoint if there is one of the same settings.

    `identity` is what its seal and checkpoints say that it was made from; `start_from` is the directory of another
    model of the same shape, or of a BERT (`model/start.py`), whose weights are the beginning.
    """
    out = Path(out)
    with _group() as (rank, ranks), torch.random.fork_rng(_devices(settings)):
        trainer = Trainer(chains, config, settings, rank=rank, ranks=ranks, identity=identity, start_from=start_from)
        place = out.with_name(f"{out.name}.checkpoint")
        trainer.resume(place)
        trainer.run(trainer.steps, checkpoint=place, progress=progress)
        saved = SavedModel(trainer.plain_model(), config, chains.tokenizer, chains.relations, trainer.describe())
        if rank == 0:
            plain = {"chains": _fingerprint(chains), "settings": sha256(repr(settings).encode()).hexdigest()}
            picture = {"loss.svg": draw_losses(trainer.history)}
            write_model(out, saved, identity=identity or plain, files=picture)
            if place.is_dir():
                _remove_checkpoint(place)
    return saved


class Trainer:
    """A model in training; `run` takes it some steps further."""

    def __init__(
        self,
        chains: Chains,
        config: Config,
        settings: TrainingSettings,
        *,
        rank: int = 0,
        ranks: int = 1,
        identity: Identity | None = None,
        start_from: Path | None = None,
    ) -> None:
        if (chains.vocabulary, len(chains.relations)) != (config.vocabulary, config.relations):
            raise InputError(
                f"the config is for {config.vocabulary} tokens and {config.relations} relations, but the chains have"
                f" {chains.vocabulary} and {len(chains.relations)}"
            )
        self.chains, self.config, self.settings, self.rank, self.ranks = chains, config, settings, rank, ranks
        self.identity = dict(identity or {})
        self.device = pick_device(settings.device)
        on_gpu = self.device.type == "cuda"
        self.bfloat16 = on_gpu if settings.bfloat16 is None else settings.bfloat16
        fused = on_gpu and not config.attention_dropout  # plain attention asks the device for lengths at every step
        self.compiled = fused if settings.compiled is None else settings.compiled
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.workers = (min(12, cores - 2) if on_gpu else 0) if settings.workers is None else settings.workers

        torch.manual_seed(settings.seed)
        self.model = GraphMert(config, kernel=pick_kernel(self.device)).to(self.device).train()
        if start_from is not None:
            if (Path(start_from) / BERT).is_file():
                load_start(self.model, Path(start_from), chains.tokenizer)
            else:
                load_weights(self.model, Path(start_from))
        elif settings.neighbours:
            words = cooccurrence_embeddings(chains, config.width, spread=SPREAD, device=self.device)
            self.model.embedding.words.weight.data.copy_(words)
        if self.compiled:
            compile_parts(self.model)
        self.captured = fused and self.compiled and ranks == 1 if settings.captured is None else settings.captured
        self.optimiser = make_optimiser(
            self.model, weight_decay=settings.weight_decay, fused=on_gpu, capturable=self.captured
        )
        self.stepper = self.make_stepper(self.model)
        self.limits: Limits = make_limits(chains, config, sequences=settings.sequences, seed=settings.seed)
        self.per_epoch = len(plan_epoch(chains, config, self.limits, seed=settings.seed, epoch=0))
        share = settings.accumulate * ranks
        self.steps = settings.steps or max(1, round(settings.epochs * self.per_epoch / share))
        self.step = 0
        self.history: list[dict[str, float]] = []
        self.pace = Throughput(config, settings.peak_flops, processes=ranks)

    def make_stepper(self, model: torch.nn.Module) -> Step:
        """What takes steps with a model that shares this one's parameters."""
        return (CapturedStep if self.captured else Step)(
            model,
            self.optimiser,
            leaf_weight=self.config.leaf_weight,
            clip=self.settings.clip,
            bfloat16=self.bfloat16,
            device=self.device,
            ranks=self.ranks,
        )

    def resume(self, place: Path) -> None:
        """Take up the checkpoint at `place`, if there is one."""
        found = read_checkpoint(place, self._signature())
        if found is None:
            return
        self.model.load_state_dict({name: tensor.to(self.device) for name, tensor in found.weights.items()})
        load_state(self.optimiser, found.optimiser)
        self.step, self.history = found.step, found.history
        logger.info("resuming from step %d of %d", self.step, self.steps)

    def run(self, until: int, *, checkpoint: Path | None = None, progress: Progress = silent) -> None:
        """Train up to step `until`; checkpoints are written to `checkpoint` as the settings say."""
        settings = self.settings
        batches = load_batches(self._schedule(), workers=self.workers, pin=self.device.type == "cuda")
        running = torch.zeros(3, device=self.device)
        self.pace.start()
        while self.step < until:
            group = [next(batches) for _ in range(settings.accumulate)]
            running += self.advance(group)
            self.step += 1
            for packed in group:
                self.pace.count(packed.counts)
            if self.step % settings.report_every == 0 or self.step == until:
                self._report(running, progress)
                running.zero_()
            due = settings.checkpoint_every and self.step % settings.checkpoint_every == 0
            if due and checkpoint is not None and self.rank == 0 and self.step < self.steps:
                self.save(checkpoint)

    def advance(self, group: list[Packed]) -> torch.Tensor:
        """One step over some batches; the summed losses of this process: (3,)."""
        settings = self.settings
        seed = make_key(settings.seed, self.step, DROPOUT, self.rank) >> 1
        rate = rate_at(self.step, self.steps, settings.rate, settings.last_rate, settings.warm_up)
        return self.stepper.take(group, seed=seed, rate=rate)

    def save(self, place: Path) -> None:
        """Write a checkpoint."""
        weights = {name: tensor.detach() for name, tensor in self.model.state_dict().items()}
        state = save_state(self.optimiser)
        write_checkpoint(place, Checkpoint(self.step, weights, state, self.history, self._signature()))

    def plain_model(self) -> GraphMert:
        """The model as trained, neither compiled nor in training."""
        model = GraphMert(self.config)
        model.load_state_dict(self.model.state_dict())
        model.eval()
        return model

    def describe(self) -> dict[str, Any]:
        """What training.json says."""
        on_gpu = self.device.type == "cuda"
        return {
            "settings": asdict(self.settings),
            "steps": self.step,
            "epochs": self.step * self.settings.accumulate * self.ranks / self.per_epoch,
            "processes": self.ranks,
            "limits": asdict(self.limits),
            "parameters": count_parameters(self.model),
            "parameters_of_layers": count_parameters(self.model, embeddings=False),
            "sequences": len(self.chains),
            "leaves": len(self.chains.leaf_sequence),
            "device": torch.cuda.get_device_name(self.device) if on_gpu else "cpu",
            "peak_memory_bytes": torch.cuda.max_memory_allocated(self.device) if on_gpu else None,
            "torch": torch.__version__,
            "bfloat16": self.bfloat16,
            "compiled": self.compiled,
            "captured": self.captured,
            **self.pace.describe(),
            "licences": list(self.settings.licences),
            "history": self.history,
        }

    def _schedule(self) -> BatchSchedule:
        layout = None
        if self.compiled:
            layout = make_layout(self.limits, relations=self.config.relations, longest_head=self.chains.longest_head)
        start = self.step * self.settings.accumulate * self.ranks
        return BatchSchedule(
            self.chains, self.config, self.limits, layout, self.settings.seed, start, self.rank, self.ranks
        )

    def _report(self, running: torch.Tensor, progress: Progress) -> None:
        root, boundary, leaf = running.tolist()  # waits for the device
        row = self.pace.lap(self.step, root=root, boundary=boundary, leaf=leaf)
        row["rate"] = float(self.optimiser.param_groups[0]["lr"])
        row["p"] = float(self.model.p.detach())
        self.history.append(row)
        if not np.isfinite(root + boundary + leaf):
            raise ModelError(f"the loss is no longer a number at step {self.step}: train with a lower rate")
        left = (self.steps - self.step) * self.pace.seconds_per_step
        said = (
            f"training: roots {row['root']:.2f}, leaves {row['leaf']:.2f},"
            f" {row['tokens_per_second'] / 1000:,.0f} k tokens/s, {left:,.0f} s left"
        )
        logger.info("step %d of %d: %s", self.step, self.steps, said)
        if self.rank == 0:
            progress(said, self.step, self.steps)

    def _signature(self) -> dict[str, Any]:
        """What must be the same for a checkpoint to be taken up."""
        settings = {
            name: value
            for name, value in asdict(self.settings).items()
            if name not in ("steps", "epochs", "workers", "checkpoint_every", "report_every", "peak_flops", "licences")
        }
        content = _fingerprint(self.chains)
        stated = {**settings, "steps": self.steps, "config": self.config.to_json(), "content": content, **self.identity}
        return json.loads(json.dumps(stated))  # type: ignore[no-any-return]


def pick_device(name: str | None) -> torch.device:
    """The device of that name; without one, this process's GPU or else the CPU."""
    if name is not None:
        return torch.device(name)
    if not torch.cuda.is_available():
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device


@contextmanager
def _group() -> Iterator[tuple[int, int]]:
    """This process's rank and the number of processes; joins them if torchrun started several."""
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    if ranks == 1:
        yield 0, 1
        return
    distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield distributed.get_rank(), ranks
    finally:
        distributed.destroy_process_group()


def _devices(settings: TrainingSettings) -> list[torch.device]:
    device = pick_device(settings.device)
    return [device] if device.type == "cuda" else []


def _fingerprint(chains: Chains) -> str:
    digest = sha256()
    for array in (
        chains.roots,
        chains.offsets,
        chains.leaf_sequence,
        chains.leaf_root,
        chains.leaf_relation,
        chains.tail,
    ):
        digest.update(array.tobytes())
    digest.update(repr(chains.relations).encode())
    return digest.hexdigest()


def _remove_checkpoint(place: Path) -> None:
    for file in place.iterdir():
        file.unlink()
    place.rmdir()
