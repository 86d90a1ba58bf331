"""Training examples as batches: sequences with masked leaves, and the candidate tails to be ranked.

Read from a folder that `arrays.write_examples` wrote. A query is alone in its own copy of the sequence, as in
prediction, or together with the others of the same sequence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.batches.batch import Packed, assemble
from clew.extract.batches.masking import LONGEST, Leaves, mask_roots
from clew.extract.chains.graphs import END, MASK, PAD, SLOTS
from clew.extract.model.config import Config

__all__ = ["ExampleBatch", "Examples", "read_examples"]

Ints = NDArray[np.int64]
NAMES = (
    "roots", "offsets", "query_sequence", "query_first", "query_last", "query_relation", "query_bare", "query_fold",
    "query_document", "tail", "tail_length", "row_query", "row_tail", "row_gold", "row_seen", "member_row",
    "member_pair",
)  # fmt: skip
TOUCHES = "query_touches"  # there where queries of different folds have to do with each other


@dataclass(frozen=True, slots=True)
class ExampleBatch:
    """A batch, and the candidate rows that its leaves score."""

    packed: Packed
    rows: Ints  # (r,) of the folder
    leaf: Ints  # (r,) the leaf of the batch that scores the row
    tokens: Ints  # (r, 7) the tail and its end, PAD after that
    terms: Ints  # (r,) how many tokens that is
    gold: Ints  # (r,) 1, 0, or -1 for unknown
    leaves: int
    member_row: Ints  # (m,) rows of this batch whose sequence holds the disease,
    member_pair: Ints  # (m,) and the pairs of this batch they speak for
    pair_document: Ints  # (p,)
    pair_gold: NDArray[np.bool_]  # (p,)


class Examples:
    """What a folder of questions holds, by query."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.roots, self.offsets = arrays["roots"].astype(np.int64), arrays["offsets"]
        self.sequence = arrays["query_sequence"].astype(np.int64)
        self.first, self.last = arrays["query_first"].astype(np.int64), arrays["query_last"].astype(np.int64)
        self.relation = arrays["query_relation"].astype(np.int64)
        self.bare, self.fold = arrays["query_bare"] == 1, arrays["query_fold"]
        self.touches = arrays.get(TOUCHES, np.zeros(len(self.sequence), np.uint8))
        self.row_tail, self.row_gold = arrays["row_tail"], arrays["row_gold"].astype(np.int64)
        self.row_offsets = np.searchsorted(arrays["row_query"], np.arange(len(self.sequence) + 1))
        self.document = arrays["query_document"].astype(np.int64)
        seen = arrays["row_seen"][arrays["member_row"]] == 1
        self.member_row, self.member_pair = arrays["member_row"][seen], arrays["member_pair"][seen].astype(np.int64)
        self.member_offsets = np.searchsorted(self.member_row, np.arange(self.rows + 1))
        self.pair_document, self.pair_gold = self._pairs(int(arrays["member_pair"].max(initial=-1)) + 1)
        length = arrays["tail_length"].astype(np.int64)
        self.tokens = arrays["tail"].astype(np.int64)  # (tails, 7)
        short = np.flatnonzero(length < SLOTS)
        self.tokens[short, length[short]] = END
        self.terms = np.minimum(length + 1, SLOTS)

    def _pairs(self, pairs: int) -> tuple[Ints, NDArray[np.bool_]]:
        """The document of each pair, and whether all of its rows are gold."""
        document, gold = np.full(pairs, -1), np.ones(pairs, bool)
        query = np.searchsorted(self.row_offsets, self.member_row, side="right") - 1
        document[self.member_pair] = self.document[query]
        np.logical_and.at(gold, self.member_pair, self.row_gold[self.member_row] == 1)
        return document, gold & (document >= 0)

    def __len__(self) -> int:
        return len(self.sequence)

    @property
    def rows(self) -> int:
        """How many candidates there are in all."""
        return len(self.row_tail)

    def learnable(self, *, without_fold: int | None) -> Ints:
        """Queries in context that have a gold tail, but for those of one fold or that touch it."""
        query = np.repeat(np.arange(len(self)), np.diff(self.row_offsets))
        chosen = np.bincount(query, self.row_gold == 1, len(self)) > 0
        chosen &= ~self.bare
        if without_fold is not None:
            chosen &= (self.fold != without_fold) & (self.touches >> without_fold & 1 == 0)
        return np.flatnonzero(chosen)

    def packs(self, queries: Ints, *, together: bool) -> list[Ints]:
        """Queries that share one copy of their sequence: each alone, or as many as there is room for."""
        if not together:
            return [np.array([query]) for query in queries.tolist()]
        packs = []
        order = queries[np.argsort(self.sequence[queries], kind="stable")]
        for same in np.split(order, np.flatnonzero(np.diff(self.sequence[order])) + 1):
            if len(same):
                room = (LONGEST - self._length(int(self.sequence[same[0]]))) // SLOTS
                packs += [same[at : at + room] for at in range(0, len(same), room)]
        return packs

    def _length(self, sequence: int) -> int:
        return int(self.offsets[sequence + 1] - self.offsets[sequence])

    def by_document(self, packs: Sequence[Ints]) -> list[list[Ints]]:
        """Packs of one document stay together."""
        units: dict[int, list[Ints]] = {}
        for pack in packs:
            units.setdefault(int(self.document[pack[0]]), []).append(pack)
        return list(units.values())

    def batches(self, units: Sequence[Sequence[Ints]], *, tokens: int) -> Iterator[list[Ints]]:
        """The packs of units in order, in lists of at most `tokens` tokens; no unit is divided."""
        batch: list[Ints] = []
        size = 0
        for unit in units:
            needed = sum(self._length(int(self.sequence[pack[0]])) + SLOTS * len(pack) for pack in unit)
            if batch and size + needed > tokens:
                yield batch
                batch, size = [], 0
            batch.extend(unit)
            size += needed
        if batch:
            yield batch

    def ask(
        self, packs: Sequence[Ints], *, config: Config | None = None, seed: int = 0, epoch: int = 0
    ) -> ExampleBatch:
        """A batch of packs; with a config some roots are masked too, as in training."""
        sequences = np.array([self.sequence[pack[0]] for pack in packs])
        lengths = np.diff(self.offsets)[sequences]
        index = np.arange(lengths.sum()) + np.repeat(self.offsets[sequences] - (np.cumsum(lengths) - lengths), lengths)
        order = [pack[np.argsort(self.first[pack], kind="stable")] for pack in packs]
        queries = np.concatenate(order)
        leaves = Leaves(
            sequence=np.repeat(np.arange(len(packs)), [len(pack) for pack in packs]),
            first=self.first[queries],
            last=self.last[queries],
            relation=self.relation[queries],
            tokens=np.full((len(queries), SLOTS), MASK, np.int64),
            slots=np.full(len(queries), SLOTS, np.int64),
            targets=np.full((len(queries), SLOTS), PAD, np.int64),  # a target in every slot, so that all are looked at
        )
        masks = None
        if config is not None and config.root_share > 0:
            masks = mask_roots(lengths, np.arange(len(packs)), config, seed=seed, epoch=epoch)
        begin, end = self.row_offsets[queries], self.row_offsets[queries + 1]
        rows = np.concatenate([np.arange(a, b) for a, b in zip(begin, end, strict=True)])
        tail = self.row_tail[rows]
        low, high = self.member_offsets[rows], self.member_offsets[rows + 1]
        member = np.concatenate([np.arange(a, b) for a, b in zip(low, high, strict=True)])
        pairs, member_pair = np.unique(self.member_pair[member], return_inverse=True)
        return ExampleBatch(
            assemble(self.roots[index], lengths, leaves, masks=masks),
            rows,
            np.repeat(np.arange(len(queries)), end - begin),
            self.tokens[tail],
            self.terms[tail],
            self.row_gold[rows],
            len(queries),
            np.repeat(np.arange(len(rows)), high - low),
            member_pair,
            np.unique(self.pair_document[pairs], return_inverse=True)[1],
            self.pair_gold[pairs],
        )


def read_examples(folder: Path) -> Examples:
    """Read a folder of questions."""
    folder = Path(folder)
    try:
        names = (*NAMES, TOUCHES) if (folder / f"{TOUCHES}.npy").is_file() else NAMES
        arrays = {name: np.load(folder / f"{name}.npy", allow_pickle=False) for name in names}
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} does not hold questions with given tails: make them again ({error})") from error
    return Examples(arrays)
