"""Shared by the embedding tests: the default encoder, where its model has been fetched."""

import pytest

from clew.embed.encoders.onnx import OnnxEncoder, open_minilm
from clew.errors import MissingModel


@pytest.fixture(scope="session")
def minilm() -> OnnxEncoder:
    try:
        return open_minilm()
    except MissingModel as error:
        pytest.skip(str(error))
