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
from clew.evaluate.extraction.end_to_end import DOCUMENT, mesh_ids
from clew.evaluate.extraction.pairs import score_pairs
from clew.evaluate.extraction.pubtator import Abstract
from clew.evaluate.statistics import bootstrap_mean
from clew.extract.chains.graphs import Chains
from clew.extract.filter.masks import cosines, threshold
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.queries import read_queries
from clew.extract.predict.query_arrays import Queries, read_query_arrays
from clew.extract.seed.selection import read_matches
from clew.extract.seed.word_similarity import relation_words
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.texts import sequence_texts
from clew.graph import Graph

__all__ = [
    "BETAS",
    "PLANTED",
    "Asked",
    "Gold",
    "ask_about_bc5cdr",
    "ask_about_planted",
    "beta_thresholds",
    "cross",
    "similar_to_text",
]

BETAS = (0.0, 0.25, 0.5, 0.75)
PLANTED = "planted"
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

    def count(self, fewest: int) -> int:
        """How many queries have at least so many mentions."""
        assert self.queries.candidates is not None
        return int((self.queries.candidates.count >= fewest).sum())

    @property
    def query(self) -> NDArray[np.int64]:
        """The query of every candidate."""
        assert self.queries.candidates is not None
        return np.repeat(np.arange(len(self.head)), self.queries.candidates.count)


def ask_about_planted(planted: Path) -> Asked:
    """What a run that asks about planted facts asked."""
    table, _ = read_queries(planted)
    tail = table["mentions"].combine_chunks().flatten().to_numpy().astype(np.int64)
    head = table["head"].to_numpy().astype(np.int64)
    return Asked(read_query_arrays(planted / "queries"), head, table["relation"].to_pylist(), tail)


def ask_about_bc5cdr(run: Path, graph: Graph, variants: Path, chains: Chains) -> Asked:
    """What was asked about the train abstracts of BC5CDR."""
    questions = Questions.load(variants / "questions.npz")
    chosen = about_bc5cdr(questions, np.load(variants / "bc5cdr_sequences.npy"), chains.relations)
    rows = order_heads(read_heads(run), graph)
    relation = [chains.relations[at] for at in chosen.relation.tolist()]
    return Asked(chosen.ask(chains), rows[chosen.head], relation, rows[chosen.tail])


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
    """A row for each model (`weights` by model, then by what was asked) and β.

    A query is answered with its likeliest mention, unless that is less likely than [NONE]; a planted one is asked only
    where there is a choice, for one of its mentions is right. Beside what β keeps stands what the model's own share
    would keep, were it as much.
    """
    rows: list[dict[str, Any]] = []
    for name, weighed in weights.items():
        said: dict[float, dict[str, Any]] = {beta: {"variant": name, "beta": beta} for beta in thresholds}
        for what, each in asked.items():
            fewest = 2 if what == PLANTED else 1
            best = each.best(weighed[what], fewest=fewest)
            surest = best[np.argsort(-shares(weighed[what], each.queries)[best], kind="stable")]
            measure = gold.measure_planted if what == PLANTED else gold.measure_bc5cdr
            for beta, least in thresholds.items():
                kept = best[similar[what][best] >= least]
                by_share = measure(each, surest[: len(kept)])
                figures = {"queries": each.count(fewest), "kept": len(kept), **measure(each, kept)}
                said[beta] |= {"cosine": round(least, 4), what: figures | {"by share": by_share}}
        rows += said.values()
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
        """The share of candidates that are right, and how many of the queries with a choice they answer rightly."""
        right = self.are_right(asked, rows)
        precision = _three(bootstrap_mean(right, resamples=1000)) if right else [0.0, 0.0, 0.0]
        return {"precision": precision, "recall": [round(sum(right) / asked.count(2), 4)]}

    def measure_bc5cdr(self, asked: Asked, rows: NDArray[np.int64]) -> dict[str, list[float]]:
        """Precision and recall of the pairs that candidates state, over documents."""
        figures = score_pairs(self.abstracts, self.pairs(asked, rows), resamples=1000)
        return {key: _three(getattr(figures, key)) for key in ("precision", "recall", "f1")}

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
