"""Who predicts and selects diagnoses in the two rounds: a language model here, a simulation in `evaluate`."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from clew.link import Linker
from clew.lm import BadAnswer, LanguageModel, Message, Request, load_prompt

__all__ = ["Case", "ModelPredictor", "Named", "Predictor", "parse_numbers", "parse_predictions"]

MOST_PREDICTED = 10
MOST_TOKENS = 160
LISTED = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):]|diagnos[ei]s:)\s*", re.IGNORECASE)
REMARK = re.compile(r"\s+[-–—:(].*$|[.;,]+$")
LONGEST = 120  # characters of a name


@dataclass(frozen=True, slots=True)
class Case:
    """A patient as a predictor sees them: findings by entity and name."""

    id: str
    present: tuple[tuple[int, str], ...]
    absent: tuple[tuple[int, str], ...] = ()

    @property
    def text(self) -> str:
        """The findings in words."""
        said = f"Findings: {', '.join(name for _, name in self.present)}."
        return said + (f" Absent: {', '.join(name for _, name in self.absent)}." if self.absent else "")


@dataclass(frozen=True, slots=True)
class Named:
    """A predicted diagnosis; `entity` is None for a name that the graph does not have."""

    text: str
    entity: int | None


class Predictor(Protocol):
    """Names diagnoses, and selects among candidates."""

    @property
    def identity(self) -> str:
        """Equal identities give equal predictions."""

    def predict(self, case: Case) -> list[Named]:
        """The diagnoses that come to mind, the likeliest first."""

    def select(self, case: Case, candidates: Sequence[Named]) -> list[int]:
        """The places of those among the candidates that fit."""


class ModelPredictor:
    """A language model that names diagnoses one a line, which are linked, and answers with numbers of a list."""

    def __init__(self, model: LanguageModel, linker: Linker, type: str, *, timeout: float | None = None) -> None:
        self._model, self._linker, self._type, self._timeout = model, linker, type, timeout  # seconds of one call
        self.identity = model.identity

    def predict(self, case: Case) -> list[Named]:
        prompt = load_prompt("clew.answer", "diagnose.txt").format(case=case.text, most=MOST_PREDICTED)
        names = parse_predictions(self._ask(prompt))
        named = (Named(name, self._link(name)) for name in names)
        return list({each.text if each.entity is None else each.entity: each for each in named}.values())

    def select(self, case: Case, candidates: Sequence[Named]) -> list[int]:
        if not candidates:
            return []
        listed = "\n".join(f"{at}. {each.text}" for at, each in enumerate(candidates, start=1))
        prompt = load_prompt("clew.answer", "select_diagnoses.txt").format(case=case.text, candidates=listed)
        return parse_numbers(self._ask(prompt), most=len(candidates))

    def _ask(self, prompt: str) -> str:
        with suppress(BadAnswer):  # a model that says nothing predicts nothing
            request = Request([Message("user", prompt)], max_tokens=MOST_TOKENS)
            return self._model.complete(request, timeout=self._timeout).text
        return ""

    def _link(self, name: str) -> int | None:
        best = self._linker.link(name, type=self._type, last_stage="fuzzy").best
        return None if best is None else best.entity


def parse_predictions(text: str) -> list[str]:
    """The names in a model's list, one a line, each once, without numbers and remarks.

    >>> parse_predictions("Diagnoses:\\n1. Marfan syndrome - likely\\n2) **Homocystinuria**.\\n\\n1. Marfan syndrome")
    ['Marfan syndrome', 'Homocystinuria']
    """
    names = []
    for line in text.splitlines():
        name = REMARK.sub("", LISTED.sub("", line).replace("*", "").strip()).strip()
        if 2 < len(name) <= LONGEST and not name.endswith(":"):
            names.append(name)
    return list(dict.fromkeys(names))[:MOST_PREDICTED]


def parse_numbers(text: str, *, most: int) -> list[int]:
    """The numbers of a model's answer as places from 0; what is outside the list is left out.

    >>> parse_numbers("2, 5 and 40.", most=5)
    [1, 4]
    """
    return [at - 1 for at in dict.fromkeys(map(int, re.findall(r"\d{1,4}", text))) if 1 <= at <= most]
