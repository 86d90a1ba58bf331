"""What tails from other places than the mentions may count: how often the first tail is right, by their weights.

A run of queries goes in that each have a true tail among the mentions, with what the model says of them. Each place is
added to the mentions by itself. Right are only tails that the sequence mentions and the seed states: others may be
known to the model, but not from the text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.extraction_confidence_statements import flatten_asked
from clew.evaluate.extraction.planted import Asked, Link, Tail, linker_of
from clew.evaluate.extraction.planted_run import ranked_tails
from clew.extract.filter.entities import known_triples
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.decoder import BEAM, LEXICON, SEQUENCE
from clew.extract.predict.queries import read_queries
from clew.extract.predict.tails import DecoderSettings, prepare_tails, read_tails
from clew.extract.sequences.packing import read_sequences
from clew.graph import Graph
from clew.link import Linker

__all__ = ["PlaceTrial", "try_places"]

NOTHING = ""  # no entity has this id
WEIGHTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
MENTIONS = DecoderSettings(sequence=0, lexicon=0, beam=0, both_ways=False, none=False)


@dataclass(frozen=True, slots=True)
class PlaceTrial:
    """How often the first tail is right where a place has a weight beside the mentions."""

    place: str
    weight: float
    first: float
    reciprocal: float
    queries: int


def try_places(run: Path, graph: Graph) -> list[PlaceTrial]:
    """Mentions alone, then each place with each weight."""
    trial = _Trial(run, graph)
    trials = [trial.measure("mentions alone", 1.0, MENTIONS)]
    for place in (SEQUENCE, LEXICON, BEAM):
        trials += [trial.measure(place, weight, replace(MENTIONS, **{place: weight})) for weight in WEIGHTS]
    return trials


class _Trial:
    """The queries of a run, by head and relation, and which of the entities that their texts mention are right."""

    def __init__(self, run: Path, graph: Graph) -> None:
        asked, signatures = read_queries(run)
        self._run, self._graph, self._heads = run, graph, read_heads(run)
        self._link: Link = lru_cache(maxsize=None)(linker_of(Linker(graph), signatures))
        rows = flatten_asked(asked, self._heads, signatures, read_sequences(run)["document"])
        stated = known_triples(graph, *(rows[name].to_pylist() for name in ("subject", "relation", "object")))
        self._right: dict[Asked, set[str]] = {}
        mentioned = self._heads["entity"].take(rows["mention"]).to_pylist()
        columns = rows["head"].to_pylist(), rows["asked"].to_pylist(), mentioned, stated
        for head, relation, entity, is_right in zip(*columns, strict=True):
            right = self._right.setdefault((head, relation), set())
            if is_right:
                right.add(entity)

    def measure(self, place: str, weight: float, settings: DecoderSettings) -> PlaceTrial:
        """How the right ones are ranked by these settings."""
        prepare_tails(self._run, self._graph, settings=settings)
        ranked = ranked_tails(read_tails(self._run), self._heads)
        reciprocal = [self._reciprocal(asked, ranked.get(asked, ())) for asked in self._right]
        return PlaceTrial(
            place, weight, float(np.equal(reciprocal, 1).mean()), float(np.mean(reciprocal)), len(reciprocal)
        )

    def _reciprocal(self, asked: Asked, tails: Sequence[Tail]) -> float:
        """Of the place of the first right tail, each entity counted once."""
        found = (self._link(text, asked[1]) if entity is None else entity for text, entity in tails)
        distinct = dict.fromkeys(each or NOTHING for each in found)
        return next((1 / place for place, each in enumerate(distinct, start=1) if each in self._right[asked]), 0.0)
