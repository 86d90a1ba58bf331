"""The bench of helper models: its rows count what is formed, linked and right, and its table shows every one."""

from dataclasses import asdict

from benchmarks.extraction_helpers import _row, show

from clew.evaluate.extraction.planted import Fact

FACTS = [Fact(number, number, "zinc", "induces", tail, False) for number, tail in enumerate(["rash", "pain", "fever"])]
TRUE = {("zinc", "induces"): frozenset({"rash", "pain", "fever"})}


def test_rows_count_first_tails_of_all_facts_and_of_those_with_a_tail() -> None:
    ranked = {FACTS[0]: ["rash"], FACTS[1]: [None, "nausea", "pain"], FACTS[2]: []}
    row = _row("it", FACTS, ranked, TRUE, {"queries": 3, "helper: out of vocabulary": 2}, 0.25)
    assert (row.facts, row.with_tails) == (3, 2)
    assert round(row.first["mean"], 3) == 0.333
    assert row.first_of_formed == 0.5
    assert round(row.any_of_three["mean"], 3) == 0.667
    assert row.linked == 0.75
    assert row.first["low"] <= row.first["mean"] <= row.first["high"]
    shown = show({"rows": [asdict(row)]})
    assert "| it | 3 | 2 | 0.333" in shown
    assert "| 2 | 0.25 |" in shown


def test_other_true_tails_are_passed_over() -> None:
    row = _row("it", FACTS[:1], {FACTS[0]: ["pain", "rash"]}, TRUE, {}, None)
    assert row.first["mean"] == 1.0


def test_nothing_formed_is_a_row_of_zeros() -> None:
    row = _row("it", FACTS, {fact: [] for fact in FACTS}, TRUE, {}, None)
    assert (row.with_tails, row.first["mean"], row.first_of_formed, row.linked) == (0, 0.0, 0.0, 0.0)
