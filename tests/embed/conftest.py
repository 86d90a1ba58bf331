"""Shared by the embedding tests: the default encoder, opened once."""

import pytest

from clew.embed.encoders.onnx import OnnxEncoder, open_minilm


@pytest.fixture(scope="session")
def minilm() -> OnnxEncoder:
    return open_minilm()
