"""AlzKB's questions put to an asker: lists by F1, options and statements by right or wrong, covered ones only.

What is not covered is counted by its reason, never scored in silence.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from clew.answer import Answer, Asker
from clew.errors import ClewError
from clew.evaluate.benches.alzkb import FORMS, AlzkbQuestion
from clew.evaluate.benches.alzkb_scores import choose_option, score_choice, score_open, score_true_false
from clew.evaluate.evidence import check_evidence
from clew.evaluate.statistics import bootstrap_mean
from clew.progress import Progress, silent, track

__all__ = ["AlzkbResult", "alzkb_record", "ask_alzkb"]


@dataclass(frozen=True, slots=True)
class AlzkbResult:
    """One question that was asked: its score by id, by name, and without the limit to what AlzKB knows."""

    id: str
    form: str
    hops: int
    question: str
    by_id: float
    by_name: float
    unlimited: float
    query: str
    trouble: str | None
    faults: tuple[str, ...]
    seconds: float


def ask_alzkb(questions: Sequence[AlzkbQuestion], asker: Asker, *, progress: Progress = silent) -> list[AlzkbResult]:
    """Ask every covered question."""
    covered = [question for question in questions if question.covered]
    return [_ask(question, asker) for question in track(covered, "asking", progress, total=len(covered))]


def _ask(question: AlzkbQuestion, asker: Asker) -> AlzkbResult:
    options = [option.id for option in question.options if option.id is not None]
    try:
        answer = asker.ask(question.question, among=options)
    except ClewError as error:
        return _result(question, (0.0, 0.0, 0.0), None, str(error), ())
    faults = tuple(check_evidence(answer, asker.engine))
    return _result(question, _scores(question, answer), answer, answer.abstained, faults)


def _scores(question: AlzkbQuestion, answer: Answer) -> tuple[float, float, float]:
    if question.form == "open":
        items = None if answer.abstained else [(item.id, item.name) for item in answer.items]
        score = score_open(question, items)
        return score.by_id, score.by_name, score.unlimited
    if question.form == "choice":
        right = float(score_choice(question, _chosen(question, answer)))
    else:
        said = answer.value if isinstance(answer.value, bool) and answer.abstained is None else None
        right = float(score_true_false(question, said))
    return right, right, right


def _chosen(question: AlzkbQuestion, answer: Answer) -> Any:
    """The option an answer picks; where it is what is *not* so, options that the graph lacks are among it."""
    found = {item.id for item in answer.items}
    if answer.kind != "difference":
        return choose_option(question.options, found)
    rest = {option.id for option in question.options if option.id is not None} - found
    return choose_option(question.options, rest, negated=True)


def _result(
    question: AlzkbQuestion,
    scores: tuple[float, float, float],
    answer: Answer | None,
    trouble: str | None,
    faults: tuple[str, ...],
) -> AlzkbResult:
    query, seconds = (answer.query, answer.usage.seconds) if answer else ("", 0.0)
    return AlzkbResult(
        question.id, question.form, question.hops, question.question, *scores, query, trouble, faults, round(seconds, 4)
    )


def alzkb_record(questions: Sequence[AlzkbQuestion], results: Sequence[AlzkbResult]) -> dict[str, Any]:
    """The run as JSON: by form, pooled over hops, with 95 % intervals, and why the rest is not covered."""
    forms = []
    for form in FORMS:
        here = [result for result in results if result.form == form]
        if here:
            means = {name: asdict(bootstrap_mean([getattr(each, name) for each in here])) for name in MEASURED}
            forms.append({"form": form, "n": len(here), **means})
    return {
        "bench": "alzkb",
        "n": len(questions),
        "covered": len(results),
        "forms": forms,
        "not_covered": dict(Counter(question.reason for question in questions if not question.covered).most_common()),
        "faults": sum(bool(result.faults) for result in results),
        "questions": [asdict(result) for result in results],
    }


MEASURED = ("by_id", "by_name", "unlimited")
