"""Hops as tensor gathers on any device torch has; frontiers are marks that stay on the device."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.traverse.blocks import Block, ListedBlock, SeedLists

__all__ = ["TorchBackend"]

Mask = NDArray[np.bool_]
Tensor = Any


class DeviceRows(NamedTuple):
    """The rows of a segment on the device."""

    offsets: Tensor  # (rows + 1,) int64
    neighbour: Tensor  # (pairs,)
    first: int


class Frontier(NamedTuple):
    """A mark for each query and entity, on the device."""

    marks: Tensor  # (queries, entities) bool
    dtype: np.dtype[np.integer]


class TorchBackend:
    """Gathers the rows of the frontier on the device and marks the entities they hold."""

    width = capacity = 64
    fused = lists = None

    def __init__(self, device: str | None = None) -> None:
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))

    def prepare(self, rows: Adjacency, first: int, entities: int) -> DeviceRows:
        offsets = torch.from_numpy(rows.forward.offsets.astype(np.int64)).to(self.device)
        neighbour = torch.from_numpy(np.array(rows.forward.neighbour)).to(self.device)  # a copy: tensors are writable
        return DeviceRows(offsets, neighbour, first)

    def start(self, seeds: SeedLists, entities: int) -> Frontier:
        marks = torch.zeros((len(seeds), entities), dtype=torch.bool, device=self.device)
        query = np.repeat(np.arange(len(seeds)), np.diff(seeds.starts))
        marks[self._tensor(query), self._tensor(seeds.flat.astype(np.int64))] = True
        return Frontier(marks, seeds.flat.dtype)

    def step(self, prepared: DeviceRows, frontier: Frontier, into: Frontier | None) -> Frontier:
        offsets, neighbour, first = prepared
        marks = torch.zeros_like(frontier.marks) if into is None else into.marks
        query, row = torch.nonzero(frontier.marks[:, first : first + len(offsets) - 1], as_tuple=True)
        begin = offsets[row]
        length = offsets[row + 1] - begin
        before = torch.cumsum(length, 0) - length
        shift = torch.repeat_interleave(begin - before, length)
        position = torch.arange(len(shift), device=self.device) + shift
        marks[torch.repeat_interleave(query, length), neighbour[position].long()] = True
        return Frontier(marks, frontier.dtype)

    def keep(self, frontier: Frontier, allowed: Mask, exempt: Frontier | None = None) -> Frontier:
        permitted = self._tensor(allowed)[None, :]
        kept = permitted if exempt is None else permitted | exempt.marks
        return Frontier(frontier.marks & kept, frontier.dtype)

    def without(self, frontier: Frontier, other: Frontier) -> Frontier:
        return Frontier(frontier.marks & ~other.marks, frontier.dtype)

    def union(self, frontier: Frontier, other: Frontier) -> Frontier:
        return Frontier(frontier.marks | other.marks, frontier.dtype)

    def copy(self, frontier: Frontier) -> Frontier:
        return Frontier(frontier.marks.clone(), frontier.dtype)

    def touches(self, frontier: Frontier, first: int, rows: int) -> bool:
        return bool(frontier.marks[:, first : first + rows].any())

    def is_empty(self, frontier: Frontier) -> bool:
        return not bool(frontier.marks.any())

    def collect(self, frontier: Frontier) -> Block:
        query, entity = (each.cpu().numpy() for each in torch.nonzero(frontier.marks, as_tuple=True))
        offsets = np.searchsorted(query, np.arange(len(frontier.marks) + 1))
        return ListedBlock(entity.astype(frontier.dtype), offsets)

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)
