"""Retrieval: a question → the context that a graph has for it, within a budget of tokens."""

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from clew.answer.context.facts import Fact, find_facts
from clew.answer.context.lines import fit, lay_out_lines
from clew.answer.context.linked import LinkedQuestion, link_question
from clew.answer.context.retrieval import Retrieval
from clew.answer.resources import Resources
from clew.traverse.context import Context

__all__ = ["Retrieved", "pack", "prune", "retrieve", "search"]

TIED = 2  # decimals to which relevances are compared: what differs by the degree of an entity alone is pruned together
SHORTEST_LINE = 8  # tokens: no more lines than this are written out


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A context with the reading of its question, which a strategy goes on from."""

    linked: LinkedQuestion
    context: Context


def retrieve(question: str, resources: Resources, retrieval: Retrieval | None = None) -> Context:
    """The most relevant lines about the entities of a question; none where the graph has no entity that it names."""
    return search(question, resources, retrieval or Retrieval()).context


def search(question: str, resources: Resources, retrieval: Retrieval) -> Retrieved:
    """The same, with the reading of the question."""
    begun = perf_counter()
    linked = link_question(question, resources, retrieval)
    found = find_facts(linked, resources, retrieval)
    context = pack(question, linked, found.facts, resources, retrieval)
    return Retrieved(linked, replace(context, notes=found.notes, seconds=perf_counter() - begun))


def pack(
    question: str, linked: LinkedQuestion, facts: list[Fact], resources: Resources, retrieval: Retrieval, head: str = ""
) -> Context:
    """Prune ranked facts, write them out, and keep as many lines as the budget allows; `head` goes before them."""
    kept = prune(facts, percentile=retrieval.percentile, floor=retrieval.floor)
    most = retrieval.budget // SHORTEST_LINE + 1
    most = most if retrieval.most is None else min(most, retrieval.most)
    sheet = lay_out_lines(kept[:most], retrieval.style, resources.engine, retrieval.filters.where)
    sheet = replace(sheet, head=head + sheet.head)
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
        seconds=0.0,
    )


def prune(facts: list[Fact], *, percentile: float, floor: float) -> list[Fact]:
    """Facts that reach both the percentile of all relevances and the floor, in their order."""
    if not facts or not (percentile or floor):
        return facts
    scores = np.round([fact.score for fact in facts], TIED)
    least = max(floor, float(np.percentile(scores, percentile)))
    return [fact for fact, score in zip(facts, scores.tolist(), strict=True) if score >= least]
