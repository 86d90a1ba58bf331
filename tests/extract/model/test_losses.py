"""Losses against sums written out, and what they leave out."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from clew.extract.batches.batch import Batch, collate
from clew.extract.model.config import make_config
from clew.extract.model.graphmert import GraphMert
from random_chains import make_chains

CONFIG = replace(make_config("tiny", vocabulary=60, relations=3), leaf_share=0.5)
CHAINS = make_chains(5, seed=4, leaves=6)
CPU = torch.device("cpu")


def model_and_batch() -> tuple[GraphMert, Batch]:
    torch.manual_seed(0)
    model = GraphMert(CONFIG).eval()
    with torch.no_grad():
        model.heads.bias.normal_()
    return model, Batch.unpack(collate(CHAINS, np.arange(5), CONFIG, seed=0, epoch=0), CPU)


def test_sums_against_one_token_at_a_time() -> None:
    model, batch = model_and_batch()
    x = model.encode(batch)
    words, bias = model.embedding.words.weight, model.heads.bias

    def surprise(encoding: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        logits = words @ encoding + bias
        return torch.logsumexp(logits, 0) - logits[target]

    root = boundary = leaf = torch.zeros(())
    parts = model.heads.boundary
    for index, target, left, right, offset in zip(
        batch.root_index, batch.root_target, batch.root_left, batch.root_right, batch.root_offset, strict=True
    ):
        root = root + surprise(model.heads.transform(x[index]), target)
        around = torch.cat((x[left], x[right], parts.place.weight[offset]))
        inner = parts.first_norm(torch.nn.functional.gelu(parts.first(around)))
        boundary = boundary + surprise(parts.second_norm(torch.nn.functional.gelu(parts.second(inner))), target)
    for index, target in zip(batch.leaf_index, batch.leaf_target, strict=True):
        leaf = leaf + surprise(model.heads.transform(x[index]), target)
    assert torch.allclose(model(batch), torch.stack((root, boundary, leaf)), rtol=1e-5)


def test_what_fills_up_adds_no_loss_and_no_gradient() -> None:
    model, batch = model_and_batch()
    size = collate(CHAINS, np.arange(5), CONFIG, seed=0, epoch=0).layout
    wide = replace(
        size, tokens=size.tokens + 40, sequences=size.sequences + 3, roots=size.roots + 9, leaves=size.leaves + 9
    )
    wide = replace(wide, blocks=size.blocks + 2, heads=size.heads + 2)
    filled = Batch.unpack(collate(CHAINS, np.arange(5), CONFIG, seed=0, epoch=0, layout=wide), CPU)
    gradients = []
    for each in (batch, filled):
        model.zero_grad()
        losses = model(each)
        losses.sum().backward()
        gradients.append([losses.detach(), *(p.grad.clone() for p in model.parameters())])
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("switch", ["boundary_loss", "span_masks"])
def test_without_boundaries_their_loss_is_zero(switch: str) -> None:
    config = replace(CONFIG, **{switch: False})
    model = GraphMert(config)
    losses = model(Batch.unpack(collate(CHAINS, np.arange(5), config, seed=0, epoch=0), CPU))
    assert losses[1] == 0
    assert losses[0] > 0
    assert losses[2] > 0


def test_a_batch_without_leaves_has_no_leaf_loss() -> None:
    chains = make_chains(3, leaves=0)
    losses = GraphMert(CONFIG)(Batch.unpack(collate(chains, np.arange(3), CONFIG, seed=0, epoch=0), CPU))
    assert losses[2] == 0
    assert losses.isfinite().all()
