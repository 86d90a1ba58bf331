"""Sketches as arrays for training: pieces of words, the place of each word's first piece, symbols."""

import argparse
import json
from pathlib import Path

from benchmarks.questions.sketches.notation import read_file
from clew.answer.sketch.parser import pieces_of
from clew.answer.sketch.symbols import SYMBOLS, to_symbols

__all__ = ["main"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(given.tokenizer))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = []
    for path in given.files:
        for text, words, sketch in read_file(path):
            whole, bare = pieces_of(words, tokenizer), pieces_of(words, tokenizer, names=False)
            if len(whole[0]) > 200:
                continue
            rows.append(
                {
                    "set": path.stem, "text": text, "whole": whole, "bare": bare, "symbols": to_symbols(sketch),
                    "names": [word.name is not None for word in words],
                }
            )  # fmt: skip
    given.out.write_text(json.dumps({"symbols": SYMBOLS, "rows": rows}))
    print(len(rows), "questions")


if __name__ == "__main__":
    main()
