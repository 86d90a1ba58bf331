"""Blocks of pieces: each part of a schema sees itself and the question, wherever it is laid."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.answer.hearing.encoder import LANES, MOST_IN_BLOCK, blocks_of

LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=40)


def rows_of(blocks: dict[str, Any]) -> dict[int, list[tuple[int, int]]]:
    """The places and pieces that each piece of a part sees."""
    rows = [
        (piece, [(at, int(other)) for at, other in enumerate(seen) if not hidden[at]])
        for inside, seen, all_hidden in zip(blocks["inside"], blocks["seen"], blocks["hidden"], strict=True)
        for piece, hidden in zip(inside.tolist(), all_hidden, strict=True)
    ]
    return dict(rows[at] for at in blocks["back"])


@given(LENGTHS)
def test_each_part_sees_itself_and_the_question_and_nothing_twice(lengths: list[int]) -> None:
    asked, pieces = lengths[0], sum(lengths)
    number = np.repeat(np.arange(len(lengths)), lengths)
    blocks = blocks_of(lengths)
    rows = rows_of(blocks)
    assert blocks["asked"].tolist() == [list(range(asked))]
    assert list(rows) == list(range(asked, pieces))  # in their order, each once
    for piece, seen in rows.items():
        assert [other for _, other in seen] == np.flatnonzero((number == 0) | (number == number[piece])).tolist()


@given(LENGTHS)
def test_each_piece_is_added_up_in_the_lane_that_it_has_in_one_row_over_all(lengths: list[int]) -> None:
    assume(len(lengths) == 1 or lengths[-1] >= LANES)  # or what is left over would begin before the last block
    blocks = blocks_of(lengths)
    pieces, width = sum(lengths), blocks["seen"].shape[1]
    for seen in rows_of(blocks).values():
        for at, piece in seen:
            assert (at - piece) % LANES == 0
            assert (at >= width - width % LANES) == (piece >= pieces - pieces % LANES)  # what is left over


@pytest.mark.parametrize(
    ("lengths", "shape"),
    [([16], (0, 1)), ([16, *[4] * 12], (2, MOST_IN_BLOCK)), ([5, MOST_IN_BLOCK + 6, 2], (2, MOST_IN_BLOCK + 6))],
)
def test_a_block_holds_as_many_parts_as_fit_and_one_that_is_longer_alone(
    lengths: list[int], shape: tuple[int, int]
) -> None:
    assert blocks_of(lengths)["inside"].shape == shape
