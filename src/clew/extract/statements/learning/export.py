"""A trained model as an ONNX file with 8-bit weights, which prediction runs without torch.

Matrices are stored as 8-bit integers with one scale a row and multiplied out when the file is opened, so the file
computes what torch computes with the same rounded weights (`round_weights`).
"""

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from clew.errors import MissingDependency
from clew.extract.statements.examples import FEATURES
from clew.extract.statements.exported import INPUTS, ONNX, SCORES, STATEMENTS, TOKENIZER, WHAT
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.storage import TrainedModel
from clew.files import write_text
from clew.sealed import new_sealed

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto

__all__ = ["export", "round_weights"]

OPSET = 17
LARGEST = 127
SMALL = 4096  # matrices with fewer numbers stay whole
Floats = NDArray[np.float32]


def export(path: Path, trained: TrainedModel) -> None:
    """Write the directory that `prediction.StatementModel` opens: model.onnx, tokenizer.json and statements.json."""
    content = _onnx(trained.model)
    config = trained.model.config
    said = {
        "config": asdict(config),
        "calibration": trained.training["calibration"],
        "relations": trained.training["relations"],
        "training": dict(trained.training),
    }
    with new_sealed(Path(path), {"format": 1}, what=WHAT) as directory:
        (directory / ONNX).write_bytes(content)
        write_text(directory / TOKENIZER, trained.tokenizer)
        write_text(directory / STATEMENTS, json.dumps(said, indent=1) + "\n")


def round_weights(model: Judge) -> Judge:
    """A copy of the model with the weights that its export holds."""
    rounded = Judge(model.config)
    state = {
        name: torch.from_numpy(_multiply(*_quantise(tensor.numpy()))) if _is_large(tensor.numpy()) else tensor
        for name, tensor in model.state_dict().items()
    }
    rounded.load_state_dict(state)
    rounded.eval()
    return rounded


def _onnx(model: Judge) -> bytes:
    """The model's graph with integers in place of its large matrices."""
    try:
        import onnx
    except ImportError as error:
        raise MissingDependency("exporting needs onnx: pip install 'clew[extract]'") from error
    written = BytesIO()
    axes: Mapping[str, Mapping[int, str]] = {
        "tokens": {1: "length"},
        "openings": {0: "mentions"},
        "membership": {0: "entities", 1: "mentions"},
        "pairs": {0: "pairs"},
        "features": {0: "pairs"},
        SCORES: {0: "pairs"},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns about itself
        torch.onnx.export(
            model.eval(),
            _sample(),
            written,
            input_names=list(INPUTS),
            output_names=[SCORES],
            dynamic_axes=axes,
            opset_version=OPSET,
            do_constant_folding=False,  # keeps matrices by row, one scale for each
            dynamo=False,
        )
    graph: ModelProto = onnx.load_from_string(written.getvalue())
    _pack(graph.graph)
    onnx.checker.check_model(graph)
    return bytes(graph.SerializeToString())


def _sample() -> tuple[torch.Tensor, ...]:
    """A small document; its sizes are free in the graph."""
    membership = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    return (
        torch.tensor([[1, 2, 3, 4, 5, 6, 7]]),
        torch.tensor([1, 3, 4]),
        membership,
        torch.tensor([[0, 1], [1, 0]]),
        torch.zeros(2, FEATURES),
    )


def _pack(graph: "GraphProto") -> None:
    """Each large matrix becomes integers, scales and a DequantizeLinear that gives it back under its name."""
    from onnx import helper, numpy_helper

    kept: list[Any] = []
    opened: list[Any] = []
    for tensor in graph.initializer:
        matrix = numpy_helper.to_array(tensor)
        if not _is_large(matrix):
            kept.append(tensor)
            continue
        integers, scale = _quantise(matrix)
        parts: dict[str, NDArray[Any]] = {f"{tensor.name}/integers": integers, f"{tensor.name}/scale": scale}
        kept += [numpy_helper.from_array(part, name) for name, part in parts.items()]
        opened.append(helper.make_node("DequantizeLinear", list(parts), [tensor.name], axis=0))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    operations = [*opened, *graph.node]
    del graph.node[:]
    graph.node.extend(operations)


def _is_large(matrix: NDArray[Any]) -> bool:
    return matrix.ndim == 2 and matrix.dtype == np.float32 and matrix.size >= SMALL


def _quantise(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Integers of the same shape and the scale of each row: a row's largest number becomes 127."""
    scale = np.maximum(np.abs(matrix).max(1) / LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(matrix / scale[:, None]).clip(-LARGEST, LARGEST).astype(np.int8), scale


def _multiply(integers: NDArray[np.int8], scale: Floats) -> Floats:
    return integers.astype(np.float32) * scale[:, None]
