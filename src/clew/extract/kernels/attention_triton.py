"""Fused attention over packed sequences of at most 256 tokens, forward and backward, as Triton kernels.

One program works on one tile (some tokens of one sequence) and one head, and walks over that sequence: attention
weights are never in memory, and nothing is padded. Softmax is taken while walking, in base 2; the decay enters the
numerator only. What two tokens' decay is, all layers and heads share: it is read from rows that were made once for the
batch. The gradient of p is summed beside that of the queries. Runs on CUDA, and on a CPU under Triton's interpreter
(TRITON_INTERPRET=1).

Programs of all heads of a tile, and of the tiles of a sequence, run side by side: what they share is in the cache.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

from clew.extract.batches.masking import LONGEST
from clew.extract.kernels.tiles import TILE

__all__ = ["FORWARD", "KEYS", "QUERIES", "Launch", "attend_fused"]

LOG2E = 1.4426950408889634


@dataclass(slots=True)
class Launch:
    """How a kernel runs: tokens that a program takes in one stride, warps, stages, and registers of a thread.

    With fewer registers than the compiler would take, more programs run at once, and wait for memory in turn.
    """

    stride: int
    warps: int
    stages: int
    registers: int | None = None

    def options(self) -> dict[str, int | None]:
        """What a kernel is called with."""
        return {
            "size": TILE,
            "stride": self.stride,
            "num_warps": self.warps,
            "num_stages": self.stages,
            "maxnreg": self.registers,
        }


FORWARD, KEYS, QUERIES = Launch(64, 4, 2), Launch(32, 4, 2, registers=128), Launch(32, 4, 3)


@triton.jit
def _clear(to, begin, tokens, column, columns: tl.constexpr, size: tl.constexpr):
    """Zero some columns of a tile that only fills the stream up."""
    row = (begin + tl.arange(0, size))[:, None]
    nothing = tl.zeros((size, column.shape[0]), to.dtype.element_ty)
    tl.store(to + row * columns + column[None, :], nothing, mask=row < tokens)


@triton.jit
def _forward(
    qkv, fades, tiles, out, log_total, scale, tokens, heads: tl.constexpr, width: tl.constexpr, longest: tl.constexpr,
    size: tl.constexpr, stride: tl.constexpr, decay: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    tile, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    column = head * width + tl.arange(0, width)
    begin, length, first = tl.load(tiles + 3 * tile), tl.load(tiles + 3 * tile + 1), tl.load(tiles + 3 * tile + 2)
    if length == 0:
        _clear(out, begin, tokens, column, heads * width, size)
        return
    own = first + tl.arange(0, size)
    inside_own = own < length
    at_own = (begin + own)[:, None] * (3 * heads * width) + column[None, :]
    query = tl.load(qkv + at_own, mask=inside_own[:, None], other=0.0)  # (size, width)

    highest = tl.full((size,), float("-inf"), tl.float32)
    total = tl.zeros((size,), tl.float32)
    mixed = tl.zeros((size, width), tl.float32)
    for start in range(0, length, stride):
        row = start + tl.arange(0, stride)
        inside = row < length
        at = (begin + row)[:, None] * (3 * heads * width) + column[None, :]
        key = tl.load(qkv + at + heads * width, mask=inside[:, None], other=0.0)
        value = tl.load(qkv + at + 2 * heads * width, mask=inside[:, None], other=0.0)
        logits = tl.dot(query, tl.trans(key), input_precision=precision)  # (size, stride)
        if decay != 2:
            at_fade = (begin + own)[:, None] * longest + row[None, :]
            fade = tl.load(fades + at_fade, mask=inside_own[:, None], other=0.0).to(tl.float32)
        if decay == 1:
            logits = logits * fade
        logits = tl.where(inside[None, :], logits, float("-inf"))
        higher = tl.maximum(highest, tl.max(logits, 1))
        weights = tl.exp2(logits * scale - (higher * scale)[:, None])
        shrink = tl.exp2((highest - higher) * scale)
        total = total * shrink + tl.sum(weights, 1)
        if decay == 0:
            weights = weights * fade
        mixed = mixed * shrink[:, None] + tl.dot(weights.to(value.dtype), value, input_precision=precision)
        highest = higher

    mixed = mixed / total[:, None]
    at_out = (begin + own)[:, None] * (heads * width) + column[None, :]
    tl.store(out + at_out, mixed.to(out.dtype.element_ty), mask=inside_own[:, None])
    tl.store(log_total + head * tokens + begin + own, highest * scale + tl.log2(total), mask=inside_own)


@triton.jit
def _backward_keys(
    qkv, fades, tiles, log_total, delta, grad_out, grad_qkv, scale, natural, tokens,
    heads: tl.constexpr, width: tl.constexpr, longest: tl.constexpr,
    size: tl.constexpr, stride: tl.constexpr, decay: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """The gradients of a tile's keys and values: walk over the queries. Weights have a row for each key, so that they
    are never turned round; the decay between two tokens is the same both ways."""
    tile, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    column = head * width + tl.arange(0, width)
    begin, length, first = tl.load(tiles + 3 * tile), tl.load(tiles + 3 * tile + 1), tl.load(tiles + 3 * tile + 2)
    if length == 0:
        _clear(grad_qkv, begin, tokens, heads * width + column, 3 * heads * width, size)
        _clear(grad_qkv, begin, tokens, 2 * heads * width + column, 3 * heads * width, size)
        return
    own = first + tl.arange(0, size)
    inside_own = own < length
    at_own = (begin + own)[:, None] * (3 * heads * width) + column[None, :]
    key = tl.load(qkv + at_own + heads * width, mask=inside_own[:, None], other=0.0)  # (size, width)
    value = tl.load(qkv + at_own + 2 * heads * width, mask=inside_own[:, None], other=0.0)

    grad_key = tl.zeros((size, width), tl.float32)
    grad_value = tl.zeros((size, width), tl.float32)
    for start in range(0, length, stride):
        row = start + tl.arange(0, stride)
        inside = row < length
        at = (begin + row)[:, None] * (3 * heads * width) + column[None, :]
        at_out = (begin + row)[:, None] * (heads * width) + column[None, :]
        query = tl.load(qkv + at, mask=inside[:, None], other=0.0)  # (stride, width)
        grad = tl.load(grad_out + at_out, mask=inside[:, None], other=0.0)
        at_row = head * tokens + begin + row
        total = tl.load(log_total + at_row, mask=inside, other=float("inf"))  # weights become 0
        shift = tl.load(delta + at_row, mask=inside, other=0.0)
        logits = tl.dot(key, tl.trans(query), input_precision=precision)  # (size, stride)
        if decay != 2:
            at_fade = (begin + own)[:, None] * longest + row[None, :]
            fade = tl.load(fades + at_fade, mask=inside_own[:, None], other=0.0).to(tl.float32)
        if decay == 1:
            logits = logits * fade
        weights = tl.exp2(logits * scale - total[None, :])
        grad_weights = tl.dot(value, tl.trans(grad), input_precision=precision)
        faded = weights
        if decay == 0:
            faded = weights * fade
            grad_weights = grad_weights * fade
        grad_value += tl.dot(faded.to(grad.dtype), grad, input_precision=precision)
        grad_logits = weights * (grad_weights - shift[None, :])
        if decay == 1:
            grad_logits = grad_logits * fade
        grad_key += tl.dot(grad_logits.to(query.dtype), query, input_precision=precision)
    kind = grad_qkv.dtype.element_ty
    tl.store(grad_qkv + at_own + heads * width, (grad_key * natural).to(kind), mask=inside_own[:, None])
    tl.store(grad_qkv + at_own + 2 * heads * width, grad_value.to(kind), mask=inside_own[:, None])


@triton.jit
def _backward_queries(
    qkv, fades, slopes, tiles, out, log_total, delta, grad_out, grad_qkv, grad_p, scale, natural, tokens,
    heads: tl.constexpr, width: tl.constexpr, longest: tl.constexpr,
    size: tl.constexpr, stride: tl.constexpr, decay: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """The gradients of a tile's queries, and what they add to that of p: walk over the keys.

    Leaves each row's product of output and gradient in `delta` for the keys.
    """
    tile, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    column = head * width + tl.arange(0, width)
    begin, length, first = tl.load(tiles + 3 * tile), tl.load(tiles + 3 * tile + 1), tl.load(tiles + 3 * tile + 2)
    if length == 0:
        _clear(grad_qkv, begin, tokens, column, 3 * heads * width, size)
        tl.store(grad_p + tl.program_id(0), 0.0)
        return
    own = first + tl.arange(0, size)
    inside_own = own < length
    at_own = (begin + own)[:, None] * (3 * heads * width) + column[None, :]
    at_out = (begin + own)[:, None] * (heads * width) + column[None, :]
    query = tl.load(qkv + at_own, mask=inside_own[:, None], other=0.0)  # (size, width)
    grad = tl.load(grad_out + at_out, mask=inside_own[:, None], other=0.0)
    mixed = tl.load(out + at_out, mask=inside_own[:, None], other=0.0)
    total = tl.load(log_total + head * tokens + begin + own, mask=inside_own, other=float("inf"))  # weights become 0
    shift = tl.sum(grad.to(tl.float32) * mixed.to(tl.float32), 1)
    tl.store(delta + head * tokens + begin + own, shift, mask=inside_own)

    grad_query = tl.zeros((size, width), tl.float32)
    by_p = tl.zeros((size,), tl.float32)
    for start in range(0, length, stride):
        row = start + tl.arange(0, stride)
        inside = row < length
        at = (begin + row)[:, None] * (3 * heads * width) + column[None, :]
        key = tl.load(qkv + at + heads * width, mask=inside[:, None], other=0.0)  # (stride, width)
        value = tl.load(qkv + at + 2 * heads * width, mask=inside[:, None], other=0.0)
        logits = tl.dot(query, tl.trans(key), input_precision=precision)  # (size, stride)
        if decay != 2:
            at_fade = (begin + own)[:, None] * longest + row[None, :]
            fade = tl.load(fades + at_fade, mask=inside_own[:, None], other=0.0).to(tl.float32)
            slope = tl.load(slopes + at_fade, mask=inside_own[:, None], other=0.0).to(tl.float32)
        faded = logits
        if decay == 1:
            faded = logits * fade
        weights = tl.where(inside[None, :], tl.exp2(faded * scale - total[:, None]), 0.0)
        grad_weights = tl.dot(grad, tl.trans(value), input_precision=precision)
        if decay == 0:
            by_p += tl.sum(grad_weights * weights * slope, 1)
            grad_weights = grad_weights * fade
        grad_logits = weights * (grad_weights - shift[:, None])
        if decay == 1:
            by_p += tl.sum(grad_logits * logits * slope, 1) * natural
            grad_logits = grad_logits * fade
        grad_query += tl.dot(grad_logits.to(key.dtype), key, input_precision=precision)
    tl.store(grad_qkv + at_own, (grad_query * natural).to(grad_qkv.dtype.element_ty), mask=inside_own[:, None])
    tl.store(grad_p + tl.program_id(0), tl.sum(by_p, 0))


@torch.library.custom_op("clew::attend", mutates_args=())
def attend_fused(
    qkv: torch.Tensor,
    fades: torch.Tensor,
    slopes: torch.Tensor,
    tiles: torch.Tensor,
    p: torch.Tensor,
    heads: int,
    decay: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mixed values (T, width), zero outside sequences, and each row's log2 of its softmax total (heads, T).

    `fades` and `slopes` (T, 256) are the decay between a token and each of its sequence, and its derivative by p;
    `tiles` (N, 3) are those of `cut_tiles`. `decay` counts as `config.DECAYS` does: 0 weights, 1 logits, 2 none. `p`
    (N, heads), the same number throughout, is there for its gradient, which each program writes for itself.
    """
    qkv = qkv.contiguous()
    tokens, width = qkv.shape[0], qkv.shape[1] // 3
    out = qkv.new_empty((tokens, width))
    log_total = torch.empty((heads, tokens), dtype=torch.float32, device=qkv.device)
    shape = {"heads": heads, "width": width // heads, "longest": LONGEST, "decay": decay, "precision": "ieee"}
    _forward[(len(tiles) * heads,)](
        qkv, fades, tiles, out, log_total, LOG2E * (width // heads) ** -0.5, tokens,
        **FORWARD.options(), **shape,
    )  # fmt: skip
    return out, log_total


@torch.library.custom_op("clew::attend_backward", mutates_args=())
def _attend_backward(
    grad_out: torch.Tensor,
    qkv: torch.Tensor,
    fades: torch.Tensor,
    slopes: torch.Tensor,
    tiles: torch.Tensor,
    out: torch.Tensor,
    log_total: torch.Tensor,
    heads: int,
    decay: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of `qkv` and of p."""
    qkv, grad_out = qkv.contiguous(), grad_out.contiguous()
    tokens, width = qkv.shape[0], qkv.shape[1] // 3
    grad_qkv = torch.empty_like(qkv)
    natural = (width // heads) ** -0.5
    shape = {"heads": heads, "width": width // heads, "longest": LONGEST, "decay": decay, "precision": "ieee"}
    delta = torch.empty_like(log_total)
    grad_p = torch.empty((len(tiles), heads), dtype=torch.float32, device=qkv.device)
    _backward_queries[(len(tiles) * heads,)](
        qkv, fades, slopes, tiles, out, log_total, delta, grad_out, grad_qkv, grad_p,
        LOG2E * natural, natural, tokens,
        **QUERIES.options(), **shape,
    )  # fmt: skip
    _backward_keys[(len(tiles) * heads,)](
        qkv, fades, tiles, log_total, delta, grad_out, grad_qkv, LOG2E * natural, natural, tokens,
        **KEYS.options(), **shape,
    )  # fmt: skip
    return grad_qkv, grad_p


@attend_fused.register_fake
def _(qkv, fades, slopes, tiles, p, heads, decay):
    tokens, width = qkv.shape[0], qkv.shape[1] // 3
    return qkv.new_empty((tokens, width)), qkv.new_empty((heads, tokens), dtype=torch.float32)


@_attend_backward.register_fake
def _(grad_out, qkv, fades, slopes, tiles, out, log_total, heads, decay):
    return torch.empty_like(qkv), qkv.new_empty((tiles.shape[0], heads), dtype=torch.float32)


def _remember(ctx, inputs, output):
    qkv, fades, slopes, tiles, _, ctx.heads, ctx.decay = inputs
    ctx.save_for_backward(qkv, fades, slopes, tiles, *output)


def _differentiate(ctx, grad_out, _):
    qkv, fades, slopes, tiles, out, log_total = ctx.saved_tensors
    grad_qkv, grad_p = _attend_backward(grad_out, qkv, fades, slopes, tiles, out, log_total, ctx.heads, ctx.decay)
    return grad_qkv, None, None, None, grad_p, None, None


attend_fused.register_autograd(_differentiate, setup_context=_remember)
