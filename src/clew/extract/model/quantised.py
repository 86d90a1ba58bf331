"""Weights in few bytes: every row of a matrix as 8-bit integers and one scale, the rest as it was.

A row's largest number becomes 127, so no number moves by more than half a step, 1/254 of that largest one.
"""

from collections.abc import Mapping

import torch

__all__ = ["pack", "unpack"]

SCALE = "/scale"  # behind a tensor's name; names of parameters have no stroke
LARGEST = 127
Tensors = Mapping[str, torch.Tensor]


def pack(weights: Tensors, kind: torch.dtype) -> dict[str, torch.Tensor]:
    """Tensors as they go to disk; with `torch.int8`, matrices in rows with scales and what has one dimension whole."""
    packed: dict[str, torch.Tensor] = {}
    for name, tensor in weights.items():
        tensor = tensor.detach().cpu()
        if kind != torch.int8:
            packed[name] = tensor.to(kind).contiguous()
        elif tensor.dim() < 2:
            packed[name] = tensor.float().contiguous()
        else:
            packed[name], packed[name + SCALE] = _quantise(tensor.float())
    return packed


def unpack(packed: Tensors) -> dict[str, torch.Tensor]:
    """The tensors again, those of integers multiplied out."""
    scales = {name.removesuffix(SCALE): tensor for name, tensor in packed.items() if name.endswith(SCALE)}
    return {
        name: tensor.float() * scales[name].unsqueeze(-1) if name in scales else tensor
        for name, tensor in packed.items()
        if not name.endswith(SCALE)
    }


def _quantise(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Integers (…, columns) and the scale of each row (…)."""
    scale = matrix.abs().amax(-1) / LARGEST
    steps = matrix / scale.clamp(min=torch.finfo(torch.float32).tiny).unsqueeze(-1)
    return steps.round().clamp(-LARGEST, LARGEST).to(torch.int8), scale
