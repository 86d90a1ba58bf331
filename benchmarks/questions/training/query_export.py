"""A trained adapter as the GGUF file that llama.cpp adds to a model, alone or as the mean of it and an earlier one.

    python query_export.py TRAINED OUT.gguf
    python query_export.py TRAINED OUT.gguf --mean ADAPTER.gguf   # the one that it went on from

The mean of two adapters, matrix by matrix, stands for the mean of what they add only if one went on from the other.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from gguf import GGUFReader, GGUFWriter
from numpy.typing import NDArray

ARCHITECTURE = "qwen2"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trained", type=Path, help="the folder that query_adapter.py wrote")
    parser.add_argument("out", type=Path)
    parser.add_argument("--mean", type=Path, metavar="ADAPTER", help="take the mean of it and this one")
    given = parser.parse_args()
    known = json.loads((given.trained / "adapter.json").read_text())
    alpha = known["rank"] * known["scale"]
    other = _earlier(given.mean, alpha) if given.mean else {}
    writer = GGUFWriter(given.out, ARCHITECTURE)
    writer.add_type("adapter")
    writer.add_name("queries")
    writer.add_license("apache-2.0")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name, array in _matrices(given.trained):
        writer.add_tensor(name, ((array + other[name]) / 2 if other else array).astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _matrices(trained: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for path in sorted(trained.glob("adapter*.npz")):
        with np.load(path) as arrays:
            for name, array in arrays.items():
                part, _, end = name.rpartition(".")
                yield f"{part}.weight.lora_{end}", array.astype(np.float32)


def _earlier(path: Path, alpha: float) -> dict[str, NDArray[np.float32]]:
    """The matrices of an adapter; it must add them with the same weight."""
    reader = GGUFReader(path)
    scale = reader.get_field("adapter.lora.alpha")
    if scale is None or float(scale.contents()) != alpha:
        raise SystemExit(f"{path} is no adapter with alpha {alpha:g}")
    return {
        each.name: np.array(each.data, np.float32).reshape(tuple(map(int, each.shape[::-1]))) for each in reader.tensors
    }


if __name__ == "__main__":
    main()
