"""Plain attention, the oracle, against three loops; packed sequences do not see each other."""

import math
from itertools import pairwise

import pytest
import torch

from clew.errors import InputError
from clew.extract.model.attention import Geometry, attend, make_geometry, pick_kernel
from clew.extract.model.config import DECAYS, Decay
from clew.extract.model.distances import decay as decay_of
from clew.extract.model.distances import decay_slope, distances

HEADS, WIDTH = 2, 8
PLACES = [0, 2, 4, 5, 5, 0, 2, 3, 3, 3, 4, 6]  # two sequences: roots even, leaf slots odd
OFFSETS = [0, 5, 12]


def geometry(p: torch.Tensor, *, filler: int = 0) -> Geometry:
    places = torch.tensor(PLACES + [0] * filler, dtype=torch.int32)
    offsets = torch.tensor(OFFSETS + ([12] if filler else []), dtype=torch.int32)
    return make_geometry(places, torch.zeros_like(places), offsets, p, base=0.6, roots=16)


def by_loops(qkv: torch.Tensor, p: torch.Tensor, decay: Decay) -> torch.Tensor:
    """Attention one head, query and key at a time."""
    size = WIDTH // HEADS
    out = torch.zeros(len(qkv), WIDTH, dtype=qkv.dtype)
    for begin, end in pairwise(OFFSETS):
        apart = distances(torch.tensor(PLACES[begin:end]))
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            for query in range(begin, end):
                logits = []
                for key in range(begin, end):
                    logit = qkv[query, part] @ qkv[key, WIDTH:][part] / math.sqrt(size)
                    fade = decay_of(apart[query - begin, key - begin], p, 0.6)
                    logits.append(logit * fade if decay == "logits" else logit)
                weights = torch.softmax(torch.stack(logits), 0)
                for key in range(begin, end):
                    weight = weights[key - begin]
                    if decay == "weights":
                        weight = weight * decay_of(apart[query - begin, key - begin], p, 0.6)
                    out[query, part] += weight * qkv[key, 2 * WIDTH :][part]
    return out


@pytest.mark.parametrize("decay", DECAYS)
def test_plain_attention_against_loops(decay: Decay) -> None:
    torch.manual_seed(0)
    qkv, p = torch.randn(12, 3 * WIDTH, requires_grad=True), torch.tensor(0.8, requires_grad=True)
    upstream = torch.randn(12, WIDTH)
    results = []
    for found in (attend(qkv, geometry(p), heads=HEADS, decay=decay, kernel="plain"), by_loops(qkv, p, decay)):
        by_p = torch.autograd.grad((found * upstream).sum(), [qkv, p], allow_unused=True)
        results.append((found, *by_p))
    for one, other in zip(*results, strict=True):
        assert (one is None) == (other is None)
        assert one is None or torch.allclose(one, other, atol=1e-5)


def test_decays_differ_and_weights_are_not_renormalised() -> None:
    torch.manual_seed(0)
    qkv = torch.randn(12, 3 * WIDTH)
    qkv[:, 2 * WIDTH :] = 1.0  # then mixed values are the sums of weights
    sums = {
        decay: attend(qkv, geometry(torch.tensor(0.5)), heads=HEADS, decay=decay, kernel="plain") for decay in DECAYS
    }
    assert torch.allclose(sums["none"], torch.ones(12, WIDTH), atol=1e-6)
    assert torch.allclose(sums["logits"], torch.ones(12, WIDTH), atol=1e-6)
    assert (sums["weights"] < 1).all()


@pytest.mark.parametrize("decay", DECAYS)
def test_packed_is_each_alone(decay: Decay) -> None:
    torch.manual_seed(0)
    qkv, p = torch.randn(12, 3 * WIDTH), torch.tensor(0.8)
    together = attend(qkv, geometry(p), heads=HEADS, decay=decay, kernel="plain")
    for begin, end in pairwise(OFFSETS):
        places = torch.tensor(PLACES[begin:end], dtype=torch.int32)
        bounds = torch.tensor([0, end - begin], dtype=torch.int32)
        only = make_geometry(places, torch.zeros_like(places), bounds, p, base=0.6, roots=16)
        alone = attend(qkv[begin:end], only, heads=HEADS, decay=decay, kernel="plain")
        assert torch.allclose(alone, together[begin:end], atol=1e-5)


def test_what_fills_up_is_zero_and_changes_nothing() -> None:
    torch.manual_seed(0)
    qkv, p = torch.randn(15, 3 * WIDTH, requires_grad=True), torch.tensor(0.8, requires_grad=True)
    filled = attend(qkv, geometry(p, filler=3), heads=HEADS, decay="weights", kernel="plain")
    exact = attend(qkv[:12], geometry(p), heads=HEADS, decay="weights", kernel="plain")
    assert torch.equal(filled[12:], torch.zeros(3, WIDTH))
    assert torch.allclose(filled[:12], exact, atol=1e-6)
    filled.sum().backward()
    assert qkv.grad.isfinite().all()
    assert p.grad.isfinite()


def test_dropout_of_weights_is_drawn_in_training_only() -> None:
    torch.manual_seed(0)
    qkv, shared = torch.randn(12, 3 * WIDTH), geometry(torch.tensor(0.8))
    one, other = (attend(qkv, shared, heads=HEADS, decay="weights", kernel="plain", dropout=0.5) for _ in range(2))
    assert not torch.equal(one, other)


def test_the_fused_kernel_reads_the_decay_that_plain_attention_computes() -> None:
    begin = torch.tensor([0] * 5 + [5] * 7, dtype=torch.int32)
    places, offsets = torch.tensor(PLACES, dtype=torch.int32), torch.tensor(OFFSETS, dtype=torch.int32)
    made = make_geometry(places, begin, offsets, torch.tensor(0.8), base=0.6, roots=16, kernel="triton")
    for first, last in pairwise(OFFSETS):
        apart = distances(places[first:last])
        assert torch.allclose(made.fades[first:last, : last - first], decay_of(apart, made.p, 0.6))
        assert torch.allclose(made.slopes[first:last, : last - first], decay_slope(apart, made.p, 0.6))


def test_kernels_by_name_and_by_device() -> None:
    assert pick_kernel(torch.device("cpu")) == "plain"
    with pytest.raises(InputError, match="plain, triton"):
        attend(torch.zeros(12, 3 * WIDTH), geometry(torch.tensor(0.8)), heads=HEADS, decay="none", kernel="fast")
