"""Fused kernels agree with plain operations, and the naive model gives the same losses."""

import argparse
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.extraction.naive import NaiveGraphMert
from benchmarks.extraction.speed import configure, random_chains

from clew.extract.batches.batch import Batch, collate
from clew.extract.model.config import make_config
from clew.extract.model.graphmert import GraphMert
from random_chains import make_chains


@pytest.mark.slow
def test_the_fused_kernels_agree_with_plain_operations() -> None:
    """Forward, backward and the gradient of p, by Triton's interpreter, which stands in for a GPU here."""
    called = subprocess.run(
        [sys.executable, "-m", "benchmarks.extraction.kernels"],
        env=os.environ | {"TRITON_INTERPRET": "1"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert called.returncode == 0, called.stderr
    assert "the fused kernels agree with torch's own operations" in called.stdout


def test_the_naive_model_gives_the_same_losses_and_gradients() -> None:
    config = replace(make_config("tiny", vocabulary=60, relations=3), leaf_share=0.5)
    chains = make_chains(3, seed=1)
    batch = Batch.unpack(collate(chains, np.arange(3), config, seed=0, epoch=0), torch.device("cpu"))
    torch.manual_seed(0)
    model = GraphMert(config).eval()
    results = []
    for way in (model, NaiveGraphMert(model)):
        model.zero_grad()
        losses = way(batch)
        losses.sum().backward()
        results.append([losses.detach(), *(parameter.grad.clone() for parameter in model.parameters())])
    for one, other in zip(*results, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-4)


def test_an_unknown_switch_is_named() -> None:
    given = argparse.Namespace(size="tiny", switch=["colour=1"])
    with pytest.raises(SystemExit, match="Config has no colour"):
        configure(given, random_chains(3, vocabulary=20, relations=2))
