"""Training: the same numbers whether it is stopped, shared or helped; and the directory it leaves."""

import json
import math
import os
import socket
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from clew.errors import DerivedError, InputError, ModelError
from clew.extract.batches.batch import Batch, Counts
from clew.extract.model.config import make_config
from clew.extract.model.storage import WEIGHTS, read_model
from clew.extract.training.operations import count_operations
from clew.extract.training.optimiser import rate_at
from clew.extract.training.pretraining import Trainer, train
from clew.extract.training.settings import TrainingSettings
from extract.training.rank_worker import train_a_little
from random_chains import make_chains

CHAINS = make_chains(40, longest=30)
CONFIG = make_config("tiny", vocabulary=60, relations=3)
SETTINGS = TrainingSettings(steps=8, sequences=6, report_every=2, device="cpu")


class Stop(Exception):
    """What a killed training sees."""


def weights_of(path: Path) -> dict[str, torch.Tensor]:
    return load_file(path / WEIGHTS)


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_a_trained_model_is_read_as_it_was(tmp_path: Path) -> None:
    said: list[tuple[str, int, int | None]] = []
    saved = train(CHAINS, CONFIG, SETTINGS, tmp_path / "model", progress=lambda *row: said.append(row))
    back = read_model(tmp_path / "model")
    assert back.config == CONFIG
    assert back.relations == CHAINS.relations
    assert back.tokenizer == CHAINS.tokenizer
    assert same(saved.model.state_dict(), back.model.state_dict())
    trainer = Trainer(CHAINS, CONFIG, SETTINGS)
    batch = Batch.unpack(next(trainer._schedule().batches()), torch.device("cpu"))
    with torch.no_grad():
        assert torch.equal(saved.model(batch), back.model(batch))

    facts = json.loads((tmp_path / "model" / "training.json").read_text())
    assert facts["steps"] == 8
    assert [row["step"] for row in facts["history"]] == [2, 4, 6, 8]
    assert facts["tokens"] > 8 * 6 * 5
    assert facts["tokens_per_second"] > 0
    assert [row[1:] for row in said] == [(2, 8), (4, 8), (6, 8), (8, 8)]
    assert "s left" in said[0][0]
    picture = (tmp_path / "model" / "loss.svg").read_text()
    assert picture.startswith("<svg")
    assert picture.count("<polyline") == 3
    assert not (tmp_path / "model.checkpoint").exists()


def test_training_lowers_the_loss(tmp_path: Path) -> None:
    saved = train(CHAINS, CONFIG, replace(SETTINGS, steps=60, report_every=20, rate=3e-3), tmp_path / "model")
    first, *_, last = saved.training["history"]
    assert last["root"] < first["root"] - 0.02


def test_stopped_and_resumed_is_as_if_never_stopped(tmp_path: Path) -> None:
    settings = replace(SETTINGS, checkpoint_every=3, accumulate=2)
    train(CHAINS, CONFIG, settings, tmp_path / "whole")

    def stop(task: str, done: int, total: int | None) -> None:
        if done == 4:
            raise Stop

    with pytest.raises(Stop):
        train(CHAINS, CONFIG, settings, tmp_path / "stopped", progress=stop)
    state = json.loads((tmp_path / "stopped.checkpoint" / "state.json").read_text())
    assert state["step"] == 3
    seen: list[int] = []
    train(CHAINS, CONFIG, settings, tmp_path / "stopped", progress=lambda task, done, total: seen.append(done))
    assert seen[0] == 4  # steps 1 to 3 are not done again
    assert same(weights_of(tmp_path / "whole"), weights_of(tmp_path / "stopped"))
    assert not (tmp_path / "stopped.checkpoint").exists()


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    trainer = Trainer(CHAINS, CONFIG, SETTINGS)
    trainer.run(2)
    trainer.save(tmp_path / "model.checkpoint")
    with pytest.raises(DerivedError, match=r"rate 0\.0004, not 0\.001"):
        train(CHAINS, CONFIG, replace(SETTINGS, rate=0.001), tmp_path / "model")
    with pytest.raises(DerivedError, match="was made with content"):
        train(make_chains(41, longest=30), CONFIG, SETTINGS, tmp_path / "model")


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    trainer = Trainer(CHAINS, CONFIG, SETTINGS)
    trainer.run(1)
    trainer.save(tmp_path / "model.checkpoint")
    (tmp_path / "model.checkpoint" / WEIGHTS).write_bytes(b"nonsense")
    with pytest.raises(DerivedError, match="cannot be read"):
        train(CHAINS, CONFIG, SETTINGS, tmp_path / "model")


def test_seeds_make_trainings_differ_and_repeat(tmp_path: Path) -> None:
    short = replace(SETTINGS, steps=2)
    for name, settings in (("one", short), ("again", short), ("other", replace(short, seed=1))):
        train(CHAINS, CONFIG, settings, tmp_path / name)
    assert same(weights_of(tmp_path / "one"), weights_of(tmp_path / "again"))
    assert not same(weights_of(tmp_path / "one"), weights_of(tmp_path / "other"))


def test_the_callers_random_numbers_go_on_as_before(tmp_path: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train(CHAINS, CONFIG, replace(SETTINGS, steps=1), tmp_path / "model")
    assert torch.equal(torch.rand(3), expected)


def test_accumulated_batches_make_one_step() -> None:
    calm = replace(CONFIG, dropout=0.0, activation_dropout=0.0, relation_dropout=0.0)
    trainer = Trainer(CHAINS, calm, replace(SETTINGS, clip=1e9))
    batches = trainer._schedule().batches()
    group = [next(batches), next(batches)]
    roots, leaves = (sum(getattr(packed.counts, name) for packed in group) for name in ("roots", "leaves"))
    expected = None
    for packed in group:
        losses = trainer.model(Batch.unpack(packed, trainer.device))
        loss = losses[:2].sum() / roots + losses[2] / leaves
        parts = torch.autograd.grad(loss, list(trainer.model.parameters()))
        expected = parts if expected is None else [a + b for a, b in zip(expected, parts, strict=True)]
    found: list[torch.Tensor] = []
    trainer.optimiser.step = lambda: found.extend(p.grad.clone() for p in trainer.model.parameters())
    trainer.advance(group)
    for one, other in zip(found, expected, strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_fine_tuning_begins_with_other_weights(tmp_path: Path) -> None:
    train(CHAINS, CONFIG, SETTINGS, tmp_path / "first")
    frozen = replace(SETTINGS, steps=1, rate=0.0, last_rate=0.0)
    train(CHAINS, CONFIG, frozen, tmp_path / "second", start_from=tmp_path / "first")
    assert same(weights_of(tmp_path / "first"), weights_of(tmp_path / "second"))
    with pytest.raises(InputError, match="another model"):
        train(CHAINS, replace(CONFIG, layers=1), frozen, tmp_path / "third", start_from=tmp_path / "first")


def test_two_processes_do_what_one_does_alone(tmp_path: Path) -> None:
    train_a_little(tmp_path / "alone", accumulate=2)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    worker = Path(__file__).with_name("rank_worker.py")
    shared_variables = {
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "GLOO_SOCKET_IFNAME": "lo",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    together = [
        subprocess.Popen(
            [sys.executable, worker, tmp_path / "shared"], env={**os.environ, **shared_variables, "RANK": str(rank)}
        )
        for rank in range(2)
    ]
    assert [process.wait(timeout=300) for process in together] == [0, 0]
    shared, alone = weights_of(tmp_path / "shared"), weights_of(tmp_path / "alone")
    for name in alone:
        assert torch.allclose(shared[name], alone[name], atol=1e-6), name


def test_a_loss_that_is_no_number_ends_the_training(tmp_path: Path) -> None:
    trainer = Trainer(CHAINS, CONFIG, SETTINGS)
    with torch.no_grad():
        trainer.model.heads.bias.fill_(math.nan)
    with pytest.raises(ModelError, match="no longer a number at step 2"):
        trainer.run(8)


def test_a_config_of_other_chains_is_refused() -> None:
    with pytest.raises(InputError, match="for 61 tokens and 3 relations, but the chains have 60 and 3"):
        Trainer(CHAINS, replace(CONFIG, vocabulary=61), SETTINGS)


@pytest.mark.parametrize(("name", "value"), [("steps", 0), ("sequences", 0), ("accumulate", 0), ("report_every", 0)])
def test_settings_that_make_no_sense_are_refused(name: str, value: int) -> None:
    with pytest.raises(InputError, match=f"{name} is 0"):
        replace(SETTINGS, **{name: value})


def test_the_rate_rises_and_falls() -> None:
    rates = [rate_at(step, 10_000, 4e-4, 1e-5, 500) for step in range(10_000)]
    assert rates[499] == pytest.approx(4e-4)
    assert rates[249] == pytest.approx(2e-4)
    assert all(a <= b for a, b in pairwise(rates[:500]))
    assert all(a >= b for a, b in pairwise(rates[500:]))
    assert rates[-1] == pytest.approx(1e-5)
    assert rate_at(3, 40, 1.0, 0.0, 500) == 1.0  # a short training warms up for a tenth of its steps


def test_epochs_become_steps() -> None:
    trainer = Trainer(CHAINS, CONFIG, replace(SETTINGS, steps=None, epochs=2.0, accumulate=2))
    assert trainer.steps == trainer.per_epoch


def test_work_is_counted_over_real_tokens() -> None:
    config = make_config("paper", vocabulary=30_522, relations=28)
    token = count_operations(config, Counts(sequences=1, tokens=1, roots=0, leaves=0, squares=0))
    assert token == 6 * 12 * (4 * 512**2 + 2 * 512 * 2048)
    word = count_operations(config, Counts(sequences=1, tokens=0, roots=0, leaves=1, squares=0))
    assert word == 6 * 512 * 30_522
    assert count_operations(config, Counts(1, 0, 1, 0, 0)) == 2 * word  # by itself and by its boundaries
    assert count_operations(config, Counts(1, 0, 0, 0, 100)) == 12 * 12 * 512 * 100
