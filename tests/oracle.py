"""The meaning of every hop, written down a second time in plain Python: what all else is compared with.

It shares no code with the package: no adjacency, no masks, no numbers; entities are their ids and sets are Python sets.
"""

from collections import Counter
from dataclasses import dataclass, field

CURATED_AGENTS = {"manual_agent", "manual_validation_of_automated_agent"}
CURATED_LEVELS = {"knowledge_assertion", "logical_entailment"}


@dataclass(frozen=True)
class Row:
    """One assertion as a source states it."""

    subject: str
    relation: str
    object: str
    source: str = "S"
    agent_type: str | None = None
    knowledge_level: str | None = None
    negated: bool = False
    frequency: str | None = None


@dataclass(frozen=True)
class RawGraph:
    """Entities with their types, rows, and the flags of relations."""

    types: dict[str, str]
    rows: list[Row]
    symmetric: frozenset[str] = frozenset()
    negated: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Filter:
    """The filters of one query, in words."""

    relations: tuple[frozenset[str] | None, ...] = (None,)  # one for all hops, or one for each
    direction: str = "out"
    layer: str = "all"
    frequency: str | None = None
    with_negated: bool = False
    types: frozenset[str] | None = None
    through: frozenset[str] | None = None
    max_degree: int | None = None


@dataclass
class Oracle:
    raw: RawGraph
    triples: dict[tuple[str, str, str], list[Row]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.raw.rows:
            key = (row.subject, row.relation, row.object)
            if row.relation in self.raw.symmetric and row.subject > row.object:
                key = (row.object, row.relation, row.subject)
            self.triples.setdefault(key, []).append(row)

    def permitted(self, triple: tuple[str, str, str], relations: frozenset[str] | None, filter: Filter) -> bool:
        relation = triple[1]
        if relations is not None and relation not in relations:
            return False
        if relations is None and relation in self.raw.negated and not filter.with_negated:
            return False
        return any(self._passes(row, filter) for row in self.triples[triple])

    def _passes(self, row: Row, filter: Filter) -> bool:
        if row.negated and not filter.with_negated:
            return False
        curated = row.agent_type in CURATED_AGENTS and row.knowledge_level in CURATED_LEVELS
        if filter.layer == "curated" and not curated:
            return False
        if filter.layer == "no-extracted" and row.agent_type == "text_mining_agent":
            return False
        return filter.frequency is None or row.frequency == filter.frequency

    def steps(self, filter: Filter, hop: int) -> list[tuple[str, tuple[str, str, str], str]]:
        """(start, triple, end) of everything that hop may walk."""
        relations = filter.relations[0] if len(filter.relations) == 1 else filter.relations[hop - 1]
        found = set()
        for triple in self.triples:
            if not self.permitted(triple, relations, filter):
                continue
            subject, relation, object_ = triple
            mirrored = relation in self.raw.symmetric
            if filter.direction in ("out", "both") or mirrored:
                found.add((subject, triple, object_))
            if filter.direction in ("in", "both") or mirrored:
                found.add((object_, triple, subject))
        return sorted(found)

    def walkable(self, entity: str, seeds: set[str], filter: Filter) -> bool:
        if entity in seeds:
            return True
        if filter.through is not None and self.raw.types[entity] not in filter.through:
            return False
        return filter.max_degree is None or self.degree()[entity] <= filter.max_degree

    def degree(self) -> Counter[str]:
        count: Counter[str] = Counter()
        for subject, _, object_ in self.triples:
            count.update({subject, object_})
        return count

    def sets(self, seeds: set[str], k: int, filter: Filter) -> list[set[str]]:
        """Ends of walks of exactly 0, 1, … k steps."""
        sets = [set(seeds)]
        for hop in range(1, k + 1):
            here = {entity for entity in sets[-1] if self.walkable(entity, seeds, filter)}
            sets.append({end for start, _, end in self.steps(filter, hop) if start in here})
        return sets

    def hop(self, seeds: set[str], k: int, mode: str, filter: Filter) -> set[str]:
        sets = self.sets(seeds, k, filter)
        if mode == "exact":
            found = sets[k]
        elif mode == "within":
            found = set().union(*sets)
        else:
            found = sets[k] - set().union(*sets[:k])
        return {entity for entity in found if filter.types is None or self.raw.types[entity] in filter.types}

    def hop_triples(self, seeds: set[str], k: int, mode: str, filter: Filter, hop: int) -> set[tuple[str, str, str]]:
        sets = self.sets(seeds, k, filter)
        here = sets[hop - 1] if mode == "exact" else sets[hop - 1] - set().union(*sets[: hop - 1])
        here = {entity for entity in here if self.walkable(entity, seeds, filter)}
        return {triple for start, triple, _ in self.steps(filter, hop) if start in here}

    def leading_triples(
        self, seeds: set[str], k: int, mode: str, filter: Filter, hop: int
    ) -> set[tuple[str, str, str]]:
        """Triples of `hop` that lie on a whole walk of the mode's kind that ends in the result."""
        result = self.hop(seeds, k, mode, filter)
        sets = self.sets(seeds, k, filter)
        first = [each - set().union(*sets[:i]) for i, each in enumerate(sets)]
        stages = sets if mode == "exact" else first

        def leads(entity: str, at: int) -> bool:
            """Whether `entity`, reached at step `at`, is an end or goes on to one."""
            if mode == "within":
                if entity in result:
                    return True
                if at == k or not self.walkable(entity, seeds, filter):
                    return False
            else:
                if at == k:
                    return entity in result
                if entity not in stages[at] or not self.walkable(entity, seeds, filter):
                    return False
            return any(leads(end, at + 1) for start, _, end in self.steps(filter, at + 1) if start == entity)

        here = {entity for entity in stages[hop - 1] if self.walkable(entity, seeds, filter)}
        return {triple for start, triple, end in self.steps(filter, hop) if start in here and leads(end, hop)}
