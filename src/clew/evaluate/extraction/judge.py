"""A judge of triples: yes, no or maybe, from any language model.

A triple with the text it comes from goes in, a `Verdict` comes out. The model's chances of the three words are weighed
(`scoring`), or it writes one of them under a grammar (`grammar`). A judge leans to one side; `threshold` is how likely
yes must be against no, and `calibration` sets it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from math import exp
from typing import Literal, Protocol

from clew.errors import ContextOverflow, InputError, ModelError, Timeout
from clew.lm import LanguageModel, Message, Request, choice, strip
from clew.progress import Progress, silent

__all__ = ["QUESTIONS", "Judge", "ModelJudge", "Said", "Statement", "Verdict", "judge_all"]

Answer = Literal["yes", "no", "maybe", "missing"]
Question = Literal["context", "truth", "validity"]
QUESTIONS: tuple[Question, ...] = ("context", "truth", "validity")
ANSWERS = ("yes", "no", "maybe")
EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple in words and the text it was read from."""

    subject: str
    relation: str
    object: str
    text: str = ""


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


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A language model as judge."""

    model: LanguageModel
    by: Literal["scoring", "grammar"] = "scoring"
    threshold: float = EVEN
    seconds: float = 120.0

    def __post_init__(self) -> None:
        if self.by not in ("scoring", "grammar"):
            raise InputError(f"a judge goes by scoring or grammar, not by {self.by!r}")

    @property
    def name(self) -> str:
        return f"{self.model.name}, by {self.by}"

    def with_threshold(self, threshold: float) -> "ModelJudge":
        """The same judge with another threshold."""
        return replace(self, threshold=threshold)

    def judge(self, statement: Statement, question: Question) -> Verdict:
        request = Request([Message("user", _asked(statement, question))], max_tokens=4)
        try:
            said = self._scored(request) if self.by == "scoring" else self._written(request)
        except (ModelError, ContextOverflow, Timeout) as error:
            return Verdict("missing", trouble=str(error))
        if said.maybe:
            return Verdict("maybe", said.yes)
        return Verdict("yes" if said.yes >= self.threshold else "no", said.yes)

    def _scored(self, request: Request) -> Said:
        chances = {each.text: each.logprob for each in self.model.score(request, ANSWERS, timeout=self.seconds)}
        yes, no, maybe = (chances[answer] for answer in ANSWERS)
        return Said(1 / (1 + exp(min(700.0, no - yes))), maybe=maybe > max(yes, no))

    def _written(self, request: Request) -> Said:
        written = self.model.complete(replace(request, grammar=choice(ANSWERS)), timeout=self.seconds)
        answer = strip(written.text).casefold()
        if answer not in ANSWERS:
            raise ModelError(f"{self.model.name!r} answered {written.text!r}, not yes, no or maybe")
        return Said({"yes": 1.0, "no": 0.0, "maybe": EVEN}[answer], maybe=answer == "maybe")


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


def _asked(statement: Statement, question: Question) -> str:
    if question not in QUESTIONS:
        raise InputError(f"no question is called {question!r}: known: {', '.join(QUESTIONS)}")
    prompt = files("clew.evaluate.extraction").joinpath(f"prompts/{question}.txt").read_text("utf-8")
    return prompt.strip().format(
        text=statement.text,
        subject=statement.subject,
        relation=statement.relation.replace("_", " "),
        object=statement.object,
    )
