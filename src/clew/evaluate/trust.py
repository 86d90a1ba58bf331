"""How far answers can be trusted: your own questions with literal gold, some of which the graph cannot answer.

Each answer is right, wrong or declined, and was given with or without a warning. A wrong answer that looks sure is the
worst outcome, so it is counted apart; declining is right where the graph cannot know, and only there.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose, sqrt
from pathlib import Path
from typing import Any

from clew.answer import Answer
from clew.errors import ClewError, InputError

__all__ = [
    "LEVELS",
    "UNANSWERABLE",
    "Outcome",
    "Share",
    "TrustQuestion",
    "accepts",
    "ask_each",
    "load_questions",
    "shares",
    "wilson",
]

UNANSWERABLE = "unanswerable"
DECLINED = "declined"  # instead of a certainty
LEVELS = ("simple", "medium", "complex", UNANSWERABLE)
GOLD = ("ids", "number", "yes", "values", "sources")
Z = 1.959964  # of a 95 % interval
ROUNDED = 2  # decimals from which on a gold is a rounded number


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """A question, the graph it is put to, and every answer that is accepted; none where the graph cannot know."""

    id: str
    graph: str
    level: str
    question: str
    gold: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question: what was said, how sure it looked, and whether it is right."""

    id: str
    graph: str
    level: str
    question: str
    right: bool
    certainty: str  # "declined" where it was not answered
    warned: bool  # whether a reader was told to doubt it: called doubtful, or words were left over
    answer: str  # or why there is none
    confidence: float | None = None
    signs: Mapping[str, float] = field(default_factory=dict)
    query: str = ""
    decided: str | None = None
    unrecognised: Sequence[str] = ()
    seconds: float = 0.0

    @property
    def declined(self) -> bool:
        return self.certainty == DECLINED

    @property
    def wrong(self) -> bool:
        return not self.right and not self.declined


@dataclass(frozen=True, slots=True)
class Share:
    """A count out of a total, with the ends of its 95 % Wilson interval."""

    name: str
    count: int
    of: int
    low: float
    high: float


def load_questions(path: Path) -> list[TrustQuestion]:
    """The questions of a file, a line of JSON each (docs/evaluation.md has its fields)."""
    if not path.is_file():
        raise InputError(f"{path} is not a file: expected questions with gold, a line of JSON each")
    questions = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if line.strip():
            try:
                questions.append(_question(json.loads(line), number))
            except (ValueError, TypeError) as error:
                raise InputError(f"line {number} of {path} is not a question: {error}") from None
    if not questions:
        raise InputError(f"{path} has no questions: write one line of JSON for each")
    return questions


def _question(row: Any, number: int) -> TrustQuestion:
    if not isinstance(row, dict) or not isinstance(row.get("question"), str):
        raise ValueError('give an object with at least "question" and "gold"')
    gold = row.get("gold")
    if not isinstance(gold, list) or not all(isinstance(each, dict) and set(each) & set(GOLD) for each in gold):
        raise ValueError(f'"gold" is a list of objects that each hold one of {", ".join(GOLD)}')
    level = row.get("level", "simple" if gold else UNANSWERABLE)
    if level not in LEVELS or (level == UNANSWERABLE) != (not gold):
        raise ValueError(f'"level" is one of {", ".join(LEVELS)}, and only an unanswerable question has no gold')
    return TrustQuestion(str(row.get("id", number)), str(row.get("graph", "")), level, row["question"], tuple(gold))


def ask_each(questions: Iterable[TrustQuestion], ask: Callable[[TrustQuestion], Answer]) -> Iterator[Outcome]:
    """Each question asked once; a failure to answer counts as declining."""
    for question in questions:
        try:
            yield _outcome(question, ask(question))
        except ClewError as error:
            yield _outcome(question, Answer(question.question, abstained=str(error)))


def _outcome(question: TrustQuestion, answer: Answer) -> Outcome:
    declined = answer.abstained is not None
    certainty = DECLINED if declined else answer.certainty
    return Outcome(
        question.id,
        question.graph,
        question.level,
        question.question,
        right=question.level == UNANSWERABLE if declined else any(accepts(gold, answer) for gold in question.gold),
        certainty=certainty,
        warned=certainty == "doubtful" or bool(answer.unrecognised),
        answer=answer.abstained or answer.text,
        confidence=answer.confidence,
        signs={name: round(sign, 3) for name, sign in answer.signs.items()},
        query=answer.query,
        decided=answer.decided,
        unrecognised=list(answer.unrecognised),
        seconds=round(answer.usage.seconds, 4),
    )


def accepts(gold: Mapping[str, Any], answer: Answer) -> bool:
    """Whether an answer is exactly what one accepted answer says."""
    if "yes" in gold:
        return isinstance(answer.value, bool) and answer.value == gold["yes"]
    if "number" in gold:
        if not isinstance(answer.value, int | float) or isinstance(answer.value, bool):
            return False
        return isclose(answer.value, gold["number"], rel_tol=1e-6) or _rounds_to(answer.value, gold["number"])
    if isinstance(answer.value, bool):
        return False
    if "values" in gold:
        wanted = {str(each).casefold() for each in gold["values"]}
        said = {each.name.casefold() for each in answer.items} or {str(answer.value).casefold()}
        return wanted in (said, {each.id.casefold() for each in answer.items})  # as it is said, or as it is stated
    ids = {each.id for each in answer.items}
    if "sources" in gold:
        return ids == set(gold["sources"])
    required, pool = set(gold["ids"]), set(gold.get("any_of", ()))
    drawn = ids - required
    tied = not required and gold.get("take") == 1 and drawn == pool  # all that are tied for the one that is asked for
    return required <= ids and drawn <= pool and (len(drawn) == gold.get("take", 0) or tied)


def _rounds_to(value: float, stated: float) -> bool:
    """Whether a number is one that is stated with two decimals or more, as averages are."""
    decimals = len(str(stated).partition(".")[2])
    return decimals >= ROUNDED and round(value, decimals) == stated


def shares(outcomes: Sequence[Outcome]) -> list[Share]:
    """The figures that matter, each with its interval."""
    answerable = [each for each in outcomes if each.level != UNANSWERABLE]
    beyond = [each for each in outcomes if each.level == UNANSWERABLE]
    right = [each for each in answerable if each.right]
    rows: list[tuple[str, Sequence[Outcome], Sequence[Outcome]]] = [("right, of the answerable", right, answerable)]
    for level in LEVELS[:-1]:
        asked = [each for each in answerable if each.level == level]
        rows.append((f"right, {level}", [each for each in asked if each.right], asked))
    wrong = [each for each in outcomes if each.wrong]
    rows += [
        ("declined, of the unanswerable", [each for each in beyond if each.declined], beyond),
        ("declined, of the answerable", [each for each in answerable if each.declined], answerable),
        ("wrong and sure, of all", [each for each in wrong if each.certainty == "sure"], outcomes),
        ("wrong without a warning, of all", [each for each in wrong if not each.warned], outcomes),
        ("sure, of the right answers", [each for each in right if each.certainty == "sure"], right),
    ]
    return [Share(name, len(some), len(all_), *wilson(len(some), len(all_))) for name, some, all_ in rows]


def wilson(count: int, n: int) -> tuple[float, float]:
    """The ends of the 95 % Wilson interval of a share."""
    if n == 0:
        return 0.0, 1.0
    share, square = count / n, Z * Z
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = Z / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
