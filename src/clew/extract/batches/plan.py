"""Which sequences form which batch: an epoch's order, and batches filled up to fixed limits.

Batches depend on the chains, the config, the seed and the epoch, never on who computes them: with several processes
and with accumulated gradients the same sequences meet in the same step.
"""

from dataclasses import astuple, dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.batches.batch import BLOCK_LEAVES, Layout
from clew.extract.batches.masking import LONGEST, NOTHING, count_root_masks, draw_leaves
from clew.extract.batches.random_numbers import draw, make_key
from clew.extract.chains.graphs import Chains
from clew.extract.model.config import Config

__all__ = ["Limits", "make_layout", "make_limits", "plan_epoch"]

ORDER = 100  # what a random number is for: see `masking`
TOKEN_STEP, STEP = 256, 64  # sizes are multiples of these, so that matrix products have whole tiles
SLACK = 1.02  # over the fullest batch of the first epoch

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a batch may hold at most."""

    tokens: int
    sequences: int
    roots: int  # masked
    targets: int  # of leaf slots
    leaves: int


def make_limits(chains: Chains, config: Config, *, sequences: int, seed: int) -> Limits:
    """Limits under which a batch holds about this many sequences, and tokens are what fills it."""
    if not len(chains):
        raise InputError("there are no sequences to train on: the chains are empty")
    costs = _count_costs(chains, config, np.arange(len(chains)), seed=seed, epoch=0)
    tokens = max(LONGEST, _round_up(costs[:, 0].mean() * sequences, TOKEN_STEP))
    begins = _fill(costs[:, :1], np.array([tokens]))
    fullest = np.add.reduceat(costs, begins[:-1]).max(axis=0)  # (5,) in the order of `Limits`
    most = np.maximum(SLACK * fullest, costs.max(axis=0))  # one sequence must always fit
    return Limits(tokens, *(_round_up(each, STEP) for each in most[1:]))


def make_layout(limits: Limits, *, relations: int, longest_head: int) -> Layout:
    """Sizes that every batch within the limits fits."""
    blocks = -(-limits.leaves // BLOCK_LEAVES) + relations  # each relation's last block may be part empty
    return Layout(limits.tokens, limits.sequences, limits.roots, limits.targets, blocks, longest_head)


def plan_epoch(chains: Chains, config: Config, limits: Limits, *, seed: int, epoch: int) -> list[Ints]:
    """The batches of an epoch, in order: the numbers of their sequences."""
    order = np.argsort(draw(make_key(seed, epoch, ORDER), np.arange(len(chains))), kind="stable")
    costs = _count_costs(chains, config, order, seed=seed, epoch=epoch)
    begins = _fill(costs, np.array(astuple(limits)))
    return [order[begin:end] for begin, end in pairwise(begins)]


def _fill(costs: Ints, most: Ints) -> list[int]:
    """Where batches begin that take rows in order as long as no column's sum is above its most; and the end."""
    through = np.concatenate((np.zeros((1, costs.shape[1]), np.int64), np.cumsum(costs, axis=0)))
    begins = [0]
    while (begin := begins[-1]) < len(costs):
        ends = [
            np.searchsorted(column, column[begin] + limit, "right")
            for column, limit in zip(through.T, most, strict=True)
        ]
        begins.append(max(begin + 1, int(min(ends)) - 1))
    return begins


def _count_costs(chains: Chains, config: Config, sequences: Ints, *, seed: int, epoch: int) -> Ints:
    """What each sequence takes of each of the `Limits`: (sequences, 5)."""
    leaves = draw_leaves(chains, sequences, config, seed=seed, epoch=epoch)
    lengths = chains.lengths[sequences]
    count = len(sequences)
    slots = np.bincount(leaves.sequence, leaves.slots, count).astype(np.int64)
    targets = np.bincount(leaves.sequence, (leaves.targets != NOTHING).sum(axis=1), count).astype(np.int64)
    roots = count_root_masks(lengths, config)
    return np.stack(
        (lengths + slots, np.ones(count, np.int64), roots, targets, np.bincount(leaves.sequence, minlength=count)),
        axis=1,
    )


def _round_up(size: float, step: int) -> int:
    return max(step, int(-(-size // step)) * step)
