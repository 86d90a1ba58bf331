"""Runs of multiple-choice questions: every answer is kept in a journal, so that an interrupted run resumes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clew.answer import Resources
from clew.errors import InputError
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.evaluate.choices.rows import STORED, WITH_MODEL, choose
from clew.evaluate.journal import Journal
from clew.evaluate.statistics import bootstrap_mean, permutation_test
from clew.progress import Progress, silent

__all__ = ["run_choices"]

Answers = dict[tuple[str, str], dict[str, Any]]


def run_choices(
    resources: Resources,
    model_resources: Resources | None,
    questions: Sequence[ChoiceQuestion],
    *,
    rows: Sequence[str],
    asked: Mapping[str, Any],
    sample: int,
    out: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Ask every row: rows without a model all questions, rows with one the first `sample`; returns the table.

    `asked` says how the questions were made: a run with others is not resumed.
    """
    needing = [row for row in rows if row in WITH_MODEL]
    if needing and model_resources is None:
        raise InputError(f"the row {needing[0]} needs a language model: name one")
    settings = {
        "snapshot": resources.engine.snapshot.id,
        **asked,
        "encoder": None if resources.encoder is None else resources.encoder.identity,
        "model": None if model_resources is None or model_resources.model is None else model_resources.model.identity,
    }
    journal = Journal(out, settings, what="multiple-choice questions")
    known: Answers = {(each["row"], each["id"]): each for each in journal.records}
    right = Counter(question.gold for question in questions)
    asking = _order(rows, questions, sample)
    for done, (row, question) in enumerate(asking, 1):
        own = model_resources if model_resources is not None and row in WITH_MODEL else resources
        if (row, question.id) not in known:
            answer = asdict(choose(row, question, own, right))
            known[row, question.id] = {"row": row, "id": question.id, **answer}
            journal.append(known[row, question.id])
        progress(f"asking {row}", done, len(asking))
    table = [_row(row, questions, known) for row in rows]
    return {
        "settings": settings,
        "questions": len(questions),
        "kinds": dict(sorted(Counter(map(_part, questions)).items())),
        "rows": table,
        "paired": _paired(rows, questions, known),
    }


def _order(rows: Sequence[str], questions: Sequence[ChoiceQuestion], sample: int) -> list[tuple[str, ChoiceQuestion]]:
    """Row by row; those with a model question by question, so that an unfinished run has the same for all of them."""
    place = {question.id: at for at, question in enumerate(questions)}
    pairs = [(row, question) for row in rows for question in _asked(row, questions, sample)]
    return sorted(pairs, key=lambda pair: place[pair[1].id] if pair[0] in WITH_MODEL else -1)


def _asked(row: str, questions: Sequence[ChoiceQuestion], sample: int) -> Sequence[ChoiceQuestion]:
    """The questions that a row is asked."""
    if row not in STORED:
        return questions[:sample] if row in WITH_MODEL else questions
    found = [each for each in questions if each.context]
    if not found:
        raise InputError(f"no question has a stored context: leave out the row {row}")
    return found


def _is_right(question: ChoiceQuestion, answer: dict[str, Any]) -> bool:
    return bool(answer["option"] == question.gold)


def _row(row: str, questions: Sequence[ChoiceQuestion], known: Answers) -> dict[str, Any]:
    asked = [(each, known[row, each.id]) for each in questions if (row, each.id) in known]
    right = [_is_right(*pair) for pair in asked]
    interval = bootstrap_mean([float(each) for each in right])
    by_kind = {}
    for name in sorted({each.kind for each, _ in asked} | {"no right option"}):
        part = [ok for (each, _), ok in zip(asked, right, strict=True) if name == _part(each)]
        if part:
            by_kind[name] = {"n": len(part), "right": round(sum(part) / len(part), 4)}
    return {
        "row": row,
        "n": len(asked),
        "right": round(interval.mean, 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
        "abstained": round(sum(answer["option"] is None for _, answer in asked) / len(asked), 4),
        "by_kind": by_kind,
        "calls": sum(answer["calls"] for _, answer in asked),
        "tokens": sum(answer["tokens"] for _, answer in asked),
        "seconds": round(sum(answer["seconds"] for _, answer in asked), 2),
    }


def _part(question: ChoiceQuestion) -> str:
    return question.kind if question.gold is not None else "no right option"


def _paired(rows: Sequence[str], questions: Sequence[ChoiceQuestion], known: Answers) -> list[dict[str, Any]]:
    """Every row against the first, and rows with a model against the model alone, on the questions both answered."""
    pairs = [(rows[0], other) for other in rows[1:]]
    pairs += [("no-context", other) for other in rows if other in WITH_MODEL - {"no-context"} and "no-context" in rows]
    found = []
    for one, other in dict.fromkeys(pairs):
        both = [each for each in questions if (one, each.id) in known and (other, each.id) in known]
        first = [float(_is_right(each, known[one, each.id])) for each in both]
        second = [float(_is_right(each, known[other, each.id])) for each in both]
        gain = bootstrap_mean([b - a for a, b in zip(first, second, strict=True)])
        test = permutation_test(first, second)
        found.append(
            {
                "baseline": one,
                "row": other,
                "n": len(both),
                "gain": round(gain.mean, 4),
                "low": round(gain.low, 4),
                "high": round(gain.high, 4),
                "p": test.p,
            }
        )
    return found
