"""Years in columns that are called by what was done, generic superlatives by a named column, times of statements."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from askers import asker_of_rows
from clew.answer import Asker

WARDS = {"Larch Ward": "24", "Rowan Ward": "20", "Day Surgery": "8"}
DEVICES = {"Hoist": "2009", "Pump": "2014", "Scanner": "2020"}
HIRED = {"Ada Marsh": "2016", "Ben Holt": "2011", "Cleo Finch": "2012"}
ROWS = [
    ("Ada Marsh", "Nurse", "runs_ward", "Larch Ward", "Ward", "2018", None),
    ("Ben Holt", "Nurse", "runs_ward", "Rowan Ward", "Ward", "2013", None),
    ("Ada Marsh", "Nurse", "covers_shift_on", "Day Surgery", "Ward", None, "day"),
    ("Ben Holt", "Nurse", "covers_shift_on", "Day Surgery", "Ward", None, "night"),
    ("Cleo Finch", "Nurse", "covers_shift_on", "Larch Ward", "Ward", None, "day"),
    *((device, "Device", "kept_on", "Larch Ward", "Ward", None, None) for device in DEVICES),
]


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    names = [*WARDS, *DEVICES, *HIRED]
    entities = pa.table(
        {
            "id": [f"x:{name}" for name in names],
            "name": names,
            "type": ["Ward"] * len(WARDS) + ["Device"] * len(DEVICES) + ["Nurse"] * len(HIRED),
            "beds": [WARDS.get(name) for name in names],
            "bought": [DEVICES.get(name) for name in names],
            "hired": [HIRED.get(name) for name in names],
        }
    )
    folder: Path = tmp_path_factory.mktemp("years")
    with asker_of_rows(folder, ROWS, "qualifier:since", "qualifier:shift", entities=entities) as asker:
        yield asker


def names(asker: Asker, question: str) -> set[str]:
    return {item.name for item in asker.ask(question).items}


def test_a_column_called_by_what_was_done_holds_years(ward: Asker) -> None:
    before = ward.ask("Which devices were bought before 2015?")
    assert before.text == "2 devices bought before 2015: Hoist and Pump."
    assert "(2020)" in ward.ask("Which device was bought last?").text


def test_a_superlative_is_ranked_by_the_column_behind_by(ward: Asker) -> None:
    smallest = ward.ask("Which is the smallest ward by beds?")
    assert smallest.text == "First of the wards by beds, lowest first: Day Surgery (8)."
    assert names(ward, "Which is the largest ward by beds?") == {"Larch Ward"}
    assert len(names(ward, "Rank the wards by beds.")) == len(WARDS)


def test_what_comes_first_of_two_names_is_said_of_these(ward: Asker) -> None:
    more = ward.ask("Which has more beds, Larch Ward or Rowan Ward?")
    assert [item.name for item in more.items] == ["Larch Ward"]
    assert "1 ward by" not in more.text
    assert more.ambiguities == ()  # both are meant


def test_a_word_of_a_name_is_no_value_of_a_column(ward: Asker) -> None:
    assert names(ward, "Which nurses cover Day Surgery?") == {"Ada Marsh", "Ben Holt"}
    assert names(ward, "Which nurses cover the day shift on Day Surgery?") == {"Ada Marsh"}


def test_the_time_of_a_statement_comes_before_a_year_of_its_ends(ward: Asker) -> None:
    assert names(ward, "Who has run Larch Ward since 2017?") == {"Ada Marsh"}  # though hired in 2016
    assert names(ward, "Who ran Larch Ward in 2016?") == set()
    assert "hired" not in ward.ask("Who ran Larch Ward in 2016?").text
    assert names(ward, "Which nurses were hired in 2016?") == {"Ada Marsh"}
