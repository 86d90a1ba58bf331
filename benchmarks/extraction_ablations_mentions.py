"""Every question that the linked mentions of a corpus allow, in a few bytes each, and what a model's answers add.

A question is a mention, a relation that begins at its type, and the other mentions of its sequence that the relation
may lead to. Kept as numbers of mentions, so that sequences need not travel twice; NumPy alone reads it.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.extract.chains.graphs import ROOTS, SLOTS, Chains
from clew.extract.predict.query_arrays import Candidates, Queries

__all__ = ["Mentions", "Questions", "about_bc5cdr", "add_leaves", "find_new", "list_questions", "shares"]

Ints = NDArray[np.integer]
Bools = NDArray[np.bool_]
Floats = NDArray[np.floating]
INDUCES = "induces"


@dataclass(frozen=True, slots=True)
class Mentions:
    """Linked mentions, in the order of the text: where they stand, and what they name."""

    sequence: Ints  # (m,) ascending
    first: Ints  # (m,)
    last: Ints  # (m,) exclusive
    entity: Ints  # (m,)

    def tails(self, chains: Chains) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
        """Each mention as the tokens of a tail, padded with 0, and their number: those of more than seven are cut."""
        length = np.minimum(self.last - self.first, SLOTS).astype(np.int64)
        begin = chains.offsets[self.sequence] + self.first
        place = np.arange(SLOTS)
        inside = np.minimum(begin[:, None] + place, len(chains.roots) - 1)
        return np.where(place < length[:, None], chains.roots[inside], 0).astype(np.uint16), length.astype(np.int8)


@dataclass(frozen=True, slots=True)
class Questions:
    """Which mention is asked for which relation, and which mentions are weighed as its tail."""

    mentions: Mentions
    head: Ints  # (q,) a mention, ascending
    relation: Ints  # (q,)
    count: Ints  # (q,) how many rows it has
    tail: Ints  # (rows,) a mention of the same sequence
    free: Bools  # (rows,) neither known to the seed nor held out of it: what may be added to it

    @property
    def query(self) -> Ints:
        """The question of every row: (rows,)."""
        return np.repeat(np.arange(len(self.head)), self.count)

    def take(self, chosen: Bools) -> "Questions":
        """Some of the questions."""
        rows = np.repeat(chosen, self.count)
        return Questions(
            self.mentions,
            self.head[chosen],
            self.relation[chosen],
            self.count[chosen],
            self.tail[rows],
            self.free[rows],
        )

    def save(self, path: Path) -> None:
        """Write everything as one compressed file."""
        near = self.tail - np.repeat(self.head, self.count)
        arrays: dict[str, NDArray[Any]] = {
            "sequence": np.diff(self.mentions.sequence, prepend=0).astype(np.uint16),
            "first": self.mentions.first.astype(np.uint8),
            "length": (self.mentions.last - self.mentions.first).astype(np.uint8),
            "entity": self.mentions.entity.astype(np.int32),
            "head": np.diff(self.head, prepend=0).astype(np.uint16),
            "relation": self.relation.astype(np.uint8),
            "count": self.count.astype(np.uint8),
            "near": near.astype(np.int16),
            "free": np.packbits(self.free),
        }
        np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> "Questions":
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as read:
            arrays = {name: read[name] for name in read.files}
        first = arrays["first"].astype(np.int64)
        sequence = np.cumsum(arrays["sequence"], dtype=np.int64)
        mentions = Mentions(sequence, first, first + arrays["length"], arrays["entity"].astype(np.int64))
        head, count = np.cumsum(arrays["head"], dtype=np.int64), arrays["count"].astype(np.int64)
        tail = np.repeat(head, count) + arrays["near"]
        free = np.unpackbits(arrays["free"], count=len(tail)).astype(bool)
        return cls(mentions, head, arrays["relation"].astype(np.int64), count, tail, free)

    def ask(self, chains: Chains) -> Queries:
        """The same as queries to a model, about the chains' own sequences."""
        mentions = self.mentions
        return Queries(
            roots=chains.roots,
            offsets=chains.offsets,
            sequence=mentions.sequence[self.head],
            first=mentions.first[self.head],
            last=mentions.last[self.head],
            relation=self.relation,
            relations=chains.relations,
            candidates=Candidates(self.count, mentions.first[self.tail], mentions.last[self.tail]),
        )


def list_questions(mentions: Mentions, spelling: Ints, kind: Ints, fits: Bools) -> Questions:
    """All questions about some mentions; nothing is known yet about which rows are `free`.

    `spelling` numbers what a mention says, `kind` its type; `fits` (types, relations, types) says what a relation
    joins. An entity is asked where it is first named, and stands once for all that spell it the same.
    """
    starts = _firsts(mentions.sequence, mentions.entity)
    ends = _firsts(mentions.sequence, spelling) & (mentions.last - mentions.first <= SLOTS)
    head, tail = _pairs_in_sequence(mentions.sequence, np.flatnonzero(starts), np.flatnonzero(ends))
    apart = mentions.entity[head] != mentions.entity[tail]
    head, tail = head[apart], tail[apart]
    found = [np.flatnonzero(fits[kind[head], relation, kind[tail]]) for relation in range(fits.shape[1])]
    pair = np.concatenate(found)
    relation = np.repeat(np.arange(fits.shape[1]), [len(each) for each in found])
    order = np.lexsort((tail[pair], relation, head[pair]))
    pair, relation = pair[order], relation[order]
    key = head[pair].astype(np.int64) * fits.shape[1] + relation
    asked, begin, count = np.unique(key, return_index=True, return_counts=True)
    free = np.ones(len(pair), bool)
    return Questions(mentions, asked // fits.shape[1], relation[begin], count, tail[pair], free)


def about_bc5cdr(questions: Questions, sequences: Ints, relations: tuple[str, ...]) -> Questions:
    """The questions about what chemicals induce, in these sequences."""
    there = np.isin(questions.mentions.sequence[questions.head], sequences)
    return questions.take(there & (questions.relation == relations.index(INDUCES)))


def _firsts(sequence: Ints, named: Ints) -> Bools:
    """Where something is first named in its sequence."""
    key = sequence.astype(np.int64) * (int(named.max(initial=0)) + 1) + named
    first = np.zeros(len(key), bool)
    first[np.unique(key, return_index=True)[1]] = True
    return first


def _pairs_in_sequence(sequence: Ints, ones: Ints, others: Ints) -> tuple[Ints, Ints]:
    """Every one with every other of the same sequence."""
    begin = np.searchsorted(sequence[others], sequence[ones], side="left")
    end = np.searchsorted(sequence[others], sequence[ones], side="right")
    count = end - begin
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(ones, count), others[np.repeat(begin, count) + within]


def shares(weights: Floats, queries: Queries) -> Floats:
    """The share of every candidate against the others of its query and [NONE], as teaching has it: (candidates,).

    `weights` are as `Answers` has them: log p of [NONE], then of each mention, query by query.
    """
    assert queries.candidates is not None
    count = queries.candidates.count.astype(np.int64)
    begin = queries.candidates.offsets[:-1] + np.arange(len(count))  # of [NONE]
    mention = np.ones(len(weights), bool)
    mention[begin] = False
    length = np.ones(len(weights))
    length[mention] = queries.candidates.last.astype(np.int64) - queries.candidates.first
    weight = weights.astype(np.float64) / np.minimum(length + 1.0, SLOTS)
    query = np.repeat(np.arange(len(count)), count + 1)
    likely = np.exp(weight - np.maximum.reduceat(weight, begin)[query])
    return (likely / np.add.reduceat(likely, begin)[query])[mention]


def find_new(
    questions: Questions, share: Floats, *, least: float, relations: int, repeats: int = 20
) -> tuple[Ints, int]:
    """Rows of the triples that are free and that some row states with at least that share; and how many triples.

    A triple has the `repeats` rows in which it is likeliest.
    """
    entity = questions.mentions.entity
    head = entity[np.repeat(questions.head, questions.count)]
    relation = np.repeat(questions.relation, questions.count)
    triple = (head * relations + relation) * (int(entity.max(initial=0)) + 1) + entity[questions.tail]
    confident = np.unique(triple[questions.free & (share >= least)])
    rows = np.flatnonzero(np.isin(triple, confident))
    order = rows[np.lexsort((-share[rows], triple[rows]))]
    within = np.arange(len(order)) - np.searchsorted(triple[order], triple[order])
    return np.sort(order[within < repeats]), len(confident)


def add_leaves(chains: Chains, questions: Questions, rows: Ints, share: Floats, *, most: int) -> Chains:
    """Chains with further leaves from rows of questions, the likeliest first, up to `most` alternatives a head."""
    head = np.repeat(questions.head, questions.count)[rows]
    relation = np.repeat(questions.relation, questions.count)[rows]
    tails, length = questions.mentions.tails(chains)
    new = {
        "leaf_sequence": questions.mentions.sequence[head],
        "leaf_root": questions.mentions.first[head],
        "head_first": questions.mentions.first[head],
        "head_last": questions.mentions.last[head],
        "leaf_relation": relation,
        "tail": tails[questions.tail[rows]],
        "tail_length": length[questions.tail[rows]],
    }
    joined = {name: np.concatenate((getattr(chains, name), values)) for name, values in new.items()}
    rank = np.concatenate((np.full(len(chains.leaf_sequence), 2.0), share[rows]))  # what the seed says comes first
    place = joined["leaf_sequence"].astype(np.int64) * ROOTS + joined["leaf_root"]
    order = np.lexsort((-rank, place))
    within = np.arange(len(order)) - np.searchsorted(place[order], place[order])
    kept = order[within < most]
    untouched = {field.name: getattr(chains, field.name) for field in fields(chains) if field.name not in joined}
    return Chains(**untouched, **{name: values[kept] for name, values in joined.items()})
