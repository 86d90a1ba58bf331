"""Verdicts: kept beside the facts, the last one counts, and precision comes with its interval."""

from pathlib import Path

import pytest

from clew.errors import InputError
from clew.extract.facts.folder import extract_facts, read_facts
from clew.extract.facts.review import Precision, add_verdict, precision_of, read_verdicts, verdicts_path, waiting
from shipped_models import CAUSED, RELIEVED


@pytest.fixture
def facts(shipped: Path, tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(CAUSED)
    (tmp_path / "b.txt").write_text(RELIEVED)
    extract_facts([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "facts", model=shipped)
    return tmp_path / "facts"


def test_a_judged_fact_waits_no_more_and_the_last_verdict_counts(facts: Path) -> None:
    path = verdicts_path(facts)
    first, second = waiting(facts)
    add_verdict(path, first, "wrong")
    assert list(waiting(facts)) == [second]
    add_verdict(path, first, "right")
    found = precision_of(read_verdicts(path))
    assert found["all"] == found[first["relation"]] == Precision(1, 0, 0)
    assert not (facts / path.name).exists()
    assert read_facts(facts).num_rows == 2


def test_the_interval_is_wilsons() -> None:
    low, high = Precision(8, 2, 5).interval
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert Precision(0, 0, 1).value is None
    assert Precision(0, 0, 1).interval == (0.0, 1.0)


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "facts.verdicts.jsonl"
    path.write_text("\n{}")
    with pytest.raises(InputError, match="line 1"):
        read_verdicts(path)
