"""Marked documents as padded tensors, in batches of about equal length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from clew.extract.statements.examples import Example, MarkedDocument
from clew.extract.statements.judge import PairInputs

__all__ = ["Batch", "cut_batches", "make_batch"]

CHUNK = 8  # batches sorted by length together


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents side by side."""

    tokens: Tensor  # (documents, length)
    present: Tensor  # (documents, length) 1 for a token, 0 for padding
    inputs: tuple[PairInputs, ...]


def make_batch(documents: Sequence[MarkedDocument], device: torch.device | str) -> Batch:
    """Pad documents to the longest."""
    length = max(len(each.tokens) for each in documents)
    tokens = torch.zeros(len(documents), length, dtype=torch.long)
    present = torch.zeros(len(documents), length, dtype=torch.long)
    for row, each in enumerate(documents):
        tokens[row, : len(each.tokens)] = torch.from_numpy(each.tokens)
        present[row, : len(each.tokens)] = 1
    inputs = tuple(
        PairInputs(
            *(
                torch.from_numpy(array).to(device, non_blocking=True)
                for array in (each.openings, each.membership, each.pairs, each.features)
            )
        )
        for each in documents
    )
    return Batch(tokens.to(device), present.to(device), inputs)


def cut_batches(examples: Sequence[Example], size: int, random: np.random.Generator) -> Iterator[list[int]]:
    """The numbers of all examples in random batches; within `CHUNK` batches, those of like length are together."""
    order = random.permutation(len(examples))
    batches: list[list[int]] = []
    for first in range(0, len(order), size * CHUNK):
        chunk = sorted(order[first : first + size * CHUNK], key=lambda each: len(examples[each].marked.tokens))
        batches += [[int(each) for each in chunk[at : at + size]] for at in range(0, len(chunk), size)]
    for number in random.permutation(len(batches)):
        yield batches[number]
