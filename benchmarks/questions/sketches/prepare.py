"""What training starts from: sketches as pieces of words and symbols, and the arrays of MiniLM."""

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.questions.sketches.notation import read_file
from clew.answer.sketch.parser import pieces_of
from clew.answer.sketch.symbols import SYMBOLS, to_symbols

__all__ = ["main"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path, help="the folder of all-MiniLM-L6-v2")
    parser.add_argument("out", type=Path)
    parser.add_argument("start", type=Path, help="where its arrays are kept for training")
    parser.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    arrays = load_file(given.model / "model.safetensors")
    used = [name for name in arrays if "pooler" not in name and "position_ids" not in name]
    np.savez(given.start, **{name: arrays[name].astype(np.float16) for name in used})
    tokenizer = Tokenizer.from_file(str(given.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = []
    for path in given.files:
        for text, words, sketch in read_file(path):
            whole, bare = pieces_of(words, tokenizer), pieces_of(words, tokenizer, names=False)
            if len(whole[0]) > 200:
                continue
            rows.append({"set": path.stem, "text": text, "whole": whole, "bare": bare, "symbols": to_symbols(sketch)})
    given.out.write_text(json.dumps({"symbols": SYMBOLS, "rows": rows}))
    print(len(rows), "questions")


if __name__ == "__main__":
    main()
