"""Cross entropy over many words as Triton kernels: logits are read once forward, and read and written once backward.

Probabilities are never in memory, nor are logits in more than the type they came in.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

import torch
import triton
import triton.language as tl

__all__ = ["surprise_fused"]

LOG2E = 1.4426950408889634
STRIDE = 2048  # words that a program takes in one stride


@triton.jit
def _total(logits, targets, loss, log_total, words, columns, log2e, stride: tl.constexpr):
    """One row's log2 of its softmax total, and how far its target is from it."""
    row = tl.program_id(0).to(tl.int64)
    highest = float("-inf")
    total = tl.zeros((stride,), tl.float32)
    for start in range(0, columns, stride):
        column = start + tl.arange(0, stride)
        read = tl.load(logits + row * columns + column, mask=column < columns, other=float("-inf")).to(tl.float32)
        read = tl.where(column < words, read * log2e, float("-inf"))
        higher = tl.maximum(highest, tl.max(read, 0))
        total = total * tl.exp2(highest - higher) + tl.exp2(read - higher)
        highest = higher
    whole = highest + tl.log2(tl.sum(total, 0))
    target = tl.load(targets + row)
    wanted = tl.load(logits + row * columns + tl.maximum(target, 0)).to(tl.float32)
    tl.store(loss + row, tl.where(target >= 0, whole / log2e - wanted, 0.0))
    tl.store(log_total + row, whole)


@triton.jit
def _gradient(grad, logits, targets, log_total, out, words, columns, log2e, stride: tl.constexpr):
    """Some columns of one row: probability, less one for the target."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * stride + tl.arange(0, stride)
    target, upstream = tl.load(targets + row), tl.load(grad + row)
    upstream = tl.where(target >= 0, upstream, 0.0)
    read = tl.load(logits + row * columns + column, mask=column < columns, other=float("-inf")).to(tl.float32)
    probability = tl.exp2(read * log2e - tl.load(log_total + row))
    slope = tl.where(column < words, probability - tl.where(column == target, 1.0, 0.0), 0.0) * upstream
    tl.store(out + row * columns + column, slope.to(out.dtype.element_ty), mask=column < columns)


@torch.library.custom_op("clew::surprise", mutates_args=())
def surprise_fused(logits: torch.Tensor, targets: torch.Tensor, words: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cross entropies (n,) of `logits` (n, columns), of which the first `words` count, and log2 of softmax totals (n,).

    Rows whose target is negative have none, and no gradient.
    """
    logits = logits.contiguous()
    rows, columns = logits.shape
    loss, log_total = (torch.empty(rows, dtype=torch.float32, device=logits.device) for _ in range(2))
    if rows:
        _total[(rows,)](logits, targets, loss, log_total, words, columns, LOG2E, stride=STRIDE)
    return loss, log_total


@torch.library.custom_op("clew::surprise_backward", mutates_args=())
def _surprise_gradient(
    grad: torch.Tensor, logits: torch.Tensor, targets: torch.Tensor, log_total: torch.Tensor, words: int
) -> torch.Tensor:
    grad, logits = grad.contiguous(), logits.contiguous()
    rows, columns = logits.shape
    out = torch.empty_like(logits)
    if rows:
        _gradient[(rows, triton.cdiv(columns, STRIDE))](
            grad, logits, targets, log_total, out, words, columns, LOG2E, stride=STRIDE
        )
    return out


@surprise_fused.register_fake
def _(logits, targets, words):
    return tuple(logits.new_empty(logits.shape[0], dtype=torch.float32) for _ in range(2))


@_surprise_gradient.register_fake
def _(grad, logits, targets, log_total, words):
    return torch.empty_like(logits, memory_format=torch.contiguous_format)


def _remember(ctx, inputs, output):
    logits, targets, ctx.words = inputs
    ctx.save_for_backward(logits, targets, output[1])


def _differentiate(ctx, grad, _):
    logits, targets, log_total = ctx.saved_tensors
    return _surprise_gradient(grad, logits, targets, log_total, ctx.words), None, None


surprise_fused.register_autograd(_differentiate, setup_context=_remember)
