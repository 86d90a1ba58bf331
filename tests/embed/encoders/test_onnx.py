"""The default encoder against a computation by hand, and what damages it."""

import logging
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.embed import open_encoder
from clew.embed.encoders.onnx import BATCH_TOKENS, MOST_PADDING, OnnxEncoder, open_minilm, share_minilm
from clew.errors import MissingModel, ModelError
from clew.models import locate

TEXTS = [
    "heart attack",
    "myocardial infarction",
    "banana bread",
    "Arachnodactyly",
    "a",
    "",
    "Café-au-lait spot (multiple), >6",
    "Autosomal recessive limb-girdle muscular dystrophy type 2B with onset in early adulthood",
]


@cache
def opened() -> tuple[Any, Any]:
    import onnxruntime
    from tokenizers import Tokenizer

    files = locate("minilm")
    session = onnxruntime.InferenceSession(str(files["model.onnx"]), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(files["tokenizer.json"]))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, session


def by_hand(text: str) -> np.ndarray:
    """One text through the model alone: its tokens, no padding, the plain mean."""
    tokenizer, session = opened()
    ids = np.array([tokenizer.encode(text).ids])
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean = session.run(None, inputs)[0][0].mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_reference_values(minilm: OnnxEncoder) -> None:
    heart, infarct, bread = minilm.encode(["heart attack", "myocardial infarction", "banana bread"])
    assert heart @ infarct == pytest.approx(0.59, abs=0.01)
    assert heart @ bread == pytest.approx(0.20, abs=0.01)


def test_it_equals_a_computation_by_hand(minilm: OnnxEncoder) -> None:
    for text, vector in zip(TEXTS, minilm.encode(TEXTS), strict=True):
        assert vector @ by_hand(text) > 0.99999, text


def test_rows_have_unit_length_and_the_order_of_their_texts(minilm: OnnxEncoder) -> None:
    rows = minilm.encode(TEXTS)
    assert rows.shape == (len(TEXTS), minilm.dimension)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(minilm.encode(TEXTS[::-1])[::-1], rows, atol=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours(minilm: OnnxEncoder) -> None:
    crowd = [f"{text} {number}" for number in range(40) for text in TEXTS]
    together = minilm.encode(crowd)
    for at in range(0, len(crowd), 29):
        assert together[at] @ minilm.encode([crowd[at]])[0] > 0.99999, crowd[at]


def test_nothing_in_nothing_out(minilm: OnnxEncoder) -> None:
    assert minilm.encode([]).shape == (0, 384)


def test_progress_ends_at_the_number_of_texts(minilm: OnnxEncoder) -> None:
    heard: list[tuple[int, int | None]] = []
    minilm.encode(TEXTS * 20, progress=lambda task, done, total: heard.append((done, total)))
    assert heard[-1] == (len(TEXTS) * 20, len(TEXTS) * 20)
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})


def test_a_long_text_is_cut_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    encoder = open_encoder()
    assert isinstance(encoder, OnnxEncoder)
    with caplog.at_level(logging.WARNING):
        long, shorter = encoder.encode(["fever and cough " * 200, "fever and cough " * 80])
    assert encoder.truncated == 1
    assert "1 of 2 texts were truncated at 256 tokens by minilm" in caplog.text
    assert long @ shorter > 0.9
    caplog.clear()
    encoder.encode(["fever"])
    assert encoder.truncated == 1
    assert not caplog.text


def test_half_a_surrogate_pair_is_no_crash(minilm: OnnxEncoder) -> None:
    assert minilm.encode(["\ud83d", "fever"]).shape == (2, 384)


def test_the_batches_hold_every_text_once(minilm: OnnxEncoder) -> None:
    from clew.embed.encoders.onnx import _batches

    lengths = [1, 500, 3, BATCH_TOKENS * 2, 7, 7, 7] * 30
    batches = list(_batches(lengths))
    assert sorted(np.concatenate(batches)) == list(range(len(lengths)))
    assert all(len(rows) == 1 or max(lengths[at] for at in rows) * len(rows) <= BATCH_TOKENS for rows in batches)
    padding = [sum(max(lengths[at] for at in rows) - lengths[each] for each in rows) for rows in batches]
    assert max(padding) <= MOST_PADDING
    assert [len(rows) for rows in _batches([8] * 32 + [7] * 3)] == [35]  # a little of it is no reason
    assert [len(rows) for rows in _batches([8] * 4 + [3])] == [4, 1]  # five tokens cost more than another batch
    assert list(_batches([])) == []


def test_the_same_files_elsewhere_are_another_name_but_the_same_vectors(minilm: OnnxEncoder, tmp_path: Path) -> None:
    for name, file in locate("minilm").items():
        shutil.copy(file, tmp_path / name)
    other = open_encoder(str(tmp_path))
    assert other.dimension == 384
    assert other.identity.removeprefix(tmp_path.name) == minilm.identity.removeprefix("minilm")
    np.testing.assert_allclose(other.encode(["fever"]), minilm.encode(["fever"]), atol=1e-6)
    (tmp_path / "tokenizer.json").write_text((tmp_path / "tokenizer.json").read_text() + "\n")
    assert open_encoder(str(tmp_path)).identity != other.identity


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_one_sentence(minilm: OnnxEncoder, tmp_path: Path, name: str) -> None:
    for file_name, file in locate("minilm").items():
        shutil.copy(file, tmp_path / file_name)
    (tmp_path / name).write_bytes(b"\x00garbage" * 9)
    with pytest.raises(ModelError, match=rf"{name} cannot be (loaded|read): .*download the model again$"):
        open_encoder(str(tmp_path)).encode(["fever"])


def test_an_absent_file_is_a_missing_model(tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match="clew models get minilm"):
        OnnxEncoder("minilm", tmp_path / "model.onnx", tmp_path / "tokenizer.json")


def test_the_shared_encoder_is_opened_once_for_all_graphs() -> None:
    assert share_minilm() is share_minilm()
    assert share_minilm() is not open_minilm()
