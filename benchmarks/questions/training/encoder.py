"""The encoder of questions in ONNX, from what torch exports and onnxruntime quantises: attention in blocks.

    python benchmarks/questions/training/encoder.py exported.onnx encoder.onnx

A part of a schema sees itself and the question, never another part, so that one row over all pieces is mostly hidden.
Here the question's pieces see every piece, and parts see the question and their own block: a few parts side by side.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from decoder import HEADS, WIDTH, Drawing
from onnx import TensorProto, helper, numpy_helper

TABLES = {"words": "pieces", "places": "places", "kinds": "kinds", "marks": "marks"}  # of embeddings, by what is given
MATRICES = ("query", "key", "value", "out", "inner", "outer")  # of a layer, in their order
EXPORTED, QUANTISED = "onnx::MatMul_", "_quantized"  # how names of matrices begin and end
EPSILON = 1e-12


class EncoderDrawing(Drawing):
    """The graph of an encoder that is being drawn; its matrices are in 8 bits, and so is what they are applied to."""

    def array(self, name: str) -> str:
        return self.constant(name, self.arrays[name])

    def embedded(self, table: str, rows: str) -> str:
        name = f"{table}.weight"
        picked = self.op("Gather", self.array(f"{name}{QUANTISED}"), rows)
        return self.op("DequantizeLinear", picked, self.array(f"{name}_scale"), self.array(f"{name}_zero_point"))

    def quantised(self, given: str) -> tuple[str, str, str]:
        """Numbers in 8 bits, with their scale and their zero."""
        made = (f"{given} quantised", f"{given} scale", f"{given} zero")
        self.nodes.append(helper.make_node("DynamicQuantizeLinear", [given], made, f"quantise {given}"))
        return made

    def product(self, name: str, given: tuple[str, str, str]) -> str:
        numbers, scale, zero = given
        weight, weight_zero, weight_scale = (
            self.array(f"{name}.weight{end}") for end in (QUANTISED, "_zero_point", "_scale")
        )
        whole = self.op("Cast", self.op("MatMulInteger", numbers, weight, zero, weight_zero), to=TensorProto.FLOAT)
        scaled = self.op("Mul", whole, self.op("Mul", scale, weight_scale))
        return self.op("Add", self.array(f"{name}.bias"), scaled)

    def norm(self, name: str, given: str) -> str:
        ends = (self.array(f"{name}.{end}") for end in ("weight", "bias"))
        return self.op("LayerNormalization", given, *ends, axis=-1, epsilon=EPSILON)

    def seen(self, query: str, key: str, value: str, hidden: str = "") -> str:
        """What pieces see, (pieces, width), by queries, keys and values (heads, blocks, pieces, width of a head)."""
        like = self.op("MatMul", query, self.op("Transpose", key, perm=[0, 1, 3, 2]))
        shares = self.op("Softmax", self.op("Add", like, hidden) if hidden else like, axis=-1)
        made = self.op("Transpose", self.op("MatMul", shares, value), perm=[1, 2, 0, 3])
        return self.op("Reshape", made, self.ints(-1, WIDTH))


def draw(arrays: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """The encoder."""
    to = EncoderDrawing(arrays)
    layers = 1 + max(int(name.split(".")[1]) for name in arrays if name.startswith("layers."))
    words, *others = (to.embedded(*pair) for pair in TABLES.items())
    for each in others:
        words = to.op("Add", words, each)
    state = to.norm("norm", words)
    hidden = to.op("Where", "hidden", to.number(-np.inf), to.number(0.0))
    for n in range(layers):
        layer = f"layers.{n}"
        seen = to.product(f"{layer}.out", to.quantised(_attended(to, layer, state, hidden)))
        state = to.norm(f"{layer}.norm", to.op("Add", state, seen))
        inner = to.gelu(to.product(f"{layer}.inner", to.quantised(state)))
        outer = to.product(f"{layer}.outer", to.quantised(inner))
        state = to.norm(f"{layer}.norm2", to.op("Add", state, outer))
    to.op("Identity", state, as_="states")
    graph = helper.make_graph(to.nodes, "encoder", *_ends(), initializer=list(to.constants.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def _attended(to: EncoderDrawing, layer: str, state: str, hidden: str) -> str:
    """What the pieces see: those of the question everything, those of parts the question and their block."""
    numbers = to.quantised(state)
    query, key, value = (
        to.heads(to.product(f"{layer}.{name}", numbers), 1, 0, 2) for name in ("query", "key", "value")
    )  # heads, pieces, width of a head
    factor = to.number(float(np.sqrt(np.float32(1) / np.sqrt(np.float32(WIDTH // HEADS)))))
    query, key = to.op("Mul", query, factor), to.op("Mul", key, factor)
    every = (to.op("Unsqueeze", each, to.ints(1)) for each in (key, value))
    asked = to.seen(to.op("Gather", query, "asked", axis=1), *every)
    block = (to.op("Gather", each, "seen", axis=1) for each in (key, value))
    parts = to.seen(to.op("Gather", query, "inside", axis=1), *block, hidden)
    return to.op("Concat", asked, to.op("Gather", parts, "back"), axis=0)


def _ends() -> tuple[list[onnx.ValueInfoProto], list[onnx.ValueInfoProto]]:
    """What the model is given (as src/clew/answer/hearing/encoder.py lays it out), and what it makes."""
    given = [
        *((name, TensorProto.INT64, ["pieces"]) for name in TABLES.values()),
        ("asked", TensorProto.INT64, [1, "asked"]),  # the pieces of the question
        ("inside", TensorProto.INT64, ["blocks", "inside"]),  # the pieces of parts of a schema in each block
        ("seen", TensorProto.INT64, ["blocks", "seen"]),  # the pieces that they may see: the question's and their own
        ("hidden", TensorProto.BOOL, ["blocks", "inside", "seen"]),
        ("back", TensorProto.INT64, ["others"]),  # where each piece of a part is, in all blocks one after another
    ]
    made = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["pieces", WIDTH])
    return [helper.make_tensor_value_info(*each) for each in given], [made]


def arrays_of(exported: onnx.ModelProto) -> dict[str, np.ndarray]:
    """The arrays of an encoder as torch exports and onnxruntime quantises it: matrices get back their names."""
    arrays = {each.name: numpy_helper.to_array(each) for each in exported.graph.initializer}
    matrices = [name.removesuffix(QUANTISED) for name in arrays if name.startswith(EXPORTED) and QUANTISED in name]
    for at, name in enumerate(sorted(matrices, key=lambda each: int(each.removeprefix(EXPORTED)))):
        layer, place = divmod(at, len(MATRICES))
        for end in (QUANTISED, "_scale", "_zero_point"):
            arrays[f"layers.{layer}.{MATRICES[place]}.weight{end}"] = arrays.pop(f"{name}{end}")
    return arrays


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("exported", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    onnx.save(draw(arrays_of(onnx.load(given.exported))), given.out)


if __name__ == "__main__":
    main()
