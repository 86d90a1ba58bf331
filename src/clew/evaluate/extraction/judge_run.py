"""The triples of a finished run before a judge: the judge is calibrated first, then asked."""

from pathlib import Path
from typing import Literal, cast

import numpy as np

from clew.errors import InputError
from clew.evaluate.extraction.calibration import Calibration, calibrate, corrupted_triples, induced_pairs
from clew.evaluate.extraction.factuality import Factuality, TypedTriple, judge_triples, validity_by_signature
from clew.evaluate.extraction.judge import QUESTIONS, Judge, ModelJudge, Question, Statement
from clew.evaluate.extraction.pubtator import read_pubtator
from clew.extract.signatures import Signatures
from clew.extract.texts import sequence_texts
from clew.extract.triples import read_triples
from clew.graph import Graph
from clew.lm import LanguageModel
from clew.progress import Progress, silent

__all__ = ["judged_rows"]

TRAIN = "cdr_train.pubtator.gz"


def judged_rows(
    model: LanguageModel,
    run: Path,
    graph: Path,
    corpus: Path,
    *,
    by: str = "scoring",
    limit: int = 200,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Factuality]:
    """Every score of at most `limit` triples of a run; `corpus` is the folder of BC5CDR."""
    if limit < 1:
        raise InputError(f"at least 1 triple is judged, not {limit}")
    triples = read_triples(run)
    drawn = np.sort(np.random.default_rng(seed).permutation(triples.num_rows)[:limit])
    chosen = triples.take(drawn)
    opened = Graph(graph)
    pairs, corrupted = induced_pairs(read_pubtator(corpus / TRAIN)), corrupted_triples(opened)
    judges: dict[Question, tuple[Judge, Calibration]] = {}
    for question in QUESTIONS:
        known = corrupted if question == "validity" else pairs
        asked = ModelJudge(model, by=cast(Literal["scoring", "grammar"], by))
        judges[question] = calibrate(asked, known, question, progress=progress)
    texts = sequence_texts(run)
    columns = (chosen[name].to_pylist() for name in ("subject_name", "relation", "object_name", "sequence"))
    statements = [
        Statement(subject, relation, object_, texts[at])
        for subject, relation, object_, at in zip(*columns, strict=True)
    ]
    rows = judge_triples(statements, judges, progress=progress)
    types = (triples[name].to_pylist() for name in ("subject_type", "relation", "object_type"))
    typed = [TypedTriple(*each) for each in zip(*types, strict=True)]
    return [*rows, validity_by_signature(typed, Signatures.of_schema(opened.schema))]
