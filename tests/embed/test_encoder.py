"""Encoders by name, and what is done with vectors that are none."""

from pathlib import Path

import numpy as np
import pytest

from clew.embed import ENCODERS, open_encoder
from clew.embed.encoder import unit_rows
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError, MissingDependency, ModelError, UnknownName


def test_the_registry_lists_what_there_is() -> None:
    assert list(ENCODERS) == ["minilm", "sentence-transformers", "openai"]


@pytest.mark.parametrize(
    ("spec", "error", "said"),
    [
        ("miniln", UnknownName, "did you mean 'minilm'"),
        ("sentence-transformers", InputError, "sentence-transformers:NAME"),
        ("sentence-transformers:", InputError, "sentence-transformers:NAME"),
        ("openai", InputError, "http://HOST:PORT"),
        ("http://127.0.0.1/v1?x=1", InputError, "not the URL of a server"),
    ],
)
def test_a_spec_that_means_nothing_is_one_sentence(spec: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        open_encoder(spec)


def test_an_absent_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(MissingDependency, match=r"clew\[sentence-transformers\]"):
        open_encoder("sentence-transformers:all-MiniLM-L6-v2")


def test_a_directory_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"contains no encoder: expected model\.onnx and tokenizer\.json"):
        open_encoder(str(tmp_path))


@pytest.mark.parametrize(
    "rows",
    [
        [[1.0, 0.0]],
        [[0.0, 0.0], [1.0, 0.0]],
        [[np.nan, 1.0], [1.0, 0.0]],
        [[1.0], [1.0, 2.0]],
        [1.0, 2.0],
        [[], []],
        [["a"], ["b"]],
    ],
)
def test_vectors_that_are_none_are_refused(rows: list[object]) -> None:
    with pytest.raises(ModelError, match="the encoder 'x' returned"):
        unit_rows(rows, 2, whose="the encoder 'x'")


def test_rows_come_to_unit_length_even_if_large() -> None:
    rows = unit_rows([[3.0, 4.0], [1e30, 0.0]], 2, whose="it")
    np.testing.assert_allclose(rows, [[0.6, 0.8], [1.0, 0.0]], rtol=1e-6)


def test_the_hashed_encoder_keeps_the_promise() -> None:
    encoder = HashedEncoder(dimension=32)
    texts = ["", "ß", "\ud800", "fever", "Fever"]
    rows = encoder.encode(texts)
    assert rows.shape == (5, 32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(rows[3], rows[4])
    assert encoder.encode([]).shape == (0, 32)
