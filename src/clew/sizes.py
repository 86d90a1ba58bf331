"""Sizes of memory as people write them: 4GB, 512MiB, 1_000_000."""

import re

from clew.errors import InputError

__all__ = ["read_size", "size_text"]

UNITS = {"": 1, "b": 1}
for power, letter in enumerate("kmgt", start=1):
    UNITS |= {letter: 1000**power, f"{letter}b": 1000**power, f"{letter}ib": 1024**power}
SIZE = re.compile(r"([0-9]+(?:[._][0-9]+)*)\s*([a-z]*)", re.IGNORECASE | re.ASCII)


def read_size(given: int | str, option: str) -> int:
    """A number of bytes, given as such or with a unit.

    >>> read_size("1.5GB", "cache"), read_size("64 KiB", "cache"), read_size(7, "cache")
    (1500000000, 65536, 7)
    """
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    found = SIZE.fullmatch(given.strip()) if isinstance(given, str) else None
    try:
        size = int(float(found[1].replace("_", "")) * UNITS[found[2].lower()]) if found else 0
    except (KeyError, ValueError, OverflowError):
        size = 0
    if size < 1:
        raise InputError(f"{option} must be a size such as 500MB, 4GB or 2GiB, not {given!r}")
    return size


def size_text(size: int) -> str:
    """Bytes in the unit that suits them.

    >>> size_text(7), size_text(36_228_706), size_text(4_000_000_000)
    ('7 bytes', '36.2 MB', '4.0 GB')
    """
    if size < 1000:
        return f"{size} bytes"
    power = min((len(str(size)) - 1) // 3, 4)
    return f"{size / 1000**power:.1f} {' KMGT'[power]}B"
