"""The decoder of sketches in ONNX, from its arrays: adds one symbol to each of several sketches.

    python benchmarks/questions/training/decoder.py decoder.npz decoder.onnx

Matrices stay in 8 bits in the file and are dequantised when it is opened; nothing is quantised at run time. The keys
and values of a question's words are computed with the first symbol, and given again with every other.
"""

import argparse
from collections.abc import Mapping
from math import sqrt
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HEADS, WIDTH = 12, 384
SCALE = ".scale"


class Drawing:
    """A graph that is being drawn."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays, self.nodes, self.constants = arrays, list[onnx.NodeProto](), dict[str, onnx.TensorProto]()

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.setdefault(name, numpy_helper.from_array(value, name))
        return name

    def ints(self, *values: int) -> str:
        return self.constant("ints " + " ".join(map(str, values)), np.array(values, np.int64))

    def number(self, value: float) -> str:
        return self.constant(f"number {value}", np.array(value, np.float32))

    def op(self, kind: str, *given: str, as_: str = "", **settings: object) -> str:
        made = as_ or f"{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(given), [made], f"{kind} {len(self.nodes)}", **settings))
        return made

    def array(self, name: str) -> str:
        """An array of the decoder; a matrix of weights as (in, out)."""
        value = self.arrays[name]
        if name + SCALE not in self.arrays:
            return self.constant(name, value.astype(np.float32))
        whole = self.op("Cast", self.constant(name, value), to=TensorProto.FLOAT)
        return self.op("Mul", whole, self.constant(name + SCALE, self.arrays[name + SCALE].astype(np.float32)[:, None]))

    def linear(self, name: str, given: str) -> str:
        weight = self.op("Transpose", self.array(f"{name}.weight"), perm=[1, 0])
        return self.op("Add", self.op("MatMul", given, weight), self.array(f"{name}.bias"))

    def norm(self, name: str, given: str) -> str:
        return self.op(
            "LayerNormalization", given, self.array(f"{name}.weight"), self.array(f"{name}.bias"), epsilon=1e-5
        )

    def row(self, given: str, number: int) -> str:
        return self.op("Gather", given, self.constant(f"row {number}", np.array(number, np.int64)), axis=0)

    def heads(self, given: str, *order: int) -> str:
        """A row for each head: (…, width) → (…, heads, width of a head) in another order."""
        return self.op(
            "Transpose", self.op("Reshape", given, self.ints(0, *[0] * (len(order) - 3), HEADS, -1)), perm=order
        )

    def attend(self, query: str, key: str, value: str) -> str:
        """What queries see: (…, queries, width) by keys (…, width, places) and values (…, places, width)."""
        like = self.op("Div", self.op("MatMul", query, key), self.number(sqrt(WIDTH // HEADS)))
        return self.op("MatMul", self.op("Softmax", like, axis=-1), value)

    def gelu(self, given: str) -> str:
        erf = self.op("Erf", self.op("Div", given, self.number(sqrt(2))))
        return self.op("Mul", self.op("Mul", given, self.op("Add", erf, self.number(1.0))), self.number(0.5))


def draw(arrays: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """The model of one step."""
    to = Drawing(arrays)
    layers = 1 + max(int(name.split(".")[1]) for name in arrays if name.startswith("layers."))
    of_words = [f"layers.{n}.{name}" for n in range(layers) for name in ("key2", "value2")] + ["keys", "pointed"]
    new = [to.op("Unsqueeze", to.linear(name, "states"), to.ints(0)) for name in of_words]
    known = to.op("Concat", "known", to.op("Concat", *new, axis=0), axis=1, as_="known'")
    table = to.op("Concat", to.array("symbols.weight"), to.row(known, 2 * layers + 1), axis=0)
    state = to.op("Add", to.op("Gather", table, "symbols"), to.op("Gather", to.array("places.weight"), "place"))
    kept = to.op("Gather", "kept", "beams", axis=1)
    grown = []
    for n in range(layers):
        name = f"layers.{n}"
        own = to.norm(f"{name}.norm1", state)
        query = to.linear(f"{name}.query", own)
        for at, each in enumerate(("key", "value")):
            added = to.op("Unsqueeze", to.linear(f"{name}.{each}", own), to.ints(1))
            grown.append(to.op("Concat", to.row(kept, 2 * n + at), added, axis=1))  # beams, places, width
        key, value = to.heads(grown[-2], 0, 2, 3, 1), to.heads(grown[-1], 0, 2, 1, 3)
        alone = to.op("Reshape", query, to.ints(0, HEADS, 1, -1))
        seen = to.op("Reshape", to.attend(alone, key, value), to.ints(0, WIDTH))
        state = to.op("Add", state, to.linear(f"{name}.out", seen))
        query = to.linear(f"{name}.query2", to.norm(f"{name}.norm2", state))
        key, value = to.heads(to.row(known, 2 * n), 1, 2, 0), to.heads(to.row(known, 2 * n + 1), 1, 0, 2)
        seen = to.op("Transpose", to.attend(to.heads(query, 1, 0, 2), key, value), perm=[1, 0, 2])
        state = to.op("Add", state, to.linear(f"{name}.out2", to.op("Reshape", seen, to.ints(0, WIDTH))))
        inner = to.gelu(to.linear(f"{name}.inner", to.norm(f"{name}.norm3", state)))
        state = to.op("Add", state, to.linear(f"{name}.outer", inner))
    to.op("Concat", *(to.op("Unsqueeze", each, to.ints(0)) for each in grown), axis=0, as_="kept'")
    state = to.norm("norm", state)
    keys = to.op("Transpose", to.row(known, 2 * layers), perm=[1, 0])
    points = to.op("Div", to.op("MatMul", to.linear("point", state), keys), to.number(sqrt(WIDTH)))
    to.op("LogSoftmax", to.op("Concat", to.linear("choose", state), points, axis=1), axis=1, as_="scores")
    graph = helper.make_graph(to.nodes, "decoder", *_ends(layers), initializer=list(to.constants.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def _ends(layers: int) -> tuple[list[onnx.ValueInfoProto], list[onnx.ValueInfoProto]]:
    """What the model is given, and what it makes."""
    of_symbols, of_words = 2 * layers, 2 * layers + 2
    given = [
        ("symbols", TensorProto.INT64, ["n"]),  # the last of each sketch
        ("place", TensorProto.INT64, [1]),
        ("beams", TensorProto.INT64, ["n"]),  # which of the sketches before each goes on
        ("kept", TensorProto.FLOAT, [of_symbols, "before", "places", WIDTH]),  # keys and values of symbols
        ("states", TensorProto.FLOAT, ["new", WIDTH]),  # of words, with the first symbol alone
        ("known", TensorProto.FLOAT, [of_words, "old", WIDTH]),  # keys and values of words, from then on
    ]
    made = [
        ("scores", TensorProto.FLOAT, ["n", "symbols and words"]),  # logarithms of probabilities
        ("kept'", TensorProto.FLOAT, [of_symbols, "n", "places + 1", WIDTH]),
        ("known'", TensorProto.FLOAT, [of_words, "words", WIDTH]),
    ]
    return [helper.make_tensor_value_info(*each) for each in given], [
        helper.make_tensor_value_info(*each) for each in made
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("arrays", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    with np.load(given.arrays) as stored:
        onnx.save(draw({name: stored[name] for name in stored.files}), given.out)


if __name__ == "__main__":
    main()
