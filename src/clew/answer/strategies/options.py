"""The evidence for each option of a multiple-choice question: triples between the option and what the question names.

No model takes part. A triple counts if its relation is one that the question mentions for these two types, or if it
mentions none for them. Over two hops, the entity between must be of a type that the question mentions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from clew.answer.context.facts import Neighbourhood
from clew.answer.context.linked import LinkedQuestion
from clew.answer.plans.assertions.filters import Filters
from clew.answer.resources import Resources
from clew.graph.schema import Schema

__all__ = ["OptionEvidence", "relation_fits", "weigh_options"]

MOST_ENTITIES = 4  # that one option may mean
Best = tuple[float, tuple[int, ...]]  # relevance, triples
NOTHING: Best = (0.0, ())


@dataclass(frozen=True, slots=True)
class OptionEvidence:
    """An option, the entity that it names, the triples for it, and their relevance: 0 if there are none."""

    option: str
    id: str | None
    score: float
    triples: tuple[int, ...]


def weigh_options(
    options: Sequence[str], linked: LinkedQuestion, resources: Resources, filters: Filters
) -> list[OptionEvidence]:
    """The evidence for each option, in the order given: the mean over the entities that the question names."""
    weighing = _Weighing(linked, resources, filters)
    return [weighing.weigh(option) for option in options]


class _Weighing:
    def __init__(self, linked: LinkedQuestion, resources: Resources, filters: Filters) -> None:
        self.linked, self.resources, self.filters = linked, resources, filters
        self.engine = resources.engine
        self.types = list(self.engine.schema.types)
        self.fits = lru_cache(maxsize=None)(self._fits)
        found = [self.engine.lookup(ids) for ids in linked.mentions]
        self.mentions = [_Side(each[each >= 0], self) for each in found if (each >= 0).any()]
        asked = [self.engine.schema.type_number(name) for name in linked.asked]
        direct = any(np.isin(self.engine.types_of(side.near.far), asked).any() for side in self.mentions)
        self.two_hops = bool(linked.through) or not direct
        self.through = frozenset(linked.through)

    def weigh(self, option: str) -> OptionEvidence:
        named = self.resources.linker.link(option, type=self.linked.asked or None, last_stage="fuzzy")
        named = named if named.best else self.resources.linker.link(option, last_stage="fuzzy")
        if named.best is None or not self.mentions:
            return OptionEvidence(option, None, 0.0, ())
        entities = [named.best.entity, *(each.entity for each in named.alternatives)][:MOST_ENTITIES]
        side = _Side(np.array(sorted(set(entities)), np.int64), self)
        found = [self._between(mention, side) for mention in self.mentions]
        triples = tuple(dict.fromkeys(number for _, numbers in found for number in numbers))
        return OptionEvidence(option, named.best.id, float(np.mean([score for score, _ in found])), triples)

    def _between(self, mention: "_Side", option: "_Side") -> Best:
        """The most relevant triple, or chain of two, between a mention and an option."""
        direct = max((mention.best[far] for far in option.own if far in mention.best), default=NOTHING)
        if not self.two_hops or (direct[0] and not self.linked.through):
            return direct
        shared = mention.best.keys() & option.best.keys()
        if self.through:
            kinds = self.engine.types_of(np.array(sorted(shared), np.int64)) if shared else ()
            shared = {far for far, kind in zip(sorted(shared), kinds, strict=True) if self.types[kind] in self.through}
        chains = ((mention.best[far], option.best[far]) for far in sorted(shared))
        return max((((one[0] + two[0]) / 2, (*one[1], *two[1])) for one, two in chains), default=NOTHING)

    def _fits(self, relation: int, one: int, other: int) -> bool:
        schema = self.engine.schema
        ends = frozenset((self.types[one], self.types[other]))
        return relation_fits(self.linked, schema, schema.relations[relation].name, ends)


def relation_fits(linked: LinkedQuestion, schema: Schema, relation: str, ends: frozenset[str]) -> bool:
    """Whether a relation may be meant between two types: it is mentioned, or none that connects them is."""
    said = {
        each.name
        for each in schema.relations
        if linked.said.get(each.name, 0) and any({s.subject, s.object} == ends for s in each.signatures)
    }
    return not said or relation in said


class _Side:
    """An entity of the question, or an option, and the best fitting triple to each of its neighbours."""

    def __init__(self, own: np.ndarray, weighing: _Weighing) -> None:
        self.own = own.tolist()
        self.near = Neighbourhood.of(own, weighing.linked, weighing.resources, weighing.filters)
        engine = weighing.engine
        columns = engine.triple_columns(self.near.numbers)
        ends = (engine.types_of(columns.subject).tolist(), engine.types_of(columns.object).tolist())
        self.best: dict[int, Best] = {}
        for far, score, number, relation, one, other in zip(
            self.near.far.tolist(),
            self.near.scores.tolist(),
            self.near.numbers.tolist(),
            columns.relation.tolist(),
            *ends,
            strict=True,
        ):
            if weighing.fits(relation, one, other) and score > self.best.get(far, NOTHING)[0]:
                self.best[far] = (score, (number,))
