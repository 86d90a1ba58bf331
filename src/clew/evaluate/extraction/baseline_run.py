"""The language-model baseline over the documents of a run, written as a table of triples."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clew.errors import InputError
from clew.evaluate.extraction.llm_baseline import chunks, read_triples
from clew.extract.asking import read_asked
from clew.extract.parts import write_table
from clew.extract.texts import document_texts
from clew.lm import LanguageModel
from clew.progress import Progress, silent

__all__ = ["read_baseline"]


def read_baseline(
    model: LanguageModel, run: Path, out: Path, *, limit: int = 50, seed: int = 0, progress: Progress = silent
) -> dict[str, Any]:
    """Read at most `limit` chunks, drawn at random, with the relations that the run's model was asked about."""
    if limit < 1:
        raise InputError(f"at least 1 chunk is read, not {limit}")
    relations = sorted(read_asked(run)[1].pairs)
    pieces = list(chunks(document_texts(run).items()))
    drawn = np.sort(np.random.default_rng(seed).permutation(len(pieces))[:limit]).tolist()
    chosen = [pieces[at] for at in drawn]
    read = read_triples(model, chosen, relations, progress=progress)
    table = pa.table(
        {
            "subject": [each.subject for each in read.triples],
            "relation": [each.relation for each in read.triples],
            "object": [each.object for each in read.triples],
            "documents": [sorted({chosen[at].document for at in each.chunks}) for each in read.triples],
            "times": [len(each.chunks) for each in read.triples],
        },
        schema=pa.schema(
            [
                ("subject", pa.string()),
                ("relation", pa.string()),
                ("object", pa.string()),
                ("documents", pa.list_(pa.string())),
                ("times", pa.int32()),
            ]
        ),
    )
    write_table(table, out)
    return {
        "model": model.name,
        "chunks": len(chosen),
        "triples": len(read.triples),
        "left_out": read.left_out,
        "relations": relations,
    }
