"""What commands print: aligned tables and sentences for people, one JSON object for machines.

Names may contain any character; control sequences are printed as escapes, so that a terminal does not obey them.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "bold",
    "display_width",
    "one_line",
    "print_json",
    "print_table",
    "printable",
    "say",
    "shorten",
    "shown_of",
    "table_lines",
    "terminal_width",
]

Cell = str | int | float | None
GAP = "  "
NARROWEST = 8  # a shortened column keeps at least this many characters


def print_json(report: Mapping[str, Any]) -> None:
    """Print exactly one JSON object."""
    text = json.dumps(report, indent=2, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(report, indent=2)
    print(text)


def say(text: str = "") -> None:
    """Print one line; characters the terminal cannot encode become escapes, never an error."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def printable(text: str) -> str:
    """The text with control characters, line breaks and direction marks written as escapes.

    >>> printable("two\\nlines")
    'two\\\\nlines'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() and c not in _BREAKS else _escape(c) for c in text)


_BREAKS = frozenset("\n\r\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def one_line(message: object) -> str:
    """A message on one line: line breaks and runs of spaces become single spaces, the rest is made printable."""
    return printable(" ".join(str(message).split()))


def shown_of(shown: int, total: int) -> str:
    """The line below a table that does not show everything."""
    return f"{shown:,} of {total:,} shown (--limit)"


def bold(text: str) -> str:
    """Bold text, on a terminal that allows it."""
    if os.environ.get("NO_COLOR") or not sys.stdout.isatty():
        return text
    return f"\x1b[1m{text}\x1b[0m"


def terminal_width() -> int | None:
    """The width to fit, in columns; None if stdout is no terminal and COLUMNS is not set."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal():
        return shutil.get_terminal_size().columns
    return None


def display_width(text: str) -> int:
    """The display width of a text: wide characters take two columns, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    def width(character: str) -> int:
        if category(character) in ("Mn", "Me", "Cf"):
            return 0
        return 2 if east_asian_width(character) in "WF" else 1

    return sum(map(width, text))


def shorten(text: str, width: int) -> str:
    """The text, or its beginning with an ellipsis, in at most `width` columns."""
    if display_width(text) <= width:
        return text
    kept = text[: max(width - 1, 0)]
    while kept and display_width(kept) > width - 1:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def print_table(
    titles: Sequence[str], rows: Iterable[Sequence[Cell]], *, shrink: Sequence[str] = (), indent: str = ""
) -> None:
    """Print a table; the columns named in `shrink` are shortened to the terminal, the others never are."""
    header, *lines = table_lines(titles, rows, shrink=shrink, width=terminal_width())
    say(bold(header))
    for line in lines:
        say(line)


def table_lines(
    titles: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    shrink: Sequence[str] = (),
    width: int | None = None,
) -> list[str]:
    """A table as lines, the header first; numbers right-aligned with thousands separators, text left-aligned."""
    listed = [list(row) for row in rows]
    right = [bool(listed) and all(isinstance(row[at], int | float) for row in listed) for at in range(len(titles))]
    cells = [list(titles), *([_cell(value) for value in row] for row in listed)]
    widths = [max(display_width(row[at]) for row in cells) for at in range(len(titles))]
    if width is not None:
        room = width - len(GAP) * (len(titles) - 1)
        _shrink(widths, [at for at, title in enumerate(titles) if title in shrink], room)
    return [GAP.join(_aligned(row, widths, right)).rstrip() for row in cells]


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if isinstance(value, float) else printable(value)


def _shrink(widths: list[int], flexible: Sequence[int], room: int) -> None:
    while flexible and sum(widths) > room:
        widest = max(flexible, key=lambda at: widths[at])
        if widths[widest] <= NARROWEST:
            return
        widths[widest] -= 1


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> Iterable[str]:
    for text, width, to_the_right in zip(row, widths, right, strict=True):
        short = shorten(text, width)
        space = " " * (width - display_width(short))
        yield space + short if to_the_right else short + space
