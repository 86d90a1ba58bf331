"""A trained reader as the files that Clew opens: an 8-bit encoder in ONNX, the arrays of its heads, the tokenizer."""

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from decoder import draw
from encoder import arrays_of
from encoder import draw as draw_encoder
from network import EMBEDDINGS, Reader

INPUTS = ("pieces", "places", "kinds", "marks", "sees")


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
    model = Reader(few, layers=layers)
    model.load_state_dict({name: torch.from_numpy(arrays[name].astype(np.float32)) for name in arrays})
    model.eval()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole, quantised = (Path(folder) / name for name in ("whole.onnx", "quantised.onnx"))
        flat = torch.ones(1, 12, dtype=torch.long)
        example = (flat, flat, flat, flat, torch.ones(1, 12, 12, dtype=torch.bool))
        axes = {name: {0: "n", 1: "p"} for name in INPUTS} | {"sees": {0: "n", 1: "p", 2: "p"}}
        torch.onnx.export(
            model.encoder, example, str(whole), input_names=list(INPUTS), output_names=["states"], dynamic_axes=axes,
            opset_version=17, dynamo=False,
        )  # fmt: skip
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(str(whole), str(quantised), weight_type=QuantType.QInt8)
        onnx.save(draw_encoder(arrays_of(onnx.load(quantised))), given.out / "encoder.onnx")
    onnx.save(draw(_in_8_bits(arrays, "decoder.")), given.out / "decoder.onnx")
    heads = {f"norm2.{end}": arrays[f"norm.{end}"] for end in ("weight", "bias")}
    np.savez(given.out / "heads.npz", **heads, **_in_8_bits(arrays, "linker."))
    shutil.copy(given.tokenizer, given.out / "tokenizer.json")


def _in_8_bits(arrays: dict[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    """The arrays of a part, matrices in 8 bits with a scale for each row."""
    made: dict[str, np.ndarray] = {}
    for name in [each for each in arrays if each.startswith(part)]:
        value, own = arrays[name].astype(np.float32), name.removeprefix(part)
        if value.ndim < 2:
            made[own] = value.astype(np.float16)
            continue
        scale = np.abs(value).max(axis=1) / 127 + 1e-12
        made[own] = np.round(value / scale[:, None]).astype(np.int8)
        made[f"{own}.scale"] = scale.astype(np.float32)
    return made


if __name__ == "__main__":
    main()
