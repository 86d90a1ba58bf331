"""Training examples for candidate ranking, from the seed and the texts alone: which mention is the tail, or none.

A head is asked for a relation that its type can be the subject of; the candidates are the mentions of the sequence
whose type fits. Those that the seed states are gold; if it states none, [NONE] is, and the settings say how many of
those queries are drawn. Pairs that a leaf shows are left out: the model has memorised them, and would learn to consult
its memory instead of the text. Held-out facts are unknown: never gold, and a query with one is not drawn as negative.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.chains.injection import read_injected
from clew.extract.mentions.candidates import Mention, Tokens, find_candidates, mentions_by_sequence
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.queries import known_signatures
from clew.extract.ranking.arrays import NONE_TAIL, CandidateRows, ExampleQuery, write_examples
from clew.extract.seed.candidate_triples import collect_candidate_triples
from clew.extract.seed.held_out import read_removed_triples
from clew.extract.seed.signatures import Signatures
from clew.extract.sequences.packing import read_sequences
from clew.extract.stage import Stage, write_counts
from clew.graph import GraphContents, read_entities
from clew.progress import Progress, silent

__all__ = ["STAGE", "ExampleSettings", "make_examples", "prepare_examples"]

STAGE = Stage(
    "examples",
    "prepare",
    "training examples for candidate ranking",
    reads=("heads", "injected"),
    optional=("held_out",),
    headline=("queries",),
)
FOLDS = 5  # of entities: a query is held out with its head, and not learnt from if any of its mentions is held out
Tails = dict[str, dict[str, set[str]]]  # subject, relation, objects
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class ExampleSettings:
    """How many queries without a tail are drawn for each with one, of the same relation."""

    negatives: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.negatives < 0:
            raise InputError(f"queries without a tail are drawn 0 or more times as often, not {self.negatives}")


@dataclass(frozen=True, slots=True)
class _Example:
    """A query about a mention of a sequence, the candidate mentions, and the correct entities, if any."""

    sequence: int
    head: Mention
    relation: str
    candidates: Mapping[Tokens, Sequence[Mention]]
    right: frozenset[str]

    @property
    def entities(self) -> set[str]:
        """What the mentions name."""
        return {each.entity for mentions in self.candidates.values() for each in mentions}


def prepare_examples(
    run: Path,
    graph: GraphContents,
    *,
    relations: Sequence[str],
    settings: ExampleSettings | None = None,
    progress: Progress = silent,
) -> dict[str, int]:
    """Write run/examples for a model with these relations; returns the counts."""
    run, settings = Path(run), settings or ExampleSettings()
    work = STAGE.start(run, {"settings": settings, "graph": graph.snapshot.id, "relations": list(relations)})
    if work.finished is not None:
        return work.finished
    with work.seal() as folder:
        counts = make_examples(run, graph, folder, relations=relations, settings=settings, progress=progress)
        write_counts(folder, counts)
    return counts


def make_examples(
    run: Path,
    graph: GraphContents,
    folder: Path,
    *,
    relations: Sequence[str],
    settings: ExampleSettings | None = None,
    without: Iterable[int] = (),
    progress: Progress = silent,
) -> dict[str, int]:
    """Write the examples of a run into a folder; `without` are triples, by number, that the seed is treated as lacking.

    Besides the examples, sequence_number.npy says which sequences of the run they are about.
    """
    heads, tokens = read_heads(run), read_sequences(run)["tokens"].combine_chunks()
    removed = read_removed_triples(run)
    known, hidden = _tails(graph, heads, removed, np.fromiter(without, np.int64), relations)
    examples = _ExampleFinder(known, hidden, _seen_pairs(run), known_signatures(graph, relations))
    progress("finding training examples", 0, heads.num_rows)
    for sequence, there in mentions_by_sequence(heads):
        examples.look(sequence, there, tokens[sequence].as_py())
        progress("finding training examples", there[-1].head + 1, heads.num_rows)
    chosen = examples.choose(settings or ExampleSettings())
    return {
        "queries with a tail": sum(bool(each.right) for each in chosen),
        "queries without a tail": sum(not each.right for each in chosen),
        **examples.counts,
        **_write(folder, chosen, tokens, {name: at for at, name in enumerate(relations)}, graph),
    }


class _ExampleFinder:
    """Queries with a tail that the seed knows, and those without, as the sequences are looked through."""

    def __init__(self, known: Tails, hidden: Tails, seen: set[Pair], signatures: Signatures) -> None:
        self._known, self._hidden, self._seen, self._signatures = known, hidden, seen, signatures
        self._with: list[_Example] = []
        self._without: dict[str, list[_Example]] = {}
        self.counts: Counter[str] = Counter()

    def look(self, sequence: int, there: Sequence[Mention], tokens: Sequence[int]) -> None:
        """The queries of one sequence; of an entity that recurs only the first mention is asked."""
        heads = {each.entity: each for each in reversed(there)}
        for head in sorted(heads.values(), key=lambda each: each.head):
            for relation in self._signatures.relations_of(head.type):
                types = self._signatures.object_types(relation, subject=head.type)
                if candidates := find_candidates(head.entity, types, there, tokens):
                    self._take(_Example(sequence, head, relation, candidates, frozenset()))

    def _take(self, example: _Example) -> None:
        there = example.entities
        subject, relation = example.head.entity, example.relation
        if right := there & self._known.get(subject, {}).get(relation, set()):
            if any(frozenset((subject, tail)) in self._seen for tail in right):
                self.counts["left out: a leaf shows the pair"] += 1
                return
            self._with.append(_Example(example.sequence, example.head, relation, example.candidates, frozenset(right)))
        elif there & self._hidden.get(subject, {}).get(relation, set()):
            self.counts["left out: a held-out tail is there"] += 1
        else:
            self._without.setdefault(relation, []).append(example)

    def choose(self, settings: ExampleSettings) -> list[_Example]:
        """All queries with a tail and some without, in the order of the text."""
        chosen = list(self._with)
        for relation, number in sorted(Counter(each.relation for each in self._with).items()):
            pool = self._without.get(relation, [])
            luck = np.random.default_rng((settings.seed, crc32(relation.encode())))
            drawn = luck.permutation(len(pool))[: round(settings.negatives * number)]
            chosen += [pool[at] for at in drawn.tolist()]
        return sorted(chosen, key=lambda each: (each.sequence, each.head.first, each.relation))


def _seen_pairs(run: Path) -> set[Pair]:
    """Pairs of entities that a leaf of the chains shows, whatever the relation."""
    injected = read_injected(run)
    return set(map(frozenset, zip(injected["subject"].to_pylist(), injected["object"].to_pylist(), strict=True)))


def _tails(
    graph: GraphContents,
    heads: pa.Table,
    removed: NDArray[np.int64],
    without: NDArray[np.int64],
    relations: Sequence[str],
) -> tuple[Tails, Tails]:
    """What the seed offers between entities that are mentioned, and apart what was taken out of it."""
    mentioned = np.zeros(graph.counts["entities"], bool)
    numbers = graph.lookup(heads["entity"].drop_null().unique())
    mentioned[numbers[numbers >= 0]] = True
    ids = read_entities(graph, ("id",))["id"].to_pylist()
    stated = collect_candidate_triples(graph, without=np.setdiff1d(without, removed), fewest=1)
    taken = np.isin(stated.triple, removed)
    wanted = np.isin(stated.relation, [at for at, name in enumerate(stated.relations) if name in set(relations)])
    rows = np.flatnonzero(wanted & mentioned[stated.subject] & mentioned[stated.object])
    known: Tails = {}
    hidden: Tails = {}
    columns = (each[rows].tolist() for each in (stated.subject, stated.relation, stated.object, taken))
    for subject, relation, object_, is_taken in zip(*columns, strict=True):
        place = (hidden if is_taken else known).setdefault(ids[subject], {})
        place.setdefault(stated.relations[relation], set()).add(ids[object_])
    return known, hidden


def _write(
    folder: Path, examples: Sequence[_Example], tokens: pa.ListArray, relations: Mapping[str, int], graph: GraphContents
) -> dict[str, int]:
    places: dict[int, int] = {}
    queries, rows = [], CandidateRows()
    folds = _folds(examples, graph)
    for at, each in enumerate(examples):
        place = places.setdefault(each.sequence, len(places))
        fold, others = folds[each.head.entity], {folds[other] for other in each.entities}
        touches = sum(1 << other for other in others)
        head = each.head
        queries.append(
            ExampleQuery(place, head.first, head.last, relations[each.relation], place, fold, touches=touches)
        )
        rows.add(at, NONE_TAIL, int(not each.right), True)
        for spelt, mentions in each.candidates.items():
            rows.add(at, spelt, int(any(mention.entity in each.right for mention in mentions)), True)
    sequences = [tuple(tokens[number].as_py()) for number in places]
    write_examples(folder, sequences, queries, rows, [])
    np.save(folder / "sequence_number.npy", np.array(list(places), np.int32))
    return {"sequences": len(sequences), "queries": len(queries), "rows": len(rows.query), "tails": len(rows.tails)}


def _folds(examples: Sequence[_Example], graph: GraphContents) -> dict[str, int]:
    """The fold of every entity that is mentioned."""
    named = sorted({entity for each in examples for entity in (each.head.entity, *each.entities)})
    return dict(zip(named, (graph.lookup(named) % FOLDS).tolist(), strict=True))
