"""Tiles of a packed stream: all of it, and nothing twice."""

from itertools import accumulate

import torch
from hypothesis import given
from hypothesis import strategies as st

from clew.extract.kernels.tiles import TILE, cut_tiles


def test_tiles_hold_each_token_once_and_what_fills_up_in_sequences_of_no_length() -> None:
    offsets = torch.tensor([0, 100, 100, 164, 200, 200], dtype=torch.int32)
    tiles = cut_tiles(offsets, 330)
    used, filling = tiles[tiles[:, 1] > 0], tiles[tiles[:, 1] == 0]
    assert used.tolist() == [[0, 100, 0], [0, 100, TILE], [100, 64, 0], [164, 36, 0]]
    begins = filling[:, 0]
    assert begins[0] == 200
    assert (begins.diff() == TILE).all()
    assert begins[-1] + TILE >= 330


@given(lengths=st.lists(st.integers(0, 256), min_size=1, max_size=20), filling=st.integers(0, 500))
def test_there_are_tiles_enough_for_every_token(lengths: list[int], filling: int) -> None:
    offsets = torch.tensor([0, *accumulate(lengths)], dtype=torch.int32)
    tokens = int(offsets[-1]) + filling
    covered = torch.zeros(tokens + 2 * TILE, dtype=torch.int64)
    for begin, length, first in cut_tiles(offsets, tokens).tolist():
        last = min(first + TILE, length) if length else TILE
        covered[min(begin + first, tokens) : min(begin + last, tokens)] += 1
    assert (covered[:tokens] == 1).all()
