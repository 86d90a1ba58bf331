"""The fused kernels compared with torch's own operations, forward and backward, on random batches; and their time.

Runs on a GPU, or on a CPU under Triton's interpreter: TRITON_INTERPRET=1 python -m benchmarks.extraction.kernels
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from clew.extract.batches.masking import NOTHING
from clew.extract.chains.graphs import ROOTS, SLOTS
from clew.extract.model.attention import attend, make_geometry
from clew.extract.model.config import DECAYS, Decay
from clew.extract.model.distances import make_places

__all__ = ["check", "relative"]

SEQUENCES = 512  # when timing
LAUNCHES = (  # stride, warps, stages, registers
    (64, 4, 1, None),
    (64, 4, 2, None),
    (32, 4, 2, None),
    (32, 4, 2, 128),
    (32, 4, 3, None),
)


def check() -> None:
    """Compare the fused kernels with torch's own operations, forward and backward, on random batches."""
    on_gpu = torch.cuda.is_available()
    device = torch.device("cuda" if on_gpu else "cpu")
    worst = 0.0
    half = (torch.bfloat16, 2e-2) if on_gpu else (torch.float16, 1e-2)  # the interpreter has no products in bfloat16
    kinds = [(torch.float32, 1e-4), half]
    for kind, allowed in kinds:
        for name, compare in (("gelu", compare_gelu), ("losses", compare_losses)):
            errors = compare(device, kind)
            print(f"{kind} {name}: output {errors[0]:.1e}, gradient {errors[1]:.1e}")
            worst = max(worst, max(errors) / allowed)
        for decay in DECAYS:
            for heads, width, longest in ((8, 512, 256), (2, 64, 130)) if on_gpu else ((2, 32, 70),):
                errors = compare_kernels(device, kind, decay, heads, width, longest)
                print(
                    f"{kind} {decay:8} heads {heads} width {width}: "
                    + ", ".join(f"{n} {e:.1e}" for n, e in errors.items())
                )
                worst = max(worst, max(errors.values()) / allowed)
    if on_gpu:
        time_attention(device)
    if not worst <= 1:
        sys.exit("the fused kernels differ from torch's own operations")
    print("the fused kernels agree with torch's own operations")


def compare_gelu(device: torch.device, kind: torch.dtype) -> tuple[float, float]:
    """Relative errors of output and gradient."""
    from clew.extract.kernels.activation_triton import gelu_fused

    start = 3 * torch.randn(301, 257, device=device).to(kind)
    return compare_with_exact(gelu_fused, partial(functional.gelu, approximate="tanh"), start)


def compare_losses(device: torch.device, kind: torch.dtype) -> tuple[float, float]:
    """Relative errors of cross entropies and gradient, over words with some columns after them that do not count."""
    from clew.extract.kernels.losses_triton import surprise_fused

    rows, columns, words = 40, 4992, 4987
    start = 4 * torch.randn(rows, columns, device=device).to(kind)
    targets = torch.randint(0, words, (rows,), dtype=torch.int32, device=device)
    targets[:2] = torch.tensor([NOTHING, words - 1])
    return compare_with_exact(
        lambda logits: surprise_fused(logits, targets, words)[0],
        lambda logits: functional.cross_entropy(
            logits[:, :words], targets.long(), ignore_index=NOTHING, reduction="none"
        ),
        start,
    )


def compare_with_exact(
    fused: Callable[[torch.Tensor], torch.Tensor], plain: Callable[[torch.Tensor], torch.Tensor], start: torch.Tensor
) -> tuple[float, float]:
    """Relative errors of output and gradient against the plain operation in float64."""
    results = []
    upstream: torch.Tensor | None = None
    for work, kind in ((plain, torch.float64), (fused, start.dtype)):
        x = start.to(kind).detach().requires_grad_()
        out = work(x)
        upstream = torch.randn_like(out).to(start.dtype) if upstream is None else upstream
        results.append((out.detach(), *torch.autograd.grad(out, x, upstream.to(out.dtype))))
    output, gradient = (relative(exact, found) for exact, found in zip(*results, strict=True))
    return output, gradient


def compare_kernels(
    device: torch.device, kind: torch.dtype, decay: Decay, heads: int, width: int, longest: int
) -> dict[str, float]:
    """Relative errors (of the norm) of output, gradient and gradient of p; plain attention runs in float64 or 32."""
    random = np.random.default_rng()
    position, slot, offsets = random_places(random, sequences=12 if device.type == "cuda" else 3, longest=longest)
    tokens = len(position) + 5  # what fills up belongs to no sequence
    filler = np.zeros(5, np.int32)
    position, slot = (torch.from_numpy(np.concatenate((each, filler))).to(device) for each in (position, slot))
    places = make_places(position, slot)
    bounds = torch.from_numpy(np.append(offsets, offsets[-1]).astype(np.int32)).to(device)
    begin = torch.repeat_interleave(bounds[:-1], bounds.diff())
    begin = torch.cat((begin, begin.new_zeros(5)))
    start = torch.randn(tokens, 3 * width, device=device).to(kind)
    upstream = torch.randn(tokens, width, device=device).to(kind)
    results = []
    for kernel, exact in (("plain", torch.float32), ("triton", kind)):
        qkv = start.to(exact).detach().requires_grad_()
        p = torch.tensor(1.3, device=device, requires_grad=True)
        geometry = make_geometry(places, begin, bounds, p, base=0.6, roots=ROOTS, kernel=kernel, kind=exact)
        own = geometry.for_layers(1, heads)[0]
        own.p.retain_grad()
        out = attend(qkv, own, heads=heads, decay=decay, kernel=kernel)
        (out * upstream.to(exact)).sum().backward()
        results.append((out.detach(), qkv.grad, p.grad))
    plain, fused = results
    errors = {"output": relative(plain[0], fused[0]), "gradient": relative(plain[1], fused[1])}
    if decay != "none":  # parts of it may cancel out: the error is that of their norm
        errors["of p"] = float((plain[2] - fused[2]).abs() / own.p.grad.norm())
    return errors


def relative(exact: torch.Tensor, found: torch.Tensor) -> float:
    return float((exact.double() - found.double()).norm() / exact.double().norm())


def random_places(
    random: np.random.Generator, *, sequences: int, longest: int, shortest: int = 1
) -> tuple[Any, Any, Any]:
    """Roots and leaf slots of random chains: position, slot and offsets."""
    position, slot, lengths = [], [], []
    for number in range(sequences):
        total = longest if number == 0 else int(random.integers(shortest, longest + 1))
        roots = min(ROOTS, max(1, int(total * random.uniform(0.5, 1))))
        at, here = list(range(roots)), [0] * roots
        for root in random.permutation(roots):
            size = min(SLOTS, total - len(at))
            if size <= 0:
                break
            at += [int(root)] * size
            here += range(1, size + 1)
        position += at
        slot += here
        lengths.append(len(at))
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return np.array(position, np.int32), np.array(slot, np.int32), offsets


def time_attention(device: torch.device) -> None:
    """Microseconds of the fused kernels, forward and backward, for several launch options."""
    from clew.extract.kernels import attention_triton as kernels

    random = np.random.default_rng(0)
    position, slot, offsets = random_places(random, sequences=SEQUENCES, longest=140, shortest=60)
    places = make_places(torch.from_numpy(position), torch.from_numpy(slot)).to(device)
    bounds = torch.from_numpy(offsets.astype(np.int32)).to(device)
    begin = torch.repeat_interleave(bounds[:-1], bounds.diff())
    p = torch.tensor(1.3, device=device)
    made = make_geometry(places, begin, bounds, p, base=0.6, roots=ROOTS, kernel="triton", kind=torch.bfloat16)
    qkv = torch.randn(len(position), 1536, device=device, dtype=torch.bfloat16)
    inputs = (qkv, made.fades, made.slopes, made.tiles)
    launches = (kernels.FORWARD, kernels.KEYS, kernels.QUERIES)
    chosen = [replace(launch) for launch in launches]
    print(f"{len(position)} tokens in {SEQUENCES} sequences; stride, warps, stages, registers; now {chosen}")
    for options in LAUNCHES:
        for launch in launches:
            launch.stride, launch.warps, launch.stages, launch.registers = options
        print(f"  {options}: {time_kernels(inputs, p.expand(len(made.tiles), 8))}", flush=True)
    kernels.FORWARD, kernels.KEYS, kernels.QUERIES = chosen


def time_kernels(inputs: tuple[Any, ...], p: torch.Tensor, *, repeats: int = 20) -> str:
    """Time of each kernel on the device alone, after a warm-up, by the profiler."""
    from clew.extract.kernels import attention_triton as kernels

    for times in (3, repeats):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
            for _ in range(times):
                out, total = kernels.attend_fused(*inputs, p, 8, 0)
                kernels._attend_backward(out, *inputs, out, total, 8, 0)
            torch.cuda.synchronize()
    taken = {event.key: event.self_device_time_total / repeats for event in seen.key_averages()}
    ours = {name: each for name, each in taken.items() if name.startswith(("_forward", "_backward"))}
    return ", ".join(f"{name} {each:.0f} µs" for name, each in ours.items())


if __name__ == "__main__":
    check()
