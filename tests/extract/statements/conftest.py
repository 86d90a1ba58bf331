"""Small corpora, a tiny start, and a model trained on them once."""

from pathlib import Path

import pytest
import torch

from clew.extract.statements.gold import read_training
from clew.extract.statements.learning.fitting import Settings, train
from clew.extract.statements.learning.storage import TrainedModel
from clew.extract.statements.marking import Marker
from statement_corpora import write_corpora, write_start


@pytest.fixture(scope="session")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora(tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_start(tmp_path_factory.mktemp("start"))


@pytest.fixture(scope="session")
def trained(corpora: Path, start: Path) -> TrainedModel:
    torch.manual_seed(0)
    marker = Marker.for_start(start)
    examples = [marker.mark_gold(each) for each in read_training(corpora)]
    return train(examples, start, Settings(epochs=2, batch=4, held_out=0.3))
