"""Prediction: what a trained model expects in the masked tail of a head and a relation.

Each query is a copy of its sequence with one leaf of seven masked slots. From one pass come the most probable tokens of
each slot, the scores of the query's mentions and of given tails; a beam goes left to right, encoding again
with the tokens so far in sight.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.batches.batch import Batch, assemble
from clew.extract.batches.masking import Leaves
from clew.extract.chains.graphs import END, MASK, NONE, PAD, SLOTS
from clew.extract.model.attention import pick_kernel
from clew.extract.model.storage import SavedModel, read_model
from clew.extract.predict.query_arrays import Candidates, Queries
from clew.extract.training.pretraining import pick_device
from clew.progress import Progress, silent

__all__ = ["Answers", "Phrase", "Predictor", "Tails"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A tail as tokens, and the logarithm of its probability."""

    tokens: tuple[int, ...]
    log_probability: float


@dataclass(frozen=True, slots=True)
class Answers:
    """Predictions for queries: the k most probable tokens of each slot, best first, and the scores of the mentions."""

    tokens: NDArray[np.uint16]  # (queries, 7, k)
    log_probs: Floats  # (queries, 7, k)
    scores: Floats  # (queries + candidates,) log p of [NONE], then of each mention, with its end; query by query


@dataclass(frozen=True, slots=True)
class Tails:
    """Tails to be scored, each for one query."""

    query: NDArray[np.integer]  # (tails,)
    tokens: NDArray[np.integer]  # (tails, 7), padded with 0
    length: NDArray[np.integer]  # (tails,) 1..7

    def __post_init__(self) -> None:
        if self.tokens.shape != (len(self.query), SLOTS) or self.length.shape != (len(self.query),):
            raise InputError(
                f"tails are {self.tokens.shape}, expected ({len(self.query)}, {SLOTS}) with as many lengths"
            )
        if len(self.query) and not (self.length.min() >= 1 and self.length.max() <= SLOTS):
            raise InputError(f"a tail must have 1 to {SLOTS} tokens")


class Predictor:
    """A model that answers queries, in batches of about `batch_tokens` tokens."""

    def __init__(self, saved: SavedModel, *, device: str | None = None, batch_tokens: int | None = None) -> None:
        self.device = pick_device(device)
        self.saved = saved
        self.model = saved.model.to(self.device).eval()
        self.batch_tokens = batch_tokens or (65536 if self.device.type == "cuda" else 4096)

    @classmethod
    def open(cls, path: Path, *, device: str | None = None) -> "Predictor":
        """A predictor from a model directory."""
        chosen = pick_device(device)
        return cls(read_model(path, kernel=pick_kernel(chosen), device=chosen), device=str(chosen))

    def answer(self, queries: Queries, k: int, *, progress: Progress = silent) -> Answers:
        """All that one pass tells of queries; with k = 0 only how their mentions are weighed, which is little."""
        candidates = queries.candidates or Candidates.of_none(len(queries))
        found = Answers(
            np.zeros((len(queries), SLOTS, k), np.uint16),
            np.zeros((len(queries), SLOTS, k), np.float32),
            np.zeros(len(queries) + len(candidates.first), np.float32),
        )
        masked = np.full((len(queries), SLOTS), MASK, np.int64)
        for rows, log_probs in self._ask(queries, np.arange(len(queries)), masked, progress=progress):
            if k:
                best = log_probs.topk(k, dim=-1)
                found.tokens[rows] = best.indices.cpu().numpy()
                found.log_probs[rows] = best.values.cpu().numpy()
            start, end = int(rows[0]), int(rows[-1]) + 1
            begin, stop = candidates.offsets[[start, end]] + (start, end)
            found.scores[begin:stop] = self._score_mentions(queries, candidates.of(start, end), start, log_probs)
        return found

    def top(self, queries: Queries, k: int, *, progress: Progress = silent) -> tuple[NDArray[np.uint16], Floats]:
        """The k most probable tokens of each slot and their log probabilities, best first: (queries, 7, k) each."""
        found = self.answer(queries, k, progress=progress)
        return found.tokens, found.log_probs

    def _score_mentions(self, queries: Queries, candidates: Candidates, start: int, log_probs: torch.Tensor) -> Floats:
        """Weights of [NONE] and the mentions of the queries from `start` on, from log probabilities (n, 7, V)."""
        tails = _as_tails(queries, candidates, start)
        wanted, count = _wanted(tails)
        slot = np.arange(SLOTS)
        where = (torch.from_numpy(each).to(self.device) for each in (np.asarray(tails.query)[:, None], slot, wanted))
        terms = log_probs[tuple(where)].cpu().numpy()  # (rows, 7)
        return np.asarray(np.where(slot < count[:, None], terms, 0.0).sum(axis=1), np.float32)

    def score_tails(
        self, queries: Queries, tails: Tails, *, left_to_right: bool = False, progress: Progress = silent
    ) -> Floats:
        """log p(tail and its end) of each tail: (tails,).

        All slots at once from a wholly masked leaf, or with `left_to_right` each token given those before it.
        """
        wanted, count = _wanted(tails)
        tail = np.repeat(np.arange(len(count)), count)  # (terms,) one for each token or end to be predicted
        slot = np.arange(len(tail)) - np.repeat(np.cumsum(count) - count, count)
        seen = np.full((len(tail), SLOTS), MASK, np.int64)
        if left_to_right:
            seen = np.where(np.arange(SLOTS) < slot[:, None], wanted[tail], seen)
        asked = np.column_stack((np.asarray(tails.query, np.int64)[tail], seen))
        distinct, place = np.unique(asked, axis=0, return_inverse=True)  # what several terms ask is computed once
        order = np.argsort(place.ravel(), kind="stable")
        ordered = place.ravel()[order]
        terms = np.zeros(len(tail), np.float32)
        for rows, found in self._ask(queries, distinct[:, 0], distinct[:, 1:], progress=progress):
            begin, end = np.searchsorted(ordered, (rows[0], rows[-1] + 1))
            chosen = order[begin:end]
            where = (ordered[begin:end] - rows[0], slot[chosen], wanted[tail[chosen], slot[chosen]])
            row, column, token = (torch.from_numpy(each).to(self.device) for each in where)
            terms[chosen] = found[row, column, token].cpu().numpy()
        return np.bincount(tail, terms, len(count)).astype(np.float32)

    def beam(self, queries: Queries, *, width: int, k: int, progress: Progress = silent) -> list[list[Phrase]]:
        """The k best tails of each query that a beam of this width finds, best first."""
        done: list[list[Phrase]] = [[] for _ in range(len(queries))]
        query = np.arange(len(queries))
        tokens = np.full((len(query), SLOTS), MASK, np.int64)
        score = np.zeros(len(query), np.float32)
        for slot in range(SLOTS):
            next_token, next_score = self._continue(queries, query, tokens, slot, width, progress)
            total = score[:, None] + next_score  # (beams, width)
            for beam, choice in zip(*np.nonzero((next_token == END) & np.isfinite(total)), strict=True):
                phrase = Phrase(tuple(tokens[beam, :slot].tolist()), float(total[beam, choice]))
                done[query[beam]].append(phrase)
            total[next_token == END] = -np.inf
            beam, choice = _best_of_each(query, total, width)
            tokens = tokens[beam].copy()
            tokens[:, slot] = next_token[beam, choice]
            query, score = query[beam], total[beam, choice]
        for row in range(len(query)):  # seven tokens need no end
            done[query[row]].append(Phrase(tuple(tokens[row].tolist()), float(score[row])))
        return [sorted(each, key=lambda phrase: -phrase.log_probability)[:k] for each in done]

    def _continue(
        self, queries: Queries, query: Ints, tokens: Ints, slot: int, width: int, progress: Progress
    ) -> tuple[Ints, Floats]:
        """The likeliest next tokens of each beam, [END] always among them: (beams, width + 1) each."""
        chosen = np.zeros((len(query), width + 1), np.int64)
        scores = np.zeros((len(query), width + 1), np.float32)
        for rows, found in self._ask(queries, query, tokens, progress=progress):
            here = found[:, slot].clone()  # (n, V)
            end = here[:, END].clone()
            here[:, :NONE] = -torch.inf  # special tokens are no words; [NONE] says that there is no tail
            best = here.topk(min(width, here.shape[1] - NONE), dim=-1)
            chosen[rows, 1 : 1 + best.indices.shape[1]] = best.indices.cpu().numpy()
            scores[rows, 1:] = -np.inf
            scores[rows, 1 : 1 + best.values.shape[1]] = best.values.cpu().numpy()
            chosen[rows, 0] = END
            scores[rows, 0] = end.cpu().numpy() if slot else -np.inf  # an empty tail is none
        return chosen, scores

    def _ask(
        self, queries: Queries, query: Ints, tokens: Ints, *, progress: Progress
    ) -> Iterator[tuple[Ints, torch.Tensor]]:
        """Rows of `query` and the log probabilities of all words in their slots, (n, 7, V), batch by batch.

        `tokens` (rows, 7) are what stands in the slots.
        """
        lengths = np.diff(queries.offsets)[queries.sequence[query]]
        through = np.cumsum(lengths + SLOTS)
        begin = 0
        while begin < len(query):
            before = through[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(through, before + self.batch_tokens, side="right")))
            rows = np.arange(begin, end)
            yield rows, self._predict(queries, query[rows], lengths[rows], tokens[rows])
            progress("predicting tails", end, len(query))
            begin = end

    def _predict(self, queries: Queries, query: Ints, lengths: Ints, tokens: Ints) -> torch.Tensor:
        begin = queries.offsets[queries.sequence[query]]
        index = np.arange(lengths.sum()) + np.repeat(begin - (np.cumsum(lengths) - lengths), lengths)
        targets = np.full((len(query), SLOTS), PAD, np.int64)  # a target in every slot, so that all are looked at
        leaves = Leaves(
            sequence=np.arange(len(query)),
            first=queries.first[query].astype(np.int64),
            last=queries.last[query].astype(np.int64),
            relation=queries.relation[query].astype(np.int64),
            tokens=tokens,
            slots=np.full(len(query), SLOTS, np.int64),
            targets=targets,
        )
        batch = Batch.unpack(assemble(queries.roots[index].astype(np.int64), lengths, leaves), self.device)
        on_gpu = self.device.type == "cuda"
        with torch.inference_mode(), torch.autocast(self.device.type, torch.bfloat16, enabled=on_gpu):
            found = self.model.log_probabilities(batch, batch.leaf_index)
        return found.view(len(query), SLOTS, -1)


def _as_tails(queries: Queries, candidates: Candidates, start: int) -> Tails:
    """[NONE] and the mentions of the queries from `start` on, which are numbered from 0."""
    number = len(candidates.count)
    rows = len(candidates.first) + number
    query = np.repeat(np.arange(number), candidates.count.astype(np.int64) + 1)
    mentions = np.ones(rows, bool)
    mentions[candidates.offsets[:-1] + np.arange(number)] = False  # [NONE] comes first
    length = np.ones(rows, np.int64)
    length[mentions] = candidates.last.astype(np.int64) - candidates.first
    owner = queries.sequence[start : start + number][query[mentions]]
    place = (queries.offsets[owner] + candidates.first)[:, None] + np.arange(SLOTS)
    tokens = np.full((rows, SLOTS), NONE, np.int64)
    tokens[mentions] = queries.roots[np.minimum(place, len(queries.roots) - 1)]
    return Tails(query, np.where(np.arange(SLOTS) < length[:, None], tokens, PAD), length)


def _wanted(tails: Tails) -> tuple[Ints, Ints]:
    """The tokens to be predicted, [END] after the tail where there is room, and how many: (tails, 7), (tails,)."""
    length = np.asarray(tails.length, np.int64)
    wanted = np.where(np.arange(SLOTS) < length[:, None], np.asarray(tails.tokens, np.int64), 0)
    short = np.flatnonzero(length < SLOTS)
    wanted[short, length[short]] = END
    return wanted, np.minimum(length + 1, SLOTS)


def _best_of_each(query: Ints, total: Floats, width: int) -> tuple[Ints, Ints]:
    """The `width` best continuations of each query: their beams and candidates, sorted by query."""
    beam = np.repeat(np.arange(len(query)), total.shape[1])
    choice = np.tile(np.arange(total.shape[1]), len(query))
    flat = total.ravel()
    order = np.lexsort((-flat, query[beam]))
    order = order[np.isfinite(flat[order])]
    owner = query[beam[order]]
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    kept = order[rank < width]
    return beam[kept], choice[kept]
