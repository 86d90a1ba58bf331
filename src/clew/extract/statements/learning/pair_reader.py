"""Reads the sentences of a pair of entities (`pair_texts`): is neither stated, that the one lowers (helps against) the
other, or that it raises (harms, induces) it? A relation without a sign is one of the two.

The lowest layers are those of a statement model and stay as they are, so that an exported model holds them once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from clew.extract.statements.combining import READ
from clew.extract.statements.config import Config
from clew.extract.statements.examples import ENTITY_TYPES
from clew.extract.statements.learning.encoder import Encoder

__all__ = ["PairReader", "ReaderSettings", "fit_reader", "read_pairs"]

Ids = NDArray[np.int64]
Targets = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """How a reader is trained."""

    frozen: int = 3  # layers of the statement model that are shared
    epochs: int = 5
    batch: int = 32
    rate: float = 1e-4
    head_rate: float = 5e-4
    weight_decay: float = 0.01
    warm_up: float = 0.1
    seed: int = 0
    device: str = "cpu"


class PairReader(nn.Module):  # type: ignore[misc]
    """An encoder, and scores of neither, help and harm from [CLS] and the opening markers of both ends.

    The subject is of the first type in the text and the object of the last; two genes share their markers.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.pair = nn.Linear(3 * config.width, config.width)
        self.scores = nn.Linear(config.width, READ)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, tokens: Tensor, present: Tensor) -> Tensor:
        """Scores (texts, 3) of padded texts (texts, length)."""
        return self._judge(self.encoder.read(tokens, present), tokens)

    def read(self, tokens: Tensor, present: Tensor, frozen: int) -> Tensor:
        """The same, without gradients in the lowest `frozen` layers."""
        with torch.no_grad():
            lower = self.encoder.lower(tokens, present, frozen)
        return self._judge(self.encoder.upper(lower, present, frozen)[0], tokens)

    def _judge(self, hidden: Tensor, tokens: Tensor) -> Tensor:
        openings = self.config.vocabulary + 2 * torch.arange(len(ENTITY_TYPES), device=tokens.device)
        there = (tokens[:, None] == openings[:, None]).to(hidden.dtype)  # (texts, types, length)
        counts = there.sum(2, keepdim=True)
        means = there @ hidden / counts.clamp(min=1.0)  # (texts, types, width)
        present = (counts > 0).to(hidden.dtype)
        before, after = present.cumsum(1), present.flip(1).cumsum(1).flip(1)
        first, last = present * (before == 1).to(hidden.dtype), present * (after == 1).to(hidden.dtype)
        parts = [hidden[:, 0], (means * first).sum(1), (means * last).sum(1)]
        scores: Tensor = self.scores(self.dropout(torch.tanh(self.pair(self.dropout(torch.cat(parts, 1))))))
        return scores


def fit_reader(
    model: PairReader, texts: Sequence[Ids], targets: Targets, weights: NDArray[np.float32], settings: ReaderSettings
) -> None:
    """Train in place. A row of `targets` (texts, 3) gives the outcomes that are possible (ones), or their shares."""
    device = torch.device(settings.device)
    model.to(device).train()
    optimiser = _optimiser(model, settings)
    random = np.random.default_rng(settings.seed)
    plan = [batch for _ in range(settings.epochs) for batch in _batches(texts, settings.batch, random)]
    rising = max(1.0, settings.warm_up * len(plan))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / rising, max(0.0, (len(plan) - step) / max(1.0, len(plan) - rising)))
    )
    for numbers in plan:
        tokens, present = _padded([texts[each] for each in numbers], device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            scores = model.read(tokens, present, settings.frozen)
        lost = _loss(scores.float().log_softmax(1), torch.from_numpy(targets[numbers]).to(device))
        optimiser.zero_grad(set_to_none=True)
        (lost * torch.from_numpy(weights[numbers]).to(device)).mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    model.eval()


@torch.inference_mode()  # type: ignore[untyped-decorator]
def read_pairs(model: PairReader, texts: Sequence[Ids], device: str, *, batch: int = 128) -> Targets:
    """The probabilities (texts, 3) of neither, help and harm."""
    model.eval()
    found = np.zeros((len(texts), READ), np.float32)
    order = np.argsort([len(each) for each in texts], kind="stable")
    for first in range(0, len(order), batch):
        numbers = order[first : first + batch]
        tokens, present = _padded([texts[each] for each in numbers], torch.device(device))
        with torch.autocast(torch.device(device).type, torch.bfloat16, enabled="cuda" in device):
            found[numbers] = model(tokens, present).float().softmax(1).cpu().numpy()
    return found


def _loss(logs: Tensor, targets: Tensor) -> Tensor:
    """(texts,) of labels that leave several outcomes open, or of shares."""
    hard = ((targets == 0) | (targets == 1)).all(1)
    possible = -torch.logsumexp(logs.masked_fill(targets == 0, -1e4), 1)
    return torch.where(hard, possible, -(targets * logs).sum(1))


def _optimiser(model: PairReader, settings: ReaderSettings) -> torch.optim.AdamW:
    for part in (model.encoder.words, model.encoder.positions, model.encoder.norm):
        part.requires_grad_(False)
    model.encoder.segment.requires_grad_(False)
    for layer in model.encoder.layers[: settings.frozen]:
        layer.requires_grad_(False)
    groups = [
        {
            "params": [
                parameter
                for name, parameter in model.named_parameters()
                if parameter.requires_grad and name.startswith("encoder.") == inside
            ],
            "lr": rate,
        }
        for inside, rate in ((True, settings.rate), (False, settings.head_rate))
    ]
    return torch.optim.AdamW(groups, weight_decay=settings.weight_decay, fused="cuda" in settings.device)


def _batches(texts: Sequence[Ids], size: int, random: np.random.Generator) -> Iterator[list[int]]:
    """Random batches of like length."""
    order = random.permutation(len(texts))
    batches: list[list[int]] = []
    for first in range(0, len(order), 8 * size):
        chunk = sorted(order[first : first + 8 * size].tolist(), key=lambda each: len(texts[each]))
        batches += [chunk[at : at + size] for at in range(0, len(chunk), size)]
    for number in random.permutation(len(batches)):
        yield batches[number]


def _padded(texts: Sequence[Ids], device: torch.device) -> tuple[Tensor, Tensor]:
    longest = max(map(len, texts))
    tokens = torch.zeros(len(texts), longest + -longest % 8, dtype=torch.int64)
    for row, each in enumerate(texts):
        tokens[row, : len(each)] = torch.from_numpy(each)
    present = functional.pad(
        torch.nn.utils.rnn.pad_sequence([torch.ones(len(each), dtype=torch.int64) for each in texts], batch_first=True),
        (0, -longest % 8),
    )
    return tokens.to(device), present.to(device)
