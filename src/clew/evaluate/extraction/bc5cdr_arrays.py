"""BC5CDR as arrays that a machine without these tables can learn from and score.

A tokenizer and a list of relations go in, two folders of NumPy files come out: `scoring-train`, with the gold and the
fold of every question, and `scoring-dev`, without any gold. Scores come back as one array for each (`write_scoring`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr_questions import Questions, ask_about
from clew.evaluate.extraction.pubtator import Abstract
from clew.extract.ranking.arrays import NONE_TAIL, UNKNOWN, CandidateRows, ExampleQuery, write_examples
from clew.files import new_directory, write_text
from clew.progress import Progress, silent

__all__ = ["FOLDS", "RELATION", "Settings", "fold_of", "make_bc5cdr_arrays", "write_scoring"]

FOLDS = 5
RELATION = "induces"
COUNTS = "counts.json"


@dataclass(frozen=True, slots=True)
class Settings:
    """How abstracts become questions."""

    length: int = 128
    unseen: str = "none"  # a chemical whose diseases the sequence does not hold: "none", "name" them, or "skip" it
    seed: int = 0  # of the folds

    def __post_init__(self) -> None:
        if self.unseen not in ("none", "name", "skip"):
            raise InputError(f"unseen is none, name or skip, not {self.unseen!r}")


def make_bc5cdr_arrays(
    train: Sequence[Abstract],
    dev: Sequence[Abstract],
    out: Path,
    *,
    tokenizer: Path,
    relations: Sequence[str],
    learnt: bool = True,
    settings: Settings = Settings(),  # noqa: B008  # frozen
    progress: Progress = silent,
) -> dict[str, Any]:
    """Write every folder under `out`; returns what was counted. `relations` are those of the model, in its order.

    Questions that nothing is `learnt` from do not say what is gold, in train either.
    """
    from tokenizers import Tokenizer

    if RELATION not in relations:
        raise InputError(f"the model has no relation {RELATION!r}: its relations are {', '.join(relations)}")
    loaded = Tokenizer.from_file(str(tokenizer))
    loaded.no_padding()
    loaded.no_truncation()
    number = list(relations).index(RELATION)
    counts: dict[str, Any] = {}
    with new_directory(out, overwrite=True, marker=COUNTS) as folder:
        for part, abstracts in (("train", train), ("dev", dev)):
            progress(f"asking about BC5CDR {part}", 0, None)
            questions = ask_about(abstracts, loaded, length=settings.length)
            folds = fold_of(len(abstracts), seed=settings.seed) if part == "train" else None
            unseen = settings.unseen if learnt else None
            counts[part] = write_scoring(folder / f"scoring-{part}", questions, number, folds, unseen=unseen)
        write_text(folder / COUNTS, json.dumps(counts, indent=1) + "\n")
    return counts


def fold_of(documents: int, *, seed: int = 0) -> NDArray[np.int8]:
    """The fold in which each document is scored: equal parts, drawn once."""
    return (np.random.default_rng(seed).permutation(documents) % FOLDS).astype(np.int8)


def write_scoring(
    folder: Path,
    questions: Questions,
    relation: int,
    folds: NDArray[np.int8] | None,
    *,
    unseen: str | None = "none",
) -> dict[str, int]:
    """Queries, distinct tails and which tails are weighed for which query; `folds` of the documents, None for none.

    Without folds or `unseen` no row says what is gold: such questions are only to be scored.
    """
    rows = _weighed(questions, unseen=None if folds is None else unseen)
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
    return {
        "documents": len(questions.abstracts),
        "sequences": _bare_from(questions),
        "queries": len(queries),
        "tails": len(rows.tails),
        "tails cut to seven tokens": questions.cut_tails,
        "rows": len(rows.query),
        "pairs": len(rows.pairs),
        "pairs that nothing asks about": sum(len(each.pairs()) for each in questions.abstracts) - len(rows.pairs),
    }


def _weighed(questions: Questions, *, unseen: str | None) -> CandidateRows:
    """Every query with [NONE] and each name of its document's diseases; without `unseen`, gold is nobody's business."""
    rows = CandidateRows()
    for at, query in enumerate(questions.queries):
        named = None if unseen is None else questions.named(query, unseen=unseen)
        rows.add(at, NONE_TAIL, UNKNOWN if named is None else not named, True)
        for number, name in enumerate(questions.tails[query.document]):
            gold = UNKNOWN if named is None else number in named
            pairs = list(product((query.document,), query.chemicals, name.diseases))
            rows.add(at, name.tokens, gold, number in query.seen, pairs)
    return rows


def _bare_from(questions: Questions) -> int:
    """The number of the first sequence that is a mention alone."""
    return next((each.sequence for each in questions.queries if each.bare), len(questions.sequences))
