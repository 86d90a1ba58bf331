"""Dropout whose masks are a short hash of a seed and of each number's place.

A mask costs a few operations where it is used and is computed again in the backward pass instead of being kept; the
library's own generator took longer than the rest of the layer around it.
"""

from typing import Any

import torch

__all__ = ["draw_seeds", "drop"]

HIGHEST = 2**31 - 1


def draw_seeds(*shape: int, device: torch.device) -> torch.Tensor:
    """Seeds for masks, from torch's generator: int32."""
    return torch.randint(0, HIGHEST, shape, dtype=torch.int32, device=device)


def drop(x: torch.Tensor, share: float, seed: torch.Tensor | None) -> torch.Tensor:
    """Zero a share of the numbers and raise the others to make up for it; without a seed, nothing is dropped."""
    if seed is None or share == 0:
        return x
    return Drop.apply(x, share, seed)


class Drop(torch.autograd.Function):  # type: ignore[misc]
    """Dropout that keeps its seed for the backward pass, never its mask."""

    @staticmethod
    def forward(x: torch.Tensor, share: float, seed: torch.Tensor) -> torch.Tensor:
        return _zero(x, share, _places(x) ^ seed)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, float, torch.Tensor], output: torch.Tensor) -> None:
        _, ctx.share, seed = inputs
        ctx.save_for_backward(seed)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (seed,) = ctx.saved_tensors
        # The other way round: what looks the same, the compiler computes once, and then it keeps the mask in memory.
        return _zero(grad, ctx.share, seed ^ _places(grad)), None, None


def _places(x: torch.Tensor) -> torch.Tensor:
    return torch.arange(x.numel(), dtype=torch.int32, device=x.device).view(x.shape)


def _zero(x: torch.Tensor, share: float, bits: torch.Tensor) -> torch.Tensor:
    return torch.where(_hash(bits) >= int(share * HIGHEST), x * (1 / (1 - share)), 0.0)


def _hash(bits: torch.Tensor) -> torch.Tensor:
    """A full mix of 32 bits, of which 31 are given: 0 .. 2³¹ - 1. Products wrap around; shifts are made logical."""
    bits = (bits ^ ((bits >> 16) & 0xFFFF)) * 0x7FEB352D
    bits = (bits ^ ((bits >> 15) & 0x1FFFF)) * -0x7B935975  # 0x846CA68B as a signed number
    return (bits ^ ((bits >> 16) & 0xFFFF)) & HIGHEST
