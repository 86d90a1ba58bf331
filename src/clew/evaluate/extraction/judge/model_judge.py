"""Judges of triples: yes, no or maybe, from any language model.

A triple with the text it comes from goes in, a `Verdict` comes out. The model's probabilities of the three words are
compared (`scoring`), or it writes one of them under a grammar (`grammar`). A question has several wordings, and a judge
leans to one side; `calibration` chooses the wording and the threshold on P(yes) / (P(yes) + P(no)).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Literal, Protocol, Self, runtime_checkable

from clew.errors import ContextOverflow, InputError, ModelError, Timeout
from clew.evaluate.extraction.judge.wordings import (
    BOTH,
    QUESTIONS,
    WORDINGS,
    Question,
    Statement,
    Wording,
    ask,
    ask_without_subject,
)
from clew.lm import LanguageModel, Message, Request, choice, strip
from clew.progress import Progress, silent

__all__ = [
    "QUESTIONS",
    "Judge",
    "ModelJudge",
    "Question",
    "Said",
    "Settable",
    "Statement",
    "Verdict",
    "judge_all",
    "model_judges",
]

Answer = Literal["yes", "no", "maybe", "missing"]
ANSWERS = ("yes", "no", "maybe")
EVEN = 0.5
STEEPEST = 700.0  # exponents beyond this overflow


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said of the three answers: how likely yes is against no, and whether maybe beat both."""

    yes: float
    maybe: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge holds of a statement; "missing" where the model gave no answer, with the reason."""

    answer: Answer
    yes: float | None = None
    trouble: str = ""


class Judge(Protocol):
    """Anything that judges statements."""

    @property
    def name(self) -> str:
        """What people call it."""

    def judge(self, statement: Statement, question: Question) -> Verdict:
        """Judge one statement; never raises for a model that fails on it."""


@runtime_checkable
class Settable(Judge, Protocol):
    """A judge that says how likely yes is, and from where on that counts as a yes."""

    def with_threshold(self, threshold: float) -> Self:
        """The same judge with another threshold."""


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A language model as judge, with the question in one wording.

    "both" takes the mean of two wordings; "name" weighs how much likelier the object's own name becomes by the subject.
    The others weigh yes against no.
    """

    model: LanguageModel
    by: Literal["scoring", "grammar"] = "scoring"
    wording: Wording = "question"
    threshold: float = EVEN
    seconds: float = 120.0

    def __post_init__(self) -> None:
        if self.by not in ("scoring", "grammar"):
            raise InputError(f"a judge goes by scoring or grammar, not by {self.by!r}")
        if self.by == "grammar" and self.wording in ("both", "name"):
            raise InputError(f"the wording {self.wording!r} compares probabilities: it goes by scoring only")

    @property
    def name(self) -> str:
        return f"{self.model.name}, by {self.by}, wording: {self.wording}"

    def with_threshold(self, threshold: float) -> Self:
        return replace(self, threshold=threshold)

    def judge(self, statement: Statement, question: Question) -> Verdict:
        try:
            said = self._said(statement, question)
        except (ModelError, ContextOverflow, Timeout) as error:
            return Verdict("missing", trouble=str(error))
        if said.maybe:
            return Verdict("maybe", said.yes)
        return Verdict("yes" if said.yes >= self.threshold else "no", said.yes)

    def _said(self, statement: Statement, question: Question) -> Said:
        if self.by == "grammar":
            return self._written(ask(statement, question, self.wording))
        match self.wording:
            case "name":
                told = self._naming(ask(statement, question, "name"), statement.object)
                return Said(_logistic(told - self._naming(ask_without_subject(statement), statement.object)))
            case "both":
                odds = [_odds(self._weighed(ask(statement, question, each))) for each in BOTH]
                return Said(_logistic(sum(odds) / len(odds)))
            case _:
                weighed = self._weighed(ask(statement, question, self.wording))
                return Said(_logistic(_odds(weighed)), maybe=weighed[2] > max(weighed[:2]))

    def _weighed(self, asked: str) -> list[float]:
        """The log-probabilities of yes, no and maybe, written as the wording writes them."""
        answers = ANSWERS if self.wording == "statement" else tuple(each.capitalize() for each in ANSWERS)
        return [each.logprob for each in self.model.score(_request(asked), answers, timeout=self.seconds)]

    def _naming(self, asked: str, name: str) -> float:
        """The log-probability of a name, a token."""
        (scored,) = self.model.score(_request(asked), (name,), timeout=self.seconds)
        return scored.logprob / max(1, scored.tokens)

    def _written(self, asked: str) -> Said:
        written = self.model.complete(replace(_request(asked), grammar=choice(ANSWERS)), timeout=self.seconds)
        answer = strip(written.text).casefold()
        if answer not in ANSWERS:
            raise ModelError(f"{self.model.name!r} answered {written.text!r}, not yes, no or maybe")
        return Said({"yes": 1.0, "no": 0.0, "maybe": EVEN}[answer], maybe=answer == "maybe")


def model_judges(model: LanguageModel, question: Question) -> list[ModelJudge]:
    """A model with every wording that a question has, for `calibrate` to choose from."""
    return [ModelJudge(model, wording=wording) for wording in WORDINGS[question]]


def judge_all(
    judge: Judge, statements: Sequence[Statement], question: Question, *, progress: Progress = silent
) -> list[Verdict]:
    """Verdicts in the order of the statements; equal statements are judged once."""
    known: dict[Statement, Verdict] = {}
    verdicts = []
    for done, statement in enumerate(statements):
        progress(f"judging ({question})", done, len(statements))
        if statement not in known:
            known[statement] = judge.judge(statement, question)
        verdicts.append(known[statement])
    progress(f"judging ({question})", len(statements), len(statements))
    return verdicts


def _request(asked: str) -> Request:
    return Request([Message("user", asked)], max_tokens=4)


def _odds(weighed: Sequence[float]) -> float:
    """How much likelier yes is than no, as a logarithm."""
    return weighed[0] - weighed[1]


def _logistic(odds: float) -> float:
    return 1 / (1 + exp(min(STEEPEST, -odds)))
