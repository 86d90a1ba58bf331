"""Hops as tensor gathers on any device torch has."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency

__all__ = ["TorchBackend"]

Ints = NDArray[np.integer]


class TorchBackend:
    """Gathers the rows of the frontier on the device, marks what they hold and lists the marks."""

    def __init__(self, device: str | None = None) -> None:
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))

    def prepare(self, adjacency: Adjacency) -> tuple[Any, Any, int]:
        rows = adjacency.forward
        offsets = torch.from_numpy(rows.offsets.astype(np.int64)).to(self.device)
        neighbour = torch.from_numpy(np.array(rows.neighbour)).to(self.device)  # a copy: tensors must be writable
        return offsets, neighbour, adjacency.entities

    def expand(self, prepared: tuple[Any, Any, int], frontier: Ints) -> Ints:
        offsets, neighbour, entities = prepared
        rows = torch.from_numpy(frontier.astype(np.int64)).to(self.device)
        begin = offsets[rows]
        length = offsets[rows + 1] - begin
        before = torch.cumsum(length, 0) - length
        shift = torch.repeat_interleave(begin - before, length)
        position = torch.arange(len(shift), device=self.device) + shift
        marks = torch.zeros(entities, dtype=torch.bool, device=self.device)
        marks[neighbour[position].long()] = True
        found: Ints = torch.nonzero(marks).squeeze(1).cpu().numpy().astype(frontier.dtype)
        return found
