"""Held-out facts: does extraction find what was removed from the seed before training?

Facts and, for each, tails in ranked order go in; precision at 1, recall at 20 and mean reciprocal rank come out, for
heads that other injected triples have and for heads that none has. A generated tail counts as the entity it is linked
to; other true tails of the same head and relation are passed over. What links to nothing keeps its place and is wrong.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from clew.errors import InputError
from clew.evaluate.statistics import Interval, bootstrap_means
from clew.extract.seed.candidate_triples import CandidateTriples
from clew.extract.seed.signatures import Signatures
from clew.graph import GraphContents, read_entities
from clew.link import Linker

__all__ = [
    "DEPTH",
    "Asked",
    "Fact",
    "HeldOutScore",
    "Tail",
    "link_tails",
    "linker_of",
    "rank_of",
    "read_facts",
    "score_facts",
    "true_tails",
]

DEPTH = 20
LAST_STAGE = "normalised"  # a tail is a name or it is not: as extraction itself links tails, without guessing
HALVES = ("all", "head seen", "head unseen")
Link = Callable[[str, str], str | None]  # tail in words, relation -> entity
Asked = tuple[int, str]  # head and relation
Tail = tuple[str, str | None]  # in words, and the entity that it names if it is a mention


@dataclass(frozen=True, slots=True)
class Fact:
    """A held-out fact in one sequence: `head` is the mention that it is asked of."""

    head: int
    sequence: int
    subject: str
    relation: str
    object: str
    unseen: bool


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """Figures of one half; means are over entity pairs, each the mean over its sequences."""

    name: str
    half: str
    facts: int
    asked: int  # facts for which there was any tail
    first: Interval  # precision at 1
    recall: Interval  # at 20
    reciprocal: Interval

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_facts(table: pa.Table) -> list[Fact]:
    """Facts from the table of a run's held-out stage."""
    names = ("head", "sequence", "subject", "relation", "object", "unseen")
    if missing := [name for name in names if name not in table.column_names]:
        raise InputError(f"a table of held-out facts has a column {missing[0]}, this one has {table.column_names}")
    return [Fact(*row) for row in zip(*(table[name].to_pylist() for name in names), strict=True)]


def rank_of(object_: str, ranked: Sequence[str | None], others: Collection[str]) -> int | None:
    """The place of the right tail among ranked ones, without repeats and other true tails; None if it is not there.

    >>> rank_of("pain", ["nausea", None, "nausea", "rash", "pain"], {"rash"})
    3
    """
    place, met = 1, set()
    for each in ranked:
        if each == object_:
            return place
        if each is None:
            place += 1
        elif each not in met and each not in others:
            met.add(each)
            place += 1
    return None


def score_facts(
    name: str,
    facts: Sequence[Fact],
    ranked: Mapping[Fact, Sequence[str | None]],
    true: Mapping[tuple[str, str], Collection[str]],
    *,
    depth: int = DEPTH,
) -> list[HeldOutScore]:
    """Figures for all facts and both halves; a fact without ranked tails is missed."""
    if not facts:
        raise InputError("no facts were held out")
    measured: dict[str, dict[frozenset[str], list[tuple[float, ...]]]] = {half: {} for half in HALVES}
    asked = dict.fromkeys(HALVES, 0)
    for fact in facts:
        tails = ranked.get(fact, ())
        rank = rank_of(fact.object, tails, true.get((fact.subject, fact.relation), ()))
        rank = None if rank is None or rank > depth else rank
        row = (float(rank == 1), float(rank is not None), 0.0 if rank is None else 1 / rank)
        for half in ("all", "head unseen" if fact.unseen else "head seen"):
            measured[half].setdefault(frozenset((fact.subject, fact.object)), []).append(row)
            asked[half] += bool(tails)
    scores = []
    for half, pairs in measured.items():
        if pairs:
            first, recall, reciprocal = bootstrap_means([np.mean(rows, axis=0) for rows in pairs.values()])
            number = sum(map(len, pairs.values()))
            scores.append(HeldOutScore(name, half, number, asked[half], first, recall, reciprocal))
    return scores


def true_tails(
    graph: GraphContents, candidates: CandidateTriples, facts: Sequence[Fact]
) -> dict[tuple[str, str], frozenset[str]]:
    """For each head and relation that is asked about, every tail that the whole seed has."""
    ids = read_entities(graph, ("id",))["id"]
    known: dict[tuple[str, str], frozenset[str]] = {}
    for fact in facts:
        asked = (fact.subject, fact.relation)
        if asked not in known:
            subject = int(graph.resolve(fact.subject)[0])
            rows = np.arange(candidates.offsets[subject], candidates.offsets[subject + 1])
            fitting = rows[candidates.relation[rows] == candidates.relations.index(fact.relation)]
            known[asked] = frozenset(ids[int(each)].as_py() for each in candidates.object[fitting])
    return known


def link_tails(
    facts: Sequence[Fact], tails: Mapping[Asked, Sequence[Tail]], link: Link, *, depth: int = DEPTH
) -> dict[Fact, list[str | None]]:
    """Ranked entities of each fact, from its ranked tails: a mention is what it names, other tails are linked.

    Three times `depth` tails are linked at most, since some name the same entity or another true tail.
    """
    linked = lru_cache(maxsize=None)(link)
    return {
        fact: [
            linked(text, fact.relation) if entity is None else entity
            for text, entity in tails.get((fact.head, fact.relation), ())[: 3 * depth]
        ]
        for fact in facts
    }


def linker_of(linker: Linker, signatures: Signatures) -> Link:
    """Links a tail to an entity of a type that its relation leads to."""

    def link(text: str, relation: str) -> str | None:
        best = linker.link(text, type=signatures.object_types(relation) or None, last_stage=LAST_STAGE, limit=1).best
        return None if best is None else best.id

    return link
