"""Four retrievals for one question, side by side: the whole question, each entity, each option, and all combined.

All use one retriever, its linking and its relevance; thresholds are relaxed from one to the next.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from clew.answer.adaptive.decomposition import Decomposed
from clew.answer.context.facts import DIRECT, Fact, FoundFacts, find_facts
from clew.answer.context.relevance import relevance_of
from clew.answer.context.retrieval import Retrieval
from clew.answer.context.retrieve import prune
from clew.answer.resources import Resources

__all__ = ["RELAXED", "Found", "merge", "retrieve_all"]

RELAXED = {"whole": 1.0, "entity": 0.7, "option": 0.65, "combined": 0.6}  # share of both thresholds
MOST_PATHS = 4  # between an entity and an option
LONGEST_PATH = 2  # hops
SHORTEST = 0.001  # seconds that are left to a search whose time is over


@dataclass(frozen=True, slots=True)
class Found:
    """What one retrieval found: facts above its thresholds, the most relevant first."""

    name: str
    facts: tuple[Fact, ...]
    notes: tuple[str, ...] = ()  # what was not searched to the end


def retrieve_all(
    asked: Decomposed,
    resources: Resources,
    retrieval: Retrieval,
    *,
    names: Iterable[str] = tuple(RELAXED),
    timeout: float = 30.0,
) -> list[Found]:
    """Run retrievals at the same time; what comes back is in the order of their names. `Timeout` after some seconds."""
    until = perf_counter() + timeout
    search: Mapping[str, Callable[[], FoundFacts]] = {
        "whole": lambda: find_facts(asked.linked, resources, retrieval),
        "entity": lambda: _by_entity(asked, resources, retrieval),
        "option": lambda: _by_option(asked, resources, retrieval),
        "combined": lambda: _combined(asked, resources, retrieval, until),
    }
    chosen = list(names)
    same = {"entity": "whole"} if len(asked.linked.mentions) < 2 and "whole" in chosen else {}  # but for thresholds
    run = [name for name in chosen if name not in same]
    with ThreadPoolExecutor(max_workers=len(run)) as pool:
        every = dict(zip(run, pool.map(lambda name: search[name](), run), strict=True))
    found = []
    for name in chosen:
        share, own = RELAXED[name], every[same.get(name, name)]
        kept = prune(merge([own.facts]), percentile=retrieval.percentile * share, floor=retrieval.floor * share)
        found.append(Found(name, tuple(kept), own.notes))
    return found


def merge(found: Iterable[Iterable[Fact]]) -> list[Fact]:
    """Facts of several retrievals, each once with its highest relevance, the most relevant first."""
    best: dict[tuple[int, ...], Fact] = {}
    for fact in (fact for facts in found for fact in facts):
        if fact.triples not in best or best[fact.triples].score < fact.score:
            best[fact.triples] = fact
    return sorted(best.values(), key=lambda fact: fact.order)


def _by_entity(asked: Decomposed, resources: Resources, retrieval: Retrieval) -> FoundFacts:
    alone = [replace(asked.linked, mentions=(mention,)) for mention in asked.linked.mentions]
    return FoundFacts([fact for each in alone for fact in find_facts(each, resources, retrieval).facts])


def _by_option(asked: Decomposed, resources: Resources, retrieval: Retrieval) -> FoundFacts:
    """Facts of each option that lead towards what the question names."""
    engine = resources.engine
    entities = engine.lookup(list(asked.entities)) if asked.entities else np.zeros(0, np.int64)
    types = list(engine.schema.types)
    wanted = tuple(dict.fromkeys(types[number] for number in engine.types_of(entities[entities >= 0]).tolist()))
    near = replace(retrieval, hops=1)
    alone = [replace(asked.linked, mentions=(ids,), asked=wanted) for ids in filter(None, asked.options.values())]
    return FoundFacts([fact for each in alone for fact in find_facts(each, resources, near).facts])


def _combined(asked: Decomposed, resources: Resources, retrieval: Retrieval, until: float) -> FoundFacts:
    """Chains between an entity and an option; without options, between the entities."""
    if asked.options:
        return FoundFacts(list(_chains(asked, resources, retrieval, until)))
    if len(asked.linked.mentions) < 2:
        return FoundFacts()
    return find_facts(replace(asked.linked, joins=True), resources, retrieval)


def _chains(asked: Decomposed, resources: Resources, retrieval: Retrieval, until: float) -> Iterable[Fact]:
    engine, through = resources.engine, list(asked.linked.through) or None
    for mention in asked.linked.mentions:
        starts = engine.lookup(list(mention))
        for ids in filter(None, asked.options.values()):
            paths = engine.paths(
                starts[starts >= 0],
                engine.lookup(list(ids)),
                LONGEST_PATH,
                direction="both",
                through=through,
                where=retrieval.filters.where,
                limit=MOST_PATHS,
                timeout=max(SHORTEST, until - perf_counter()),
            )
            for path in paths:
                yield _connecting(path.numbers, set(starts.tolist()), asked, resources)


def _connecting(numbers: tuple[int, ...], starts: set[int], asked: Decomposed, resources: Resources) -> Fact:
    """A path as a fact: the mean relevance of its triples, and more because it connects."""
    columns = resources.engine.triple_columns(np.array(numbers))
    reached, far = starts, []
    for subject, object_ in zip(columns.subject.tolist(), columns.object.tolist(), strict=True):
        far.append(object_ if subject in reached else subject)
        reached = {far[-1]}
    relevance = relevance_of(columns, np.array(far), asked.linked, resources)
    return Fact(numbers, far[-1], min(1.0, float(relevance.mean()) + DIRECT))
