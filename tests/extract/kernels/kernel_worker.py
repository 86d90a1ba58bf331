"""Losses and gradients by plain operations and by the fused kernels: how far apart they are, as JSON.

Run with TRITON_INTERPRET=1, which must be set before Triton is loaded: then the kernels run on a CPU.
"""

import json
from dataclasses import replace

import numpy as np
import torch

from clew.extract.batches.batch import Batch, collate
from clew.extract.model.config import DECAYS, Config, make_config
from clew.extract.model.graphmert import GraphMert
from random_chains import make_chains

__all__ = ["compare"]

CHAINS = make_chains(3, seed=4, leaves=8, longest=100)  # longer than one block of 64 tokens, with leaves


def compare(config: Config) -> dict[str, float]:
    """Relative differences, by name, of the losses and of every parameter's gradient."""
    size = collate(CHAINS, np.arange(3), config, seed=0, epoch=0).layout
    room = replace(size, tokens=size.tokens + 70, sequences=4, roots=size.roots + 3, leaves=size.leaves + 5)
    batch = Batch.unpack(collate(CHAINS, np.arange(3), config, seed=0, epoch=0, layout=room), torch.device("cpu"))
    found = []
    for kernel in ("plain", "triton"):
        torch.manual_seed(0)
        model = GraphMert(config, kernel=kernel).train()  # with dropout: the masks must be the same too
        losses = model(batch)
        (losses * torch.tensor([1.0, 0.7, 1.3])).sum().backward()
        found.append({"losses": losses.detach()} | {name: p.grad for name, p in model.named_parameters()})
    plain, fused = found
    return {
        name: float((fused[name] - exact).norm() / exact.norm())
        for name, exact in plain.items()
        if exact is not None and exact.norm() > 0
    }


if __name__ == "__main__":
    base = replace(make_config("tiny", vocabulary=60, relations=3), leaf_share=0.5)
    print(json.dumps({decay: compare(replace(base, decay=decay)) for decay in DECAYS}))
