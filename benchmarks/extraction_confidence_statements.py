"""Statements of a held-out fold with the confidence of each: how right they are, by way and by threshold.

A run whose queries were weighed by a model that was taught without a fold goes in. Out come its statements about pairs
that no leaf shows and no lesson taught, as the product would make them, and precision, recall and average precision
for every way to join what is said from both ends.

Right is what the seed states. What it entails by is_a without stating it counts for nothing, and whatever else is said
as wrong, true or not. Statements of kinds are made, since they silence others about their pair, but never counted, true
or wrong: the product asks the seed's own hierarchy which of them to leave out, so by the seed the rest would be right.

True statements are few, so they are taken from every document that has one, and wrong ones from documents drawn at
random: a document stands for as many as there are. The seed's pairs were mostly leaves; those that were withheld stand
for all of them. So true and other pairs are weighed in the proportion in which texts have them.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchmarks.extraction_pairs import Pairs, are_entailed
from clew.extract.filter.contradictions import are_uncontradicted
from clew.extract.filter.entities import known_triples
from clew.extract.filter.evidence import Evidence, Place
from clew.extract.filter.masks import are_best_of_duplicates
from clew.extract.filter.treatment_cues import agree_with_cues
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.both_directions import inverse_shares, mention_shares
from clew.extract.predict.queries import read_queries
from clew.extract.seed.hierarchy import TAXONOMIC, Hierarchy
from clew.extract.seed.signatures import Signatures
from clew.extract.sequences.packing import read_sequences
from clew.graph import Graph

__all__ = [
    "GRID",
    "WAYS",
    "Curve",
    "Tally",
    "Weights",
    "flatten_asked",
    "measure",
    "tally_relations",
    "weigh_statements",
]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
GRID = np.round(np.arange(1, 20) * 0.05, 2)
RESAMPLES = 500
WAYS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "from one end": lambda own, back: own,
    "greater": np.fmax,
    "mean": lambda own, back: np.where(np.isnan(back), own, (own + back) / 2),
    "geometric mean": lambda own, back: np.where(np.isnan(back), own, np.sqrt(own * back)),
    "lesser": np.fmin,
}


@dataclass(frozen=True, slots=True)
class Weights:
    """What a true and a wrong statement stand for, in statements of the drawn documents."""

    true: float
    wrong: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Precision and recall of one way to be sure, at every threshold of the grid."""

    average_precision: float
    precision: Floats  # (grid,)
    low: Floats  # (grid,) of the 95 % interval of precision, over documents
    high: Floats
    recall: Floats
    true: NDArray[np.int64]  # (grid,) statements kept
    wrong: NDArray[np.int64]

    @property
    def f1(self) -> Floats:
        """The harmonic mean of precision and recall: (grid,)."""
        return _share(2 * self.precision * self.recall, self.precision + self.recall)


@dataclass(frozen=True, slots=True)
class Tally:
    """What is said of one relation with at least some confidence, and how many true statements of it there are."""

    relation: str
    least: float
    there: int
    true: int
    wrong: int
    precision: float


def flatten_asked(asked: pa.Table, heads: pa.Table, signatures: Signatures, documents: pa.ChunkedArray) -> pa.Table:
    """Every mention of every query as a statement: what it would say if the mention were the tail."""
    counts = pc.list_value_length(asked["mentions"]).to_numpy()
    query = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    rows = asked.select(["head", "sequence", "relation"]).take(pa.array(query))
    mention = asked["mentions"].combine_chunks().flatten()
    names = rows["relation"].to_pylist()
    turned = pa.array([name in signatures.inverses for name in names], pa.bool_())
    start, end = heads["entity"].take(rows["head"]), heads["entity"].take(mention)
    return pa.table(
        {
            "query": query,
            "head": rows["head"],
            "mention": mention,
            "document": documents.take(rows["sequence"]),
            "asked": rows["relation"],
            "subject": pc.if_else(turned, end, start),
            "relation": pa.array([signatures.inverses.get(name, name) for name in names], pa.string()),
            "object": pc.if_else(turned, start, end),
        }
    )


def weigh_statements(host: Path, weights: Floats, graph: Graph, pairs: Pairs, *, fold: int) -> pa.Table:
    """Statements about the fold that one sentence names both ends of, with the share of either end.

    `weights` are of the host's queries. Pairs that a leaf shows or that were planted are left out, and statements of
    kinds that the seed's hierarchy has no room for. Those that their sentence words otherwise count as never said.
    """
    asked, signatures = read_queries(host)
    heads = read_heads(host)
    rows = flatten_asked(asked, heads, signatures, read_sequences(host)["document"])
    lengths = pc.subtract(heads["last"], heads["first"]).take(rows["mention"]).to_numpy()
    counts = pc.list_value_length(asked["mentions"]).to_numpy()
    own = mention_shares(weights, counts, lengths)
    rows = rows.append_column("own", pa.array(own))
    rows = rows.append_column("back", pa.array(inverse_shares(asked, heads, own, signatures.both_ways)))
    rows = rows.append_column("answered", pa.array(_are_answered(own, rows["query"].to_numpy())))
    ends = rows["subject"].to_pylist(), rows["object"].to_pylist()
    kept = pairs.held_out(*ends, fold) & ~pairs.shown(*ends) & ~pairs.planted(*ends)
    rows = rows.filter(pa.array(kept))
    evidence = Evidence(host)
    places = _find_places(rows, heads, evidence)
    rows = rows.filter(pa.array([place is not None for place in places], pa.bool_()))
    sentences = [
        evidence.texts[document][slice(*place.sentence)]
        for document, place in zip(rows["document"].to_pylist(), filter(None, places), strict=True)
    ]
    rows = rows.append_column("worded so", pa.array(agree_with_cues(rows["relation"].to_pylist(), sentences)))
    rows = rows.filter(pa.array(Hierarchy(graph).has_room_for(*_triples(rows))))
    known = np.array(known_triples(graph, *_triples(rows)), bool)
    of_kinds = np.isin(rows["relation"].to_pylist(), list(TAXONOMIC))
    rows = rows.append_column("true", pa.array(known))
    return rows.append_column("counts", pa.array(~of_kinds & (known | ~are_entailed(graph, *_triples(rows)))))


def measure(
    rows: pa.Table,
    confidence: Floats,
    weights: Weights,
    drawn: Collection[str],
    *,
    symmetric: frozenset[str],
    none: bool = True,
    seed: int = 0,
) -> Curve:
    """How right statements of at least each confidence are; with `none`, only of queries that [NONE] does not win."""
    true = _mask(rows, "true")
    said = _are_said(rows, confidence, drawn, symmetric=symmetric, none=none)
    names, document = np.unique(np.array(rows["document"].to_pylist(), str)[said], return_inverse=True)
    score, right = confidence[said], true[said]
    weight = np.where(right, weights.true, weights.wrong)
    there = int(_are_there(rows, symmetric=symmetric).sum())
    drawn_often = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES)
    above = score[:, None] >= GRID[None]  # (statements, grid)
    true_weight, all_weight = (weight * right)[:, None] * above, weight[:, None] * above
    resampled = [_share(often[document] @ true_weight, often[document] @ all_weight) for often in drawn_often]
    low, high = np.percentile(resampled, (2.5, 97.5), axis=0)
    return Curve(
        _average_precision(score, right, weight, there * weights.true),
        _share(true_weight.sum(axis=0), all_weight.sum(axis=0)),
        low,
        high,
        (above & right[:, None]).sum(axis=0) / max(1, there),
        (above & right[:, None]).sum(axis=0),
        (above & ~right[:, None]).sum(axis=0),
    )


def tally_relations(
    rows: pa.Table,
    confidence: Floats,
    weights: Weights,
    drawn: Collection[str],
    *,
    symmetric: frozenset[str],
    at: Sequence[float],
) -> list[Tally]:
    """How right what the product says is, relation by relation, the commonest true one first."""
    relations, true = np.array(rows["relation"].to_pylist(), str), _mask(rows, "true")
    said = _are_said(rows, confidence, drawn, symmetric=symmetric)
    there = _are_there(rows, symmetric=symmetric)
    tallies = []
    for relation in np.unique(relations[said | there]).tolist():
        own = relations == relation
        for least in at:
            right, wrong = (int((own & said & (confidence >= least) & each).sum()) for each in (true, ~true))
            kept = np.array([right * weights.true + wrong * weights.wrong])
            precision = float(_share(np.array([right * weights.true]), kept)[0])
            tallies.append(Tally(relation, least, int((own & there).sum()), right, wrong, precision))
    return sorted(tallies, key=lambda each: -each.there)


def _share(some: Floats, all_: Floats) -> Floats:
    """Of nothing at all, everything."""
    return np.divide(some, all_, out=np.ones_like(all_), where=all_ > 0)


def _triples(rows: pa.Table) -> list[list[str]]:
    return [rows[name].to_pylist() for name in ("subject", "relation", "object")]


def _mask(rows: pa.Table, name: str) -> Mask:
    return np.asarray(rows[name].to_numpy(zero_copy_only=False), bool)


def _are_there(rows: pa.Table, *, symmetric: frozenset[str]) -> Mask:
    """The true statements that count, each once in its document, said or not."""
    each_once = are_best_of_duplicates(
        rows["document"].to_pylist(), *_triples(rows), np.zeros(rows.num_rows), symmetric=symmetric
    )
    return each_once & _mask(rows, "true") & _mask(rows, "counts")


def _are_said(
    rows: pa.Table, confidence: Floats, drawn: Collection[str], *, symmetric: frozenset[str], none: bool = True
) -> Mask:
    """The rows that count and that the product would keep: of opposed statements and of duplicates the surest."""
    columns = [rows["document"].to_pylist(), *_triples(rows)]
    worded = _mask(rows, "worded so")
    said = np.flatnonzero(worded & _mask(rows, "answered") if none else worded)
    for keep in (are_uncontradicted, are_best_of_duplicates):
        some = [[column[at] for at in said.tolist()] for column in columns]
        said = said[keep(*some, confidence[said], symmetric=symmetric)]
    kept = np.zeros(rows.num_rows, bool)
    kept[said] = True
    here = _mask(rows, "true") | np.isin(columns[0], list(drawn))  # wrong ones of other documents stand for none
    return kept & here & _mask(rows, "counts")


def _average_precision(score: Floats, right: Mask, weight: Floats, there: float) -> float:
    """The mean over all true statements of the precision down to each; what is never said counts as never reached."""
    order = np.argsort(-score, kind="stable")
    right, weight = right[order], weight[order]
    precision = np.cumsum(weight * right) / np.cumsum(weight)
    return float((precision * weight * right).sum() / there) if there else 0.0


def _are_answered(own: Floats, query: NDArray[np.int32]) -> Mask:
    """For each mention, whether some mention of its query outweighs [NONE], which has the rest of the shares."""
    total, best = np.zeros(query.max(initial=-1) + 1), np.zeros(query.max(initial=-1) + 1)
    np.add.at(total, query, own)
    np.maximum.at(best, query, own)
    return np.asarray((best > 1 - total)[query])


def _find_places(rows: pa.Table, heads: pa.Table, evidence: Evidence) -> list[Place | None]:
    """For each statement where one sentence names both of its ends; None where none does."""
    texts = heads["text"].take(rows["mention"]).to_pylist()
    places = [
        evidence.find(head, " ".join(text.lower().split()))
        for head, text in zip(rows["head"].to_pylist(), texts, strict=True)
    ]
    return [place if place is not None and place.tail is not None else None for place in places]
