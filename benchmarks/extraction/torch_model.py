"""The models of an exported statement model in torch, with the numbers that its graphs hold."""

import json
from pathlib import Path
from typing import TypeVar

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from clew.extract.statements.config import Config
from clew.extract.statements.exported import ONNX, PAIRS, STATEMENTS
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.pair_reader import PairReader

__all__ = ["load_exported"]

Model = TypeVar("Model", Judge, PairReader)


def load_exported(folder: Path) -> tuple[Judge, PairReader]:
    """The reader of documents and the reader of pairs."""
    config = Config(**json.loads((folder / STATEMENTS).read_text("utf-8"))["config"])
    return _load(folder / ONNX, Judge(config)), _load(folder / PAIRS, PairReader(config))


def _load(path: Path, model: Model) -> Model:
    tensors = {each.name: numpy_helper.to_array(each) for each in onnx.load(str(path)).graph.initializer}
    state = {}
    for name in model.state_dict():
        if name in tensors:
            numbers = tensors[name]
        else:
            numbers = tensors[f"{name}/integers"].astype(np.float32) * tensors[f"{name}/scale"][:, None]
        state[name] = torch.from_numpy(np.array(numbers, np.float32))
    model.load_state_dict(state)
    return model.eval()
