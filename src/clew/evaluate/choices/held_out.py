"""Questions whose gold comes from a source that the answering graph does not have.

A question made from the answering graph is a look-up. These are made from the triples of one source, and asked of the
graph without its assertions; each says how what remains connects the right option with the entity that is named.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.compute as pc

from clew.evaluate.choices.generate import ChoiceQuestion
from clew.graph.build import build_graph
from clew.graph.readers.own.graph_directory import read
from clew.graph.staging import Problems
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["SUPPORT", "build_without", "by_support"]

SUPPORT = ("stated by another source", "two hops apart", "not connected")


def build_without(engine: GraphEngine, source: str, out: Path, *, progress: Progress = silent) -> Path:
    """Build the graph at `out` without the assertions of one source; all entities stay."""
    problems = Problems("refuse")
    staged = read(engine, problems=problems, progress=progress)
    others = pc.fill_null(pc.not_equal(staged.triples["source"], source), True)
    kept = replace(
        staged,
        triples=staged.triples.filter(others),
        sources=tuple(each for each in staged.sources if each.name != source),
    )
    build_graph(kept, out, problems=problems, overwrite=True, progress=progress)
    return out


def by_support(questions: Sequence[ChoiceQuestion], engine: GraphEngine) -> list[ChoiceQuestion]:
    """The questions with how the answering graph supports their gold as kind."""
    return [each if each.gold is None else replace(each, kind=_support(each, engine)) for each in questions]


def _support(question: ChoiceQuestion, engine: GraphEngine) -> str:
    (gold,) = (id for id, option in zip(question.ids, question.options, strict=True) if option == question.gold)
    for hops in (1, 2):
        if engine.lookup([gold])[0] in engine.hop(list(question.named), hops, direction="both").ids:
            return SUPPORT[hops - 1]
    return SUPPORT[-1]
