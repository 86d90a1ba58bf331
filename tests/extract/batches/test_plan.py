"""Plans: every sequence once an epoch, within the limits, and the same for any number of processes."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.extract.batches.batch import collate
from clew.extract.batches.loading import BatchSchedule, load_batches
from clew.extract.batches.plan import Limits, make_layout, make_limits, plan_epoch
from clew.extract.model.config import make_config
from random_chains import make_chains

CONFIG = make_config("tiny", vocabulary=60, relations=3)
CHAINS = make_chains(120, seed=1, leaves=5)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 100), epoch=st.integers(0, 9), size=st.integers(1, 40))
def test_every_sequence_comes_once_and_every_batch_fits(seed: int, epoch: int, size: int) -> None:
    limits = make_limits(CHAINS, CONFIG, sequences=size, seed=seed)
    layout = make_layout(limits, relations=3, longest_head=CHAINS.longest_head)
    batches = plan_epoch(CHAINS, CONFIG, limits, seed=seed, epoch=epoch)
    assert sorted(np.concatenate(batches).tolist()) == list(range(120))
    for sequences in batches:
        collate(CHAINS, sequences, CONFIG, seed=seed, epoch=epoch, layout=layout)  # refuses what does not fit


def test_batches_hold_about_as_many_sequences_as_asked_for() -> None:
    limits = make_limits(CHAINS, CONFIG, sequences=20, seed=0)
    sizes = [len(batch) for batch in plan_epoch(CHAINS, CONFIG, limits, seed=0, epoch=1)]
    assert 17 <= np.mean(sizes[:-1]) <= 23


@pytest.mark.parametrize("field", range(5))
def test_each_limit_closes_a_batch(field: int) -> None:
    wide = [10**6] * 5
    wide[field] = (256, 2, 20, 7, 5)[field]
    narrow = plan_epoch(CHAINS, CONFIG, Limits(*wide), seed=0, epoch=0)
    assert len(narrow) > len(plan_epoch(CHAINS, CONFIG, Limits(*[10**6] * 5), seed=0, epoch=0)) == 1
    for sequences in narrow:
        counts = collate(CHAINS, sequences, CONFIG, seed=0, epoch=0).counts
        held = (counts.tokens, counts.sequences, counts.roots, counts.leaves)
        assert len(sequences) == 1 or all(a <= b for a, b in zip(held, wide, strict=False))


def test_epochs_are_shuffled_apart() -> None:
    limits = make_limits(CHAINS, CONFIG, sequences=10, seed=0)
    first, second = (np.concatenate(plan_epoch(CHAINS, CONFIG, limits, seed=0, epoch=e)).tolist() for e in (0, 1))
    assert first != second
    assert first != sorted(first)


def course(**changes: int) -> BatchSchedule:
    limits = make_limits(CHAINS, CONFIG, sequences=10, seed=0)
    return BatchSchedule(CHAINS, CONFIG, limits, None, 0, **changes)


def test_ranks_share_the_batches_of_one() -> None:
    whole = course().batches()
    ranks = [course(rank=rank, ranks=2).batches() for rank in (0, 1)]
    for number in range(30):  # more than an epoch
        assert next(whole).buffer.equal(next(ranks[number % 2]).buffer)


def test_a_course_begins_where_another_stopped() -> None:
    whole, rest = course().batches(), course(start=17).batches()
    for _ in range(17):
        next(whole)
    for _ in range(10):
        assert next(whole).buffer.equal(next(rest).buffer)


def test_workers_keep_the_order() -> None:
    alone, helped = load_batches(course(), workers=0, pin=False), load_batches(course(), workers=2, pin=False)
    for _ in range(25):
        one, other = next(alone), next(helped)
        assert one.buffer.equal(other.buffer)
        assert astuple(one.counts) == astuple(other.counts)


def test_empty_chains_are_refused() -> None:
    with pytest.raises(InputError, match="no sequences"):
        make_limits(make_chains(1, longest=1).__class__(**EMPTY), CONFIG, sequences=4, seed=0)


EMPTY = {
    **{name: np.zeros(0, int) for name in ("roots", "leaf_sequence", "leaf_root", "head_first", "head_last")},
    **{name: np.zeros(0, int) for name in ("leaf_relation", "tail_length")},
    "offsets": np.zeros(1, int),
    "tail": np.zeros((0, 7), int),
    "relations": CHAINS.relations,
    "tokenizer": CHAINS.tokenizer,
}
