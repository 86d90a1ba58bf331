"""H-GAT against the equations of the paper, one leaf token at a time."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from clew.extract.batches.batch import Batch, collate
from clew.extract.batches.masking import draw_leaves
from clew.extract.model.config import Config, make_config
from clew.extract.model.hgat import HGat
from random_chains import make_chains

CONFIG = replace(make_config("tiny", vocabulary=60, relations=3), width=8, heads=2)
CHAINS = make_chains(9, seed=4, leaves=8)
SEQUENCES = np.arange(9)


def batch_of(config: Config) -> Batch:
    return Batch.unpack(collate(CHAINS, SEQUENCES, config, seed=0, epoch=0), torch.device("cpu"))


def by_loops(module: HGat, tokens: torch.Tensor, batch: Batch, config: Config) -> torch.Tensor:
    """Equations 1 to 4, token by token."""
    fused = tokens.clone()
    leaves = draw_leaves(CHAINS, SEQUENCES, config, seed=0, epoch=0)
    for leaf in range(len(leaves)):
        relation = int(leaves.relation[leaf])
        matrix = module.up[relation] @ module.down[relation] if config.relation_rank else module.matrix[relation]
        vector = module.score[relation].flatten()  # a_r, for both halves
        begin = int(batch.offsets[leaves.sequence[leaf]])
        heads = tokens[begin + leaves.first[leaf] : begin + leaves.last[leaf]]
        mine = (batch.position == int(leaves.first[leaf])) & (batch.slot > 0)
        mine &= (torch.arange(len(mine)) >= begin) & (
            torch.arange(len(mine)) < batch.offsets[leaves.sequence[leaf] + 1]
        )
        for place in torch.nonzero(mine).flatten():
            raised = [torch.cat((matrix @ tokens[place], matrix @ head)) @ vector for head in heads]
            weights = torch.softmax(functional.leaky_relu(torch.stack(raised), 0.2), 0)
            fused[place] = tokens[place] + sum(w * (matrix @ head) for w, head in zip(weights, heads, strict=True))
    return fused


@pytest.mark.parametrize("rank", [0, 3])
def test_against_loops(rank: int) -> None:
    config = replace(CONFIG, relation_rank=rank)
    torch.manual_seed(0)
    module, batch = HGat(config).eval(), batch_of(config)
    tokens = torch.randn(len(batch.tokens), 8, requires_grad=True)
    parameters = [tokens, *module.parameters()]
    upstream = torch.randn(len(batch.tokens), 8)
    ways = (module(tokens, batch), by_loops(module, tokens, batch, config))
    results = [(found, *torch.autograd.grad((found * upstream).sum(), parameters)) for found in ways]
    for one, other in zip(*results, strict=True):
        assert torch.allclose(one, other, atol=1e-4)
    changed = (results[0][0] != tokens).any(-1)
    assert torch.equal(changed, batch.slot > 0)  # leaf slots, and no root


def test_what_fills_up_changes_nothing() -> None:
    torch.manual_seed(0)
    module = HGat(CONFIG).eval()
    exact = collate(CHAINS, SEQUENCES, CONFIG, seed=0, epoch=0)
    size = exact.layout
    wide = replace(size, tokens=size.tokens + 5, blocks=size.blocks + 3, heads=size.heads + 2)
    filled = Batch.unpack(collate(CHAINS, SEQUENCES, CONFIG, seed=0, epoch=0, layout=wide), torch.device("cpu"))
    tokens = torch.randn(size.tokens + 5, 8)
    found = module(tokens[: size.tokens], Batch.unpack(exact, torch.device("cpu")))
    assert torch.allclose(module(tokens, filled)[: size.tokens], found, atol=1e-6)
    assert torch.equal(module(tokens, filled)[size.tokens :], tokens[size.tokens :])


def test_relation_dropout_is_for_training() -> None:
    torch.manual_seed(0)
    module, batch = HGat(CONFIG), batch_of(CONFIG)
    tokens = torch.randn(len(batch.tokens), 8)
    seeds = torch.tensor([[5, 6], [7, 8]], dtype=torch.int32)
    assert not torch.equal(module(tokens, batch, seeds[0]), module(tokens, batch, seeds[1]))
    assert torch.equal(module(tokens, batch, seeds[0]), module(tokens, batch, seeds[0]))
    assert torch.equal(module(tokens, batch), module(tokens, batch))
    never = HGat(replace(CONFIG, relation_dropout=0.0))
    assert torch.equal(never(tokens, batch, seeds[0]), never(tokens, batch))
