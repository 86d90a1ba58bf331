"""Hierarchical graph attention: leaf tokens take in their relation and the tokens of their head (eq. 1-4).

Since eq. 1 and 3 are linear before the nonlinearity, a_r · W_r t is (W_rᵀ a_r) · t, and the mixture of W_r h is W_r of
the mixture of h: the matrix of a relation is applied once, to a whole block of its leaves.
"""

import torch
from torch import nn
from torch.nn import functional

from clew.extract.batches.batch import BLOCK_LEAVES, Batch
from clew.extract.model.config import Config
from clew.extract.model.dropout import drop

__all__ = ["HGat"]

LEAK = 0.2  # slope of LeakyReLU below 0, as in graph attention networks
LOWEST = -1e9


class HGat(nn.Module):  # type: ignore[misc]
    """Relation matrices W_r and vectors a_r, and what they do to the leaf tokens of a batch."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        relations, width, rank = config.relations, config.width, config.relation_rank
        self.dropout = config.relation_dropout
        if rank:
            self.up = nn.Parameter(torch.randn(relations, width, rank) * width**-0.25 * rank**-0.25)
            self.down = nn.Parameter(torch.randn(relations, rank, width) * width**-0.25 * rank**-0.25)
        else:
            self.matrix = nn.Parameter(torch.randn(relations, width, width) * width**-0.5)
        self.score = nn.Parameter(torch.randn(relations, 2, width) * width**-0.5)  # a_r: for the tail, for the head
        self.low_rank = bool(rank)

    def forward(self, tokens: torch.Tensor, batch: Batch, seeds: torch.Tensor | None = None) -> torch.Tensor:
        """Token embeddings (T, width) with those of leaf slots fused: t + H-GAT(t, r, h).

        `seeds` (2,) are of the dropout on relation embeddings, None if there is none.
        """
        by_matrix, by_score = (None, None) if seeds is None else seeds.unbind()
        matrix = self.up @ self.down if self.low_rank else self.matrix  # (R, width, width)
        matrix = drop(matrix, self.dropout, by_matrix)
        if torch.is_autocast_enabled(
            matrix.device.type
        ):  # before it is looked up for each block, which is half the bytes
            matrix = matrix.to(torch.get_autocast_dtype(matrix.device.type))
        score = drop(self.score, self.dropout, by_score)
        query = score @ matrix  # (R, 2, width): W_rᵀ a_r

        relation = batch.block_relation
        leaves, blocks = batch.block_slots.shape[0], relation.shape[0]
        asked = query[relation].repeat_interleave(BLOCK_LEAVES, 0, output_size=leaves)  # (L, 2, width)
        has_slot, slot = _spread(batch.block_slots, tokens.shape[0])  # (L, 7)
        has_head, head = _spread(batch.block_heads, tokens.shape[0])  # (L, H)
        tail, heads = tokens[slot], tokens[head]  # (L, 7, width), (L, H, width)

        logits = (tail * asked[:, None, 0]).sum(-1)[:, :, None] + (heads * asked[:, None, 1]).sum(-1)[:, None, :]
        logits = functional.leaky_relu(logits, LEAK).masked_fill(~has_head[:, None, :], LOWEST)
        mixed = torch.softmax(logits, -1) @ heads  # (L, 7, width)
        fused = mixed.view(blocks, -1, mixed.shape[-1]) @ matrix[relation].transpose(1, 2)  # (G, 8 * 7, width)
        fused = fused.view(leaves, -1, fused.shape[-1]) * has_slot[:, :, None]
        return tokens.index_add(0, slot.flatten(), fused.flatten(0, 1).to(tokens.dtype))


def _spread(index: torch.Tensor, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Where an index is filled, and the index with the rest pointing all over the stream.

    What fills up adds zeros; were it to add them all to one row, thousands of atomic additions would wait in line.
    """
    elsewhere = torch.arange(index.numel(), device=index.device, dtype=index.dtype).view(index.shape) % tokens
    filled = index >= 0
    return filled, torch.where(filled, index, elsewhere)
