"""How sure an answer is: evidence that its plan is what the question means, weighed by a small fitted model.

In: an interpretation that was run, and the plans that could have been meant instead. Out: signs, each a number, and
from them the probability that the answer is right. The weights are in weights.json, fitted by
`python -m benchmarks.certainty` on questions about graphs that the reader was not developed on (docs/reading.md).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp
from typing import Any

from clew.answer.certainty.astray import goes_astray
from clew.answer.certainty.contradicted import contradictions
from clew.answer.certainty.stated import Owners
from clew.answer.grammar.modality import asks_what_may_be
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.rank import Ranked
from clew.answer.running.run import Outcome

__all__ = ["LEFT_OUT", "NEVER_SURE", "Competitor", "confidence_in", "is_contested", "is_reversible", "signs_of"]

AHEAD, BEHIND = 1.2, -0.3  # a margin beyond these says no more
CLOSE = 0.5  # a plan that scores lower by this much is hardly meant
LONG = 8  # words; longer questions leave more to be misread
NEVER_SURE = ("left out", "contradicted", "astray", "unsure value", "zero")  # an answer with any of these is doubtful
LEFT_OUT = 0.4  # and has at most this confidence


@dataclass(frozen=True, slots=True)
class Competitor:
    """Another plan for the question, and whether its answer differs from that of the chosen one."""

    ranked: Ranked
    differs: bool
    finds: bool = True  # anything at all


def is_contested(interpretation: Interpretation, other: Ranked) -> bool:
    """Whether a plan could be meant instead: one that leaves out a needed word cannot, if the chosen one does not."""
    chosen = other.candidate is interpretation.candidate
    return not chosen and not (other.account.missing and not interpretation.account.missing)


def signs_of(
    interpretation: Interpretation,
    outcome: Outcome,
    competitors: Sequence[Competitor],
    words: Words,
    owners: Owners,
) -> dict[str, float]:
    """The evidence for and against an interpretation, by name."""
    candidate, account, plan = interpretation.candidate, interpretation.account, interpretation.candidate.plan
    own = next((each.score for each in interpretation.ranked if each.candidate is candidate), None)
    others = [each.ranked.score for each in competitors if each.differs]
    close = [each for each in competitors if each.differs and each.finds and (own or 0.0) - each.ranked.score < CLOSE]
    proposed = any("grammar" in each.candidate.found_by for each in interpretation.ranked)
    values, rows = candidate.values, plan.kind == "rows" and bool(plan.asked)
    nothing = (rows and not outcome.items) or (outcome.value is False and values is None)
    possible = nothing and asks_what_may_be(interpretation.question)  # what is not stated may be
    return {
        "margin": 0.0 if own is None else max(BEHIND, min([AHEAD, *(own - each for each in others)])),
        "close": float(len(close)),
        "overruled": float(proposed and "grammar" not in candidate.found_by),
        "unsaid": float(sum(not _is_said(name, interpretation, words) for name in candidate.relationships)),
        "reversible": float(sum(is_reversible(name, words) for name in candidate.relationships)),
        "left out": float(len(account.restrictions) + len(account.missing)),
        "name": 1.0 - min((meaning.score for meaning in candidate.meanings), default=1.0),
        "denied": float(any(part.kind == ABSENT for part in plan.parts)),
        "nothing": float(nothing),
        "zero": float(outcome.counts_nothing or bool(outcome.uncovered) or (nothing and bool(plan.sort))),
        "simpler": float(bool(interpretation.notes)),
        "contradicted": float(contradictions(interpretation, words, owners) + possible),
        "astray": float(goes_astray(interpretation, words)),
        "unsure value": float(values is not None and (values.unsure or values.ambiguous)),
        "length": max(0, len(interpretation.question.tokens) - LONG) / LONG,
    }


def confidence_in(signs: Mapping[str, float]) -> float:
    """The probability that an answer with these signs is right."""
    table = _table()
    score = table["intercept"] + sum(weight * signs[name] for name, weight in table["weights"].items())
    probability = 1 / (1 + exp(-score))
    return round(min(probability, LEFT_OUT) if any(signs[name] for name in NEVER_SURE) else probability, 3)


@cache
def _table() -> Any:
    return json.loads(files("clew.answer.certainty").joinpath("weights.json").read_text("utf-8"))


def _is_said(relation: str, interpretation: Interpretation, words: Words) -> bool:
    """Whether the question mentions a relation of the plan: by its name, a synonym, or a verb that says little."""
    question = interpretation.question
    tokens = [token for token in question.tokens if token not in question.of_names]
    said = [token.text for token in tokens if not words.is_class("frame", token.text)]
    parts = {each.part for each in interpretation.account.bindings}
    return (
        any(words.binds(relation, word) for word in said)
        or words.says(relation, [token.stem for token in tokens]) > 0
        or not parts.isdisjoint((f"relation {relation}", "relation"))
    )


def is_reversible(relation: str, words: Words) -> bool:
    """Whether a relation could be read from either end: it joins entities of one type and is not symmetric."""
    known = words.schema.relationship(relation)
    return not known.symmetric and any(ends.subject == ends.object for ends in known.ends)
