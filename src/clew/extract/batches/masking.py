"""What is hidden from the model in one epoch: spans of roots, and whole leaves.

Roots: spans of 1 to 7 tokens (geometric), never touching each other or an end of the sequence, so both boundary tokens
of each are in sight. Leaves: all seven slots become [MASK], so that neither the tail's tokens nor its length show; the
targets are the tail and then [END]. Some masked leaves keep their first tokens in sight.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.extract.batches.random_numbers import draw, make_key
from clew.extract.chains.graphs import END, FIRST_WORD, MASK, SLOTS, Chains
from clew.extract.model.config import Config

__all__ = ["LONGEST", "NOTHING", "Leaves", "RootMasks", "count_root_masks", "draw_leaves", "mask_roots"]

LONGEST = 256  # tokens of a sequence with its leaf slots: leaves that do not fit wait for another epoch
NOTHING = -1  # the target where nothing is to be predicted
ROUNDS = 48  # tries to place the spans of a sequence
CHOOSE, LEAF, PREFIX, PREFIX_LENGTH, SLOT, LENGTH, START, TREATMENT, WORD = range(9)  # what a random number is for

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Leaves:
    """Leaves of some sequences, ready to enter a batch."""

    sequence: Ints  # (leaves,) row among the sequences of the batch, ascending
    first: Ints  # (leaves,) head's first root, on which the leaf hangs; ascending within a sequence
    last: Ints  # (leaves,) exclusive
    relation: Ints  # (leaves,)
    tokens: Ints  # (leaves, 7) as the model sees them
    slots: Ints  # (leaves,) how many of the 7 are computed
    targets: Ints  # (leaves, 7), NOTHING where nothing is to be predicted

    def __len__(self) -> int:
        return len(self.sequence)


@dataclass(frozen=True, slots=True)
class RootMasks:
    """Masked roots, one row a token."""

    sequence: Ints  # (masked,) row among the sequences of the batch
    root: Ints  # (masked,)
    left: Ints  # (masked,) the visible root before its span
    right: Ints  # (masked,) the visible root after it
    offset: Ints  # (masked,) place in its span, from 0
    treatment: Ints  # (masked,) 0 becomes [MASK], 1 becomes the word below, 2 stays
    word: Ints  # (masked,)


def draw_leaves(chains: Chains, sequences: Ints, config: Config, *, seed: int, epoch: int) -> Leaves:
    """Choose one of each leaf's alternatives and mask some leaves, for the sequences of a batch or of an epoch."""
    begin, end = chains.leaf_offsets[sequences], chains.leaf_offsets[sequences + 1]
    sequence = np.repeat(np.arange(len(sequences)), end - begin)  # (rows,)
    rows = np.arange(len(sequence)) + np.repeat(begin - (np.cumsum(end - begin) - (end - begin)), end - begin)
    luck = draw(make_key(seed, epoch, CHOOSE), rows)

    root = chains.leaf_root[rows].astype(np.int64)
    order = np.lexsort((luck, root, sequence))
    last_of_group = np.ones(len(order), bool)
    last_of_group[:-1] = (np.diff(sequence[order]) != 0) | (np.diff(root[order]) != 0)
    chosen = order[last_of_group]
    rows, sequence, luck = rows[chosen], sequence[chosen], luck[chosen]

    length = chains.tail_length[rows].astype(np.int64)
    tail = chains.tail[rows].astype(np.int64)
    ids = chains.leaf_sequence[rows].astype(np.int64)  # share hangs on the sequence and the root, not on the batch
    keys = (ids, chains.leaf_root[rows].astype(np.int64))
    hide = _hide_leaves if config.span_masks else _hide_slots
    tokens, slots, targets = hide(tail, length, keys, config, seed, epoch)

    room = LONGEST - chains.lengths[sequences][sequence]
    kept = _fitting(sequence, slots, luck, room)
    rows = rows[kept]
    return Leaves(
        sequence=sequence[kept],
        first=chains.head_first[rows].astype(np.int64),
        last=chains.head_last[rows].astype(np.int64),
        relation=chains.leaf_relation[rows].astype(np.int64),
        tokens=tokens[kept],
        slots=slots[kept],
        targets=targets[kept],
    )


def _hide_leaves(
    tail: Ints, length: Ints, keys: tuple[Ints, Ints], config: Config, seed: int, epoch: int
) -> tuple[Ints, Ints, Ints]:
    """Whole leaves: tokens, slots and targets as in `Leaves`."""
    slot = np.arange(SLOTS)
    masked = draw(make_key(seed, epoch, LEAF), *keys) < config.leaf_share
    prefixed = masked & (draw(make_key(seed, epoch, PREFIX), *keys) < config.prefix)
    most = np.minimum(length, SLOTS - 1)  # of seven tokens, one at least is to be predicted
    shown = 1 + (draw(make_key(seed, epoch, PREFIX_LENGTH), *keys) * most).astype(np.int64)
    shown = np.where(prefixed, shown, 0)

    hidden = masked[:, None] & (slot >= shown[:, None])  # (leaves, 7)
    tokens = np.where(hidden, MASK, tail)
    targets = np.where(hidden, _with_end(tail, length), NOTHING)
    return tokens, np.where(masked, SLOTS, length), targets


def _hide_slots(
    tail: Ints, length: Ints, keys: tuple[Ints, Ints], config: Config, seed: int, epoch: int
) -> tuple[Ints, Ints, Ints]:
    """Single slots, each by its own share; a leaf with a hidden slot has its [END] among its slots."""
    slot = np.arange(SLOTS)
    stated = _with_end(tail, length)
    share = draw(make_key(seed, epoch, SLOT), keys[0][:, None], keys[1][:, None], slot[None, :])
    hidden = (stated != NOTHING) & (share < config.leaf_share)  # (leaves, 7)
    touched = hidden.any(axis=1)
    tokens = np.where(hidden, MASK, np.where(touched[:, None] & (stated != NOTHING), stated, tail))
    slots = np.where(touched, np.minimum(length + 1, SLOTS), length)
    return tokens, slots, np.where(hidden, stated, NOTHING)


def _with_end(tail: Ints, length: Ints) -> Ints:
    """Tails followed by [END] where there is room, then NOTHING: (leaves, 7)."""
    slot = np.arange(SLOTS)
    return np.where(slot < length[:, None], tail, np.where(slot == length[:, None], END, NOTHING))


def _fitting(sequence: Ints, slots: Ints, luck: NDArray[np.float64], room: Ints) -> NDArray[np.bool_]:
    """Which leaves stay when those of a sequence are taken in order of luck until its room is full."""
    order = np.lexsort((luck, sequence))
    through = np.cumsum(slots[order])
    first = np.searchsorted(sequence[order], sequence[order])  # where its sequence begins
    used = through - np.where(first > 0, through[first - 1], 0)
    kept = np.empty(len(order), bool)
    kept[order] = used <= room[order]
    return kept


def count_root_masks(lengths: Ints, config: Config) -> Ints:
    """How many roots of each sequence are to be masked: none of one or two, for their spans would lack a boundary."""
    return np.where(lengths >= 3, np.maximum(1, np.rint(config.root_share * lengths)), 0).astype(np.int64)


def mask_roots(lengths: Ints, sequences: Ints, config: Config, *, seed: int, epoch: int) -> RootMasks:
    """Draw masked spans for sequences of these lengths (`sequences` are their numbers, on which share hangs).

    In each round every sequence that has too few masks draws a span; one that touches another is thrown away.
    """
    longest = SLOTS if config.span_masks else 1
    shares = config.span_stop * (1 - config.span_stop) ** np.arange(longest)
    up_to = np.cumsum(shares / shares.sum())  # of a length of 1, 2, ...
    window = np.arange(longest + 2)
    masked = np.zeros((len(lengths), int(lengths.max(initial=0)) + longest + 2), bool)
    wanted = count_root_masks(lengths, config) if config.root_share > 0 else np.zeros(len(lengths), np.int64)
    spans: list[tuple[Ints, Ints, Ints]] = []
    for number in range(ROUNDS):
        rows = np.flatnonzero(wanted > 0)
        if not len(rows):
            break
        counters = (sequences[rows], np.array([number]))
        length = 1 + np.searchsorted(up_to, draw(make_key(seed, epoch, LENGTH), *counters))
        length = np.minimum(np.minimum(length, longest), np.minimum(wanted[rows], lengths[rows] - 2))
        start = 1 + (draw(make_key(seed, epoch, START), *counters) * (lengths[rows] - 1 - length)).astype(np.int64)
        near = (start - 1)[:, None] + window  # (rows, longest + 2): the span and its two boundaries
        inside = window < (length + 2)[:, None]
        free = ~(masked[rows[:, None], near] & inside).any(axis=1)
        rows, start, length = rows[free], start[free], length[free]
        span = window[:longest] < length[:, None]
        at, token = np.nonzero(span)
        masked[rows[at], start[at] + token] = True
        wanted[rows] -= length
        spans.append((rows, start, length))
    return _spell_out(spans, sequences, config, seed=seed, epoch=epoch)


def _spell_out(
    spans: list[tuple[Ints, Ints, Ints]], sequences: Ints, config: Config, *, seed: int, epoch: int
) -> RootMasks:
    """Spans as masked tokens in stream order; 80 % of spans become [MASK], 10 % random words, 10 % stay."""
    none = np.zeros(0, np.int64)
    row, start, length = (np.concatenate(parts) for parts in zip(*spans, strict=True)) if spans else (none, none, none)
    order = np.lexsort((start, row))
    row, start, length = row[order], start[order], length[order]
    share = draw(make_key(seed, epoch, TREATMENT), sequences[row], start)
    treatment = np.digitize(share, (0.8, 0.9))

    token = np.repeat(np.arange(len(row)), length)  # (masked,) its span
    offset = np.arange(len(token)) - np.repeat(np.cumsum(length) - length, length)
    root = start[token] + offset
    words = max(1, config.vocabulary - FIRST_WORD)
    word = FIRST_WORD + (draw(make_key(seed, epoch, WORD), sequences[row][token], root) * words).astype(np.int64)
    return RootMasks(
        sequence=row[token],
        root=root,
        left=start[token] - 1,
        right=(start + length)[token],
        offset=offset,
        treatment=treatment[token].astype(np.int64),
        word=np.minimum(word, config.vocabulary - 1),
    )
