"""What models add, counted against none; a run that was broken off goes on where it stopped."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.answer_models import NONE, run, show, summaries

from benchmarks import answer_models

FIRST = answer_models.load_bench("hpo-60")[:2]


def row(setting: str, name: str, right: bool, calls: int = 0, seconds: float = 1.0) -> dict[str, Any]:
    return {"setting": setting, "bench": "b", "id": name, "right": right, "calls": calls, "seconds": seconds}


def test_gains_and_losses_are_against_the_same_questions_without_a_model() -> None:
    plain = [row(NONE, name, right) for name, right in (("1", True), ("2", True), ("3", False), ("4", False))]
    model = [row("m", "1", True), row("m", "2", False, 2, 5.0), row("m", "3", True, 1, 3.0)]
    none, some = summaries({"rows": [*plain, *model]})
    assert (none["right"], none["called"], none["net"]) == (2, 0, 0)
    assert some == {
        "setting": "m",
        "bench": "b",
        "questions": 3,
        "right": 2,
        "right_without": 2,
        "called": 2,
        "wrong_to_right": 1,
        "right_to_wrong": 1,
        "net": 0,
        "seconds": 4.0,
    }
    assert len(show({"rows": plain}).splitlines()) == 3


def test_what_was_asked_is_not_asked_again(hpo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_models, "load_bench", lambda name: FIRST)
    out, benches = tmp_path / "models.json", [("hpo-60", False), ("hpo-60", True)]
    report = run(hpo, ["smollm2"], every=1, out=out, benches=benches)
    assert json.loads(out.read_text("utf-8")) == report
    by_setting = {
        name: [each for each in report["rows"] if each["setting"] == name] for name in (NONE, "smollm2 breaks ties")
    }
    assert [len(rows) for rows in by_setting.values()] == [8, 8]  # two questions, and three paraphrases of each
    assert all(each["calls"] == 0 for each in by_setting[NONE])
    kept = json.loads(out.read_text("utf-8"))
    kept["rows"] = kept["rows"][:2]
    out.write_text(json.dumps(kept), "utf-8")
    asked: list[str] = []
    real = answer_models.ask_all

    def counted(questions: Any, *given: Any, **named: Any) -> Any:
        asked.extend(question.id for question in questions)
        return real(questions, *given, **named)

    monkeypatch.setattr(answer_models, "ask_all", counted)
    again = run(hpo, ["smollm2"], every=1, out=out, benches=benches)
    assert len(asked) == 6  # of eight: the first two are known
    assert [each["right"] for each in again["rows"]] == [each["right"] for each in report["rows"]]
