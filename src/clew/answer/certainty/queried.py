"""The probability that a query written by a trained model answers rightly: its signs, weighed by a fitted model.

The weights are in queried.json, fitted by `python -m benchmarks.questions.written_queries fit` on others' graphs;
its figures are cross-validated, one graph left out at a time (docs/reading.md).
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.answer.models.query_reader import ReadQuery

__all__ = ["chance_of", "query_signs"]

MOST = {  # larger values say no more
    "doubt": 5.0, "called wrong": 5.0, "reluctant": 5.0, "unbound": 4.0,
}  # fmt: skip


def query_signs(read: "ReadQuery", *, confirmed: bool) -> dict[str, float]:
    """The evidence for and against a written query, by name; `confirmed`: the readers give the same answer.

    That all find nothing, or say no, confirms nothing: other plans give that answer too. That A has not more than B
    is as good as a yes: no other plan of two counts says so.
    """
    plan, account = read.ran.candidate.plan, read.ran.interpretation.account
    first, rest = read.logprobs[:1], read.logprobs[1:] if read.reluctant else read.logprobs
    empty = read.ran.is_empty or read.ran.outcome.counts_nothing
    no = plan.kind in ("exists", "lacks") and not read.ran.outcome.value and not plan.compares_counts
    signs = {
        "doubt": -sum(rest),  # of the model, while it wrote
        "called wrong": -log(max(read.called_right, 1e-3)),  # by the model, asked again
        "reluctant": -sum(first) if read.reluctant else 0.0,  # to write any query
        "empty": empty,
        "unbound": len(account.unbound),
        "name": 1.0 - min((meaning.score for meaning in read.ran.candidate.meanings), default=1.0),
        "reversible": read.reversible,
        "paraphrased": read.paraphrased,
        "no": no,
        "confirmed": confirmed and not (empty or no),
    }
    return {name: min(float(value), MOST.get(name, 1.0)) for name, value in signs.items()}


def chance_of(signs: Mapping[str, float]) -> float:
    """The probability that a query with these signs answers rightly."""
    table = _table()
    return 1 / (1 + exp(-table["intercept"] - sum(weight * signs[name] for name, weight in table["weights"].items())))


@cache
def _table() -> Any:
    return json.loads(files("clew.answer.certainty").joinpath("queried.json").read_text("utf-8"))
