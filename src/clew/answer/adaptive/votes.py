"""Answers of a model at several temperatures: each is checked against the options, then they vote."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["TEMPERATURES", "Vote", "elect", "parse_choice"]

TEMPERATURES = (0.0, 0.3, 0.5)
LETTER = re.compile(r"(?:^|(?:answer|option|choice)(?:\s+is)?\s*:?\s*)[\s(*]*([A-Z])(?=[.):,*]|\s*$)", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Vote:
    """What a model answered at one temperature; `choice` is None where that is none of the options."""

    temperature: float
    choice: str | None


def parse_choice(text: str, lettered: Mapping[str, str]) -> str | None:
    """The option that a text gives by its letter, or by its name alone; None where it gives none, or several.

    >>> options = {"A": "FBN1", "B": "FBN2", "C": "None of these"}
    >>> [parse_choice(each, options) for each in ("B. FBN2", "The answer is: (a)", "It is FBN2.", "FBN1 or FBN2", "G")]
    ['FBN2', 'FBN1', 'FBN2', None, None]
    """
    named = [
        option for option in lettered.values() if re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text, re.IGNORECASE)
    ]
    if len(named) == 1:
        return named[0]
    found = LETTER.search(text.strip())
    return lettered.get(found[1].upper()) if found else None


def elect(votes: Sequence[Vote]) -> tuple[str | None, float]:
    """The choice of most valid votes and its share of all; of equally many, that of the lowest temperature.

    >>> elect([Vote(0.0, "FBN1"), Vote(0.3, "FBN2"), Vote(0.5, "FBN2")])
    ('FBN2', 0.6666666666666666)
    >>> elect([Vote(0.0, "FBN1"), Vote(0.3, "FBN2"), Vote(0.5, None)])[0]
    'FBN1'
    """
    valid = [vote.choice for vote in sorted(votes, key=lambda vote: vote.temperature) if vote.choice is not None]
    if not valid:
        return None, 0.0
    choice, count = Counter(valid).most_common(1)[0]
    return choice, count / len(votes)
