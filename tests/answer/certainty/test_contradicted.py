"""Plans that contradict their question are never sure."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from askers import asker_of_rows
from clew.answer import Asker


@pytest.fixture
def brigade(tmp_path: Path) -> Iterator[Asker]:
    rows = [
        ("Old Bertha", "Vehicle", "built_by", "Scania", "Manufacturer"),
        ("Red Rosa", "Vehicle", "built_by", "Magirus", "Manufacturer"),
        ("Old Bertha", "Vehicle", "carries", "Thermal camera", "Equipment"),
        ("Elm", "Species", "attacked_by", "Grey mould", "Pest"),
    ]
    with asker_of_rows(tmp_path, rows) as asker:
        yield asker


def test_what_is_done_to_one_thing_is_not_done_to_another_that_nobody_mentions(brigade: Asker) -> None:
    answer = brigade.ask("Which manufacturer built the Thermal camera?")  # of the vehicle that carries it
    assert answer.abstained is not None or answer.certainty == "doubtful"
    said = brigade.ask("Which manufacturer built the vehicle that carries the Thermal camera?")
    assert said.signs["contradicted"] == 0
    plain = brigade.ask("Which manufacturer built Old Bertha?")
    assert (plain.certainty, [item.name for item in plain.items]) == ("sure", ["Scania"])


def test_an_infinitive_is_no_remark(brigade: Asker) -> None:
    answer = brigade.ask("Do I have to report Grey mould to anyone?")  # not whether anything is recorded of it
    assert answer.abstained is not None or answer.certainty == "doubtful"
