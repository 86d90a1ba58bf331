"""A second look at an answer's evidence, from the graph alone: nothing here trusts what gathered it."""

from collections.abc import Iterator

from clew.answer import Answer
from clew.traverse import GraphEngine

__all__ = ["check_evidence"]


def check_evidence(answer: Answer, engine: GraphEngine) -> Iterator[str]:
    """What is wrong with the evidence, a sentence each; nothing where all is well.

    Every cited triple is in the graph with the very words and assertions shown and is not negated by every
    source; every support is made of cited triples that hang together and reaches its item.
    """
    cited = {triple.triple: triple for triple in answer.evidence.triples}
    for number, triple in cited.items():
        (found,) = engine.numbered([number])
        if (found.subject, found.relation, found.object) != (triple.subject, triple.relation, triple.object):
            yield f"triple {number} is {found}, not {triple}"
        if triple.assertions != tuple(engine.assertions(number)):
            yield f"triple {number} has other assertions than those shown"
        if all(assertion.negated for assertion in triple.assertions):
            yield f"triple {number} is negated by every source"
    if answer.items and not answer.evidence.supports and answer.kind != "difference":  # absence leaves no trace
        yield "items without any support"
    yield from _check_supports(answer)


def _check_supports(answer: Answer) -> Iterator[str]:
    cited = {triple.triple: {triple.subject, triple.object} for triple in answer.evidence.triples}
    shown = {item.id for item in answer.items}
    supported = set()
    for support in answer.evidence.supports:
        ends = [cited.get(number, set()) for number in support.triples]
        if not all(ends):
            yield f"a support of {support.item} names a triple that is not cited"
        if ends and not _joined(ends):
            yield f"the triples behind {support.item} do not hang together"
        if support.item is not None:
            supported.add(support.item)
            if support.item not in shown:
                yield f"{support.item} is supported but no item"
            if ends and support.item not in set().union(*ends):
                yield f"no triple behind {support.item} reaches it"
    if answer.evidence.complete and answer.evidence.supports and supported:
        yield from (f"{each} has no support" for each in sorted(shown - supported))


def _joined(ends: list[set[str]]) -> bool:
    """Whether triples, given by their ends, are one piece."""
    reached, waiting = set(ends[0]), ends[1:]
    while waiting:
        near = [each for each in waiting if each & reached]
        if not near:
            return False
        waiting = [each for each in waiting if not each & reached]
        reached = reached.union(*near)
    return True
