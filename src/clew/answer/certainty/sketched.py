"""The probability that an answer of the second reader alone is right: signs of its sketch, weighed by a fitted model.

The weights are in sketched.json, fitted by `python -m benchmarks.second_reader` on others' graphs;
its figures are cross-validated, one graph left out at a time (docs/reading.md).
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.answer.sketch.voice import Spoken

__all__ = ["probability_of", "sketch_signs"]

LEAST = 0.005  # probability below which it makes no difference
MOST = 3.0  # missing words; further ones say no more


def sketch_signs(spoken: "Spoken") -> dict[str, float]:
    """The evidence for and against a reading by a sketch, by name."""
    reading, ran = spoken.reading, spoken.ran
    probability = min(max(reading.probability, LEAST), 1 - LEAST)
    missing = ran.interpretation.account.missing
    return {
        "probable": log(probability / (1 - probability)),
        "weakest": log(max(reading.weakest, LEAST)),
        "foreign": reading.foreign,
        "missing": min(MOST, len(missing)),
        "facts": float(max(0, len(ran.candidate.relationships) - 1)),
        "nothing": float(ran.is_empty),
        "contradicted": float(spoken.contradicted),
    }


def probability_of(signs: Mapping[str, float]) -> float:
    """The probability that a reading with these signs answers rightly."""
    table = _table()
    return 1 / (1 + exp(-table["intercept"] - sum(weight * signs[name] for name, weight in table["weights"].items())))


@cache
def _table() -> Any:
    return json.loads(files("clew.answer.certainty").joinpath("sketched.json").read_text("utf-8"))
