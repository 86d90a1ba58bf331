"""From log-probabilities of tails to one score for each (document, chemical, disease).

An aggregation says how a tail is scored (its log-probability, whole or per token, as it is or relative to [NONE], to
the other tails, or to the same tail without context), which sequences count (all, or those that hold the disease), how
the mentions of a pair are pooled, and whether pairs are compared over all documents or within theirs. Pooling by sum
also counts mentions, so `uniform_scores`, a model that knows nothing, shows what counting alone is worth.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.chains.graphs import SLOTS

__all__ = [
    "AGGREGATIONS",
    "EVERYWHERE",
    "IN_DOCUMENT",
    "Aggregation",
    "Candidates",
    "aggregate",
    "read_candidates",
    "uniform_scores",
]

Floats = NDArray[np.float64]
NEVER = -1e9  # the score of a pair that no row weighs
ARRAYS = (
    "query_document", "query_bare", "query_fold", "row_query", "row_tail", "row_seen", "tail_length",
    "member_row", "member_pair",
)  # fmt: skip


@dataclass(frozen=True)
class Candidates:
    """The candidates of all queries, as `write_scoring` wrote them."""

    query_document: NDArray[np.int32]
    query_bare: NDArray[np.int8]
    query_fold: NDArray[np.int8]
    row_query: NDArray[np.int32]  # (n,)
    row_tail: NDArray[np.int32]  # (n,), 0 is [NONE]
    row_seen: NDArray[np.int8]
    tail_length: NDArray[np.int8]
    member_row: NDArray[np.int32]  # which rows speak for which pairs
    member_pair: NDArray[np.int32]
    pairs: tuple[tuple[str, str, str], ...]  # document, chemical, disease

    @cached_property
    def pair_fold(self) -> NDArray[np.int8]:
        """The fold of each pair's document."""
        folds = np.full(len(self.pairs), -1, np.int8)
        folds[self.member_pair] = self.query_fold[self.row_query[self.member_row]]
        return folds

    @cached_property
    def pair_document(self) -> NDArray[np.int64]:
        """The number of each pair's document."""
        return np.unique([document for document, _, _ in self.pairs], return_inverse=True)[1].astype(np.int64)

    @cached_property
    def twin(self) -> NDArray[np.int64]:
        """For each row the row that weighs the same tail for some bare mention in the same document, else -1."""
        key = self.query_document[self.row_query].astype(np.int64) * (len(self.tail_length) + 1) + self.row_tail
        bare = np.flatnonzero(self.query_bare[self.row_query] == 1)
        order = bare[np.argsort(key[bare], kind="stable")]
        place = np.searchsorted(key[order], key)
        found = np.full(len(key), -1, np.int64)
        there = place < len(order)
        there[there] = key[order][place[there]] == key[there]
        found[there] = order[place[there]]
        return found


def read_candidates(folder: Path) -> Candidates:
    """Read the candidates of a folder."""
    try:
        arrays = {name: np.load(folder / f"{name}.npy", allow_pickle=False) for name in ARRAYS}
        pairs = tuple(tuple(each) for each in json.loads((folder / "pairs.json").read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} does not hold the questions about BC5CDR: make them again ({error})") from error
    return Candidates(**arrays, pairs=pairs)


EVERYWHERE, IN_DOCUMENT = "over all documents", "within the document"


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One way from scores of tails to scores of pairs."""

    weight: str
    pool: str
    rows: str
    within: str = EVERYWHERE

    def __str__(self) -> str:
        return f"{self.weight}, {self.pool} over {self.rows}, compared {self.within}"


WEIGHTS = ("log p", "log p per token", "log p / p(none)", "share", "share per token", "log p / p without context")
POOLS = ("max", "sum", "mean")
ROWS = ("all sequences", "sequences with the disease")
AGGREGATIONS = tuple(Aggregation(*each) for each in product(WEIGHTS, POOLS, ROWS, (EVERYWHERE, IN_DOCUMENT)))


def aggregate(candidates: Candidates, scores: NDArray[np.float32], aggregation: Aggregation) -> Floats:
    """The score of each pair: (pairs,)."""
    if scores.shape != candidates.row_query.shape:
        raise InputError(
            f"scores are {scores.shape}, expected {candidates.row_query.shape}: one for each candidate row"
        )
    weight = _weigh_rows(candidates, scores.astype(np.float64), aggregation.weight)  # (n,)
    counts = candidates.query_bare[candidates.row_query] == 0
    if aggregation.rows == "sequences with the disease":
        counts &= candidates.row_seen == 1
    chosen = counts[candidates.member_row]
    pooled = _pool(
        candidates.member_pair[chosen], weight[candidates.member_row[chosen]], len(candidates.pairs), aggregation.pool
    )
    return pooled if aggregation.within == EVERYWHERE else _within(pooled, candidates.pair_document)


def uniform_scores(candidates: Candidates) -> NDArray[np.float32]:
    """The scores of a model to which every tail is as likely as any other."""
    return np.zeros(len(candidates.row_query), np.float32)


def _within(score: Floats, document: NDArray[np.int64]) -> Floats:
    """Log of each pair's share among the pairs of its document."""
    there = score > NEVER
    highest = np.full(int(document.max(initial=0)) + 1, -np.inf)
    np.maximum.at(highest, document[there], score[there])
    total = np.bincount(document[there], np.exp(score[there] - highest[document[there]]), len(highest))
    share = np.full(len(score), NEVER)
    share[there] = score[there] - highest[document[there]] - np.log(total[document[there]])
    return share


def _weigh_rows(candidates: Candidates, whole: Floats, weight: str) -> Floats:
    tokens = np.minimum(candidates.tail_length[candidates.row_tail].astype(np.float64) + 1, SLOTS)  # with [END]
    if weight == "log p":
        return whole
    if weight == "log p per token":
        return whole / tokens
    if weight == "log p / p(none)":
        nothing = np.zeros(len(candidates.query_document))
        nothing[candidates.row_query[candidates.row_tail == 0]] = whole[candidates.row_tail == 0]
        return whole - nothing[candidates.row_query]
    if weight == "share":
        return _shares(candidates, whole)
    if weight == "share per token":
        return _shares(candidates, whole / tokens)
    if weight == "log p / p without context":
        return np.where(candidates.twin >= 0, (whole - whole[candidates.twin]) / tokens, whole / tokens)
    raise InputError(f"no weight is called {weight!r}: known: {', '.join(WEIGHTS)}")


def _shares(candidates: Candidates, weight: Floats) -> Floats:
    """Log of each row's share among the rows of its query, [NONE] among them."""
    highest = np.full(len(candidates.query_document), -np.inf)
    np.maximum.at(highest, candidates.row_query, weight)
    total = np.zeros(len(highest))
    np.add.at(total, candidates.row_query, np.exp(weight - highest[candidates.row_query]))
    return np.asarray(weight - highest[candidates.row_query] - np.log(total[candidates.row_query]))


def _pool(pair: NDArray[np.int32], weight: Floats, pairs: int, pool: str) -> Floats:
    highest = np.full(pairs, NEVER)
    np.maximum.at(highest, pair, weight)
    if pool == "max":
        return highest
    number = np.bincount(pair, minlength=pairs)
    if pool == "mean":
        mean = np.bincount(pair, weight, pairs) / np.maximum(number, 1)
        return np.where(number > 0, mean, NEVER)
    if pool == "sum":
        total = np.bincount(pair, np.exp(weight - highest[pair]), pairs)
        return highest + np.log(np.maximum(total, 1.0))
    raise InputError(f"no pool is called {pool!r}: known: {', '.join(POOLS)}")
