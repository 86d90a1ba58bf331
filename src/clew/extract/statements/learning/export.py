"""A trained model as ONNX graphs with 8-bit weights, which prediction runs without torch.

Matrices are stored as 8-bit integers with one scale a row and multiplied out when a graph is opened, so it computes
what torch computes with the same rounded weights (`round_weights`). Both graphs take their weights
from one file; shared weights (vocabulary, lowest layers) are stored once.
"""

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from clew.errors import MissingDependency
from clew.extract.statements.examples import FEATURES
from clew.extract.statements.exported import (
    INPUTS,
    MASKED,
    ONNX,
    PAIRS,
    SCORES,
    STATEMENTS,
    TOKENIZER,
    WEIGHTS,
    WHAT,
)
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.pair_reader import PairReader
from clew.extract.statements.learning.storage import TrainedModel
from clew.files import write_text
from clew.sealed import new_sealed

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, TensorProto

__all__ = ["export", "round_weights"]

OPSET = 17
LARGEST = 127
SMALL = 4096  # matrices with fewer numbers stay whole
Floats = NDArray[np.float32]
Rounded = TypeVar("Rounded", Judge, PairReader)


def export(path: Path, trained: TrainedModel) -> None:
    """Write the directory that `prediction.StatementModel` opens."""
    config = trained.model.config
    said = {
        "config": asdict(config),
        "calibration": trained.training["calibration"],
        "relations": trained.training["relations"],
        "combinations": trained.training.get("combinations", {}),
        "training": dict(trained.training),
    }
    weights = _Weights()
    graphs = {ONNX: _onnx(trained.model, _sample(), INPUTS, DOCUMENT_AXES)}
    if trained.reader is not None:
        graphs[PAIRS] = _onnx(trained.reader, _pair_sample(), MASKED, PAIR_AXES)
    for graph in graphs.values():
        weights.take(graph.graph)
    with new_sealed(Path(path), {"format": 2}, what=WHAT) as directory:
        for name, graph in graphs.items():
            (directory / name).write_bytes(graph.SerializeToString())
        (directory / WEIGHTS).write_bytes(weights.content)
        write_text(directory / TOKENIZER, trained.tokenizer)
        write_text(directory / STATEMENTS, json.dumps(said, indent=1) + "\n")


def round_weights(model: Rounded) -> Rounded:
    """A copy of the model with the weights that its export holds."""
    rounded = type(model)(model.config)
    state = {
        name: torch.from_numpy(_multiply(*_quantise(tensor.numpy()))) if _is_large(tensor.numpy()) else tensor
        for name, tensor in model.state_dict().items()
    }
    rounded.load_state_dict(state)
    rounded.eval()
    return rounded


DOCUMENT_AXES: Mapping[str, Mapping[int, str]] = {
    "tokens": {1: "length"},
    "openings": {0: "mentions"},
    "membership": {0: "entities", 1: "mentions"},
    "pairs": {0: "pairs"},
    "features": {0: "pairs"},
    SCORES: {0: "pairs"},
}
PAIR_AXES: Mapping[str, Mapping[int, str]] = {
    "tokens": {0: "texts", 1: "length"},
    "present": {0: "texts", 1: "length"},
    SCORES: {0: "texts"},
}


def _onnx(
    model: Judge | PairReader,
    sample: tuple[torch.Tensor, ...],
    inputs: Sequence[str],
    axes: Mapping[str, Mapping[int, str]],
) -> "ModelProto":
    """The graph of a model with integers in place of its large matrices."""
    try:
        import onnx
    except ImportError as error:
        raise MissingDependency("exporting needs onnx: pip install 'clew[extract]'") from error
    written = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns about itself
        torch.onnx.export(
            model.eval(),
            sample,
            written,
            input_names=list(inputs),
            output_names=[SCORES],
            dynamic_axes=axes,
            opset_version=OPSET,
            do_constant_folding=False,  # keeps matrices by row, one scale for each
            dynamo=False,
        )
    graph: ModelProto = onnx.load_from_string(written.getvalue())
    _pack(graph.graph)
    onnx.checker.check_model(graph)
    return graph


class _Weights:
    """The numbers of several graphs end to end, equal ones once."""

    def __init__(self) -> None:
        self.content = bytearray()
        self._places: dict[bytes, int] = {}

    def take(self, graph: "GraphProto") -> None:
        """Move the large tensors of a graph here; it then names the file and the place of each."""
        for tensor in graph.initializer:
            if len(tensor.raw_data) >= SMALL:
                self._move(tensor)

    def _move(self, tensor: "TensorProto") -> None:
        content = tensor.raw_data
        digest = hashlib.sha256(content).digest()
        if digest not in self._places:
            self._places[digest] = len(self.content)
            self.content += content
        tensor.ClearField("raw_data")
        tensor.data_location = tensor.EXTERNAL
        for key, value in (("location", WEIGHTS), ("offset", self._places[digest]), ("length", len(content))):
            tensor.external_data.add(key=key, value=str(value))


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


def _pair_sample() -> tuple[torch.Tensor, ...]:
    return torch.tensor([[1, 2, 3, 4], [1, 2, 3, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])


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
