"""Sequences with their leaves as one unpadded stream of tokens, in one buffer of integers.

The roots of a sequence come first, then the slots of its leaves; empty leaves never enter. With a `Layout` the stream
is filled up to fixed sizes, so that compiled code meets one shape only; without, it is exactly as long as it must be.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
import torch
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.batches.masking import NOTHING, Leaves, RootMasks, draw_leaves, mask_roots
from clew.extract.chains.graphs import MASK, PAD, SLOTS, Chains
from clew.extract.model.config import Config

__all__ = ["BLOCK_LEAVES", "Batch", "Counts", "Layout", "Packed", "assemble", "collate"]

BLOCK_LEAVES = 8  # leaves of one relation that H-GAT multiplies by its matrix at once

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layout:
    """The sizes of a batch."""

    tokens: int
    sequences: int
    roots: int  # masked roots
    leaves: int  # masked slots that have a target
    blocks: int  # blocks of leaves of one relation
    heads: int  # tokens in the longest head

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each field of a batch, in the order in which they lie in the buffer."""
        stream, roots, leaves = (self.tokens,), (self.roots,), (self.leaves,)
        rows = self.blocks * BLOCK_LEAVES
        return {  # those of odd sizes last, so that the others begin at whole vectors
            "tokens": stream,
            "position": stream,
            "slot": stream,
            "begin": stream,
            "root_index": roots,
            "root_target": roots,
            "root_left": roots,
            "root_right": roots,
            "root_offset": roots,
            "leaf_index": leaves,
            "leaf_target": leaves,
            "block_slots": (rows, SLOTS),
            "block_heads": (rows, self.heads),
            "block_relation": (self.blocks,),
            "offsets": (self.sequences + 1,),
            "masked": (2,),
        }

    def size(self) -> int:
        """How many numbers the buffer holds."""
        return sum(prod(shape) for shape in self.shapes().values())


@dataclass(frozen=True, slots=True)
class Counts:
    """What a batch really holds, without what fills it up."""

    sequences: int
    tokens: int
    roots: int  # masked roots
    leaves: int  # leaf slots with a target
    squares: int  # sum of squared sequence lengths: attention's work


@dataclass(frozen=True, slots=True)
class Packed:
    """A batch as it travels between processes and to a device: one tensor."""

    buffer: torch.Tensor  # (sum of sizes,) int32
    layout: Layout
    counts: Counts


@dataclass(frozen=True, slots=True)
class Batch:
    """The fields of a batch as int32 tensors on one device; indices point into the stream, -1 fills up."""

    masked: torch.Tensor  # (2,) how many roots and leaf slots have a target
    tokens: torch.Tensor  # (T,)
    position: torch.Tensor  # (T,) index of the root, or of the root that the leaf hangs on
    slot: torch.Tensor  # (T,) 0 for roots, 1..7 for leaf slots
    begin: torch.Tensor  # (T,) where its sequence begins
    offsets: torch.Tensor  # (B + 1,) where sequences begin; the last one repeated fills up
    root_index: torch.Tensor  # (M,) masked roots
    root_target: torch.Tensor  # (M,)
    root_left: torch.Tensor  # (M,) the visible token before its span
    root_right: torch.Tensor  # (M,) and after it
    root_offset: torch.Tensor  # (M,) place in its span
    leaf_index: torch.Tensor  # (N,) masked slots with a target
    leaf_target: torch.Tensor  # (N,)
    block_relation: torch.Tensor  # (G,) relation of each block of leaves
    block_slots: torch.Tensor  # (G * 8, 7) where each leaf's slots are
    block_heads: torch.Tensor  # (G * 8, H) where its head's tokens are

    @staticmethod
    def unpack(packed: Packed, device: torch.device) -> "Batch":
        """The fields of a packed batch, sent to the device in one piece."""
        return Batch.view(packed.buffer.to(device, non_blocking=True), packed.layout)

    @staticmethod
    def view(buffer: torch.Tensor, layout: Layout) -> "Batch":
        """The fields of a batch as views of its buffer."""
        views, begin = {}, 0
        for name, shape in layout.shapes().items():
            size = prod(shape)
            views[name] = buffer[begin : begin + size].view(shape)
            begin += size
        return Batch(**views)


def collate(
    chains: Chains, sequences: Ints, config: Config, *, seed: int, epoch: int, layout: Layout | None = None
) -> Packed:
    """A training batch of these sequences with the masks of an epoch."""
    lengths = chains.lengths[sequences]
    begin = chains.offsets[sequences]
    index = np.arange(lengths.sum()) + np.repeat(begin - (np.cumsum(lengths) - lengths), lengths)
    leaves = draw_leaves(chains, sequences, config, seed=seed, epoch=epoch)
    masks = mask_roots(lengths, sequences, config, seed=seed, epoch=epoch)
    return assemble(chains.roots[index].astype(np.int64), lengths, leaves, masks=masks, layout=layout)


def assemble(
    roots: Ints, lengths: Ints, leaves: Leaves, *, masks: RootMasks | None = None, layout: Layout | None = None
) -> Packed:
    """Lay sequences (all their roots one after the other) and leaves out as a stream."""
    slots = np.bincount(leaves.sequence, leaves.slots, len(lengths)).astype(np.int64)  # (B,)
    offsets = np.concatenate(([0], np.cumsum(lengths + slots)))
    before = np.cumsum(leaves.slots) - leaves.slots  # (L,) slots of all leaves before
    leaf_begin = offsets[leaves.sequence] + lengths[leaves.sequence] + before
    leaf_begin -= (np.cumsum(slots) - slots)[leaves.sequence]
    filled = np.arange(SLOTS) < leaves.slots[:, None]  # (L, 7)
    places = np.where(filled, leaf_begin[:, None] + np.arange(SLOTS), NOTHING)  # (L, 7) in the stream
    root_place = np.arange(len(roots)) + np.repeat(np.cumsum(slots) - slots, lengths)

    total = int(offsets[-1])
    tokens, position, slot = (np.zeros(total, np.int64) for _ in range(3))
    tokens[root_place] = roots
    position[root_place] = np.arange(len(roots)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    leaf, number = np.nonzero(filled)
    tokens[places[filled]] = leaves.tokens[filled]
    position[places[filled]] = leaves.first[leaf]
    slot[places[filled]] = number + 1

    relation, block_slots, block_heads = _group(leaves, places, offsets, heads=layout.heads if layout else None)
    wanted = leaves.targets != NOTHING
    around = _mask(tokens, offsets, masks)
    arrays: dict[str, NDArray[np.integer]] = {
        **around,
        "masked": np.array([len(around["root_index"]), wanted.sum()]),
        "tokens": tokens,
        "position": position,
        "slot": slot,
        "begin": np.repeat(offsets[:-1], lengths + slots),
        "offsets": offsets,
        "leaf_index": places[wanted],
        "leaf_target": leaves.targets[wanted],
        "block_relation": relation,
        "block_slots": block_slots,
        "block_heads": block_heads,
    }
    counts = Counts(
        sequences=len(lengths),
        tokens=total,
        roots=len(arrays["root_index"]),
        leaves=int(wanted.sum()),
        squares=int((np.diff(offsets) ** 2).sum()),
    )
    if layout is None:
        layout = Layout(total, len(lengths), counts.roots, counts.leaves, len(relation), block_heads.shape[1])
    return Packed(_pack(arrays, layout), layout, counts)


def _mask(tokens: Ints, offsets: Ints, masks: RootMasks | None) -> dict[str, NDArray[np.integer]]:
    """Hide the masked roots in `tokens`; where they are, what they were, and what stands around them."""
    if masks is None:
        none = np.zeros(0, np.int64)
        return dict.fromkeys(("root_index", "root_target", "root_left", "root_right", "root_offset"), none)
    begin = offsets[masks.sequence]
    index = begin + masks.root
    target = tokens[index]
    tokens[index] = np.choose(masks.treatment, (np.full_like(target, MASK), masks.word, target))
    return {
        "root_index": index,
        "root_target": target,
        "root_left": begin + masks.left,
        "root_right": begin + masks.right,
        "root_offset": masks.offset,
    }


def _group(leaves: Leaves, places: Ints, offsets: Ints, *, heads: int | None) -> tuple[Ints, Ints, Ints]:
    """Leaves in blocks of one relation each: the blocks' relations, their leaves' slots and their heads' tokens."""
    order = np.argsort(leaves.relation, kind="stable")
    relation, sizes = np.unique(leaves.relation, return_counts=True)
    blocks = -(-sizes // BLOCK_LEAVES)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    row = rank + np.repeat((np.cumsum(blocks) - blocks) * BLOCK_LEAVES, sizes)  # (L,) of the leaves in order

    length = leaves.last - leaves.first
    longest = int(length.max(initial=1)) if heads is None else heads
    token = np.arange(longest)
    where = (offsets[leaves.sequence] + leaves.first)[:, None] + token
    where = np.where(token < length[:, None], where, NOTHING)  # (L, H)

    rows = int(blocks.sum()) * BLOCK_LEAVES
    block_slots = np.full((rows, SLOTS), NOTHING)
    block_heads = np.full((rows, longest), NOTHING)
    block_slots[row], block_heads[row] = places[order], where[order]
    return np.repeat(relation, blocks), block_slots, block_heads


def _pack(arrays: dict[str, NDArray[np.integer]], layout: Layout) -> torch.Tensor:
    shapes = layout.shapes()
    buffer = np.empty(layout.size(), np.int32)
    begin = 0
    for name, shape in shapes.items():
        array, size = arrays[name].ravel(), prod(shape)
        if len(array) > size:
            raise InputError(f"a batch has {len(array)} numbers in {name}, but its layout has room for {size}")
        part = buffer[begin : begin + size]
        part[: len(array)] = array
        part[len(array) :] = array[-1] if name == "offsets" else FILLING.get(name, NOTHING)
        begin += size
    return torch.from_numpy(buffer)


FILLING = {  # what fills a field up: a valid index or token where one is looked up, else -1
    "tokens": PAD,
    "position": 0,
    "slot": 0,
    "begin": 0,
    "root_index": 0,
    "root_left": 0,
    "root_right": 0,
    "root_offset": 0,
    "leaf_index": 0,
    "block_relation": 0,
}
