"""Batches: every root and filled slot stands once where it should, whatever fills the batch up."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.extract.batches.batch import BLOCK_LEAVES, Batch, Layout, collate
from clew.extract.batches.masking import NOTHING, draw_leaves, mask_roots
from clew.extract.chains.graphs import MASK, SLOTS
from clew.extract.model.config import make_config
from random_chains import make_chains

CONFIG = replace(make_config("tiny", vocabulary=60, relations=3), leaf_share=0.4)
CPU = torch.device("cpu")


def as_numbers(batch: Batch) -> dict[str, np.ndarray]:
    return {name: getattr(batch, name).numpy() for name in Batch.__slots__}


@settings(deadline=None)
@given(seed=st.integers(0, 200), epoch=st.integers(0, 3), size=st.integers(1, 9))
def test_the_stream_is_roots_then_leaves_of_each_sequence(seed: int, epoch: int, size: int) -> None:
    chains = make_chains(10, seed=seed, leaves=6)
    sequences = np.random.default_rng(seed).permutation(10)[:size]
    packed = collate(chains, sequences, CONFIG, seed=seed, epoch=epoch)
    batch = as_numbers(Batch.unpack(packed, CPU))
    leaves = draw_leaves(chains, sequences, CONFIG, seed=seed, epoch=epoch)
    masks = mask_roots(chains.lengths[sequences], sequences, CONFIG, seed=seed, epoch=epoch)
    hidden = set(zip(masks.sequence.tolist(), masks.root.tolist(), strict=True))

    for row, sequence in enumerate(sequences):
        begin, end = batch["offsets"][row], batch["offsets"][row + 1]
        roots = chains.roots[chains.offsets[sequence] : chains.offsets[sequence + 1]]
        expected = [(int(token), at, 0) for at, token in enumerate(roots)]
        for leaf in np.flatnonzero(leaves.sequence == row):
            shown = leaves.tokens[leaf][: leaves.slots[leaf]]
            expected += [(int(token), int(leaves.first[leaf]), slot + 1) for slot, token in enumerate(shown)]
        found = [tuple(int(batch[name][at]) for name in ("tokens", "position", "slot")) for at in range(begin, end)]
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert one[1:] == other[1:]
            assert one[0] == other[0] or (other[2] == 0 and (row, other[1]) in hidden)
    assert packed.counts.tokens == len(batch["tokens"]) == batch["offsets"][-1]


@settings(deadline=None)
@given(seed=st.integers(0, 200))
def test_masked_roots_know_what_they_were_and_what_is_around(seed: int) -> None:
    chains = make_chains(6, seed=seed)
    sequences = np.arange(6)
    batch = as_numbers(Batch.unpack(collate(chains, sequences, CONFIG, seed=seed, epoch=0), CPU))
    masks = mask_roots(chains.lengths, sequences, CONFIG, seed=seed, epoch=0)
    truth = chains.roots[chains.offsets[masks.sequence] + masks.root]
    assert batch["root_target"].tolist() == truth.tolist()
    begin = batch["offsets"][masks.sequence]
    assert (batch["root_index"] == begin + masks.root).all()
    assert (batch["root_left"] == begin + masks.left).all()
    assert (batch["root_right"] == begin + masks.right).all()
    shown = batch["tokens"][batch["root_index"]]
    assert (shown[masks.treatment == 0] == MASK).all()
    assert (shown[masks.treatment == 1] == masks.word[masks.treatment == 1]).all()
    assert (shown[masks.treatment == 2] == truth[masks.treatment == 2]).all()


@settings(deadline=None)
@given(seed=st.integers(0, 200))
def test_blocks_hold_each_leaf_once_under_its_relation(seed: int) -> None:
    chains = make_chains(9, seed=seed, leaves=8)
    sequences = np.arange(9)
    batch = as_numbers(Batch.unpack(collate(chains, sequences, CONFIG, seed=seed, epoch=0), CPU))
    leaves = draw_leaves(chains, sequences, CONFIG, seed=seed, epoch=0)
    expected = set()
    for leaf in range(len(leaves)):
        begin = batch["offsets"][leaves.sequence[leaf]]
        head = tuple(range(begin + leaves.first[leaf], begin + leaves.last[leaf]))
        expected.add((int(leaves.relation[leaf]), head, int(leaves.slots[leaf])))
    found = []
    for row, (slots, heads) in enumerate(zip(batch["block_slots"], batch["block_heads"], strict=True)):
        if (slots == NOTHING).all():
            assert (heads == NOTHING).all()
            continue
        filled = slots[slots != NOTHING]
        assert (np.diff(filled) == 1).all()
        assert batch["slot"][filled].tolist() == list(range(1, len(filled) + 1))
        relation = int(batch["block_relation"][row // BLOCK_LEAVES])
        found.append((relation, tuple(heads[heads != NOTHING].tolist()), len(filled)))
    assert sorted(found) == sorted(expected)
    assert len(found) == len(leaves)


def test_targets_of_leaves_are_at_their_slots() -> None:
    chains = make_chains(9, seed=4, leaves=8)
    batch = as_numbers(Batch.unpack(collate(chains, np.arange(9), CONFIG, seed=0, epoch=0), CPU))
    leaves = draw_leaves(chains, np.arange(9), CONFIG, seed=0, epoch=0)
    assert batch["leaf_target"].tolist() == leaves.targets[leaves.targets != NOTHING].tolist()
    assert (batch["tokens"][batch["leaf_index"]] == MASK).all()
    assert (batch["slot"][batch["leaf_index"]] == np.nonzero(leaves.targets != NOTHING)[1] + 1).all()


def test_a_layout_only_adds_at_the_ends() -> None:
    chains = make_chains(6, seed=2)
    exact = collate(chains, np.arange(6), CONFIG, seed=0, epoch=0)
    size = exact.layout
    layout = Layout(
        size.tokens + 9, size.sequences + 2, size.roots + 3, size.leaves + 4, size.blocks + 2, size.heads + 1
    )
    filled = collate(chains, np.arange(6), CONFIG, seed=0, epoch=0, layout=layout)
    assert filled.counts == exact.counts
    one, other = as_numbers(Batch.unpack(exact, CPU)), as_numbers(Batch.unpack(filled, CPU))
    for name, array in one.items():
        rows = tuple(slice(0, length) for length in array.shape)
        assert np.array_equal(other[name][rows], array), name
    assert (other["offsets"][len(one["offsets"]) :] == one["offsets"][-1]).all()
    assert (other["root_target"][size.roots :] == NOTHING).all()
    assert (other["block_slots"][size.blocks * BLOCK_LEAVES :] == NOTHING).all()
    assert (other["block_heads"][:, size.heads :] == NOTHING).all()
    assert other["block_slots"].shape == (layout.blocks * BLOCK_LEAVES, SLOTS)


def test_a_batch_that_does_not_fit_is_refused() -> None:
    chains = make_chains(6, seed=2)
    size = collate(chains, np.arange(6), CONFIG, seed=0, epoch=0).layout
    with pytest.raises(InputError, match="in tokens, but its layout has room for"):
        collate(chains, np.arange(6), CONFIG, seed=0, epoch=0, layout=replace(size, tokens=size.tokens - 1))
