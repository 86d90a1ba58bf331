"""A trained parser as the files that Clew opens: an 8-bit encoder in ONNX, the decoder's arrays, the tokenizer."""

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from network import EMBEDDINGS, Parser

DECODER = "decoder."


class _Reading(torch.nn.Module):
    def __init__(self, parser: Parser) -> None:
        super().__init__()
        self.parser = parser

    def forward(self, pieces: torch.Tensor, mask: torch.Tensor, firsts: torch.Tensor) -> torch.Tensor:
        return self.parser.read(pieces, mask.bool(), firsts)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trained", type=Path, help="the folder that train.py wrote")
    parser.add_argument("start", type=Path, help="the arrays of MiniLM, whose embeddings stay as they are")
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    arrays = {name: array for path in given.trained.glob("*.npz") for name, array in np.load(path).items()}
    with np.load(given.start) as start:
        for mine, theirs in EMBEDDINGS.items():
            arrays[f"encoder.{mine}"] = start[theirs]
    few = arrays["decoder.symbols.weight"].shape[0]
    layers = 1 + max(int(name.split(".")[2]) for name in arrays if name.startswith("decoder.layers."))
    model = Parser(few, layers=layers)
    model.load_state_dict({name: torch.from_numpy(arrays[name].astype(np.float32)) for name in arrays})
    model.eval()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        example = (torch.ones(1, 12, dtype=torch.long), torch.ones(1, 12, dtype=torch.long), torch.arange(5)[None])
        axes = {"pieces": {0: "n", 1: "p"}, "mask": {0: "n", 1: "p"}, "firsts": {0: "n", 1: "w"}}
        torch.onnx.export(
            _Reading(model), example, str(whole), input_names=["pieces", "mask", "firsts"], output_names=["states"],
            dynamic_axes=axes, opset_version=17, dynamo=False,
        )  # fmt: skip
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(str(whole), str(given.out / "encoder.onnx"), weight_type=QuantType.QInt8)
    decoder: dict[str, np.ndarray] = {}
    for name in [each for each in arrays if each.startswith(DECODER)]:
        value, own = arrays[name].astype(np.float32), name.removeprefix(DECODER)
        if value.ndim == 1:
            decoder[own] = value.astype(np.float16)
            continue
        scale = np.abs(value).max(axis=1) / 127 + 1e-12
        decoder[own] = np.round(value / scale[:, None]).astype(np.int8)
        decoder[f"{own}.scale"] = scale.astype(np.float32)
    np.savez(given.out / "decoder.npz", **decoder)
    shutil.copy(given.tokenizer, given.out / "tokenizer.json")


if __name__ == "__main__":
    main()
