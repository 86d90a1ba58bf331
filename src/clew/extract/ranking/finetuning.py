"""Fine-tuning a pre-trained model to rank candidate tails, and the scores of all candidates.

The model learns to rank the candidates of a masked tail, [NONE] among them, by the same log-probability that prediction
uses. The examples come from the seed's own triples between entities mentioned together (`examples`), without labels.
"""

import json
import logging
import shutil
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from clew.errors import ModelError
from clew.extract.batches.batch import Batch
from clew.extract.batches.random_numbers import make_key
from clew.extract.model.attention import pick_kernel
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.storage import (
    Checkpoint,
    SavedModel,
    read_checkpoint,
    read_model,
    write_checkpoint,
    write_model,
)
from clew.extract.ranking.batches import ExampleBatch, Examples, read_examples
from clew.extract.ranking.losses import candidate_scores, tail_loss, word_logits
from clew.extract.ranking.settings import RankingSettings
from clew.extract.training.optimiser import load_state, make_optimiser, rate_at, save_state, set_rate
from clew.extract.training.pretraining import pick_device
from clew.progress import Progress, silent
from clew.sealed import SEAL

__all__ = ["FineTuned", "finetune", "finetune_model", "score_rows"]

logger = logging.getLogger(__name__)
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FineTuned:
    """A model that has learnt, and the mean losses of each epoch."""

    model: GraphMert
    history: list[dict[str, float]]


def finetune_model(
    model: Path,
    examples: Path,
    settings: RankingSettings,
    out: Path,
    *,
    identity: Mapping[str, str | int | float | bool] | None = None,
    without_fold: int | None = None,
    device: str | None = None,
    progress: Progress = silent,
) -> SavedModel:
    """Fine-tune on one folder of questions and write the model to `out`, in whose seal `identity` stands.

    After each epoch `out`.checkpoint is written, from which a killed training resumes.
    """
    chosen = pick_device(device)
    saved = read_model(model, kernel=pick_kernel(chosen), device=chosen)
    about = dict(identity or {"model": _checksum(model), "settings": repr(settings)})
    place = out.with_name(f"{out.name}.checkpoint")
    with torch.random.fork_rng([chosen] if chosen.type == "cuda" else []):
        tuned = finetune(
            saved,
            read_examples(examples),
            settings,
            without_fold=without_fold,
            checkpoint=place,
            about=about,
            progress=progress,
        )
    training = {**saved.training, "ranking": {"settings": asdict(settings), "history": tuned.history}}
    learnt = replace(saved, model=tuned.model, training=training)
    write_model(out, learnt, identity=about, files=_pictures(model))
    shutil.rmtree(place, ignore_errors=True)
    return learnt


def finetune(
    saved: SavedModel,
    examples: Examples,
    settings: RankingSettings,
    *,
    without_fold: int | None = None,
    checkpoint: Path | None = None,
    about: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> FineTuned:
    """A copy of a model that learnt from the queries of all folds but one.

    With a `checkpoint`, where it stands is written there after each epoch; one that is there is gone on from, if it was
    made with the same settings and is `about` the same.
    """
    learner = _Learner(saved, settings)
    packs = examples.packs(examples.learnable(without_fold=without_fold), together=settings.together)
    units = examples.by_document(packs) if settings.loss == "document" else [[pack] for pack in packs]
    each_epoch = sum(1 for _ in examples.batches(units, tokens=settings.tokens))
    stated = {**asdict(settings), "without_fold": without_fold, **(about or {})}
    if checkpoint is not None:
        learner.resume(read_checkpoint(checkpoint, json.loads(json.dumps(stated))))
    for epoch in range(len(learner.history), settings.epochs):
        order = np.random.default_rng((settings.seed, epoch)).permutation(len(units))
        progress("fine-tuning", epoch * each_epoch, settings.epochs * each_epoch)
        sums, before = torch.zeros(2, device=learner.device), learner.step
        for batch in examples.batches([units[at] for at in order], tokens=settings.tokens):
            asking = examples.ask(batch, config=learner.config, seed=settings.seed, epoch=learner.step)
            sums += learner.advance(asking, settings.epochs * each_epoch)
            progress("fine-tuning", learner.step, settings.epochs * each_epoch)
        tails, roots = (sums / max(1, learner.step - before)).tolist()
        if not np.isfinite(tails + roots):
            raise ModelError("the loss of fine-tuning is no longer a number: fine-tune with a lower rate")
        learner.history.append({"epoch": epoch + 1, "tails": tails, "roots": roots})
        logger.info("epoch %d: tails %.3f, roots %.3f", epoch, tails, roots)
        if checkpoint is not None and epoch + 1 < settings.epochs:
            write_checkpoint(checkpoint, learner.describe(stated))
    return FineTuned(learner.model.eval(), learner.history)


class _Learner:
    """A copy of a model that learns, step by step."""

    def __init__(self, saved: SavedModel, settings: RankingSettings) -> None:
        self.settings = settings
        self.config = replace(saved.config, root_share=settings.root_share)
        self.model: GraphMert = deepcopy(saved.model)
        self.model.train()
        self.device = self.model.p.device
        if settings.dropout is not None:
            _set_dropout(self.model, settings.dropout)
        on_gpu = self.device.type == "cuda"
        self.optimiser = make_optimiser(self.model, weight_decay=settings.weight_decay, fused=on_gpu)
        self.step = 0
        self.history: list[dict[str, float]] = []

    def resume(self, found: Checkpoint | None) -> None:
        """Go on from a checkpoint, if there is one."""
        if found is None:
            return
        self.model.load_state_dict({name: tensor.to(self.device) for name, tensor in found.weights.items()})
        load_state(self.optimiser, found.optimiser)
        self.step, self.history = found.step, found.history

    def describe(self, stated: Mapping[str, Any]) -> Checkpoint:
        """Where it stands."""
        weights = {name: tensor.detach() for name, tensor in self.model.state_dict().items()}
        return Checkpoint(self.step, weights, save_state(self.optimiser), self.history, stated)

    def advance(self, asking: ExampleBatch, steps: int) -> torch.Tensor:
        """One step of `steps`; the losses of tails and roots: (2,)."""
        settings = self.settings
        torch.manual_seed(make_key(settings.seed, self.step) >> 1)
        set_rate(self.optimiser, rate_at(self.step, steps, settings.rate, 0.0, settings.warm_up))
        batch = Batch.unpack(asking.packed, self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            encoded = self.model.encode(batch)
            logits = word_logits(self.model, encoded[batch.leaf_index])
            roots = word_logits(self.model, encoded[batch.root_index]) if len(batch.root_index) else None
        scores = candidate_scores(logits, asking)
        tails = tail_loss(scores, asking, settings)
        root = scores.new_zeros(()) if roots is None else functional.cross_entropy(roots, batch.root_target.long())
        (tails + settings.root_weight * root).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.step += 1
        return torch.stack((tails.detach(), root.detach()))


def score_rows(
    model: GraphMert,
    examples: Examples,
    queries: NDArray[np.int64],
    scores: Scores,
    *,
    together: bool = False,
    tokens: int | None = None,
) -> None:
    """Fill in the scores of the rows of some queries."""
    device = model.p.device
    size = tokens or (65_536 if device.type == "cuda" else 4_096)
    for batch in examples.batches([[pack] for pack in examples.packs(queries, together=together)], tokens=size):
        asking = examples.ask(batch)
        packed = Batch.unpack(asking.packed, device)
        on_gpu = device.type == "cuda"
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=on_gpu):
            logits = word_logits(model, model.encode(packed)[packed.leaf_index])
        scores[asking.rows] = candidate_scores(logits, asking).cpu().numpy()


def _set_dropout(model: GraphMert, share: float) -> None:
    """Another dropout than the model was trained with."""
    model.embedding.dropout = share
    for layer in model.encoder.layers:
        layer.config = replace(layer.config, dropout=share)


def _checksum(model: Path) -> str:
    return sha256((Path(model) / SEAL).read_bytes()).hexdigest()


def _pictures(model: Path) -> dict[str, str]:
    """The curves that a model was trained along."""
    return {file.name: file.read_text("utf-8") for file in Path(model).glob("*.svg")}
