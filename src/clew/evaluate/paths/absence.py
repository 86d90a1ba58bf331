"""How often absence applies to path questions, and whether plain Python, walk by walk, agrees with the engine."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from clew.answer.super_relations.absence import Wanted, find_absence
from clew.evaluate.paths.generate import PathQuestion
from clew.graph import Where, read_triples
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["LONGEST", "measure_absence"]

LONGEST = 3  # steps


def measure_absence(
    engine: GraphEngine, questions: Sequence[PathQuestion], *, progress: Progress = silent
) -> list[dict[str, Any]]:
    """For 1 to 3 steps: how many questions have no walk to an entity that their last relation leads to."""
    plain = _PlainGraph(engine)
    claimed, agreed = [0] * LONGEST, [0] * LONGEST
    for at, question in enumerate(questions, start=1):
        (topic,) = engine.lookup([question.topic]).tolist()
        last = question.chain[-1]
        expected = plain.absences(topic, last)
        for steps in range(1, LONGEST + 1):
            found = find_absence(engine, [topic], Wanted(relations=(last,)), steps=steps) is not None
            claimed[steps - 1] += found
            agreed[steps - 1] += found == expected[steps - 1]
        progress("deciding absence", at, len(questions))
    rows = zip(claimed, agreed, strict=True)
    return [{"steps": at, "absent": one, "agreed": both} for at, (one, both) in enumerate(rows, start=1)]


class _PlainGraph:
    """The graph as sets of neighbours, both ways, and no engine."""

    def __init__(self, engine: GraphEngine) -> None:
        self.near: dict[int, set[int]] = defaultdict(set)
        self.ends: dict[tuple[str, bool], set[int]] = defaultdict(set)
        triples = read_triples(engine, where=Where())
        relations = engine.schema.relations
        columns = (triples[name].to_pylist() for name in ("subject", "relation", "object"))
        for subject, number, object_ in zip(*columns, strict=True):
            relation = relations[number]
            if not relation.negated:
                self.near[subject].add(object_)
                self.near[object_].add(subject)
                self.ends[relation.name, True].add(object_)
                self.ends[relation.name, False].add(subject)
                if relation.symmetric:
                    self.ends[relation.name, True].add(subject)

    def absences(self, topic: int, last: tuple[str, bool]) -> list[bool]:
        """For 1 to 3 steps, whether no walk ends where the last relation leads."""
        wanted, frontier, reached = self.ends[last], {topic}, False
        found = []
        for _ in range(LONGEST):
            frontier = set().union(*(self.near[each] for each in frontier)) if not reached else frontier
            reached = reached or not frontier.isdisjoint(wanted)
            found.append(not reached)
        return found
