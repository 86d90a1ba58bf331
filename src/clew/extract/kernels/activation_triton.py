"""GELU in the form of tanh as Triton kernels, each one pass over memory.

0.5 (1 + tanh u) is the logistic function of 2 u, which takes one exponential. As an operation of its own its output is
kept for the backward pass: compiled code computed it again there, and wrote it a second time.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

import torch
import triton
import triton.language as tl

__all__ = ["gelu_fused"]

SIZE = 2048  # numbers that a program takes
SLOPE, CUBE = 1.5957691216057308, 0.044715  # 2 sqrt(2 / π), and what tanh is given of x cubed


@triton.jit
def _gelu(x, out, count, steep, cube, size: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * size + tl.arange(0, size)
    inside = at < count
    number = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    share = 1 / (1 + tl.exp(-steep * number * (1 + cube * number * number)))
    tl.store(out + at, (number * share).to(out.dtype.element_ty), mask=inside)


@triton.jit
def _gelu_backward(grad, x, out, count, steep, cube, size: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * size + tl.arange(0, size)
    inside = at < count
    number = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
    upstream = tl.load(grad + at, mask=inside, other=0.0).to(tl.float32)
    square = cube * number * number
    share = 1 / (1 + tl.exp(-steep * number * (1 + square)))
    slope = share * (1 + number * (1 - share) * steep * (1 + 3 * square))
    tl.store(out + at, (upstream * slope).to(out.dtype.element_ty), mask=inside)


@torch.library.custom_op("clew::gelu", mutates_args=())
def gelu_fused(x: torch.Tensor) -> torch.Tensor:
    """GELU in the form of tanh, of any shape."""
    x = x.contiguous()
    out = torch.empty_like(x)
    _gelu[(triton.cdiv(x.numel(), SIZE),)](x, out, x.numel(), SLOPE, CUBE, size=SIZE)
    return out


@torch.library.custom_op("clew::gelu_backward", mutates_args=())
def _gelu_gradient(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    grad, x = grad.contiguous(), x.contiguous()
    out = torch.empty_like(x)
    _gelu_backward[(triton.cdiv(x.numel(), SIZE),)](grad, x, out, x.numel(), SLOPE, CUBE, size=SIZE)
    return out


@gelu_fused.register_fake
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@_gelu_gradient.register_fake
def _(grad, x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _remember(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def _differentiate(ctx, grad):
    return _gelu_gradient(grad, ctx.saved_tensors[0])


gelu_fused.register_autograd(_differentiate, setup_context=_remember)
