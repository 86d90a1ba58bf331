"""Tables and sentences: aligned, safe for a terminal, shortened only where they may be."""

import io
import json
import sys
from unicodedata import east_asian_width

import pytest

from clew.app.cli.terminal.output import (
    display_width,
    one_line,
    print_json,
    print_table,
    printable,
    shorten,
    table_lines,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 手 🖐", "plain é 手 🖐"),
        ("two\nlines", "two\\nlines"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("right\u202eto left", "right\\u202eto left"),
        ("line\u2028break", "line\\u2028break"),
        ("no\u00a0break", "no break"),
    ],
)
def test_printable_shows_what_a_terminal_would_obey(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_message_is_one_line() -> None:
    assert one_line("first\n\n  second\x07") == "first second\\x07"


def test_numbers_stand_right_with_separators_and_texts_left() -> None:
    assert table_lines(["name", "count"], [("a", 1234567), ("long name", 5)]) == [
        "name           count",
        "a          1,234,567",
        "long name          5",
    ]


def test_wide_and_combining_characters_keep_columns_aligned() -> None:
    lines = table_lines(["name", "type"], [("手指", "x"), ("e\u0301", "x"), ("🖐", "x")])
    starts = {display_width(line[: line.rindex("x")]) for line in lines[1:]}
    assert starts == {6}
    assert east_asian_width("手") == "W"


def test_only_the_columns_named_are_shortened() -> None:
    rows = [("HP:0001166-an-id-of-some-length", "a name that is much too long for a narrow terminal")]
    lines = table_lines(["id", "name"], rows, shrink=["name"], width=50)
    assert "HP:0001166-an-id-of-some-length" in lines[1]
    assert lines[1].endswith("…")
    assert display_width(lines[1]) <= 50
    assert "…" not in table_lines(["id", "name"], rows, shrink=["name"], width=None)[1]


@pytest.mark.parametrize("width", range(1, 12))
def test_shortened_text_fits(width: int) -> None:
    short = shorten("手指 and more", width)
    assert display_width(short) <= max(width, 1)
    assert short == "手指 and more" or short.endswith("…")


def test_json_stays_json_when_the_stream_cannot_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii", write_through=True))
    print_json({"name": "手指", "odd": "\udcff"})
    assert json.loads(buffer.getvalue()) == {"name": "手指", "odd": "\udcff"}


def test_a_table_on_a_stream_that_cannot_hold_it_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii", write_through=True))
    print_table(["name"], [("é",)])
    assert buffer.getvalue() == b"name\n\\xe9\n"


def test_columns_of_the_environment_are_respected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    print_table(["id", "name"], [("an-id", "x" * 100)], shrink=["name"])
    assert max(map(len, capsys.readouterr().out.splitlines())) == 30
