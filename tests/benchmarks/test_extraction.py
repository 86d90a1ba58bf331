"""The device script: the naive model gives the same losses, models travel in parts, arrays too."""

import argparse
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.extraction_naive import NaiveGraphMert
from benchmarks.extraction_speed import random_chains

from benchmarks import extraction_device as device
from clew.extract.batches.batch import Batch, collate
from clew.extract.chains.graphs import write_chains
from clew.extract.model.config import make_config
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.storage import read_model
from clew.extract.predict.query_arrays import Queries, write_query_arrays
from random_chains import make_chains


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_the_fused_kernels_agree_with_plain_operations() -> None:
    """Forward, backward and the gradient of p, by Triton's interpreter, which stands in for a GPU here."""
    called = subprocess.run(
        [sys.executable, "-m", "benchmarks.extraction_device", "check"],
        env=os.environ | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[2],
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


def test_a_model_is_trained_brought_and_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "PART_BYTES", 30_000)
    chains = make_chains(20, longest=20)
    write_chains(tmp_path / "chains", chains, identity={})
    work, out = tmp_path / "work", tmp_path / "out"
    shared = ["--size", "tiny", "--chains", str(tmp_path / "chains"), "--sequences", "4", "--out", str(out)]
    device.main(["train", *shared, "--steps", "3", "--model", str(work / "m"), "--bring", "--switch", "dropout=0.0"])
    assert len(list(out.glob("m.tar.part-*"))) > 2
    device.main(["join", str(out / "m"), "--model", str(tmp_path / "joined")])
    one, other = read_model(work / "m"), read_model(tmp_path / "joined")
    assert one.config == other.config
    assert other.config.dropout == 0.0
    for name, tensor in one.model.state_dict().items():
        assert torch.equal(tensor.bfloat16().float(), other.model.state_dict()[name])

    names = {"sequence": "leaf_sequence", "first": "head_first", "last": "head_last", "relation": "leaf_relation"}
    rows = {name: getattr(chains, column)[:5] for name, column in names.items()}
    queries = Queries(chains.roots, chains.offsets, **rows, relations=chains.relations)
    write_query_arrays(tmp_path / "queries", queries, identity={})
    asked = ["--model", str(work / "m"), "--queries", str(tmp_path / "queries"), "--out", str(out)]
    device.main(["predict", *asked, "--k", "4"])
    assert np.load(out / "tokens.npy").shape == np.load(out / "log_probs.npy").shape == (5, 7, 4)
    device.main(["beam", *asked, "--k", "2", "--width", "3"])
    assert np.load(out / "tails.npy").shape == (5, 2, 7)
    (tmp_path / "tails").mkdir()
    tails = {"query": np.arange(5), "tokens": chains.tail[:5], "length": chains.tail_length[:5]}
    for name, array in tails.items():
        np.save(tmp_path / "tails" / f"{name}.npy", array)
    device.main(["score", *asked, "--tails", str(tmp_path / "tails")])
    assert (np.load(out / "scores.npy") < 0).all()


def test_large_arrays_travel_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "PART_BYTES", 100)
    array = np.arange(70).reshape(35, 2)
    device.keep_array(tmp_path, "rows", array)
    parts = sorted(tmp_path.glob("rows.part-*.npy"))
    assert len(parts) > 1
    assert np.array_equal(np.concatenate([np.load(part) for part in parts]), array)


def test_an_unknown_switch_is_named() -> None:
    given = argparse.Namespace(size="tiny", switch=["colour=1"])
    with pytest.raises(SystemExit, match="Config has no colour"):
        device.configure(given, random_chains(3, vocabulary=20, relations=2))
