"""What a judge is asked: statements put into the wordings of a question, from the text files under prompts/."""

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from clew.errors import InputError
from clew.lm import load_prompt

__all__ = [
    "BOTH",
    "QUESTIONS",
    "WORDINGS",
    "Question",
    "Statement",
    "Wording",
    "ask",
    "ask_without_subject",
    "claim",
]

Question = Literal["context", "truth", "validity"]
Wording = Literal["question", "claim", "both", "statement", "examples", "name"]
QUESTIONS: tuple[Question, ...] = ("context", "truth", "validity")
WORDINGS: dict[Question, tuple[Wording, ...]] = {
    "context": ("question", "claim", "both"),
    "truth": ("question",),
    "validity": ("question", "statement", "examples", "name"),
}
BOTH: tuple[Wording, ...] = ("question", "claim")
GAP = "____"
ANYTHING = "it"


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple in words and the text it was read from."""

    subject: str
    relation: str
    object: str
    text: str = ""


def ask(statement: Statement, question: Question, wording: Wording) -> str:
    """What a judge reads of a statement."""
    if question not in QUESTIONS:
        raise InputError(f"no question is called {question!r}: known: {', '.join(QUESTIONS)}")
    if wording not in WORDINGS[question]:
        raise InputError(f"{question!r} has no wording {wording!r}: known: {', '.join(WORDINGS[question])}")
    if wording == "both":
        raise InputError(f"both are two wordings: ask for {' or '.join(BOTH)}")
    return _filled(f"{question}-{wording}.txt", statement)


def ask_without_subject(statement: Statement) -> str:
    """What a judge of names reads when what should make the difference is left out."""
    return ask(replace(statement, subject=ANYTHING), "validity", "name")


def claim(subject: str, relation: str, object_: str) -> str:
    """A triple as a clause.

    >>> claim("aspirin", "treats", "pain"), claim("aspirin", "goes_with", "pain")
    ('aspirin is used to treat pain', 'aspirin goes with pain')
    """
    said = _claims().get(relation, f"{{subject}} {relation.replace('_', ' ')} {{object}}")
    return said.format(subject=subject, object=object_)


def _filled(file: str, statement: Statement) -> str:
    subject, relation, object_ = statement.subject, statement.relation, statement.object
    return load_prompt("clew.evaluate.extraction.judge", file).format(
        text=statement.text,
        subject=subject,
        relation=relation.replace("_", " "),
        object=object_,
        claim=claim(subject, relation, object_),
        gap=claim(subject, relation, GAP),
    )


@lru_cache(maxsize=1)
def _claims() -> dict[str, str]:
    known: dict[str, str] = json.loads(load_prompt("clew.evaluate.extraction.judge", "claims.json"))
    return known
