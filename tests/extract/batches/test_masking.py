"""Masks: what they must always be, and what they are on average."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.extract.batches.masking import LONGEST, NOTHING, count_root_masks, draw_leaves, mask_roots
from clew.extract.chains.graphs import END, MASK, SLOTS, Chains
from clew.extract.model.config import Config, make_config
from random_chains import make_chains

CONFIG = make_config("tiny", vocabulary=60, relations=3)


def spans_of(masks: object, row: int) -> list[tuple[int, int]]:
    """First and last (exclusive) root of each span of a sequence, from the tokens' own boundaries."""
    mine = masks.sequence == row
    return sorted(
        {(int(left) + 1, int(right)) for left, right in zip(masks.left[mine], masks.right[mine], strict=True)}
    )


@settings(deadline=None)
@given(
    lengths=st.lists(st.integers(1, 128), min_size=1, max_size=12),
    seed=st.integers(0, 1000),
    epoch=st.integers(0, 50),
    share=st.sampled_from([0.0, 0.05, 0.15, 0.4]),
)
def test_spans_of_roots(lengths: list[int], seed: int, epoch: int, share: float) -> None:
    config = replace(CONFIG, root_share=share)
    sizes = np.array(lengths)
    masks = mask_roots(sizes, np.arange(len(sizes)), config, seed=seed, epoch=epoch)
    for row, length in enumerate(lengths):
        spans = spans_of(masks, row)
        covered = [root for first, last in spans for root in range(first, last)]
        assert sorted(masks.root[masks.sequence == row].tolist()) == covered
        assert len(covered) <= max(1, round(share * length))
        assert all(1 <= last - first <= SLOTS for first, last in spans)
        assert all(first >= 1 and last <= length - 1 for first, last in spans)  # both boundaries are in the sequence
        assert all(last < first for (_, last), (first, _) in pairwise(spans))  # and in sight
        if share == 0 or length < 3:
            assert not spans
    assert (masks.offset == masks.root - masks.left - 1).all()
    assert ((masks.word >= 7) & (masks.word < 60)).all()


@settings(deadline=None)
@given(seed=st.integers(0, 1000), epoch=st.integers(0, 9))
def test_the_masks_of_a_sequence_do_not_depend_on_its_batch(seed: int, epoch: int) -> None:
    sizes, numbers = np.array([40, 128, 3, 77]), np.array([8, 2, 5, 90])
    together = mask_roots(sizes, numbers, CONFIG, seed=seed, epoch=epoch)
    for row in range(4):
        alone = mask_roots(sizes[row : row + 1], numbers[row : row + 1], CONFIG, seed=seed, epoch=epoch)
        mine = together.sequence == row
        for name in ("root", "left", "right", "treatment", "word"):
            assert np.array_equal(getattr(together, name)[mine], getattr(alone, name)), name


def test_masked_roots_on_average() -> None:
    sizes = np.full(3000, 128)
    masks = mask_roots(sizes, np.arange(3000), CONFIG, seed=0, epoch=0)
    assert abs(len(masks.root) / sizes.sum() - 0.15) < 0.002
    assert (count_root_masks(sizes, CONFIG) == 19).all()
    first = masks.offset == 0
    treated = np.bincount(masks.treatment[first], minlength=3) / first.sum()
    assert np.allclose(treated, (0.8, 0.1, 0.1), atol=0.01)
    lengths = (masks.right - masks.left - 1)[first]
    assert (np.diff(np.bincount(lengths)[1:]) < 0).all()  # the longer, the rarer
    assert (
        2.2 < lengths.mean() < 3.2
    )  # 3.0 of the geometric up to 7; the last span of a sequence is cut to what is left
    assert np.unique(masks.treatment[~first] - masks.treatment[np.flatnonzero(~first) - 1]).tolist() == [0]


def test_every_inner_root_is_masked_some_time() -> None:
    sizes = np.full(4000, 20)
    masks = mask_roots(sizes, np.arange(4000), CONFIG, seed=0, epoch=0)
    times = np.bincount(masks.root, minlength=20)
    assert times[0] == times[19] == 0
    assert times[1:19].min() > 0.4 * times[1:19].max()


def test_epochs_and_seeds_differ() -> None:
    sizes, numbers = np.full(4, 128), np.arange(4)
    drawn = [mask_roots(sizes, numbers, CONFIG, seed=s, epoch=e).root.tolist() for s, e in ((0, 0), (0, 1), (1, 0))]
    assert drawn[0] != drawn[1]
    assert drawn[0] != drawn[2]


def test_without_span_masks_single_tokens_are_hidden() -> None:
    masks = mask_roots(np.full(50, 100), np.arange(50), replace(CONFIG, span_masks=False), seed=0, epoch=0)
    assert (masks.right - masks.left == 2).all()
    assert len(masks.root) == 50 * 15


@settings(deadline=None)
@given(seed=st.integers(0, 500), epoch=st.integers(0, 5), share=st.sampled_from([0.0, 0.15, 1.0]))
def test_leaves(seed: int, epoch: int, share: float) -> None:
    chains = make_chains(10, seed=seed % 7, leaves=9)
    config = replace(CONFIG, leaf_share=share)
    sequences = np.array([7, 0, 3, 9])
    leaves = draw_leaves(chains, sequences, config, seed=seed, epoch=epoch)
    check_choice(chains, sequences, leaves)
    for leaf in range(len(leaves)):
        tail, length = match_row(chains, sequences, leaves, leaf)
        tokens, targets = leaves.tokens[leaf].tolist(), leaves.targets[leaf].tolist()
        wanted = [*tail[:length], END, *[NOTHING] * SLOTS][:SLOTS]
        if targets == [NOTHING] * SLOTS:  # in sight
            assert leaves.slots[leaf] == length
            assert tokens[:length] == tail[:length]
            continue
        assert share > 0
        assert leaves.slots[leaf] == SLOTS  # whatever its length
        shown = tokens.index(MASK)
        assert tokens == [*tail[:shown], *[MASK] * (SLOTS - shown)]
        assert targets == [*[NOTHING] * shown, *wanted[shown:]]
    if share == 1:
        assert (leaves.targets != NOTHING).any(axis=1).all()


def check_choice(chains: Chains, sequences: np.ndarray, leaves: object) -> None:
    """One leaf for each head, in order; as many as there are heads, unless the sequence is full."""
    placed = list(zip(leaves.sequence.tolist(), leaves.first.tolist(), strict=True))
    assert placed == sorted(set(placed))
    for row, sequence in enumerate(sequences):
        heads = set(chains.leaf_root[chains.leaf_sequence == sequence].tolist())
        drawn = [first for at, first in placed if at == row]
        used = chains.lengths[sequence] + leaves.slots[leaves.sequence == row].sum()
        assert used <= LONGEST
        assert set(drawn) <= heads
        assert len(drawn) == len(heads) or used > LONGEST - SLOTS


def match_row(chains: Chains, sequences: np.ndarray, leaves: object, leaf: int) -> tuple[list[int], int]:
    """Tail and length of the leaf's row: the one of its sequence, head and relation whose tail shows or is wanted."""
    sequence, first = sequences[leaves.sequence[leaf]], leaves.first[leaf]
    rows = np.flatnonzero((chains.leaf_sequence == sequence) & (chains.leaf_root == first))
    for row in rows:
        tail, length = chains.tail[row].tolist(), int(chains.tail_length[row])
        stated = np.where(leaves.targets[leaf] == NOTHING, leaves.tokens[leaf], leaves.targets[leaf])[:length]
        same = (chains.leaf_relation[row], chains.head_last[row]) == (leaves.relation[leaf], leaves.last[leaf])
        if same and stated.tolist() == tail[:length]:
            return tail, length
    raise AssertionError("a leaf that is in no row")


def test_leaves_on_average() -> None:
    chains = make_chains(4000, leaves=3, longest=40)
    leaves = draw_leaves(chains, np.arange(4000), CONFIG, seed=0, epoch=0)
    masked = (leaves.targets != NOTHING).any(axis=1)
    assert abs(masked.mean() - 0.15) < 0.02
    prefixed = masked & (leaves.tokens[:, 0] != MASK)
    assert abs(prefixed.sum() / masked.sum() - 0.25) < 0.04
    shown = (leaves.tokens[prefixed] != MASK).sum(axis=1)
    assert set(shown.tolist()) == {1, 2, 3, 4, 5, 6}


def test_alternatives_take_turns() -> None:
    chains = make_chains(1, leaves=0)
    rows = {"leaf_sequence": [0] * 3, "leaf_root": [4] * 3, "head_first": [4] * 3, "head_last": [6] * 3}
    tails = np.zeros((3, SLOTS), int)
    tails[:, 0] = (10, 11, 12)
    chains = replace(
        chains,
        **{k: np.array(v) for k, v in rows.items()},
        leaf_relation=np.arange(3),
        tail=tails,
        tail_length=np.ones(3),
    )
    config = replace(CONFIG, leaf_share=0.0)
    drawn = [draw_leaves(chains, np.array([0]), config, seed=0, epoch=epoch) for epoch in range(300)]
    assert all(len(leaves) == 1 for leaves in drawn)
    times = np.bincount([int(leaves.tokens[0, 0]) for leaves in drawn])[10:]
    assert times.min() > 70


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_without_span_masks_single_slots_are_hidden(share: float) -> None:
    chains = make_chains(2000, leaves=3, longest=30)
    config: Config = replace(CONFIG, span_masks=False, leaf_share=share)
    leaves = draw_leaves(chains, np.arange(2000), config, seed=0, epoch=0)
    hidden = leaves.targets != NOTHING
    touched = hidden.any(axis=1)
    assert (leaves.tokens[hidden] == MASK).all()
    could = np.where(touched, leaves.slots, np.minimum(leaves.slots + 1, SLOTS)).sum()
    assert abs(hidden.sum() / could - share) < 0.02
    seen = touched[:, None] & ~hidden & (np.arange(SLOTS) < leaves.slots[:, None])
    assert (leaves.tokens[seen] != MASK).all()
