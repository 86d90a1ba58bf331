"""The files of an exported model and the names of what its graphs take and give."""

__all__ = ["INPUTS", "MASKED", "ONNX", "PAIRS", "SCORES", "STATEMENTS", "TOKENIZER", "WEIGHTS", "WHAT"]

WHAT = "an exported statement model"
ONNX, PAIRS, WEIGHTS = "model.onnx", "pairs.onnx", "weights.bin"  # two graphs, and the numbers of both
STATEMENTS, TOKENIZER = "statements.json", "tokenizer.json"
INPUTS = ("tokens", "openings", "membership", "pairs", "features")  # as in a MarkedDocument
MASKED = ("tokens", "present")  # of pair texts, padded
SCORES = "scores"
