"""What the paper's Table II counts, and a progress that finds out how long a store took for each of its lines."""

import time
from dataclasses import dataclass, field

from clew.graph import GraphContents
from clew.store.layout import lay_out

__all__ = ["PAPER_SECONDS", "Watch", "counts"]

PAPER_SECONDS = {  # Table II: Neo4j 4.4.5 on a Core i5-10500H with 24 GB
    "Disease": 0.81,
    "Drug": 1.08,
    "Symptom": 0.06,
    "SideEffect": 0.14,
    "Pathway": 0.08,
    "Disease-Disease": 30.97,
    "Drug-Disease": 30.28,
    "Drug-SideEffect": 5.24,
    "Drug-Drug": 190.09,
    "Drug-Pathway": 0.14,
    "Disease-Pathway": 0.06,
    "Disease-Symptom": 0.12,
}
ENTITIES, RELATIONSHIPS = "loading entities", "loading relationships"


@dataclass(slots=True)
class Watch:
    """Told by a store how many entities and relationships it has loaded, it sums the time by line of Table II.

    A store loads label by label, then relationship by relationship and pair of labels by pair, in the order of its
    layout: how many are done tells which line they belong to.
    """

    graph: GraphContents
    seconds: dict[str, float] = field(default_factory=dict)
    _plan: dict[str, list[tuple[str, int]]] = field(init=False)
    _at: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        schema = lay_out(self.graph)
        ends = [ends for relationship in schema.relationships for ends in relationship.ends]
        self._plan = {
            ENTITIES: [(label.type, label.count) for label in schema.labels],
            RELATIONSHIPS: [
                (f"{schema.type_of(each.subject)}-{schema.type_of(each.object)}", each.count) for each in ends
            ],
        }

    def __call__(self, task: str, done: int, total: int | None) -> None:
        now = time.perf_counter()
        line = self._line(task, done)
        if line is not None:
            self.seconds[line] = self.seconds.get(line, 0.0) + now - self._at
        self._at = now

    def _line(self, task: str, done: int) -> str | None:
        for line, count in self._plan.get(task, ()):
            if 0 < done <= count:
                return line
            done -= count
        return None

    def steps(self, total: float) -> dict[str, float]:
        """Seconds by line, and what is left of the total for tables, indexes and checks."""
        return {**self.seconds, "all else": total - sum(self.seconds.values())}


def counts(graph: GraphContents) -> dict[str, int]:
    """How many entities or triples stand behind each line of Table II."""
    found = dict(graph.schema.types)
    for relation in graph.schema.relations:
        for ends in relation.signatures:
            line = f"{ends.subject}-{ends.object}"
            found[line] = found.get(line, 0) + ends.triples
    return found
