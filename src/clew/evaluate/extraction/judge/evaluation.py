"""Score the triples of a run with a judge that is selected and calibrated first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import read_abstracts
from clew.evaluate.extraction.judge.calibration import Calibration, calibrate, corrupted_triples, induced_pairs
from clew.evaluate.extraction.judge.factuality import Factuality, TypedTriple, judge_triples, validity_by_signature
from clew.evaluate.extraction.judge.keyword_judge import KeywordJudge
from clew.evaluate.extraction.judge.model_judge import Judge, ModelJudge, model_judges
from clew.evaluate.extraction.judge.wordings import QUESTIONS, Question, Statement
from clew.extract.filter.triples import read_triples
from clew.extract.seed.signatures import Signatures
from clew.extract.sequences.texts import sequence_texts
from clew.graph import GraphContents
from clew.lm import LanguageModel
from clew.progress import Progress, silent
from clew.traverse import open

__all__ = ["Calibrated", "Candidates", "Drawn", "calibrate_judges", "candidates", "judged_rows", "run_statements"]

TRAIN = "cdr_train.pubtator.gz"
METHODS = ("scoring", "grammar", "keywords")
Calibrated = dict[Question, tuple[Judge, Calibration]]
Candidates = Callable[[Question], Sequence[Judge]]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Triples of a run as statements, which of them the seed states too, and how confident the model was of each.

    `typed` are the types of the ends of all its triples.
    """

    statements: list[Statement]
    known: list[bool]
    confidence: list[float]
    typed: list[TypedTriple]


def candidates(model: LanguageModel | None, by: str = "scoring") -> Candidates:
    """The judges that a question can choose from: a model in all wordings, a model that writes, or no model."""
    if by not in METHODS:
        raise InputError(f"a judge answers by scoring, grammar or keywords, not by {by!r}")
    if by == "keywords":
        return lambda question: [] if question == "validity" else [KeywordJudge()]
    if model is None:
        raise InputError(f"a judge by {by} needs a language model")
    if by == "grammar":
        return lambda _: [ModelJudge(model, by="grammar")]
    return lambda question: model_judges(model, question)


def calibrate_judges(
    listed: Candidates, graph: GraphContents, corpus: Path, *, progress: Progress = silent
) -> Calibrated:
    """The best judge for each question that has any; `corpus` is the folder of BC5CDR."""
    pairs, corrupted = induced_pairs(read_abstracts(corpus / TRAIN)), corrupted_triples(graph)
    chosen: Calibrated = {}
    for question in QUESTIONS:
        if judges := listed(question):
            known = corrupted if question == "validity" else pairs
            chosen[question] = calibrate(judges, known, question, progress=progress)
    return chosen


def run_statements(run: Path, *, limit: int = 200, seed: int = 0) -> Drawn:
    """At most `limit` triples of a run, drawn at random, in the words of their texts."""
    if limit < 1:
        raise InputError(f"at least 1 triple is judged, not {limit}")
    triples, texts = read_triples(run), sequence_texts(run)
    drawn = np.sort(np.random.default_rng(seed).permutation(triples.num_rows)[:limit])
    names = ("head_text", "relation", "tail_text", "turned", "sequence", "known", "confidence")
    rows = triples.select(names).take(drawn)
    statements = []
    for row in rows.to_pylist():
        ends = (row["head_text"], row["tail_text"])
        subject, object_ = ends[::-1] if row["turned"] else ends
        statements.append(Statement(subject, row["relation"], object_, texts[row["sequence"]]))
    types = (triples[name].to_pylist() for name in ("subject_type", "relation", "object_type"))
    known, confidence = (rows[name].to_pylist() for name in ("known", "confidence"))
    return Drawn(statements, known, confidence, [TypedTriple(*each) for each in zip(*types, strict=True)])


def judged_rows(
    model: LanguageModel | None,
    run: Path,
    graph: Path,
    corpus: Path,
    *,
    by: str = "scoring",
    limit: int = 200,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[list[Factuality], list[Calibration]]:
    """Every score of at most `limit` triples of a run, and how their judges were calibrated."""
    drawn, opened = run_statements(run, limit=limit, seed=seed), open(graph)
    judges = calibrate_judges(candidates(model, by), opened, corpus, progress=progress)
    rows = judge_triples(drawn.statements, judges, progress=progress)
    unjudged = validity_by_signature(drawn.typed, Signatures.of_schema(opened.schema))
    return [*rows, unjudged], [calibration for _, calibration in judges.values()]
