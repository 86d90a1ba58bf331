"""`clew diagnose` as a user runs it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ward import build_ward


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_ward(tmp_path_factory.mktemp("ward"))


def test_diagnoses_are_shown_with_their_evidence(run: Callable, ward: Path) -> None:
    ran = run("diagnose", ward, "Long fingers", "P:5", "--absent", "Seizure", "--details", 1)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "Findings: Long fingers (P:2), Myopia (P:5)"
    assert lines[1] == "Absent: Seizure (P:4)"
    assert lines[4].split()[:3] == ["1", "D:1", "Disease"]
    assert "2 of 2" in lines[4]
    assert "ABC1" in lines[4]
    assert "PMID:1, S" in ran.out
    assert lines[-1].startswith("Not medical advice")
    assert "5 diagnoses ranked" in ran.error


def test_json_is_one_documented_object(run: Callable, ward: Path) -> None:
    report = run("diagnose", ward, "--text", "Long fingers, but no seizures.", "--json").json
    assert set(report) == {
        "graph", "snapshot", "note", "relations", "findings", "ignored", "ranked", "seconds", "diagnoses", "rounds",
    }  # fmt: skip
    assert [each["present"] for each in report["findings"]] == [True, False]
    assert report["diagnoses"][0]["matches"][0]["statement"]["assertions"][0]["evidence"] == ["PMID:1"]


def test_mistakes_are_one_line(run: Callable, ward: Path) -> None:
    assert "nothing to diagnose" in run("diagnose", ward).error
    assert "not both" in run("diagnose", ward, "--text", "a", "--file", "b").error
    assert "did you mean 'has_sign'" in run("diagnose", ward, "Seizure", "--relation", "has_sgn").error
    assert run("diagnose", ward, "Seizure", "--limit", 0).code == 2
    assert run("diagnose", ward, "qwertz").code == 2
