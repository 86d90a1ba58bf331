"""Weights in 8 bits: no number moves by more than half a step of its row, and a model comes back the same model."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clew.extract.model.config import Config
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.quantised import pack, unpack
from clew.extract.model.storage import WEIGHTS, SavedModel, read_model, write_model

CONFIG = Config(vocabulary=50, relations=3, dropout=0.0)
TINY = 1e-35  # 254th parts of less are no numbers of full precision


@given(
    st.lists(
        st.lists(st.floats(-1e6, 1e6, width=32), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_no_number_moves_by_more_than_half_a_step(rows: list[list[float]]) -> None:
    matrix = torch.tensor(rows)
    packed = pack({"matrix": matrix}, torch.int8)
    assert packed["matrix"].dtype == torch.int8
    again = unpack(packed)
    assert list(again) == ["matrix"]
    largest = matrix.abs().amax(-1, keepdim=True)
    assert ((again["matrix"] - matrix).abs() <= largest / 254 * 1.0001 + TINY).all()


def test_what_is_no_matrix_stays_as_it_was() -> None:
    weights = {"bias": torch.randn(7), "p": torch.tensor(1.2345)}
    packed = pack(weights, torch.int8)
    assert packed.keys() == weights.keys()
    assert all(torch.equal(unpack(packed)[name], weights[name]) for name in weights)


def test_each_relation_has_its_own_rows() -> None:
    """A stack of matrices is rounded row by row too: a small one is not drowned by a large one."""
    stack = torch.stack([torch.full((2, 3), 1000.0), torch.full((2, 3), 0.001)])
    assert torch.allclose(unpack(pack({"stack": stack}, torch.int8))["stack"], stack, rtol=1e-6)


@pytest.mark.parametrize(("kind", "bytes_a_number"), [(torch.float32, 4), (torch.bfloat16, 2), (torch.int8, 1)])
def test_a_model_of_any_kind_is_read_back(kind: torch.dtype, bytes_a_number: int, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = GraphMert(CONFIG)
    saved = SavedModel(model, CONFIG, "{}", ("is_a", "treats", "part_of"), {})
    write_model(tmp_path / "model", saved, identity={"test": True}, kind=kind)
    matrices = sum(tensor.numel() for tensor in model.state_dict().values() if tensor.dim() > 1)
    assert bytes_a_number <= (tmp_path / "model" / WEIGHTS).stat().st_size / matrices < 1.35 * bytes_a_number + 0.25
    again = read_model(tmp_path / "model").model.state_dict()
    for name, tensor in model.state_dict().items():
        assert again[name].dtype == tensor.dtype
        allowed = tensor.abs().amax() * {torch.float32: 0.0, torch.bfloat16: 1 / 256, torch.int8: 1 / 254}[kind]
        assert (again[name] - tensor).abs().max() <= allowed * 1.0001
