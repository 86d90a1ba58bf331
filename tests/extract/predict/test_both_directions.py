"""Pairs asked both ways: shares by hand, and the share of the head where the tail is asked the inverse."""

import numpy as np
import pyarrow as pa
import pytest

from clew.extract.predict.both_directions import inverse_shares, mention_shares

HEADS = pa.table(
    {
        "sequence": pa.array([0, 0, 0, 0, 1, 1], pa.int32()),
        "entity": ["C:1", "D:1", "C:1", "D:2", "C:1", "D:1"],
    }
)
ASKED = pa.table(
    {
        "head": pa.array([0, 1, 4, 5], pa.int32()),
        "relation": ["treats", "treated_by", "treats", "induced_by"],
        "mentions": pa.array([[1, 3], [2], [5], [4]], pa.list_(pa.int32())),
    }
)
BACK = {"treats": "treated_by", "treated_by": "treats", "induced_by": "induces"}


def test_shares_are_of_mentions_and_none_by_token() -> None:
    weights = np.log([0.5, 0.2, 0.1, 0.3, 0.4])  # [NONE] and two mentions; [NONE] and one
    shares = mention_shares(weights, np.array([2, 1]), np.array([1, 1, 7]))
    none, one, other = np.sqrt([0.5, 0.2, 0.1])
    assert shares[:2] == pytest.approx(np.array([one, other]) / (none + one + other))
    alone, long = 0.3**0.5, 0.4 ** (1 / 7)  # a full leaf has no end
    assert shares[2] == pytest.approx(long / (alone + long))


def test_the_other_way_is_asked_of_the_same_pair_in_the_same_sequence() -> None:
    found = inverse_shares(ASKED, HEADS, np.array([0.7, 0.1, 0.4, 0.6, 0.2]), BACK)
    # C:1 treats D:1 is asked of both in sequence 0 (of the second mention of C:1, too); nothing else is.
    assert found[0] == 0.4
    assert found[2] == 0.7
    assert np.isnan(found[[1, 3, 4]]).all()


def test_a_symmetric_relation_leads_back_itself() -> None:
    asked = ASKED.set_column(1, "relation", pa.array(["near"] * 4))
    found = inverse_shares(asked, HEADS, np.array([0.7, 0.1, 0.4, 0.6, 0.2]), {"near": "near"})
    assert found.tolist()[0:1] + found.tolist()[2:] == [0.4, 0.7, 0.2, 0.6]
    assert np.isnan(inverse_shares(asked, HEADS, np.zeros(5), {})).all()


def test_nothing_asked_is_nothing_found() -> None:
    assert len(inverse_shares(ASKED.slice(0, 0), HEADS, np.zeros(0), BACK)) == 0
