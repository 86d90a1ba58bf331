"""Training of a statement model on marked gold documents, on a CPU or a GPU, and its calibration on held-out ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from clew.errors import InputError
from clew.extract.statements.batches import cut_batches, make_batch
from clew.extract.statements.calibration import Scored, calibrate, f1_of
from clew.extract.statements.config import OUTPUTS, columns_of, config_of_start
from clew.extract.statements.encoder import load_start
from clew.extract.statements.examples import Example
from clew.extract.statements.gold import is_held_out
from clew.extract.statements.judge import Judge
from clew.extract.statements.masked_words import MaskedWordSettings, continue_pretraining
from clew.extract.statements.storage import TOKENIZER, TrainedModel
from clew.progress import Progress, silent

__all__ = ["Settings", "fit", "score_examples", "start_model", "train"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is trained."""

    epochs: int = 10
    batch: int = 8  # documents
    rate: float = 8e-5  # of the encoder
    head_rate: float = 3e-4
    weight_decay: float = 0.01
    warm_up: float = 0.1  # share of all steps
    clip: float = 1.0
    held_out: float = 0.15  # share of the training documents kept for calibration
    compare: bool = True  # let the pairs of a document attend to each other
    frozen: int = 0  # lower layers that stay as they are (with the embeddings); computed once for each document
    seed: int = 0
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 1 or not 0 <= self.held_out < 1 or self.frozen < 0:
            raise InputError(
                f"expected at least 1 epoch and 1 document a batch, a held-out share below 1 and no negative number of"
                f" frozen layers, not {self.epochs}, {self.batch}, {self.held_out} and {self.frozen}"
            )


def train(
    examples: Sequence[Example],
    start: Path,
    settings: Settings,
    *,
    rows: NDArray[np.int32] | None = None,
    words: MaskedWordSettings | None = None,
    progress: Progress = silent,
) -> TrainedModel:
    """A model that begins with the BERT in `start` and learns from all examples but the held-out ones.

    With `rows` of tokens (`cut_texts`) the encoder is first trained on masked words of them.
    """
    _check_device(settings.device)
    torch.manual_seed(settings.seed)
    model = start_model(start, compare=settings.compare)
    word_losses = [] if rows is None else _train_words(model, start, rows, settings, words, progress)
    learnt = [each for each in examples if not is_held_out(each.document, share=settings.held_out)]
    held_out = [each for each in examples if is_held_out(each.document, share=settings.held_out)]
    began = monotonic()
    losses = fit(model, learnt, settings, progress=progress)
    seconds = monotonic() - began
    scored = score_examples(model, held_out, settings)
    calibration = {corpus: calibrate(scored[corpus]) for corpus in OUTPUTS}
    record: dict[str, Any] = {
        "settings": asdict(settings),
        "documents": {corpus: sum(each.corpus == corpus for each in learnt) for corpus in OUTPUTS},
        "held_out": {corpus: sum(each.corpus == corpus for each in held_out) for corpus in OUTPUTS},
        "word_rows": 0 if rows is None else len(rows),
        "word_losses": word_losses,
        "losses": losses,
        "seconds": round(seconds, 1),
        "calibration": {corpus: asdict(each) for corpus, each in calibration.items()},
        "held_out_scores": {corpus: dict(f1_of(scored[corpus], calibration[corpus])) for corpus in OUTPUTS},
    }
    return TrainedModel(model.cpu().eval(), (Path(start) / TOKENIZER).read_text("utf-8"), record)


def start_model(start: Path, *, compare: bool = True, dropout: float = 0.1) -> Judge:
    """An untrained model over a pretrained encoder."""
    model = Judge(replace(config_of_start(start), compare=compare, dropout=dropout))
    load_start(model.encoder, Path(start), _vocabulary(start))
    return model


def fit(
    model: Judge, examples: Sequence[Example], settings: Settings, *, progress: Progress = silent
) -> list[dict[str, float]]:
    """Train in place; the mean loss of each epoch by corpus."""
    if not examples:
        raise InputError("there are no documents to learn from")
    device = torch.device(settings.device)
    model.to(device).train()
    frozen = _frozen_states(model, examples, settings) if settings.frozen else None
    optimiser = _optimiser(model, settings)
    random = np.random.default_rng(settings.seed)
    steps = settings.epochs * -(-len(examples) // settings.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _pace(step, steps, settings.warm_up))
    history: list[dict[str, float]] = []
    done = 0
    for _ in range(settings.epochs):
        sums = dict.fromkeys(OUTPUTS, 0.0)
        counts = dict.fromkeys(OUTPUTS, 0)
        for numbers in cut_batches(examples, settings.batch, random):
            chosen = [examples[number] for number in numbers]
            given = None if frozen is None else [frozen[number] for number in numbers]
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                losses = _losses(model, chosen, settings, given)
            if losses:
                optimiser.zero_grad(set_to_none=True)
                torch.stack(list(losses.values())).sum().backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
                optimiser.step()
            schedule.step()
            done += 1
            progress("training", done, steps)
            for corpus, loss in losses.items():
                sums[corpus] += float(loss.detach())
                counts[corpus] += 1
        history.append({corpus: round(sums[corpus] / max(1, counts[corpus]), 4) for corpus in OUTPUTS})
    model.eval()
    return history


@torch.inference_mode()  # type: ignore[untyped-decorator]
def score_examples(model: Judge, examples: Sequence[Example], settings: Settings) -> Mapping[str, list[Scored]]:
    """The scores of each document's pairs, by corpus, in order."""
    model.eval()
    found: dict[str, list[Scored]] = {corpus: [] for corpus in OUTPUTS}
    for first in range(0, len(examples), settings.batch):
        chosen = examples[first : first + settings.batch]
        for example, scores in zip(chosen, _scores(model, chosen, settings, None), strict=True):
            columns = scores[:, columns_of(example.corpus)].float().cpu().numpy()
            found[example.corpus].append(Scored(columns, example.labels, example.missed))
    return found


def _check_device(device: str) -> None:
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"there is no {device} on this machine: train with the device cpu")


def _train_words(
    model: Judge,
    start: Path,
    rows: NDArray[np.int32],
    settings: Settings,
    words: MaskedWordSettings | None,
    progress: Progress,
) -> list[float]:
    words = words or MaskedWordSettings(seed=settings.seed, device=settings.device)
    mask = _vocabulary(start).get("[MASK]")
    if mask is None:
        raise InputError(f"the tokenizer of {start} has no [MASK]: masked-word training needs one")
    return continue_pretraining(
        model.encoder, rows, words, vocabulary=model.config.vocabulary, mask=mask, progress=progress
    )


def _vocabulary(start: Path) -> dict[str, int]:
    """Piece to number, from tokenizer.json."""
    path = Path(start) / TOKENIZER
    try:
        return dict(json.loads(path.read_text("utf-8"))["model"]["vocab"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a WordPiece tokenizer.json: {error}") from error


def _losses(
    model: Judge, examples: Sequence[Example], settings: Settings, frozen: Sequence[Tensor] | None
) -> dict[str, Tensor]:
    """The mean cross entropy of the pairs of each corpus."""
    parts: dict[str, list[tuple[Tensor, Tensor]]] = {}
    for example, scores in zip(examples, _scores(model, examples, settings, frozen), strict=True):
        if len(example.labels):
            labels = torch.from_numpy(example.labels).to(scores.device)
            parts.setdefault(example.corpus, []).append((scores[:, columns_of(example.corpus)].float(), labels))
    return {
        corpus: functional.cross_entropy(torch.cat([scores for scores, _ in each]), torch.cat([y for _, y in each]))
        for corpus, each in parts.items()
    }


def _scores(
    model: Judge, examples: Sequence[Example], settings: Settings, frozen: Sequence[Tensor] | None
) -> list[Tensor]:
    batch = make_batch([each.marked for each in examples], settings.device)
    if frozen is None:
        hidden, attention = model.encoder(batch.tokens, batch.present)
    else:
        lower = pad_sequence(list(frozen), batch_first=True).to(settings.device)
        hidden, attention = model.encoder.upper(lower, batch.present, settings.frozen)
    return [
        model.judge(hidden[row], attention[row], inputs)
        if len(inputs.pairs)
        else hidden.new_zeros(0, model.scores.out_features)
        for row, inputs in enumerate(batch.inputs)
    ]


@torch.no_grad()  # type: ignore[untyped-decorator]
def _frozen_states(model: Judge, examples: Sequence[Example], settings: Settings) -> list[Tensor]:
    """What the lower layers make of each document, which training does not change."""
    if settings.frozen >= model.config.layers:
        raise InputError(f"{settings.frozen} of {model.config.layers} layers cannot be frozen: leave at least one out")
    model.eval()
    found = []
    for example in examples:
        batch = make_batch([example.marked], settings.device)
        found.append(model.encoder.lower(batch.tokens, batch.present, settings.frozen)[0].cpu())
    model.train()
    return found


def _optimiser(model: Judge, settings: Settings) -> torch.optim.AdamW:
    """AdamW with one rate for the encoder and one for the head; frozen parts are not in it."""
    if settings.frozen:
        for part in (model.encoder.words, model.encoder.positions, model.encoder.norm):
            part.requires_grad_(False)
        model.encoder.segment.requires_grad_(False)
        for layer in model.encoder.layers[: settings.frozen]:
            layer.requires_grad_(False)
    groups = []
    for inside, rate in ((True, settings.rate), (False, settings.head_rate)):
        mine = [
            parameter
            for name, parameter in model.named_parameters()
            if parameter.requires_grad and name.startswith("encoder.") == inside
        ]
        for matrix, decay in ((True, settings.weight_decay), (False, 0.0)):
            chosen = [parameter for parameter in mine if (parameter.dim() >= 2) == matrix]
            groups.append({"params": chosen, "lr": rate, "weight_decay": decay})
    return torch.optim.AdamW(groups)


def _pace(step: int, steps: int, warm_up: float) -> float:
    """Up in a line, then down in a line to nothing."""
    rising = max(1, round(steps * warm_up))
    return (step + 1) / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))
