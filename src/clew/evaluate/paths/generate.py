"""A generator of questions whose answer is two or three relations away from a given topic, with gold from the graph.

Every chain of relations is used for one question, and is in the development or in the test part, never in both.
"""

import hashlib
from dataclasses import dataclass
from random import Random

import numpy as np

from clew.answer.super_relations.absence import is_untyped
from clew.answer.super_relations.steps import Allowed, Steps, steps_from
from clew.errors import InputError
from clew.evaluate.paths.wording import chain_question
from clew.traverse import GraphEngine

__all__ = ["PARTS", "PathQuestion", "generate_paths"]

PARTS = ("development", "test")
DEVELOPMENT = 5  # one chain of this many is for development
MOST_GOLD = 10  # entities
LEAST_CHOICE = 8  # relations of the topic, in either direction; fewer in a graph of few relations
TRIES = 2_000  # for each question
PLACE = "the topic"  # what the text calls it: its name tells a scorer nothing


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """A question, its topic, the chain that answers it, and the entities at its end."""

    id: str
    question: str
    topic: str  # id
    chain: tuple[tuple[str, bool], ...]  # relations, and whether each is followed from subject to object
    gold: tuple[str, ...]  # ids

    @property
    def kind(self) -> str:
        return f"{len(self.chain)} hops"


def generate_paths(engine: GraphEngine, *, count: int = 1000, seed: int = 0, part: str = "test") -> list[PathQuestion]:
    """Questions of two and three hops in turn, the same for a graph, a number and a seed."""
    if count < 1 or part not in PARTS:
        raise InputError(f"{count} questions of {part!r} were asked for: expected 1 or more of {' or '.join(PARTS)}")
    maker = _Maker(engine, Random(f"{seed} {part}"), part)
    made: list[PathQuestion] = []
    for at in range(count):
        hops = 2 + at % 2
        found = next(filter(None, (maker.make(f"{part[0]}{at + 1}", hops) for _ in range(TRIES))), None)
        if found is None:
            raise InputError(f"the graph has too few chains for {count:,} questions: {len(made):,} could be made")
        made.append(found)
    return made


class _Maker:
    def __init__(self, engine: GraphEngine, random: Random, part: str) -> None:
        self.engine, self.random, self.part = engine, random, part
        self.relations = engine.schema.relations
        self.typed = not is_untyped(engine)
        self.used: set[tuple[tuple[int, bool], ...]] = set()
        self.entities = engine.counts["entities"]
        self.least = min(LEAST_CHOICE, 1 + len(self.relations) // LEAST_CHOICE)

    def make(self, id: str, hops: int) -> PathQuestion | None:
        topic = self.random.randrange(self.entities)
        at = topic
        chain: list[tuple[int, bool]] = []
        for hop in range(hops):
            steps = steps_from(self.engine, [at], Allowed())
            codes = steps.relation * 2 + steps.forward
            listed = np.unique(codes).tolist()
            if hop == 0 and len(listed) < self.least:
                return None
            if chain:  # not straight back, and not the same relation twice in a row
                listed = [code for code in listed if code // 2 != chain[-1][0]]
            if not listed:
                return None
            code = self.random.choice(listed)
            chain.append((code // 2, bool(code % 2)))
            at = self.random.choice(np.unique(steps.far[codes == code]).tolist())
        key = tuple(chain)
        if key in self.used or _part_of(self._names(key)) != self.part:
            return None
        gold = self._ends(topic, key)
        if not 1 <= len(gold) <= MOST_GOLD or topic in gold or self._is_near(topic, gold):
            return None
        self.used.add(key)
        ids = self.engine.describe([topic, *gold])["id"].to_pylist()
        told = tuple((self.relations[n].name, forward, self._type(n)) for n, forward in key)
        text = chain_question(told, PLACE, self.random)
        return PathQuestion(id, text, ids[0], self._names(key), tuple(ids[1:]))

    def _names(self, chain: tuple[tuple[int, bool], ...]) -> tuple[tuple[str, bool], ...]:
        return tuple((self.relations[number].name, forward) for number, forward in chain)

    def _type(self, number: int) -> str:
        signatures = self.relations[number].signatures if self.typed else ()
        return signatures[0].subject if signatures else ""

    def _ends(self, topic: int, chain: tuple[tuple[int, bool], ...]) -> list[int]:
        """The entities at the end of a chain, ascending."""
        ends = np.array([topic])
        for number, forward in chain:
            steps: Steps = steps_from(self.engine, ends, Allowed(frozenset({self.relations[number].name})))
            ends = np.unique(steps.far[steps.forward == forward])
        return [int(each) for each in ends]

    def _is_near(self, topic: int, gold: list[int]) -> bool:
        """Whether an answer is a neighbour of the topic, by whatever relation."""
        return bool(np.isin(gold, self.engine.hop([topic], 1, direction="both").ids).any())


def _part_of(chain: tuple[tuple[str, bool], ...]) -> str:
    digest = hashlib.sha256(repr(chain).encode()).digest()
    return PARTS[0] if digest[0] % DEVELOPMENT == 0 else PARTS[1]
