"""Held-out facts: pairs of entities that the seed graph states and training must not see, to be found again.

A share of the seed's pairs is held out, with every relation and direction between the two and whatever entails them by
is_a. Held-out pairs mentioned in one sequence give the facts to be found; half of them are of heads that no injected
triple has, because all their triples are held out too. A graph and a run's heads go in; the numbers of the triples to
exclude and the facts come out.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.mentions.heads import read_heads
from clew.extract.seed.candidate_triples import FEWEST, collect_candidate_triples, short_tails
from clew.extract.seed.hierarchy import IS_A, Closure
from clew.extract.sequences.vocabulary import open_vocabulary
from clew.extract.stage import Stage, make_table
from clew.graph import GraphContents, read_entities

__all__ = [
    "HELD_OUT",
    "STAGE",
    "HoldOutSettings",
    "entailing_triples",
    "hold_out_facts",
    "mark_unseen",
    "pair_numbers",
    "pairs_in_one_sequence",
    "prepare_held_out",
    "read_held_out",
    "read_removed_triples",
]

Ints = NDArray[np.integer]
STAGE = Stage(
    "held_out",
    "prepare --hold-out SHARE",
    "facts held out of training",
    reads=("heads",),
    headline=("facts to be found",),
)
REMOVED = "removed"
FEWEST_HEADS = 20  # that the half of unseen heads is made of
HELD_OUT = pa.schema(
    [
        ("sequence", pa.int32()),
        ("head", pa.int32()),
        ("subject", pa.string()),
        ("relation", pa.string()),
        ("object", pa.string()),
        ("tail", pa.string()),
        ("unseen", pa.bool_()),
    ]
)


@dataclass(frozen=True, slots=True)
class HoldOutSettings:
    """How much is held out: a share of all pairs, and in how many sequences one fact is asked for."""

    share: float = 0.1
    sequences: int = 3
    fewest: int = FEWEST  # triples of a relation to be a candidate at all
    seed: int = 20250701

    def __post_init__(self) -> None:
        if not 0 < self.share < 1 or self.sequences < 1:
            raise InputError("the share of held-out pairs is between 0 and 1, and each fact has at least one sequence")


@dataclass(frozen=True, slots=True)
class _HeldOutPairs:
    """Pairs as numbers (see `pair_numbers`), and the entities all of whose pairs are held out."""

    seen: Ints
    of_unseen: Ints
    others: Ints  # pairs that no sequence mentions both ends of
    unseen: Ints

    @property
    def pairs(self) -> Ints:
        return np.unique(np.concatenate((self.seen, self.of_unseen, self.others)))


def hold_out_facts(
    graph: GraphContents,
    sequence: Ints,
    entity: Ints,
    *,
    settings: HoldOutSettings | None = None,
    short: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], pa.Table, dict[str, int]]:
    """The triples to exclude (by number), the held-out facts, and the counts.

    `sequence` (ascending) and `entity` (by number, -1 for none) are those of every head, in the order of heads; `short`
    says of every entity whether its name fits into a leaf, others are not asked for.
    """
    settings = settings or HoldOutSettings()
    width = graph.counts["entities"]
    stated = graph.triple_columns()
    pair = pair_numbers(stated.subject, stated.object, width)  # (triples,)
    pairs = np.unique(pair)
    together = _PairsInOneSequence(sequence, entity)
    eligible = np.intersect1d(pairs, pair_numbers(together.one, together.other, width))
    held = _hold_out(pairs, eligible, width, settings)
    removed = np.flatnonzero(np.isin(pair, held.pairs))
    entailing = entailing_triples(graph, removed)
    facts = _facts(graph, together, held, settings, short)
    counts = {
        "pairs of the seed": len(pairs),
        "pairs in one sequence": len(eligible),
        "pairs held out": len(held.pairs),
        "pairs to be found, head seen": len(held.seen),
        "pairs to be found, head unseen": int(np.isin(eligible, held.of_unseen).sum()),
        "unseen heads": len(held.unseen),
        "triples between held-out pairs": len(removed),
        "further triples that entail them": len(np.setdiff1d(entailing, removed)),
        "facts to be found": facts.num_rows,
        "facts of unseen heads": int(pc.sum(facts["unseen"]).as_py() or 0),
    }
    return np.union1d(removed, entailing), facts, counts


def _hold_out(pairs: Ints, eligible: Ints, width: int, settings: HoldOutSettings) -> _HeldOutPairs:
    """Half of the pairs to be found by choosing heads, half by choosing pairs; the same share of all other pairs."""
    random = np.random.default_rng(settings.seed)
    half = int(len(eligible) * settings.share / 2)
    unseen = _unseen_heads(eligible, width, half, random)
    touched = np.isin(pairs // width, unseen) | np.isin(pairs % width, unseen)
    free = pairs[~touched]
    candidates = np.intersect1d(free, eligible)
    others = np.setdiff1d(free, eligible)
    return _HeldOutPairs(
        random.choice(candidates, min(half, len(candidates)), replace=False),
        pairs[touched],
        random.choice(others, int(len(others) * settings.share), replace=False),
        unseen,
    )


def _unseen_heads(eligible: Ints, width: int, wanted: int, random: np.random.Generator) -> Ints:
    """Entities in random order, until about as many eligible pairs as wanted touch one of them.

    An entity with very many pairs is not taken: it would be most of the half by itself.
    """
    entities, degree = np.unique(np.concatenate((eligible // width, eligible % width)), return_counts=True)
    order = random.permutation(len(entities))
    order = order[degree[order] <= max(1, wanted // FEWEST_HEADS)]
    reached = np.searchsorted(np.cumsum(degree[order]), wanted, side="right")
    return np.sort(entities[order[:reached]])


class _PairsInOneSequence:
    """Every ordered pair of different entities of one sequence, with the head that first names the one."""

    def __init__(self, sequence: Ints, entity: Ints) -> None:
        known = np.flatnonzero(entity >= 0)
        borders = np.flatnonzero(np.diff(sequence[known], prepend=-1, append=-1))
        ones, others, heads = [], [], []
        for start, end in pairwise(borders.tolist()):
            distinct, at = np.unique(entity[known[start:end]], return_index=True)
            ones.append(np.repeat(distinct, len(distinct)))
            others.append(np.tile(distinct, len(distinct)))
            heads.append(np.repeat(known[start:end][at], len(distinct)))
        empty = np.zeros(0, np.int64)
        one, other, head = (np.concatenate([empty, *parts]) for parts in (ones, others, heads))
        different = one != other
        self.one, self.other, self.head = one[different], other[different], head[different]  # (n,) each
        self.sequence = sequence[self.head]


def pairs_in_one_sequence(sequence: Ints, entity: Ints, width: int) -> NDArray[np.int64]:
    """The pairs of different entities (by number, -1 for none) that stand in one sequence, each once."""
    together = _PairsInOneSequence(sequence, entity)
    return np.unique(pair_numbers(together.one, together.other, width))


def pair_numbers(one: Ints, other: Ints, width: int) -> NDArray[np.int64]:
    """One number for two entities, whichever comes first."""
    return np.minimum(one, other).astype(np.int64) * width + np.maximum(one, other)


def entailing_triples(graph: GraphContents, removed: Ints) -> Ints:
    """Triples that entail a removed one by is_a: stated of a superclass of its subject, or a subclass of its object.

    x r y entails a r b if a is an x and y is a b; for is_a itself, a is_a m if m is a b.
    """
    names = [each.name for each in graph.schema.relations]
    if IS_A not in names:
        return np.zeros(0, np.int64)
    is_a = names.index(IS_A)
    above, below = Closure(graph, is_a, up=True), Closure(graph, is_a, up=False)
    stated = graph.triple_columns()  # in the order of subjects
    offsets = np.searchsorted(stated.subject, np.arange(graph.counts["entities"] + 1)).tolist()
    ends, relation = stated.object.tolist(), stated.relation.tolist()
    found: set[int] = set()
    for triple, subject in zip(removed.tolist(), stated.subject[removed].tolist(), strict=True):
        kind, kinds_of_object = relation[triple], below(ends[triple])
        for start in (subject,) if kind == is_a else above(subject):
            for at in range(offsets[start], offsets[start + 1]):
                if relation[at] == kind and ends[at] in kinds_of_object:
                    found.add(at)
    return np.array(sorted(found), np.int64)


def _facts(
    graph: GraphContents,
    together: _PairsInOneSequence,
    held: _HeldOutPairs,
    settings: HoldOutSettings,
    short: NDArray[np.bool_] | None,
) -> pa.Table:
    """Every candidate triple between the ends of a held-out pair, in the first sequences that mention both."""
    candidates = collect_candidate_triples(graph, fewest=settings.fewest)
    pair = pair_numbers(together.one, together.other, graph.counts["entities"])
    unseen = np.isin(together.one, held.unseen)
    asked = np.isin(pair, held.seen) | (np.isin(pair, held.of_unseen) & unseen)
    if short is not None:
        asked &= short[together.other]
    entities = read_entities(graph, ("id", "name"))
    ids, names = entities["id"], entities["name"]
    times: Counter[tuple[int, int]] = Counter()
    rows = []
    for at in np.flatnonzero(asked).tolist():
        subject, object_ = int(together.one[at]), int(together.other[at])
        low, high = candidates.offsets[subject], candidates.offsets[subject + 1]
        for row in (low + np.flatnonzero(candidates.object[low:high] == object_)).tolist():
            times[subject, row] += 1
            if times[subject, row] <= settings.sequences:
                said = (ids[subject].as_py(), candidates.relations[candidates.relation[row]], ids[object_].as_py())
                place = int(together.sequence[at]), int(together.head[at])
                rows.append((*place, *said, names[object_].as_py().lower(), bool(unseen[at])))
    return make_table(rows, HELD_OUT)


def prepare_held_out(run: Path, graph: GraphContents, *, settings: HoldOutSettings | None = None) -> dict[str, int]:
    """Hold facts out of a run and write run/held_out: the facts, and the triples that training must not see."""
    settings = settings or HoldOutSettings()
    run = Path(run)
    work = STAGE.start(run, {"settings": settings, "graph": graph.snapshot.id})
    if work.finished is not None:
        return work.finished
    heads = read_heads(run)
    entity = graph.lookup(heads["entity"])
    short = short_tails(
        graph,
        collect_candidate_triples(graph, fewest=settings.fewest),
        open_vocabulary(run / "sequences" / "tokenizer.json"),
    )
    removed, facts, counts = hold_out_facts(graph, heads["sequence"].to_numpy(), entity, settings=settings, short=short)
    work.write({STAGE.name: facts, REMOVED: pa.table({"triple": removed})}, counts)
    return counts


def read_held_out(run: Path) -> pa.Table:
    """The held-out facts of a run."""
    return STAGE.read_table(run)


def mark_unseen(facts: pa.Table, injected: pa.Table) -> pa.Table:
    """Facts with `unseen` as it came out: whether their subjects stand in no injected triple, at either end."""
    known = pa.concat_arrays([each for end in ("subject", "object") for each in injected[end].chunks]).unique()
    unseen = pc.invert(pc.is_in(facts["subject"], value_set=known))
    return facts.set_column(facts.column_names.index("unseen"), HELD_OUT.field("unseen"), unseen)


def read_removed_triples(run: Path) -> NDArray[np.int64]:
    """Numbers of the triples that training must not see; none, where the run holds no facts out."""
    if not STAGE.is_in(run):
        return np.zeros(0, np.int64)
    return np.asarray(STAGE.read_table(run, REMOVED)["triple"].to_numpy(), np.int64)
