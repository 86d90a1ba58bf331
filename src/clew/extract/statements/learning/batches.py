"""Marked documents as padded tensors, in batches of about equal length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clew.extract.statements.examples import MarkedDocument
from clew.extract.statements.learning.judge import PairInputs

__all__ = ["Batch", "cut_batches", "make_batch"]

WHOLE = 8  # a length that is a multiple of this is read faster on a GPU
CHUNK = 8  # batches sorted by length together


class Marked(Protocol):
    """Anything about a marked document."""

    @property
    def marked(self) -> MarkedDocument: ...


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents side by side."""

    tokens: Tensor  # (documents, length)
    present: Tensor  # (documents, length) 1 for a token, 0 for padding
    inputs: PairInputs


def make_batch(documents: Sequence[MarkedDocument], device: torch.device | str) -> Batch:
    """Pad documents to the longest, and to the most mentions, entities and pairs."""
    longest = max(len(each.tokens) for each in documents)
    length = longest + -longest % WHOLE
    present = np.zeros((len(documents), length), np.int64)
    for row, each in enumerate(documents):
        present[row, : len(each.tokens)] = 1
    pairs = _padded([each.pairs for each in documents])
    real = np.zeros(pairs.shape[:2], bool)
    for row, each in enumerate(documents):
        real[row, : len(each.pairs)] = True
    arrays = (
        _padded([each.openings for each in documents]),
        _padded([each.membership for each in documents]),
        pairs,
        _padded([each.features for each in documents]),
        real,
    )
    tokens = _padded([each.tokens for each in documents], (length,))
    return Batch(
        _tensor(tokens, device), _tensor(present, device), PairInputs(*(_tensor(each, device) for each in arrays))
    )


def _padded(arrays: Sequence[NDArray[Any]], shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """Arrays of like dimension and different sizes as one; at least one long in each dimension."""
    if shape is None:
        shape = tuple(max(1, *sizes) for sizes in zip(*(each.shape for each in arrays), strict=True))
    whole = np.zeros((len(arrays), *shape), arrays[0].dtype)
    for row, each in enumerate(arrays):
        whole[row][tuple(slice(size) for size in each.shape)] = each
    return whole


def _tensor(array: NDArray[Any], device: torch.device | str) -> Tensor:
    return torch.from_numpy(array).to(device, non_blocking=True)


def cut_batches(examples: Sequence[Marked], size: int, random: np.random.Generator) -> Iterator[list[int]]:
    """The numbers of all examples in random batches; within `CHUNK` batches, those of like length are together."""
    order = random.permutation(len(examples))
    batches: list[list[int]] = []
    for first in range(0, len(order), size * CHUNK):
        chunk = sorted(order[first : first + size * CHUNK], key=lambda each: len(examples[each].marked.tokens))
        batches += [[int(each) for each in chunk[at : at + size]] for at in range(0, len(chunk), size)]
    for number in random.permutation(len(batches)):
        yield batches[number]
