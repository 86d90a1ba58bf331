"""Signs of written queries: each counts in its direction, and beyond a limit more of it counts no more."""

from math import e
from types import SimpleNamespace

import pytest

from clew.answer.certainty.queried import MOST, chance_of, query_signs

NONE = dict.fromkeys(
    (
        "doubt", "called wrong", "reluctant", "empty", "unbound", "name", "reversible", "paraphrased", "no",
        "confirmed",
    ),
    0.0,
)  # fmt: skip


def written(
    *logprobs: float,
    unbound: int = 0,
    kind: str = "rows",
    value: object = None,
    empty: bool = False,
    score: float = 1.0,
    called_right: float = 1.0,
    compares: bool = False,
    **signs: bool,
) -> SimpleNamespace:
    """A query as it ran, as far as its signs are read."""
    account = SimpleNamespace(unbound=[None] * unbound)
    ran = SimpleNamespace(
        candidate=SimpleNamespace(
            plan=SimpleNamespace(kind=kind, compares_counts=compares), meanings=[SimpleNamespace(score=score)]
        ),
        interpretation=SimpleNamespace(account=account),
        outcome=SimpleNamespace(value=value, counts_nothing=kind == "count" and value == 0),
        is_empty=empty,
    )
    return SimpleNamespace(
        ran=ran,
        logprobs=logprobs,
        called_right=called_right,
        **{"reluctant": False, "reversible": False, "paraphrased": False, **signs},
    )


@pytest.mark.parametrize(
    "sign",
    ["doubt", "called wrong", "reluctant", "empty", "unbound", "name", "reversible", "paraphrased", "no"],
)
def test_what_speaks_against_a_query(sign: str) -> None:
    assert chance_of({**NONE, sign: 0.5}) < chance_of(NONE)
    assert chance_of({**NONE, sign: 1.0}) < chance_of({**NONE, sign: 0.5})


def test_the_same_answer_from_others_speaks_for_it() -> None:
    assert chance_of({**NONE, "confirmed": 1.0}) > chance_of(NONE)


def test_a_query_without_doubt_has_a_chance_that_suffices() -> None:
    from clew.answer.models.writing import ALONE, CERTAIN, CLEAR

    assert ALONE < CLEAR < CERTAIN <= chance_of(NONE) < chance_of({**NONE, "confirmed": 1.0}) < 1
    most = {**dict.fromkeys(NONE, 1.0), **MOST, "confirmed": 0.0}
    assert 0 < chance_of(most) < 0.01


@pytest.mark.parametrize(
    ("read", "signs"),
    [
        (written(), {}),
        (written(-0.25, -0.5, -0.25), {"doubt": 1.0}),
        (written(*[-4.0] * 3), {"doubt": MOST["doubt"]}),
        (written(unbound=3), {"unbound": 3.0}),
        (written(unbound=9), {"unbound": MOST["unbound"]}),
        (written(-0.75, -0.25, reluctant=True), {"doubt": 0.25, "reluctant": 0.75}),
        (written(called_right=1 / e), {"called wrong": 1.0}),
        (written(called_right=0.0), {"called wrong": MOST["called wrong"]}),
        (written(empty=True), {"empty": 1.0}),
        (written(reversible=True), {"reversible": 1.0}),
        (written(score=0.75), {"name": 0.25}),
        (written(paraphrased=True), {"paraphrased": 1.0}),
        (written(kind="exists", value=False), {"no": 1.0}),
        (written(kind="exists", value=True), {}),
        (written(kind="exists", value=False, compares=True), {}),  # A has not more than B
        (written(kind="count", value=0), {"empty": 1.0}),
        (written(kind="count", value=3), {}),
    ],
)
def test_signs(read: SimpleNamespace, signs: dict[str, float]) -> None:
    assert query_signs(read, confirmed=False) == {**NONE, **signs}  # type: ignore[arg-type]
    confirmed = 0.0 if {"empty", "no"} & signs.keys() else 1.0
    assert query_signs(read, confirmed=True) == {**NONE, **signs, "confirmed": confirmed}  # type: ignore[arg-type]
