"""Plain texts as rows of tokens, for masked-word training."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.corpus.readers import read_file
from clew.extract.corpus.source_files import source_files
from clew.graph.staging import Problems

__all__ = ["cut_texts", "read_texts"]

ENCODED = 1000  # texts at once


def read_texts(paths: Sequence[str], *, without: Collection[str]) -> list[str]:
    """The texts of files in any format of `clew.extract.corpus`, without the documents of some PubMed ids."""
    problems = Problems(on_error="skip")
    left_out = {f"PMID:{each}" for each in without} | set(without)
    found = [
        f"{document.title} {' '.join(document.passages)}".strip()
        for file in source_files(paths, problems)
        for document in read_file(file, problems)
        if document.id not in left_out
    ]
    if not found:
        raise InputError(
            f"no text could be read from {', '.join(paths)}: {'; '.join(problems.examples[:3]) or 'empty'}"
        )
    return found


def cut_texts(texts: Iterable[str], tokenizer: Path, *, length: int) -> NDArray[np.int32]:
    """Texts as rows of `length` tokens, [SEP] between texts; the rest that fills no row is dropped."""
    from tokenizers import Tokenizer

    opened = Tokenizer.from_str(Path(tokenizer).read_text("utf-8"))
    opened.no_truncation()
    opened.no_padding()
    listed = list(texts)
    end: int | None = opened.token_to_id("[SEP]")
    if end is None:
        raise InputError(f"{tokenizer} has no [SEP]: expected the tokenizer.json of a BERT-shaped model")
    stream: list[int] = []
    for first in range(0, len(listed), ENCODED):
        for encoded in opened.encode_batch(listed[first : first + ENCODED], add_special_tokens=False):
            stream += [*encoded.ids, end]
    rows = len(stream) // length
    if not rows:
        raise InputError(f"the texts have {len(stream)} tokens: expected at least {length} for masked-word training")
    return np.array(stream[: rows * length], np.int32).reshape(rows, length)
