"""Which character separates the fields of a text file: judged by its first records, or as the caller says."""

import csv
from contextlib import suppress
from io import StringIO
from itertools import islice
from pathlib import Path

from clew.errors import InputError
from clew.graph.readers.source_files import open_bytes, plain_suffix, reading

__all__ = ["DELIMITED", "NAMED", "delimiter_of"]

DELIMITED = {".csv": ",", ".tsv": "\t", ".txt": "\t"}  # suffix → the delimiter expected there
CANDIDATES = ",;\t|"
NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
SAMPLE = 1 << 16  # bytes
RECORDS = 50


def delimiter_of(path: Path, given: str | None = None) -> str:
    """The delimiter that was given, else the one that splits the file's first records into equally many fields.

    The delimiter that belongs to the suffix wins wherever it fits, so a `;` inside the fields of a CSV is harmless.
    """
    if given is not None:
        chosen = NAMED.get(given, given)
        if len(chosen) != 1 or not chosen.isascii() or chosen in '"\r\n':
            raise InputError(f"delimiter= takes one character, or tab, comma, semicolon or pipe, not {given!r}")
        return chosen
    with reading(path, "text"), open_bytes(path) as stream:
        sample = stream.read(SAMPLE)
    text = sample.decode("utf-8-sig", errors="replace")
    expected = DELIMITED[plain_suffix(path)]
    candidates = sorted(CANDIDATES, key=lambda each: each != expected)
    widths = {each: _widths(text, each, whole=len(sample) < SAMPLE) for each in candidates}
    regular = {each: found[0] for each, found in widths.items() if found and found[0] > 1 and len(set(found)) == 1}
    if expected in regular or not regular:
        return next((each for each in candidates if widths[each] and widths[each][0] > 1), expected)
    return max(regular, key=lambda each: regular[each])


def _widths(text: str, delimiter: str, *, whole: bool) -> list[int]:
    """The number of fields of each of the first records; a sample that ends inside a record leaves the last one out."""
    found: list[int] = []
    with suppress(csv.Error):
        records = islice(csv.reader(StringIO(text, newline=""), delimiter=delimiter), RECORDS)
        found.extend(len(record) for record in records if record)
    return found if whole or len(found) == RECORDS else found[:-1] or found
