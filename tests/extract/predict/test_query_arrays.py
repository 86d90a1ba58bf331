"""Queries on disk come back as they were, and those that make no sense are refused."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError
from clew.extract.predict.query_arrays import Queries, read_query_arrays, write_query_arrays

QUERIES = Queries(
    roots=np.arange(7, 17),
    offsets=np.array([0, 4, 10]),
    sequence=np.array([1, 0, 1]),
    first=np.array([0, 3, 2]),
    last=np.array([2, 4, 6]),
    relation=np.array([0, 1, 1]),
    relations=("treats", "causes"),
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_query_arrays(tmp_path / "queries", QUERIES, identity={"heads": "some"})
    back = read_query_arrays(tmp_path / "queries", verify=True)
    assert len(back) == 3
    for field in fields(Queries):
        assert np.array_equal(getattr(back, field.name), getattr(QUERIES, field.name))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("offsets", [0, 4, 11], "number of roots"),
        ("offsets", [1, 4, 10], "begin with 0"),
        ("offsets", [0, 0, 10], "1 to 128 roots"),
        ("sequence", [1, 0, 2], "not there"),
        ("first", [0, 4, 2], "outside its sequence"),
        ("last", [2, 5, 6], "outside its sequence"),
        ("relation", [0, 1, 2], r"outside 0\.\.1"),
        ("relation", [0, 1], "differ in length"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, value: list[int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        replace(QUERIES, **{name: np.array(value)})
