"""Masked-word training of an encoder on plain texts, before it is trained on gold relations.

15 % of the tokens are to be predicted; of these 80 % are masked, 10 % replaced, 10 % left (BERT's shares).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from clew.extract.statements.encoder import Encoder
from clew.progress import Progress, silent

__all__ = ["MaskedWordSettings", "continue_pretraining"]

CHOSEN, MASKED, REPLACED = 0.15, 0.8, 0.1
Tokens = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class MaskedWordSettings:
    """How masked words are trained; a sequence has `length` tokens, and texts follow each other in it."""

    epochs: int = 4
    batch: int = 128
    length: int = 256
    rate: float = 2e-4
    seed: int = 0
    device: str = "cpu"


def continue_pretraining(
    encoder: Encoder,
    rows: Tokens,
    settings: MaskedWordSettings,
    *,
    vocabulary: int,
    mask: int,
    progress: Progress = silent,
) -> list[float]:
    """Train in place; the mean loss of each epoch."""
    device = torch.device(settings.device)
    torch.manual_seed(settings.seed)
    head = _WordHead(encoder.words.embedding_dim, vocabulary)
    encoder.to(device).train()
    head.to(device)
    optimiser = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=settings.rate, weight_decay=0.01)
    steps = settings.epochs * -(-len(rows) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, total_steps=steps + 1, pct_start=0.1)
    random = np.random.default_rng(settings.seed)
    history: list[float] = []
    for epoch in range(settings.epochs):
        losses: list[Tensor] = []
        order = random.permutation(len(rows))
        for first in range(0, len(order), settings.batch):
            tokens, places, targets = _mask(rows[order[first : first + settings.batch]], random, vocabulary, mask)
            shown, wanted = torch.from_numpy(tokens).to(device), torch.from_numpy(targets).to(device)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                hidden, _ = encoder(shown, torch.ones_like(shown))
                loss = functional.cross_entropy(head(hidden[places], encoder.words.weight[:vocabulary]).float(), wanted)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.detach())
            progress("masked words", epoch * -(-len(rows) // settings.batch) + len(losses), steps)
        history.append(round(float(torch.stack(losses).mean()), 4))
    encoder.eval()
    return history


class _WordHead(nn.Module):  # type: ignore[misc]
    """BERT's own: a layer, a norm, and the product with the word embeddings."""

    def __init__(self, width: int, vocabulary: int) -> None:
        super().__init__()
        self.transform, self.norm = nn.Linear(width, width), nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, hidden: Tensor, words: Tensor) -> Tensor:
        transformed: Tensor = self.norm(functional.gelu(self.transform(hidden)))
        return transformed @ words.T + self.bias


def _mask(
    rows: Tokens, random: np.random.Generator, vocabulary: int, mask: int
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], ...], NDArray[np.int64]]:
    """Tokens as shown, the places to predict, and what stood there."""
    tokens = rows.astype(np.int64)
    chosen = random.random(tokens.shape) < CHOSEN
    chosen[0, 0] = True  # never none
    targets = tokens[chosen]
    draw = random.random(len(targets))
    shown = np.where(draw < MASKED, mask, targets)
    replaced = (draw >= MASKED) & (draw < MASKED + REPLACED)
    shown[replaced] = random.integers(0, vocabulary, replaced.sum())
    tokens[chosen] = shown
    return tokens, tuple(each.astype(np.int64) for each in chosen.nonzero()), targets
