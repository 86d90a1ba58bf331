"""Tails among the mentions of a sequence: what a seed teaches about choosing them, and planted facts asked that way.

Where both ends of a triple that the seed offers stand in one sequence, the head is asked for its relation, and the
tails to be weighed are the mentions of the sequence whose type fits. `lessons` holds what is known, each head's queries
in one fold; `planted` the facts that were taken out, with nothing said about them: in `lessons` a planted tail is a
mention like any other. A run and its seed go in, two folders of arrays come out.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.planted import Fact, read_facts
from clew.evaluate.extraction.question_arrays import NONE_TAIL, UNKNOWN, Asked, Rows, Tokens, write_questions
from clew.extract.chains import SLOTS
from clew.extract.heads import read_heads
from clew.extract.offered import offer_triples
from clew.extract.planted import read_planted, read_removed
from clew.extract.sequences import read_sequences
from clew.extract.signatures import Signatures
from clew.files import new_directory, write_text
from clew.graph import Graph

__all__ = ["COUNTS", "make_comention_arrays", "rank_mentions"]

COUNTS = "counts.json"
FOLDS = 5


@dataclass(frozen=True, slots=True)
class _Mention:
    """A linked mention of a sequence."""

    head: int
    first: int
    last: int
    entity: int
    type: str


def make_comention_arrays(run: Path, graph: Graph, out: Path, *, relations: Sequence[str]) -> dict[str, dict[str, int]]:
    """Write `lessons` and `planted` under `out`, for a model with these relations; returns what was counted."""
    run, numbers = Path(run), {name: at for at, name in enumerate(relations)}
    known = _tails(graph, read_removed(run), numbers)
    signatures = _signatures(graph, relations)
    mentions = _mentions(read_heads(run), graph)
    tokens = read_sequences(run)["tokens"].combine_chunks()
    facts = read_facts(read_planted(run))
    asked: dict[tuple[int, int], list[str]] = {(fact.sequence, fact.head): [] for fact in facts}
    for fact in facts:
        if fact.relation in numbers and fact.relation not in asked[fact.sequence, fact.head]:
            asked[fact.sequence, fact.head].append(fact.relation)
    lessons, planted = (_Writer(tokens, numbers, signatures, graph.entities["id"]) for _ in range(2))
    for sequence, there in mentions:
        present, met = {each.entity for each in there}, set()
        for head in there:
            for relation in asked.get((sequence, head.head), ()):
                planted.ask(sequence, head, relation, there, None)
            if head.entity not in met:  # of an entity that recurs only the first mention is asked
                met.add(head.entity)
                for relation, tails in known.get(head.entity, {}).items():
                    if tails & (present - {head.entity}):
                        lessons.ask(sequence, head, relation, there, tails)
    with new_directory(out, overwrite=True, marker=COUNTS) as folder:
        counts = {"lessons": lessons.write(folder / "lessons"), "planted": planted.write(folder / "planted")}
        write_text(folder / COUNTS, json.dumps(counts, indent=1) + "\n")
    return counts


def _tails(graph: Graph, removed: NDArray[np.int64], relations: Mapping[str, int]) -> dict[int, dict[str, set[int]]]:
    """What the seed offers of the model's relations, but for what was taken out: subject, relation, objects."""
    offered = offer_triples(graph, without=removed, fewest=1)
    tails: dict[int, dict[str, set[int]]] = {}
    columns = (offered.subject.tolist(), offered.relation.tolist(), offered.object.tolist())
    for subject, relation, object_ in zip(*columns, strict=True):
        if (name := offered.relations[relation]) in relations:
            tails.setdefault(subject, {}).setdefault(name, set()).add(object_)
    return tails


def _signatures(graph: Graph, relations: Sequence[str]) -> Signatures:
    there = {name for each in graph.schema.relations for name in (each.name, each.inverse)}
    return Signatures.of_schema(graph.schema, relations=[name for name in relations if name in there])


def _mentions(heads: pa.Table, graph: Graph) -> list[tuple[int, list[_Mention]]]:
    """Linked mentions by sequence, in the order of the text."""
    entity = pc.index_in(heads["entity"], value_set=graph.entities["id"]).fill_null(UNKNOWN).to_numpy()
    sequence = heads["sequence"].to_numpy()
    head, first, last, kind = (heads[name].to_pylist() for name in ("head", "first", "last", "type"))
    borders = np.flatnonzero(np.diff(sequence, prepend=UNKNOWN, append=UNKNOWN))
    found = []
    for start, end in pairwise(borders.tolist()):
        linked = [at for at in range(start, end) if entity[at] >= 0]
        there = [_Mention(head[at], first[at], last[at], int(entity[at]), kind[at]) for at in linked]
        if there:
            found.append((int(sequence[start]), sorted(there, key=lambda each: each.first)))
    return found


class _Writer:
    """Queries as they come, and the sequences that they need."""

    def __init__(
        self, tokens: pa.ListArray, relations: Mapping[str, int], signatures: Signatures, ids: pa.Array
    ) -> None:
        self._tokens, self._relations, self._signatures, self._ids = tokens, relations, signatures, ids
        self._sequences: dict[int, int] = {}
        self._queries: list[Asked] = []
        self._named: list[tuple[int, str]] = []
        self._rows = Rows()

    def ask(
        self, sequence: int, head: _Mention, relation: str, there: Sequence[_Mention], tails: set[int] | None
    ) -> None:
        """Ask a head for the tail of a relation, among the mentions that fit; `tails` are right, if that is known."""
        place = self._sequences.setdefault(sequence, len(self._sequences))
        fold = UNKNOWN if tails is None else head.entity % FOLDS
        at = len(self._queries)
        self._queries.append(Asked(place, head.first, head.last, self._relations[relation], place, fold))
        self._named.append((head.head, relation))
        self._rows.add(at, NONE_TAIL, UNKNOWN if tails is None else 0, True)
        types = set(self._signatures.object_types(relation))
        named: dict[Tokens, set[int]] = {}
        for each in there:
            if each.entity != head.entity and each.type in types and each.last - each.first <= SLOTS:
                spelt = tuple(self._tokens[sequence].as_py()[each.first : each.last])
                named.setdefault(spelt, set()).add(each.entity)
        for spelt, entities in named.items():
            gold = UNKNOWN if tails is None else int(bool(entities & tails))
            pairs = [(at, self._ids[entity].as_py()) for entity in sorted(entities)]
            self._rows.add(at, spelt, gold, True, pairs)

    def write(self, folder: Path) -> dict[str, int]:
        if not self._queries:
            raise InputError("no sequence holds both ends of a triple: nothing can be asked about its mentions")
        sequences = [tuple(self._tokens[number].as_py()) for number in self._sequences]
        write_questions(folder, sequences, self._queries, self._rows, list(self._rows.pairs))
        write_text(folder / "asked.json", json.dumps(self._named) + "\n")
        return {
            "sequences": len(sequences),
            "queries": len(self._queries),
            "rows": len(self._rows.query),
            "tails": len(self._rows.tails),
        }


def rank_mentions(folder: Path, scores: NDArray[np.float32], facts: Sequence[Fact]) -> dict[Fact, list[str | None]]:
    """Ranked entities of each fact from the scores of its mentions, by log-probability a token."""
    length = np.load(folder / "tail_length.npy")[np.load(folder / "row_tail.npy")]
    row, pair = np.load(folder / "member_row.npy"), np.load(folder / "member_pair.npy")
    pairs = json.loads((folder / "pairs.json").read_text("utf-8"))
    if scores.shape != length.shape:
        raise InputError(f"scores are {scores.shape}, expected {length.shape}: one for each row asked")
    by_token = scores / np.minimum(length + 1.0, SLOTS)
    best = np.full(len(pairs), -np.inf)
    np.maximum.at(best, pair, by_token[row])
    ranked: dict[int, list[tuple[float, str]]] = {}
    for (query, entity), score in zip(pairs, best.tolist(), strict=True):
        ranked.setdefault(query, []).append((-score, entity))
    asked = {tuple(each): at for at, each in enumerate(json.loads((folder / "asked.json").read_text("utf-8")))}
    return {fact: list(_order(ranked.get(asked.get((fact.head, fact.relation), UNKNOWN), ()))) for fact in facts}


def _order(scored: Sequence[tuple[float, str]]) -> Iterator[str | None]:
    return (entity for _, entity in sorted(scored))
