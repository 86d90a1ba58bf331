"""The files of an exported model and the names of what its graph takes and gives."""

__all__ = ["INPUTS", "ONNX", "SCORES", "STATEMENTS", "TOKENIZER", "WHAT"]

WHAT = "an exported statement model"
ONNX, STATEMENTS, TOKENIZER = "model.onnx", "statements.json", "tokenizer.json"
INPUTS = ("tokens", "openings", "membership", "pairs", "features")  # as in a MarkedDocument
SCORES = "scores"
