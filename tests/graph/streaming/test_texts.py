"""Texts of many pieces as one column."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from clew.graph.streaming import texts
from clew.graph.streaming.texts import join_texts

WORDS = ["", "aorta", "Ångström 🧬", "a\nb", "", "|"]


def pieces() -> Iterator[pa.ChunkedArray]:
    """A slice, an empty piece, several chunks, and one with 64-bit offsets."""
    yield pa.chunked_array([pa.array(["cut off", *WORDS[:2], "cut off"]).slice(1, 2)])
    yield pa.chunked_array([], pa.string())
    yield pa.chunked_array([WORDS[2:3], [], WORDS[3:4]], pa.string())
    yield pa.chunked_array([WORDS[4:]], pa.large_string())


def test_pieces_are_joined_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for large, most, kind in ((False, 2**31 - 1, pa.string()), (True, 2**31 - 1, pa.large_string()),
                              (False, 10, pa.large_string())):  # fmt: skip
        monkeypatch.setattr(texts, "MOST_BYTES", most)
        column = join_texts(tmp_path / "words", pieces, large=large)
        column.validate(full=True)
        assert column.type == kind
        assert column.to_pylist() == WORDS


def test_no_texts(tmp_path: Path) -> None:
    assert join_texts(tmp_path / "words", lambda: iter(())).to_pylist() == []
    nothing = join_texts(tmp_path / "words", lambda: iter([pa.chunked_array([["", ""]])]))
    assert nothing.to_pylist() == ["", ""]
