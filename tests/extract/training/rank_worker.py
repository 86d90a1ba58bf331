"""One of several processes that train together: `python rank_worker.py OUT` under torchrun's variables."""

import sys
from dataclasses import replace
from pathlib import Path

from clew.extract.model.config import make_config
from clew.extract.training.pretraining import train
from clew.extract.training.settings import TrainingSettings
from random_chains import make_chains

__all__ = ["train_a_little"]

CALM = {"dropout": 0.0, "activation_dropout": 0.0, "relation_dropout": 0.0}  # each process draws its own


def train_a_little(out: Path, *, accumulate: int) -> None:
    """Three steps of a tiny model."""
    config = replace(make_config("tiny", vocabulary=60, relations=3), **CALM)
    settings = TrainingSettings(steps=3, sequences=4, accumulate=accumulate, report_every=1, device="cpu")
    train(make_chains(30, longest=30), config, settings, out)


if __name__ == "__main__":
    train_a_little(Path(sys.argv[1]), accumulate=1)
