"""AlzKB's questions put to an asker: lists by F1, options and statements by right or wrong, covered ones only.

What is not covered is counted by its reason, never scored silently.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from clew.answer import Answer, Asker, Question
from clew.errors import ClewError
from clew.evaluate.benches.alzkb.questions import FORMS, AlzkbQuestion, Named
from clew.evaluate.benches.alzkb.scores import choose_option, score_choice, score_open, score_true_false
from clew.evaluate.evidence import check_evidence
from clew.evaluate.metrics import Given, GoldSet, GoldValue, Seconds, score
from clew.evaluate.questions import Reading
from clew.evaluate.runner import Asked, run_record
from clew.evaluate.statistics import bootstrap_mean
from clew.progress import Progress, silent, track

__all__ = ["AlzkbResult", "alzkb_record", "ask_alzkb"]

MEASURED = ("by_id", "by_name", "unlimited")


@dataclass(frozen=True, slots=True)
class AlzkbResult:
    """One question that was asked, and its score by id, by name, and without the limit to what AlzKB knows."""

    form: str
    asked: Asked
    by_id: float
    by_name: float
    unlimited: float


def ask_alzkb(questions: Sequence[AlzkbQuestion], asker: Asker, *, progress: Progress = silent) -> list[AlzkbResult]:
    """Ask every covered question."""
    covered = _covered(questions)
    return [_ask(question, asker) for question in track(covered, "asking", progress, total=len(covered))]


def _ask(question: AlzkbQuestion, asker: Asker) -> AlzkbResult:
    options = [option.id for option in question.options if option.id is not None]
    try:
        answer = asker.ask(Question(question.question, among=tuple(options), subclasses=False))
    except ClewError as error:
        return _result(question, None, str(error), ())
    return _result(question, answer, None, tuple(check_evidence(answer, asker.resources.engine)))


def _result(
    question: AlzkbQuestion, answer: Answer | None, failure: str | None, faults: tuple[str, ...]
) -> AlzkbResult:
    usage = answer.usage if answer else None
    seconds = Seconds(usage.understanding, usage.execution, usage.text) if usage else None
    gold = _gold(question)
    scored = score(question.id, question.form, _given(question, answer), [gold], seconds=seconds)
    reading = Reading(None, gold, "")
    asked = Asked(question.question, answer, scored, (reading,), failure, faults)
    return AlzkbResult(question.form, asked, *_scores(question, answer))


def _gold(question: AlzkbQuestion) -> GoldSet | GoldValue:
    """What is right: ids, where a name without one is missed by every list; else that the choice or verdict is."""
    if question.form == "open":
        return GoldSet(question.gold_ids | {f"no id: {name}" for name in question.unresolved})
    return GoldValue(True)


def _given(question: AlzkbQuestion, answer: Answer | None) -> Given:
    if answer is None:
        return Given(failed=True)
    if answer.abstained is not None:
        return Given(abstained=True)
    if question.form != "open":
        return Given(value=_is_right(question, answer))
    known = [item.id for item in answer.items if question.within is None or item.id in question.within]
    return Given(tuple((each, None) for each in known))


def _scores(question: AlzkbQuestion, answer: Answer | None) -> tuple[float, float, float]:
    if answer is None or answer.abstained is not None:
        return 0.0, 0.0, 0.0
    if question.form == "open":
        found = score_open(question, [(item.id, item.name) for item in answer.items])
        return found.by_id, found.by_name, found.unlimited
    right = float(_is_right(question, answer))
    return right, right, right


def _is_right(question: AlzkbQuestion, answer: Answer) -> bool:
    if question.form == "choice":
        return score_choice(question, _chosen(question, answer))
    return score_true_false(question, answer.value if isinstance(answer.value, bool) else None)


def _chosen(question: AlzkbQuestion, answer: Answer) -> Named | None:
    """The option an answer picks; where it is what is *not* so, options that the graph lacks are among it."""
    found = {item.id for item in answer.items}
    if answer.kind != "difference":
        return choose_option(question.options, found)
    rest = {option.id for option in question.options if option.id is not None} - found
    return choose_option(question.options, rest, negated=True)


def alzkb_record(
    questions: Sequence[AlzkbQuestion], results: Sequence[AlzkbResult], asker: Asker, *, settings: dict[str, Any]
) -> dict[str, Any]:
    """The run as JSON: what every run has, the three scores by form with 95 % intervals, and why the rest is missing.

    `n` counts all questions, `covered` those that were asked. There is no gold query to match.
    """
    forms = []
    for form in FORMS:
        here = [result for result in results if result.form == form]
        if here:
            means = {name: asdict(bootstrap_mean([getattr(each, name) for each in here])) for name in MEASURED}
            forms.append({"form": form, "n": len(here), **means})
    record = run_record("alzkb", [result.asked for result in results], asker, settings=settings)
    for row, result, question in zip(record["questions"], results, _covered(questions), strict=True):
        row |= {name: getattr(result, name) for name in MEASURED}
        row["expected"] = [", ".join(question.gold)]
        row["expected_queries"] = []
    reasons = Counter(question.reason for question in questions if not question.covered)
    return {
        **record,
        "n": len(questions),
        "covered": len(results),
        "forms": forms,
        "not_covered": dict(reasons.most_common()),
        "faults": sum(bool(result.asked.faults) for result in results),
        "notes": [
            f"{len(results):,} of {len(questions):,} questions can be answered from this graph and were asked",
            "AlzKB has no gold queries: query match does not apply",
            *record["notes"],
        ],
    }


def _covered(questions: Sequence[AlzkbQuestion]) -> list[AlzkbQuestion]:
    return [question for question in questions if question.covered]
