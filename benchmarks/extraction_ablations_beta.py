"""α × β: how many triples each model predicts and how many of them are right, as the similarity asked for rises.

α is a quantile below which matches teach nothing, β one of the same kind below which a prediction is not kept: that of
the similarity of a triple in words and its sequence, by an encoder. Held against the whole seed where facts were
planted, and against BC5CDR's train abstracts, whose mentions were found and linked by the run itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.extraction_ablations_mentions import Questions, about_bc5cdr, shares
from benchmarks.extraction_ablations_prepare import order_heads
from clew.embed import Encoder
from clew.errors import InputError
from clew.evaluate.extraction.end_to_end import DOCUMENT, mesh_ids
from clew.evaluate.extraction.pairs import score_pairs
from clew.evaluate.extraction.pubtator import Abstract
from clew.evaluate.statistics import bootstrap_mean
from clew.extract.asking import read_asked
from clew.extract.chains import Chains
from clew.extract.filters import cosines, threshold
from clew.extract.heads import read_heads
from clew.extract.queries import Queries, read_queries
from clew.extract.selection import read_matches
from clew.extract.sequences import read_sequences
from clew.extract.similarity import relation_words
from clew.extract.texts import sequence_texts
from clew.graph import Graph

__all__ = [
    "BETAS",
    "Asked",
    "Gold",
    "ask_about_bc5cdr",
    "ask_about_planted",
    "beta_thresholds",
    "cross",
    "gather_weights",
    "similar_to_text",
]

BETAS = (0.0, 0.25, 0.5, 0.75)
SAMPLE = 2000  # matched triples that β is a quantile of
Floats = NDArray[np.floating]
True_ = Mapping[tuple[str, str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """Queries with their mentions as rows of the heads: what was asked, and of what a row speaks."""

    queries: Queries
    head: NDArray[np.int64]  # (queries,) rows of the heads
    relation: list[str]  # (queries,)
    tail: NDArray[np.int64]  # (candidates,) rows of the heads

    def best(self, weights: Floats, *, none: bool = True, fewest: int = 1) -> NDArray[np.int64]:
        """The likeliest mention of each query that has at least `fewest`: candidates.

        With `none`, only of those that are not answered with [NONE].
        """
        assert self.queries.candidates is not None
        offsets, share = self.queries.candidates.offsets, shares(weights, self.queries)
        chosen = []
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            if end - begin >= fewest:
                best = begin + int(np.argmax(share[begin:end]))
                if not none or share[best] > 1 - share[begin:end].sum():
                    chosen.append(best)
        return np.array(chosen, np.int64)

    @property
    def query(self) -> NDArray[np.int64]:
        """The query of every candidate."""
        assert self.queries.candidates is not None
        return np.repeat(np.arange(len(self.head)), self.queries.candidates.count)


def ask_about_planted(planted: Path) -> Asked:
    """What a run that asks about planted facts asked."""
    table, _ = read_asked(planted)
    tail = table["mentions"].combine_chunks().flatten().to_numpy().astype(np.int64)
    head = table["head"].to_numpy().astype(np.int64)
    return Asked(read_queries(planted / "queries"), head, table["relation"].to_pylist(), tail)


def ask_about_bc5cdr(run: Path, graph: Graph, variants: Path, chains: Chains) -> Asked:
    """What was asked about the train abstracts of BC5CDR."""
    questions = Questions.load(variants / "questions.npz")
    chosen = about_bc5cdr(questions, np.load(variants / "bc5cdr_sequences.npy"), chains.relations)
    rows = order_heads(read_heads(run), graph)
    relation = [chains.relations[at] for at in chosen.relation.tolist()]
    return Asked(chosen.ask(chains), rows[chosen.head], relation, rows[chosen.tail])


def gather_weights(asked: Asked, run: Path, weights: Floats) -> Floats:
    """The weights of these queries out of those of all that a run asked, which asked the same about the same heads."""
    table, _ = read_asked(run)
    wanted = set(zip(asked.head.tolist(), asked.relation, strict=True))
    place = {
        each: at
        for at, each in enumerate(zip(table["head"].to_pylist(), table["relation"].to_pylist(), strict=True))
        if each in wanted
    }
    mentions = table["mentions"].combine_chunks()
    offsets, known = mentions.offsets.to_numpy().astype(np.int64), mentions.values.to_numpy()
    found, tails = [], []
    for each in zip(asked.head.tolist(), asked.relation, strict=True):
        if each not in place:
            raise InputError(f"{run} did not ask head {each[0]} for {each[1]}")
        begin, end = offsets[place[each] : place[each] + 2]
        order = begin + np.argsort(known[begin:end])  # candidates are in the order of the text, as heads are
        tails.append(known[order])
        found.append(weights[np.concatenate(([begin], order + 1)) + place[each]])
    if not np.array_equal(np.concatenate(tails), asked.tail):
        raise InputError(f"{run} weighed other mentions than were asked about here")
    return np.concatenate(found)


def similar_to_text(asked: Asked, run: Path, encoder: Encoder) -> NDArray[np.float32]:
    """The cosine of every candidate's triple in words with its sequence: (candidates,)."""
    heads = read_heads(run)
    said = heads["text"].to_pylist()
    sequences, texts = heads["sequence"].to_numpy(), sequence_texts(run)
    query = asked.query
    rows = zip(asked.head[query].tolist(), query.tolist(), asked.tail.tolist(), strict=True)
    words = [f"{said[head]} {relation_words(asked.relation[at])} {said[tail]}" for head, at, tail in rows]
    return cosines(words, [texts[int(sequences[head])] for head in asked.head[query].tolist()], encoder)


def beta_thresholds(run: Path, encoder: Encoder) -> dict[float, float]:
    """The cosine at each quantile of an even sample of matched triples, as the filter of extraction has it."""
    matches = read_matches(run)
    rows = np.unique(np.linspace(0, matches.num_rows - 1, SAMPLE).astype(np.int64))
    chosen = matches.take(pa.array(rows))
    heads, texts = read_heads(run)["text"].take(chosen["head"]).to_pylist(), sequence_texts(run)
    columns = zip(heads, chosen["relation"].to_pylist(), chosen["tail"].to_pylist(), strict=True)
    words = [f"{head} {relation_words(relation)} {tail}" for head, relation, tail in columns]
    found = cosines(words, [texts[at] for at in chosen["sequence"].to_pylist()], encoder)
    return {beta: -1.0 if beta == 0 else threshold(found, beta) for beta in BETAS}


def cross(
    asked: Mapping[str, Asked],
    similar: Mapping[str, Floats],
    thresholds: Mapping[float, float],
    weights: Mapping[str, Mapping[str, Floats]],
    gold: "Gold",
) -> list[dict[str, Any]]:
    """A row for each model (`weights` by model, then by what was asked), what was asked, and β.

    Every query is answered with its likeliest mention, whatever [NONE] weighs; a planted one only where there is a
    choice, for one of its mentions is right. Beside what β keeps stands what the model's own share would keep, were it
    as much.
    """
    rows = []
    for name, weighed in weights.items():
        for what, each in asked.items():
            if what not in weighed:
                continue
            best = each.best(weighed[what], none=False, fewest=2 if what == "planted" else 1)
            surest = best[np.argsort(-shares(weighed[what], each.queries)[best], kind="stable")]
            measure = gold.measure_planted if what == "planted" else gold.measure_bc5cdr
            for beta, least in thresholds.items():
                kept = best[similar[what][best] >= least]
                said = {"variant": name, "about": what, "beta": beta, "cosine": round(least, 4)}
                by_share = measure(each, surest[: len(kept)])["right"]
                row = {"queries": len(best), "kept": len(kept), **measure(each, kept), "right_by_share": by_share}
                rows.append(said | row)
    return rows


class Gold:
    """What predictions are held against: the whole seed, planted facts and all, and the gold of some abstracts."""

    def __init__(self, run: Path, graph: Graph, true: True_, abstracts: Sequence[Abstract]) -> None:
        heads = read_heads(run)
        self.abstracts = abstracts
        self._graph, self._true = graph, true
        self._entity, self._sequence = heads["entity"].to_pylist(), heads["sequence"].to_numpy()
        self._documents = [each.removeprefix(DOCUMENT) for each in read_sequences(run)["document"].to_pylist()]

    def measure_planted(self, asked: Asked, rows: NDArray[np.int64]) -> dict[str, list[float]]:
        """The share of candidates that are right."""
        right = self.are_right(asked, rows)
        return {"right": _three(bootstrap_mean(right, resamples=1000)) if right else [0.0, 0.0, 0.0]}

    def measure_bc5cdr(self, asked: Asked, rows: NDArray[np.int64]) -> dict[str, list[float]]:
        """Precision and recall of the pairs that candidates state, over documents."""
        figures = score_pairs(self.abstracts, self.pairs(asked, rows), resamples=1000)
        return {"right": _three(figures.precision), "recall": _three(figures.recall)}

    def are_right(self, asked: Asked, rows: NDArray[np.int64]) -> list[bool]:
        """Which candidates are tails that the seed has."""
        query = asked.query[rows]
        heads, tails = ([self._entity[at] for at in ends.tolist()] for ends in (asked.head[query], asked.tail[rows]))
        stated = zip(heads, query.tolist(), tails, strict=True)
        return [tail in self._true[head, asked.relation[at]] for head, at, tail in stated]

    def pairs(self, asked: Asked, rows: NDArray[np.int64]) -> dict[str, set[tuple[str, str]]]:
        """Candidates as pairs of MeSH ids, by document; what has no such id predicts nothing."""
        heads, tails = asked.head[asked.query[rows]].tolist(), asked.tail[rows].tolist()
        mesh = mesh_ids(self._graph, dict.fromkeys(self._entity[at] for at in (*heads, *tails)))
        predicted: dict[str, set[tuple[str, str]]] = {each.document: set() for each in self.abstracts}
        for head, tail in zip(heads, tails, strict=True):
            ids = (mesh.get(self._entity[at], ()) for at in (head, tail))
            predicted[self._documents[int(self._sequence[head])]].update(product(*ids))
        return predicted


def _three(interval: Any) -> list[float]:
    return [round(each, 4) for each in (interval.mean, interval.low, interval.high)]
