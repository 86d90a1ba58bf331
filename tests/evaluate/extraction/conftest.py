"""BC5CDR, read once, and a tokenizer learnt from its own abstracts."""

from pathlib import Path

import pytest

from clew.evaluate.extraction.bc5cdr.abstracts import Abstract, read_abstracts
from tokenizers_of_texts import learn_tokenizer


@pytest.fixture(scope="session")
def train(data: Path) -> list[Abstract]:
    return read_abstracts(data / "bc5cdr" / "cdr_train.pubtator.gz")


@pytest.fixture(scope="session")
def dev(data: Path) -> list[Abstract]:
    return read_abstracts(data / "bc5cdr" / "cdr_dev.pubtator.gz")


@pytest.fixture(scope="session")
def tokenizer(train: list[Abstract], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learn_tokenizer([each.text for each in train], tmp_path_factory.mktemp("tokenizer") / "tokenizer.json")
