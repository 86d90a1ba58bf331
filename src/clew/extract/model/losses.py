"""From encoded tokens to words, and how far they are from the truth (eq. 8-10).

Words are predicted at masked places only. A masked root is predicted twice: from its own encoding (MLM) and from the
two visible tokens around its span and its place in it (span boundary objective); a masked leaf slot once (MNM).
"""

import torch
from torch import nn
from torch.nn import functional

from clew.extract.batches.batch import Batch
from clew.extract.batches.masking import NOTHING
from clew.extract.model.config import Config

__all__ = ["Boundary", "Transform", "sum_losses"]

TILE = 64  # the product with all words has rows of a multiple of this: others are several times slower on a GPU


class Transform(nn.Module):  # type: ignore[misc]
    """The step before words, as in RoBERTa: a fully connected layer, GELU and a norm."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.dense = nn.Linear(config.width, config.width)
        self.norm = nn.LayerNorm(config.width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:  # (n, width) -> (n, width)
        return self.norm(functional.gelu(self.dense(x)))


class Boundary(nn.Module):  # type: ignore[misc]
    """A masked root from what stands around its span, as in SpanBERT: two layers with GELU and norms."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.width
        self.place = nn.Embedding(config.slots, width)
        self.first = nn.Linear(3 * width, width)
        self.first_norm = nn.LayerNorm(width)
        self.second = nn.Linear(width, width)
        self.second_norm = nn.LayerNorm(width)

    def forward(self, left: torch.Tensor, right: torch.Tensor, offset: torch.Tensor) -> torch.Tensor:
        """What stands before and after the span (M, width), and the place in it (M,), to (M, width)."""
        around = torch.cat((left, right, self.place(offset).to(left.dtype)), -1)  # (M, 3 * width)
        inner = self.first_norm(functional.gelu(self.first(around)))
        return self.second_norm(functional.gelu(self.second(inner)))


def sum_losses(
    masked: torch.Tensor,
    boundary: torch.Tensor | None,
    words: torch.Tensor,
    bias: torch.Tensor,
    batch: Batch,
    *,
    kernel: str = "plain",
) -> torch.Tensor:
    """Summed cross entropies of masked roots, of the same by their boundaries, and of masked leaf slots: (3,) float32.

    `masked` (M + N, width), roots before leaf slots, and `boundary` (M, width) are compared with the embeddings of all
    words (V, width).
    """
    parts = [masked] if boundary is None else [masked, boundary]
    targets = [batch.root_target, batch.leaf_target] + ([] if boundary is None else [batch.root_target])
    count = words.shape[0]
    extra = -count % TILE
    words, bias = functional.pad(words, (0, 0, 0, extra)), functional.pad(bias, (0, extra))
    logits = functional.linear(torch.cat(parts), words, bias)  # (2 M + N, V and some)
    loss = _surprise(logits, torch.cat(targets), count, kernel)
    roots, both = len(batch.root_index), len(masked)
    return torch.stack((loss[:roots].sum(), loss[both:].sum(), loss[roots:both].sum()))


def _surprise(logits: torch.Tensor, targets: torch.Tensor, words: int, kernel: str) -> torch.Tensor:
    """Cross entropies (n,) of the first `words` columns of logits; 0 where there is no target."""
    if kernel == "triton":
        from clew.extract.kernels.losses_triton import surprise_fused

        return surprise_fused(logits, targets, words)[0]
    return functional.cross_entropy(logits[:, :words].float(), targets.long(), ignore_index=NOTHING, reduction="none")
