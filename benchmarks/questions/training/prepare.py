"""What training starts from: sketches and schemas as pieces of words, and the arrays of MiniLM."""

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.questions.training.notation import read_file
from benchmarks.questions.training.schemas import read_schemas
from clew.answer.hearing.encoder import UNKNOWN, QuestionEncoder
from clew.answer.hearing.linking import FIRST_MARK, LONGEST_ITEM
from clew.answer.hearing.parser import pieces_of
from clew.answer.hearing.symbols import SYMBOLS, to_symbols

__all__ = ["main"]

FOLDER = Path(__file__).parents[1]
LONGEST = 200  # pieces of a question


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path, help="the folder of all-MiniLM-L6-v2")
    parser.add_argument("out", type=Path)
    parser.add_argument("start", type=Path, help="where its arrays are kept for training")
    given = parser.parse_args()
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    arrays = load_file(given.model / "model.safetensors")
    used = [name for name in arrays if "pooler" not in name and "position_ids" not in name]
    np.savez(given.start, **{name: arrays[name].astype(np.float16) for name in used})
    tokenizer = Tokenizer.from_file(str(given.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encoder = QuestionEncoder(None, tokenizer)
    sketches, schemas = _sketches(encoder), _schemas(encoder)
    given.out.write_text(json.dumps({"symbols": SYMBOLS, "sketches": sketches, "schemas": schemas}))
    questions = sum(len(each["questions"]) for each in schemas)
    print(len(sketches), "sketches;", len(schemas), "schemas with", questions, "questions")


def _sketches(encoder: QuestionEncoder) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for path in sorted((FOLDER / "sketches").glob("*/*.txt")):
        for text, words, sketch in read_file(path):
            whole, bare = pieces_of(words, encoder), pieces_of(words, encoder, names=False)
            if len(whole[0]) <= LONGEST:
                symbols = to_symbols(sketch)
                rows.append({"set": path.stem, "text": text, "whole": whole, "bare": bare, "symbols": symbols})
    return rows


def _schemas(encoder: QuestionEncoder) -> list[dict[str, object]]:
    return [
        {
            "held": each.held,
            "items": [[kind, [FIRST_MARK + kind, *encoder.pieces(text)[:LONGEST_ITEM]]] for kind, text in each.items],
            "questions": [
                {
                    "words": list(question.words),
                    "pieces": [encoder.pieces(word) or [UNKNOWN] for word in question.words],
                    "spans": [[span.places, span.meant, span.way, span.weight] for span in question.spans],
                }
                for question in each.questions
            ],
        }
        for each in read_schemas(FOLDER)
    ]


if __name__ == "__main__":
    main()
