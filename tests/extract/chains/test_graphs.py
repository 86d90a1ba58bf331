"""Chains on disk come back as they were, and chains that make no sense are refused with the reason."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from clew.errors import DerivedError, InputError
from clew.extract.chains.graphs import END, NONE, UNKNOWN, Chains, read_chains, write_chains
from random_chains import make_chains, make_tokenizer


def test_what_is_written_is_read(tmp_path: Path) -> None:
    chains = make_chains(seed=3)
    write_chains(tmp_path / "chains", chains, identity={"corpus": "toy"})
    back = read_chains(tmp_path / "chains", verify=True)
    for field in fields(Chains):
        one, other = getattr(chains, field.name), getattr(back, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
        else:
            assert one == other


def test_chains_without_leaves_are_whole(tmp_path: Path) -> None:
    chains = make_chains(3, leaves=0)
    write_chains(tmp_path / "chains", chains, identity={})
    back = read_chains(tmp_path / "chains")
    assert len(back) == 3
    assert len(back.leaf_sequence) == 0
    assert back.leaf_offsets.tolist() == [0, 0, 0, 0]
    assert back.longest_head == 1


def test_a_file_that_lost_bytes_is_named(tmp_path: Path) -> None:
    write_chains(tmp_path / "chains", make_chains(), identity={})
    file = tmp_path / "chains" / "roots.npy"
    file.write_bytes(file.read_bytes()[:-2])
    with pytest.raises(DerivedError, match=r"roots\.npy"):
        read_chains(tmp_path / "chains")


def test_missing_chains_name_the_command(tmp_path: Path) -> None:
    with pytest.raises(DerivedError, match="clew extract prepare"):
        read_chains(tmp_path / "nothing")


def test_leaf_rows_of_a_sequence_lie_between_its_offsets() -> None:
    chains = make_chains(20, seed=5)
    for sequence in range(len(chains)):
        rows = chains.leaf_sequence[chains.leaf_offsets[sequence] : chains.leaf_offsets[sequence + 1]]
        assert (rows == sequence).all()
        assert len(rows) == (chains.leaf_sequence == sequence).sum()


def _edited(name: str, at: int, value: int) -> Chains:
    chains = make_chains(seed=1)
    array = getattr(chains, name).copy()
    array.flat[at] = value
    return replace(chains, **{name: array})


@pytest.mark.parametrize(
    ("name", "at", "value", "said"),
    [
        ("offsets", 0, 1, "begin with 0"),
        ("offsets", -1, 7, "offsets end at 7"),
        ("offsets", 1, 0, "1 to 128 roots"),
        ("roots", 0, 60, "token 60 is not in the vocabulary of 60"),
        ("leaf_sequence", 0, 11, "ascending"),
        ("leaf_sequence", -1, 12, "not there"),
        ("head_last", 0, 0, "outside its sequence"),
        ("head_last", 0, 129, "outside its sequence"),
        ("leaf_root", 0, 127, "first token"),
        ("leaf_relation", 0, 3, r"outside 0\.\.2"),
        ("leaf_relation", 0, -1, r"outside 0\.\.2"),
        ("tail_length", 0, 0, "1 to 7 tokens"),
        ("tail_length", 0, 8, "1 to 7 tokens"),
        ("tail", 0, END, "special token"),
        ("tail", 0, 60, "not in the vocabulary"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, at: int, value: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _edited(name, at, value)


@pytest.mark.parametrize("token", [UNKNOWN, NONE])
def test_a_tail_may_be_unknown_or_say_that_there_is_none(token: int) -> None:
    assert _edited("tail", 0, token).tail[0, 0] == token


def test_tokens_after_the_tail_are_refused() -> None:
    chains = make_chains(seed=1)
    row = int(np.flatnonzero(chains.tail_length < 7)[0])
    tail = chains.tail.copy()
    tail[row, 6] = 9
    with pytest.raises(InputError, match="padded with 0"):
        replace(chains, tail=tail)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"model": {"vocab": []}}', '{"model": {"vocab": {}}}'])
def test_a_tokenizer_without_vocabulary_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        replace(make_chains(), tokenizer=text)


def test_added_tokens_count() -> None:
    tokenizer = make_tokenizer(60)[:-1] + ', "added_tokens": [{"id": 99, "content": "new"}]}'
    assert replace(make_chains(), tokenizer=tokenizer).vocabulary == 100
