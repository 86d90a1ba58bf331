"""A packed stream cut into tiles, the pieces of work of fused attention: each has tokens of one sequence only."""

import torch

__all__ = ["TILE", "cut_tiles"]

TILE = 64  # tokens


def cut_tiles(offsets: torch.Tensor, tokens: int) -> torch.Tensor:
    """Where each tile's sequence begins in the stream, its length, and the tile's first token in it: (N, 3) int32.

    How many there are depends on shapes alone. What fills the stream up is cut into tiles of sequences of no length.
    """
    lengths = offsets.diff()  # (B,)
    counts = (lengths + TILE - 1) // TILE
    through = counts.cumsum(0)
    tile = torch.arange(tokens // TILE + len(lengths) + 1, device=offsets.device)  # (N,) enough for all that follows
    sequence = torch.searchsorted(through, tile, right=True)
    used, sequence = sequence < len(lengths), sequence.clamp(max=len(lengths) - 1)
    first = (tile - (through - counts)[sequence]) * TILE
    filling = offsets[-1] + (tile - through[-1]) * TILE
    rows = (torch.where(used, offsets[sequence], filling), torch.where(used, lengths[sequence], 0), first * used)
    return torch.stack(rows, 1).int()
