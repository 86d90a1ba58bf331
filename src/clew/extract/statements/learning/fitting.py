"""Training of a statement model on marked gold documents, on a CPU or a GPU, and its calibration on held-out ones."""

import json
from collections.abc import Iterator, Mapping, Sequence
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
from clew.extract.statements.calibration import Scored, calibrate, f1_of
from clew.extract.statements.config import OUTPUTS, columns_of, config_of_start
from clew.extract.statements.examples import Example
from clew.extract.statements.gold import is_held_out
from clew.extract.statements.learning.batches import cut_batches, make_batch
from clew.extract.statements.learning.encoder import load_start
from clew.extract.statements.learning.guesses import Guessed
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.masked_words import MaskedWordSettings, Words, continue_pretraining
from clew.extract.statements.learning.storage import TOKENIZER, TrainedModel
from clew.extract.statements.relations import choose_thresholds
from clew.progress import Progress, silent

__all__ = ["Settings", "check_device", "fit", "score_examples", "start_model", "train", "words_of"]


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
    check_device(settings.device)
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
    read = {
        corpus: list(zip((each.marked for each in held_out if each.corpus == corpus), scored[corpus], strict=True))
        for corpus in OUTPUTS
    }
    record: dict[str, Any] = {
        "settings": asdict(settings),
        "documents": {corpus: sum(each.corpus == corpus for each in learnt) for corpus in OUTPUTS},
        "held_out": {corpus: sum(each.corpus == corpus for each in held_out) for corpus in OUTPUTS},
        "word_rows": 0 if rows is None else len(rows),
        "word_losses": word_losses,
        "losses": losses,
        "seconds": round(seconds, 1),
        "calibration": {corpus: asdict(each) for corpus, each in calibration.items()},
        "relations": choose_thresholds(read, calibration),
        "held_out_scores": {corpus: dict(f1_of(scored[corpus], calibration[corpus])) for corpus in OUTPUTS},
    }
    return TrainedModel(model.cpu().eval(), (Path(start) / TOKENIZER).read_text("utf-8"), record)


def start_model(start: Path, *, compare: bool = True, dropout: float = 0.1) -> Judge:
    """An untrained model over a pretrained encoder."""
    model = Judge(replace(config_of_start(start), compare=compare, dropout=dropout))
    load_start(model.encoder, Path(start), _vocabulary(start))
    return model


def fit(
    model: Judge, examples: Sequence[Example | Guessed], settings: Settings, *, progress: Progress = silent
) -> list[dict[str, float]]:
    """Train in place on gold, on guesses or on both; the mean loss of each epoch by corpus."""
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
        seen: dict[str, list[Tensor]] = {corpus: [] for corpus in OUTPUTS}
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
                seen[corpus].append(loss.detach())
        history.append(
            {corpus: round(float(torch.stack(each).mean()), 4) if each else 0.0 for corpus, each in seen.items()}
        )
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
            columns = scores[: len(example.labels), columns_of(example.corpus)].float().cpu().numpy()
            found[example.corpus].append(Scored(columns, example.labels, example.marked.apart, example.missed))
    return found


def check_device(device: str) -> None:
    """Refuse a GPU that is not there."""
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
    return continue_pretraining(model.encoder, rows, words, words_of(start), progress=progress)


def words_of(start: Path) -> Words:
    """What masking needs of the vocabulary of a start."""
    vocabulary = _vocabulary(start)
    if "[MASK]" not in vocabulary:
        raise InputError(f"the tokenizer of {start} has no [MASK]: masked-word training needs one")
    continues = np.zeros(config_of_start(start).vocabulary, bool)
    continues[[number for piece, number in vocabulary.items() if piece.startswith("##")]] = True
    return Words(vocabulary["[MASK]"], continues)


def _vocabulary(start: Path) -> dict[str, int]:
    """Piece to number, from tokenizer.json."""
    path = Path(start) / TOKENIZER
    try:
        return dict(json.loads(path.read_text("utf-8"))["model"]["vocab"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a WordPiece tokenizer.json: {error}") from error


def _losses(
    model: Judge, examples: Sequence[Example | Guessed], settings: Settings, frozen: Sequence[Tensor] | None
) -> dict[str, Tensor]:
    """The mean cross entropy of the pairs of each corpus."""
    scores = _scores(model, examples, settings, frozen)
    columns = scores.shape[2]
    targets = np.zeros(scores.shape, np.float32)
    rows = {corpus: np.zeros(scores.shape[:2], bool) for corpus in OUTPUTS}
    for row, example in enumerate(examples):
        for corpus, pairs, shares in _targets(example):
            targets[row, pairs, columns_of(corpus)] = shares
            rows[corpus][row, pairs] = True
    wanted = torch.from_numpy(targets.reshape(-1, columns)).to(scores.device)
    found: dict[str, Tensor] = {}
    for corpus, mine in rows.items():
        if mine.any():
            places = torch.from_numpy(np.flatnonzero(mine)).to(scores.device)
            part = columns_of(corpus)
            found[corpus] = functional.cross_entropy(
                scores.flatten(0, 1)[places][:, part].float(), wanted[places][:, part]
            )
    return found


def _targets(example: Example | Guessed) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.float32]]]:
    """A corpus, pairs, and how probable each of its outcomes is for them."""
    if isinstance(example, Guessed):
        for corpus in OUTPUTS:
            rows = example.rows[corpus]
            yield corpus, rows, example.shares[rows, columns_of(corpus)]
    else:
        outcomes = np.eye(1 + len(OUTPUTS[example.corpus]), dtype=np.float32)
        yield example.corpus, np.arange(len(example.labels)), outcomes[example.labels]


def _scores(
    model: Judge, examples: Sequence[Example | Guessed], settings: Settings, frozen: Sequence[Tensor] | None
) -> Tensor:
    """(documents, pairs, columns), padded."""
    batch = make_batch([each.marked for each in examples], settings.device)
    if frozen is None:
        hidden, attention = model.encoder(batch.tokens, batch.present)
    else:
        lower = pad_sequence(list(frozen), batch_first=True)
        lower = functional.pad(lower, (0, 0, 0, batch.tokens.shape[1] - lower.shape[1])).to(settings.device)
        hidden, attention = model.encoder.upper(lower, batch.present, settings.frozen)
    return model.judge(hidden, attention, batch.inputs)


@torch.no_grad()  # type: ignore[untyped-decorator]
def _frozen_states(model: Judge, examples: Sequence[Example | Guessed], settings: Settings) -> list[Tensor]:
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
    return torch.optim.AdamW(groups, fused=settings.device.startswith("cuda"))


def _pace(step: int, steps: int, warm_up: float) -> float:
    """Up in a line, then down in a line to nothing."""
    rising = max(1, round(steps * warm_up))
    return (step + 1) / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))
