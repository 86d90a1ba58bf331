"""Distances on leafy chains in closed form, and how attention decays with them (eq. 5 and 6).

A token's *place* is one integer: twice the root it is or hangs on, plus one if it is a leaf slot. Two slots of one
leaf are neighbours; every other way from a leaf leads over its root, and between roots along the chain.
"""

import math

import torch

__all__ = ["decay", "decay_slope", "distances", "distances_in_rows", "make_places"]


def make_places(position: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
    """Places of tokens from their root's index and slot number (0 for roots): (...) int32."""
    return position * 2 + (slot > 0).to(position.dtype)


def distances(places: torch.Tensor) -> torch.Tensor:
    """Shortest paths between all tokens of one sequence, or of several padded ones: (..., L) -> (..., L, L)."""
    itself = torch.eye(places.shape[-1], dtype=torch.bool, device=places.device)
    return _apart(places.unsqueeze(-1), places.unsqueeze(-2), itself)


def distances_in_rows(places: torch.Tensor, begin: torch.Tensor, longest: int) -> torch.Tensor:
    """Shortest paths of each token of a packed stream to the tokens of its sequence, in order: (T,) -> (T, longest).

    `begin` is where a token's sequence begins. What lies after the end of the sequence means nothing.
    """
    place = torch.arange(places.shape[0], device=places.device, dtype=begin.dtype)
    other = begin[:, None] + torch.arange(longest, device=places.device, dtype=begin.dtype)
    other = other.clamp(max=places.shape[0] - 1)  # (T, longest) in the stream
    return _apart(places[:, None], places[other], other == place[:, None])


def _apart(one: torch.Tensor, other: torch.Tensor, itself: torch.Tensor) -> torch.Tensor:
    leaf, other_leaf = one & 1, other & 1
    apart = ((one >> 1) - (other >> 1)).abs() + leaf + other_leaf
    apart = torch.where((one == other) & (leaf == 1), 1, apart)  # two slots of one leaf
    return torch.where(itself, 0, apart)


def decay(distance: torch.Tensor, p: torch.Tensor, base: float) -> torch.Tensor:
    """base ** GELU(sqrt(distance) - p), with the exact GELU."""
    return torch.exp(math.log(base) * torch.nn.functional.gelu(distance.float().sqrt() - p))


def decay_slope(distance: torch.Tensor, p: torch.Tensor, base: float) -> torch.Tensor:
    """The derivative of `decay` by p."""
    x = distance.float().sqrt() - p
    bell = torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    gelu_slope = 0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * bell
    return decay(distance, p, base) * -math.log(base) * gelu_slope
