"""GELU, exact or in the close form that needs no error function."""

import torch
from torch.nn import functional

from clew.extract.model.config import Gelu

__all__ = ["activate"]


def activate(x: torch.Tensor, gelu: Gelu, *, kernel: str) -> torch.Tensor:
    """GELU of each number; `kernel` names what computes the close form (`attention.pick_kernel`)."""
    if gelu == "tanh" and kernel == "triton":
        from clew.extract.kernels.activation_triton import gelu_fused

        return gelu_fused(x)
    return functional.gelu(x, approximate="tanh" if gelu == "tanh" else "none")
