"""A trained adapter as the GGUF file that llama.cpp adds to a model: `python query_export.py TRAINED OUT.gguf`."""

import argparse
import json
from pathlib import Path

import numpy as np
from gguf import GGUFWriter

ARCHITECTURE = "qwen2"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trained", type=Path, help="the folder that query_adapter.py wrote")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    known = json.loads((given.trained / "adapter.json").read_text())
    writer = GGUFWriter(given.out, ARCHITECTURE)
    writer.add_type("adapter")
    writer.add_name("queries")
    writer.add_license("apache-2.0")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", known["rank"] * known["scale"])
    for path in sorted(given.trained.glob("adapter*.npz")):
        with np.load(path) as arrays:
            for name, array in arrays.items():
                part, _, end = name.rpartition(".")
                writer.add_tensor(f"{part}.weight.lora_{end}", array.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
