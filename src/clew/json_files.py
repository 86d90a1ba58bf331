"""JSON files and texts of unknown origin: regular files of bounded size."""

import json
from pathlib import Path
from typing import Any

from clew.files import read_regular

__all__ = ["read_json", "read_text"]

MAX_BYTES = 64 << 20


def read_json(path: Path) -> Any:
    """The content of a JSON file; raises OSError, or ValueError where it is none, or nested too deep."""
    try:
        return json.loads(read_text(path))
    except RecursionError:
        raise ValueError("nested too deep") from None


def read_text(path: Path) -> str:
    """A UTF-8 text; raises OSError, or ValueError where it is none."""
    return read_regular(path, most=MAX_BYTES).decode("utf-8")
