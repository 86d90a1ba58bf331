"""Masked-word training of an encoder on plain texts, before it is trained on gold relations.

15 % of the words are to be predicted, all pieces of a word together; of their pieces 80 % are masked, 10 % replaced,
10 % left (BERT's shares).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from clew.extract.statements.learning.encoder import Encoder
from clew.progress import Progress, silent

__all__ = ["MaskedWordSettings", "Words", "continue_pretraining"]

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


@dataclass(frozen=True, slots=True)
class Words:
    """What masking needs of a vocabulary."""

    mask: int  # [MASK]
    continues: NDArray[np.bool_]  # (vocabulary,) pieces that continue a word


def continue_pretraining(
    encoder: Encoder, rows: Tokens, settings: MaskedWordSettings, words: Words, *, progress: Progress = silent
) -> list[float]:
    """Train in place; the mean loss of each epoch."""
    device = torch.device(settings.device)
    torch.manual_seed(settings.seed)
    vocabulary = len(words.continues)
    head = _WordHead(encoder.words.embedding_dim, vocabulary).to(device)
    encoder.to(device).train()
    parameters = [*encoder.parameters(), *head.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=settings.rate, weight_decay=0.01, fused=device.type == "cuda")
    steps = settings.epochs * -(-len(rows) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, total_steps=steps + 1, pct_start=0.1)
    given, continues = torch.from_numpy(rows), torch.from_numpy(words.continues).to(device)
    history: list[float] = []
    for epoch in range(settings.epochs):
        losses: list[Tensor] = []
        order = torch.randperm(len(rows))
        for first in range(0, len(order), settings.batch):
            tokens = given[order[first : first + settings.batch]].to(device).long()
            shown, chosen = _mask(tokens, continues, words.mask)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                hidden = encoder.read(shown)[chosen]
                loss = functional.cross_entropy(head(hidden, encoder.words.weight[:vocabulary]).float(), tokens[chosen])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
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


def _mask(tokens: Tensor, continues: Tensor, mask: int) -> tuple[Tensor, Tensor]:
    """Tokens as shown, and which of them (rows, length) are to be predicted."""
    word = (~continues[tokens]).long().cumsum(1)  # (rows, length) the number of each token's word in its row
    drawn = torch.rand(len(tokens), tokens.shape[1] + 1, device=tokens.device)
    chosen = drawn.gather(1, word) < CHOSEN
    chosen[0, 0] = True  # never none
    draw = torch.rand(tokens.shape, device=tokens.device)
    shown = torch.where(chosen & (draw < MASKED), mask, tokens)
    replaced = chosen & (draw >= MASKED) & (draw < MASKED + REPLACED)
    return torch.where(replaced, torch.randint_like(tokens, len(continues)), shown), chosen
