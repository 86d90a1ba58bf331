"""The bench of judges: which triples are scored apart, and that every wording tried stands in the table."""

from benchmarks.extraction_judges import _parts, show_calibrations

from clew.evaluate.extraction.calibration import Calibration, Tried
from clew.evaluate.extraction.judge_prompts import Statement
from clew.evaluate.extraction.judge_run import Drawn
from clew.evaluate.statistics import Interval

STATED = [Statement("zinc", "induces", name) for name in ("rash", "pain", "fever")]


def test_triples_are_scored_together_and_apart() -> None:
    drawn = Drawn(STATED, [True, False, False], [0.9, 0.8, 0.5], [])
    parts = {name: [each.object for each in statements] for name, statements in _parts("it", drawn, 0.8).items()}
    assert parts == {
        "it": ["rash", "pain", "fever"],
        "it, stated by the seed too": ["rash"],
        "it, new": ["pain", "fever"],
        "it, confidence 0.8 or more": ["rash", "pain"],
    }
    assert set(_parts("it", Drawn(STATED, [False] * 3, [0.1] * 3, []), 0.8)) == {"it", "it, new"}


def test_the_chosen_wording_is_shown_with_both_halves() -> None:
    tried = (Tried("claim", 0.5, 0.72), Tried("question", 0.6, 0.73))
    chosen = Calibration("question", "context", Interval(0.69, 0.6, 0.78, 100), 0.73, 0.6, 200, 0, tried, 0.66)
    shown = show_calibrations({"judges": [chosen.to_json()]}).splitlines()
    assert shown[2] == "| context | claim | 0.720 |  |  | 0.500 |"
    assert shown[3] == "| context | **question** | 0.730 | 0.690 (0.60-0.78) | 0.660 | 0.600 |"
