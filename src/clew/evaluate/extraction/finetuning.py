"""Fine-tuning a trained model on questions with given tails, and its scores of every tail.

The model learns to weigh tails, and [NONE], in the masked tail of a head: what is weighed is the same log-probability
that is scored later. On BC5CDR the tails are names of a document's diseases; each fold of train is scored by a model
that did not learn from it, so that thresholds are honest, and dev by one that learnt from all of train. The seed's own
co-mentions (`comentions`) teach choosing among the mentions of a sequence, without any label.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from clew.errors import InputError, ModelError
from clew.evaluate.extraction.lessons import Asking, Lessons, read_lessons
from clew.extract.model.attention import pick_kernel
from clew.extract.model.batch import Batch
from clew.extract.model.chance import make_key
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.optimiser import make_optimiser, rate_at
from clew.extract.model.storage import SavedModel, read_model, write_model
from clew.extract.training import pick_device
from clew.files import write_text
from clew.progress import Progress, silent
from clew.sealed import SEAL

__all__ = ["LOSSES", "FineTuning", "finetune", "finetune_and_score", "score_rows", "teach", "weigh_rows"]

logger = logging.getLogger(__name__)
LOSSES = ("name", "share", "spread", "odds", "document")
FOLDS = 5
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FineTuning:
    """How to fine-tune. `loss` says what is learnt of the tails of a query, besides naming one that is gold.

    "name": nothing else; "share": that gold tails together have the largest share among all; "spread": that each of
    them has an equal share; "odds": that each is likelier than [NONE], and every other less; "document": besides
    "share", that each gold pair has an equal share of its document, summed over the mentions of its ends.
    """

    loss: str = "share"
    by_token: bool = True  # what is weighed is the log-probability a token, so that long names are not the losers
    naming: float = 0.2  # weight of naming a gold tail, where the loss is another
    epochs: int = 4
    rate: float = 1e-4
    warm_up: int = 100
    weight_decay: float = 0.01
    tokens: int = 16_384  # in a batch
    root_share: float = 0.15  # of roots that are masked and predicted besides
    root_weight: float = 0.5
    dropout: float | None = None  # None: the model's own
    together: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise InputError(f"there is no loss {self.loss!r}: choose one of {', '.join(LOSSES)}")
        if self.epochs < 0 or self.tokens < 1:
            raise InputError("epochs are 0 or more, and a batch has at least one token")


def finetune_and_score(
    model: Path,
    arrays: Path,
    settings: FineTuning,
    out: Path,
    *,
    seeds: Sequence[int] = (0,),
    dev: bool = True,
    device: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fine-tune with each seed and write the mean scores: train.npy, by folds, and dev.npy unless not asked for."""
    chosen = pick_device(device)
    saved = read_model(model, kernel=pick_kernel(chosen), device=chosen)
    train = read_lessons(arrays / "scoring-train")
    held_back = read_lessons(arrays / "scoring-dev") if dev else None
    train_scores, dev_scores = [], []
    for seed in seeds:
        one = replace(settings, seed=seed)
        scores = np.zeros(train.rows, np.float32)
        for fold in range(FOLDS):
            progress(f"fine-tuning without fold {fold}", fold, FOLDS)
            learnt = finetune(saved, train, one, without_fold=fold)
            queries = np.flatnonzero(train.fold == fold)
            score_rows(learnt, train, queries, scores, together=settings.together)
        train_scores.append(scores)
        if held_back is not None:
            learnt = finetune(saved, train, one)
            found = np.zeros(held_back.rows, np.float32)
            score_rows(learnt, held_back, np.arange(len(held_back)), found, together=settings.together)
            dev_scores.append(found)
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "train.npy", np.mean(train_scores, axis=0, dtype=np.float32))
    if dev_scores:
        np.save(out / "dev.npy", np.mean(dev_scores, axis=0, dtype=np.float32))
    said = {**asdict(settings), "seeds": list(seeds), "model": str(model)}
    write_text(out / "settings.json", json.dumps(said, indent=1) + "\n")
    return said


def teach(
    model: Path,
    lessons: Path,
    settings: FineTuning,
    out: Path,
    *,
    score: Mapping[str, Path] | None = None,
    without_fold: int | None = None,
    device: str | None = None,
) -> dict[str, Scores]:
    """Fine-tune on one folder of questions and write the model to `out`; its scores of other folders, by name."""
    chosen = pick_device(device)
    saved = read_model(model, kernel=pick_kernel(chosen), device=chosen)
    learnt = finetune(saved, read_lessons(lessons), settings, without_fold=without_fold)
    training = {**saved.training, "taught": asdict(settings)}
    identity = {"model": sha256((Path(model) / SEAL).read_bytes()).hexdigest(), "settings": repr(settings)}
    write_model(out, replace(saved, model=learnt, training=training), identity=identity)
    found = {}
    for name, folder in (score or {}).items():
        asked = read_lessons(folder)
        found[name] = np.zeros(asked.rows, np.float32)
        score_rows(learnt, asked, np.arange(len(asked)), found[name], together=settings.together)
    return found


def finetune(
    saved: SavedModel, lessons: Lessons, settings: FineTuning, *, without_fold: int | None = None
) -> GraphMert:
    """A copy of a model that learnt from the queries of all folds but one."""
    config = replace(saved.config, root_share=settings.root_share)
    learner: GraphMert = deepcopy(saved.model)
    learner.train()
    device = learner.p.device
    if settings.dropout is not None:
        _set_dropout(learner, settings.dropout)
    queries = lessons.learnable(without_fold=without_fold)
    packs = lessons.packs(queries, together=settings.together)
    units = lessons.by_document(packs) if settings.loss == "document" else [[pack] for pack in packs]
    steps = settings.epochs * sum(1 for _ in lessons.batches(units, tokens=settings.tokens))
    optimiser = make_optimiser(learner, weight_decay=settings.weight_decay, fused=device.type == "cuda")
    step, sums = 0, torch.zeros(2, device=device)
    for epoch in range(settings.epochs):
        order = np.random.default_rng((settings.seed, epoch)).permutation(len(units))
        for batch in lessons.batches([units[at] for at in order], tokens=settings.tokens):
            torch.manual_seed(make_key(settings.seed, step) >> 1)
            asking = lessons.ask(batch, config=config, seed=settings.seed, epoch=step)
            for part in optimiser.param_groups:
                part["lr"] = rate_at(step, steps, settings.rate, 0.0, settings.warm_up)
            sums += _advance(learner, asking, settings, optimiser)
            step += 1
        logger.info("epoch %d: tails %.3f, roots %.3f", epoch, *(sums / max(1, step)).tolist())
    if not bool(torch.isfinite(sums).all()):
        raise ModelError("the loss of fine-tuning is no longer a number: fine-tune with a lower rate")
    learner.eval()
    return learner


def _advance(model: GraphMert, asking: Asking, settings: FineTuning, optimiser: torch.optim.AdamW) -> torch.Tensor:
    """One step; the losses of tails and roots: (2,)."""
    device = model.p.device
    batch = Batch.unpack(asking.packed, device)
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        encoded = model.encode(batch)
        logits = _logits(model, encoded[batch.leaf_index])
        roots = _logits(model, encoded[batch.root_index]) if len(batch.root_index) else None
    scores = weigh_rows(logits, asking)
    tails = _loss(scores, asking, settings)
    root = scores.new_zeros(()) if roots is None else functional.cross_entropy(roots, batch.root_target.long())
    (tails + settings.root_weight * root).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return torch.stack((tails.detach(), root.detach()))


def _logits(model: GraphMert, encoded: torch.Tensor) -> torch.Tensor:  # (n, width) -> (n, V) float32
    transformed = model.heads.transform(encoded)
    return functional.linear(transformed, model.embedding.words.weight, model.heads.bias).float()


def weigh_rows(logits: torch.Tensor, asking: Asking) -> torch.Tensor:
    """log p(tail and its end) of each row, from the logits of all slots (leaves * 7, V): (r,)."""
    device = logits.device
    slots = logits.view(asking.leaves, -1, logits.shape[-1])  # (leaves, 7, V)
    norm = torch.logsumexp(slots, -1)  # (leaves, 7)
    leaf, tokens, terms = (torch.from_numpy(each).to(device) for each in (asking.leaf, asking.tokens, asking.terms))
    place = torch.arange(tokens.shape[1], device=device)
    found = slots[leaf[:, None], place, tokens] - norm[leaf]  # (r, 7)
    return (found * (place < terms[:, None])).sum(-1)


def _loss(scores: torch.Tensor, asking: Asking, settings: FineTuning) -> torch.Tensor:
    device = scores.device
    leaf, gold = torch.from_numpy(asking.leaf).to(device), torch.from_numpy(asking.gold == 1).to(device)
    by_token = scores / torch.from_numpy(asking.terms).to(device)
    naming = -by_token[_pick(gold, leaf, asking.leaves)].mean()
    if settings.loss == "name":
        return naming
    weights = by_token if settings.by_token else scores
    if settings.loss == "odds":
        first = _first_rows(leaf)
        none = weights.new_zeros(asking.leaves).index_put((leaf[first],), weights[first])
        odds = (weights - none[leaf])[~first]
        return functional.binary_cross_entropy_with_logits(odds, gold[~first].float()) + settings.naming * naming
    shares = weights - _log_sum(weights, leaf, asking.leaves)[leaf]
    if settings.loss == "spread":
        number = weights.new_zeros(asking.leaves).index_add(0, leaf, gold.float())
        return -(shares[gold] / number[leaf][gold]).sum() / asking.leaves + settings.naming * naming
    loss = -_log_sum(shares.masked_fill(~gold, -1e4), leaf, asking.leaves).mean() + settings.naming * naming
    return loss + _document_loss(shares, asking) if settings.loss == "document" else loss


def _document_loss(shares: torch.Tensor, asking: Asking) -> torch.Tensor:
    """Gold pairs should share their document equally; pairs are pooled as they are when scored."""
    device = shares.device
    columns = (asking.member_row, asking.member_pair, asking.pair_document, asking.pair_gold)
    row, pair, document, gold = (torch.from_numpy(each).to(device) for each in columns)
    documents = int(asking.pair_document.max(initial=0)) + 1
    pooled = _log_sum(shares[row], pair, len(gold))
    within = pooled - _log_sum(pooled, document, documents)[document]
    number = within.new_zeros(documents).index_add(0, document, gold.float())
    return -(within[gold] / number[document][gold]).sum() / max(1, documents)


def _first_rows(leaf: torch.Tensor) -> torch.Tensor:
    """Where each leaf's rows begin: its [NONE]."""
    first = torch.ones_like(leaf, dtype=torch.bool)
    first[1:] = leaf[1:] != leaf[:-1]
    return first


def _pick(gold: torch.Tensor, leaf: torch.Tensor, leaves: int) -> torch.Tensor:
    """One gold row of each leaf, drawn at random: (leaves,)."""
    luck = torch.where(gold, torch.rand(gold.shape, device=gold.device), -1.0)
    best = torch.full((leaves,), -1.0, device=gold.device).scatter_reduce(0, leaf, luck, "amax")
    return torch.nonzero(gold & (luck == best[leaf]))[:, 0]


def _log_sum(values: torch.Tensor, group: torch.Tensor, groups: int) -> torch.Tensor:
    """log of the sum of exp over the rows of each group: (groups,)."""
    highest = torch.full((groups,), -1e9, device=values.device).scatter_reduce(0, group, values.detach(), "amax")
    total = values.new_zeros(groups).index_add(0, group, torch.exp(values - highest[group]))
    return highest + torch.log(total)


def score_rows(
    model: GraphMert,
    lessons: Lessons,
    queries: NDArray[np.int64],
    scores: Scores,
    *,
    together: bool = False,
    tokens: int | None = None,
) -> None:
    """Fill in the scores of the rows of some queries."""
    device = model.p.device
    size = tokens or (65_536 if device.type == "cuda" else 4_096)
    for batch in lessons.batches([[pack] for pack in lessons.packs(queries, together=together)], tokens=size):
        asking = lessons.ask(batch)
        packed = Batch.unpack(asking.packed, device)
        on_gpu = device.type == "cuda"
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=on_gpu):
            logits = _logits(model, model.encode(packed)[packed.leaf_index])
        scores[asking.rows] = weigh_rows(logits, asking).cpu().numpy()


def _set_dropout(model: GraphMert, share: float) -> None:
    """Another dropout than the model was trained with, in every part."""
    model.embedding.dropout = share
    for layer in model.encoder.layers:
        layer.config = replace(layer.config, dropout=share, activation_dropout=share)
