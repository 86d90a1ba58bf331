"""A BERT-shaped checkpoint on disk, with which a model may begin: its shape (config.json) and its tensors."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import InputError
from clew.json_files import read_json

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["PARTS", "WEIGHTS", "BertShape", "BertTensors", "read_shape", "read_tensors"]

WEIGHTS = "model.safetensors"
PARTS = {  # of a layer
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
    "norm": "output.LayerNorm",
}


@dataclass(frozen=True, slots=True)
class BertShape:
    """How large a BERT is."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    inner: int
    epsilon: float


class BertTensors(dict[str, "Tensor"]):
    """The tensors of a checkpoint; a missing one is a clear error."""

    def __missing__(self, name: str) -> "Tensor":
        raise InputError(f"the start has no tensor {name}: expected a BERT-shaped checkpoint ({WEIGHTS})")

    def part(self, layer: int, name: str, kind: str) -> "Tensor":
        """The weight or bias of a part of a layer, by its name in `PARTS`."""
        return self[f"encoder.layer.{layer}.{PARTS[name]}.{kind}"]


def read_shape(start: Path) -> BertShape:
    """The shape of the BERT in a directory."""
    path = Path(start) / "config.json"
    try:
        content = read_json(path)
        if (
            content.get("hidden_act", "gelu") != "gelu"
            or content.get("position_embedding_type", "absolute") != "absolute"
        ):
            raise InputError(f"{path}: expected a BERT with GELU and absolute positions")
        return BertShape(
            vocabulary=int(content["vocab_size"]),
            width=int(content["hidden_size"]),
            layers=int(content["num_hidden_layers"]),
            heads=int(content["num_attention_heads"]),
            inner=int(content["intermediate_size"]),
            epsilon=float(content.get("layer_norm_eps", 1e-12)),
        )
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}): --start names a directory with a BERT") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not the config of a BERT-shaped model: {error}") from error


def read_tensors(start: Path) -> BertTensors:
    """The tensors of the BERT in a directory, in float32."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = Path(start) / WEIGHTS
    try:
        tensors = load_file(path)
    except (OSError, SafetensorError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    return BertTensors({name.removeprefix("bert."): tensor.float() for name, tensor in tensors.items()})
