"""Retrieval: a question → the context that a graph has for it, within a budget of tokens."""

from time import perf_counter

import numpy as np

from clew.answer.context.facts import Fact, find_facts
from clew.answer.context.lines import fit, lay_out_lines
from clew.answer.context.linked import link_question
from clew.answer.context.retrieval import Retrieval
from clew.answer.resources import Resources
from clew.traverse.context import Context

__all__ = ["prune", "retrieve"]

SHORTEST_LINE = 8  # tokens: no more lines than this are written out


def retrieve(question: str, resources: Resources, retrieval: Retrieval | None = None) -> Context:
    """The most relevant lines about the entities of a question; none where the graph has no entity that it names."""
    begun = perf_counter()
    retrieval = retrieval or Retrieval()
    linked = link_question(question, resources, retrieval)
    facts = find_facts(linked, resources, retrieval)
    kept = prune(facts, percentile=retrieval.percentile, floor=retrieval.floor)
    most = retrieval.budget // SHORTEST_LINE + 1
    most = most if retrieval.most is None else min(most, retrieval.most)
    sheet = lay_out_lines(kept[:most], retrieval.style, resources.engine)
    shown = fit(sheet, retrieval.budget, retrieval.count)
    text = sheet.text(shown)
    return Context(
        question=question,
        text=text,
        lines=sheet.lines[:shown],
        entities=tuple(dict.fromkeys(id for mention in linked.mentions for id in mention)),
        style=retrieval.style,
        budget=retrieval.budget,
        tokens=retrieval.count(text) if text else 0,
        found=len(facts),
        pruned=len(facts) - len(kept),
        left_out=len(kept) - sum(sheet.facts[:shown]),
        ranking="words" if resources.encoder is None else "embeddings",
        seconds=perf_counter() - begun,
    )


def prune(facts: list[Fact], *, percentile: float, floor: float) -> list[Fact]:
    """Facts that reach both the percentile of all relevances and the floor, in their order."""
    if not facts or not (percentile or floor):
        return facts
    least = max(floor, float(np.percentile([fact.score for fact in facts], percentile)))
    return [fact for fact in facts if fact.score >= least]
