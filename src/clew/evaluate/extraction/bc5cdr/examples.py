"""BC5CDR as examples for candidate ranking, in the format in which extraction's model is fine-tuned and scored.

Abstracts, a tokenizer and a list of relations go in; two folders come out: `scoring-train`, with the gold and the fold
of every query, and `scoring-dev`, without any gold.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.questions import Questions, ask_about
from clew.extract.ranking.arrays import NONE_TAIL, UNKNOWN, CandidateRows, ExampleQuery, write_examples
from clew.progress import Progress, silent

__all__ = ["FOLDS", "RELATION", "fold_of", "make_examples", "write_scoring"]

FOLDS = 5
RELATION = "induces"


def make_examples(
    train: Sequence[Abstract],
    dev: Sequence[Abstract],
    out: Path,
    *,
    tokenizer: Path,
    relations: Sequence[str],
    gold: bool = True,
    progress: Progress = silent,
) -> None:
    """Write both folders under `out`; `relations` are those of the model, in its order.

    Without `gold` the rows of train do not state it either: such examples are only scored.
    """
    from tokenizers import Tokenizer

    if RELATION not in relations:
        raise InputError(f"the model has no relation {RELATION!r}: its relations are {', '.join(relations)}")
    loaded = Tokenizer.from_file(str(tokenizer))
    loaded.no_padding()
    loaded.no_truncation()
    number = list(relations).index(RELATION)
    for part, abstracts in (("train", train), ("dev", dev)):
        progress(f"preparing BC5CDR {part}", 0, None)
        folds = fold_of(len(abstracts)) if part == "train" else None
        write_scoring(out / f"scoring-{part}", ask_about(abstracts, loaded), number, folds, gold=gold)


def fold_of(documents: int) -> NDArray[np.int8]:
    """The fold in which each document is scored: equal parts, drawn once."""
    return (np.random.default_rng(0).permutation(documents) % FOLDS).astype(np.int8)


def write_scoring(
    folder: Path, questions: Questions, relation: int, folds: NDArray[np.int8] | None, *, gold: bool = True
) -> None:
    """Queries, distinct tails and the candidates of every query; `folds` of the documents, None for none.

    Without folds or `gold` no row states what is gold: such examples are only scored.
    """
    rows = _candidate_rows(questions, gold=gold and folds is not None)
    queries = [
        ExampleQuery(
            each.sequence,
            each.first,
            each.last,
            relation,
            each.document,
            UNKNOWN if folds is None else int(folds[each.document]),
            each.bare,
        )
        for each in questions.queries
    ]
    named = [(questions.abstracts[document].document, *pair) for document, *pair in rows.pairs]
    write_examples(folder, questions.sequences, queries, rows, named)


def _candidate_rows(questions: Questions, *, gold: bool) -> CandidateRows:
    """Every query with [NONE] and each name of its document's diseases."""
    rows = CandidateRows()
    for at, query in enumerate(questions.queries):
        named = questions.named(query) if gold else None
        rows.add(at, NONE_TAIL, UNKNOWN if named is None else not named, True)
        for number, name in enumerate(questions.tails[query.document]):
            right = UNKNOWN if named is None else number in named
            pairs = list(product((query.document,), query.chemicals, name.diseases))
            rows.add(at, name.tokens, right, number in query.seen, pairs)
    return rows
