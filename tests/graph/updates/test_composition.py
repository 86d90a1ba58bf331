"""Rows of a base and a patch, chosen piece by piece or by masks, are what choosing row by row gives."""

from random import Random

import numpy as np
import pytest

from clew.graph.updates import composition
from clew.graph.updates.composition import _Choice
from clew.graph.updates.delta import RowPatch


@pytest.mark.parametrize("many", [0, 20_000])
@pytest.mark.parametrize("seed", range(40))
def test_rows_are_chosen_whole(monkeypatch: pytest.MonkeyPatch, many: int, seed: int) -> None:
    monkeypatch.setattr(composition, "MANY", many)
    random = Random(seed)
    rows = [[random.randint(0, 9) for _ in range(random.randint(0, 3))] for _ in range(random.randint(0, 12))]
    entities = len(rows) + random.randint(0, 3)
    listed = [each for each in range(entities) if each >= len(rows) or random.random() < random.choice((0.1, 0.5, 0.9))]
    given = {each: [random.randint(10, 19) for _ in range(random.randint(0, 3))] for each in listed}
    patch = RowPatch(np.array(listed, np.int32), offsets_of(list(given.values())), flat(given.values()))
    chosen = _Choice(offsets_of(rows), entities, patch)
    expected = [given.get(each, rows[each] if each < len(rows) else []) for each in range(entities)]
    assert chosen.lengths.tolist() == list(map(len, expected))
    made = chosen(flat(rows), patch.end)
    assert (made.dtype, made.tolist()) == (np.int32, flat(expected).tolist())


def offsets_of(rows: list[list[int]]) -> np.ndarray:
    return np.cumsum([0, *map(len, rows)]).astype(np.int32)


def flat(rows: object) -> np.ndarray:
    return np.array([each for row in rows for each in row], np.int32)
