"""Pairs of entities reserved for fine-tuning: a share of those mentioned in one sequence, which no leaf may show.

A model memorises the leaves. Fine-tuned on such pairs, it would learn to consult its memory about what a text states;
with pairs that it has not seen, it must read the text. A graph and a run's heads go in; the numbers of the reserved
triples come out, with those that entail them by is_a.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.mentions.heads import read_heads
from clew.extract.seed.held_out import entailing_triples, pair_numbers, pairs_in_one_sequence, read_removed_triples
from clew.extract.stage import Stage
from clew.graph import GraphContents, read_entities

__all__ = ["STAGE", "ReserveSettings", "hidden_triples", "prepare_reserved", "read_reserved"]

STAGE = Stage(
    "reserved",
    "prepare",
    "seed triples reserved for fine-tuning",
    reads=("heads",),
    optional=("held_out",),
    headline=("pairs reserved",),
)
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReserveSettings:
    """The share of the pairs that the seed states and a sequence mentions together which no leaf shows."""

    share: float = 0.25
    fewest: int = 20  # pairs: of fewer none is reserved, for there would be nothing to learn
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.share < 1:
            raise InputError(f"the share of reserved pairs is at least 0 and below 1, not {self.share}")


def prepare_reserved(run: Path, graph: GraphContents, *, settings: ReserveSettings | None = None) -> dict[str, int]:
    """Write run/reserved; returns the counts. Held-out pairs are not among them."""
    run, settings = Path(run), settings or ReserveSettings()
    work = STAGE.start(run, {"settings": settings, "graph": graph.snapshot.id})
    if work.finished is not None:
        return work.finished
    triples, counts = reserve_pairs(graph, read_heads(run), settings, held_out=read_removed_triples(run))
    work.write({STAGE.name: pa.table({"triple": triples})}, counts)
    return counts


def reserve_pairs(
    graph: GraphContents, heads: pa.Table, settings: ReserveSettings, *, held_out: Sequence[int] | Ints = ()
) -> tuple[Ints, dict[str, int]]:
    """The numbers of the reserved triples, and the counts; `held_out` are triples whose pairs are not taken."""
    entity, stated = graph.lookup(heads["entity"]), graph.triple_columns()
    width = graph.counts["entities"]
    pair = pair_numbers(stated.subject, stated.object, width)  # (triples,)
    together = np.intersect1d(pair, pairs_in_one_sequence(heads["sequence"].to_numpy(), entity, width))
    together = np.setdiff1d(together, pair[np.asarray(held_out, np.int64)])
    ids = read_entities(graph, ("id",))["id"]
    draws = [
        crc32(f"{settings.seed} {ids[one].as_py()} {ids[other].as_py()}".encode())
        for one, other in zip((together // width).tolist(), (together % width).tolist(), strict=True)
    ]
    enough = len(together) >= settings.fewest
    drawn = together[np.array(draws, np.int64) < settings.share * 2**32] if enough else together[:0]
    own = np.flatnonzero(np.isin(pair, drawn))
    entailing = entailing_triples(graph, own)
    counts = {
        "pairs in one sequence": len(together),
        "pairs reserved": len(drawn),
        "triples between them": len(own),
        "further triples that entail them": len(np.setdiff1d(entailing, own)),
    }
    return np.union1d(own, entailing).astype(np.int64), counts


def read_reserved(run: Path) -> Ints:
    """The numbers of the triples that a run reserves."""
    return np.asarray(STAGE.read_table(run)["triple"].to_numpy(), np.int64)


def hidden_triples(run: Path) -> Ints:
    """All triples that no leaf may show: the reserved and the held-out ones."""
    return np.union1d(read_reserved(run), read_removed_triples(run))
