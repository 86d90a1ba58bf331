"""How good a context is for a question: HIGH, MEDIUM, LOW or NONE, and which contexts are kept.

With options, HIGH: a line connects one with an entity of the question, by relations that may be meant; MEDIUM: a line
names an option; LOW: no line does. Without options, HIGH: a line leads to the asked-for type by a mentioned relation;
MEDIUM: it leads there; LOW: it does not. NONE: there is no line.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.answer.adaptive.decomposition import Decomposed
from clew.answer.adaptive.points import ENOUGH, count_points
from clew.answer.resources import Resources
from clew.answer.strategies.supports import ends_of, items_of, named_in
from clew.traverse.context import Context

__all__ = ["HIGH", "LOW", "MEDIUM", "NO_FACTS", "Assessed", "assess", "best_contexts"]

NO_FACTS, LOW, MEDIUM, HIGH = "NONE", "LOW", "MEDIUM", "HIGH"
RANKS = (NO_FACTS, LOW, MEDIUM, HIGH)
KEPT = 3  # contexts that are read together
LONG = 10  # lines from which more do not count
OPTION, ENTITY = 10, 5  # lines that an option, or an entity of the question, counts for


@dataclass(frozen=True, slots=True)
class Assessed:
    """The context of one retrieval, its quality, and a score that orders contexts of the same quality."""

    name: str
    context: Context
    quality: str
    score: int


def assess(name: str, context: Context, asked: Decomposed, resources: Resources) -> Assessed:
    """Assess one context."""
    named = {id for line in context.lines for id in named_in(line)}
    options = sum(any(id in named for id in ids) for ids in asked.options.values())
    entities = sum(any(id in named for id in mention) for mention in asked.linked.mentions)
    score = min(LONG, len(context.lines)) + OPTION * options + ENTITY * entities
    if not context.lines:
        quality = NO_FACTS
    elif asked.options:
        points = (each for option in count_points(asked, context.lines, resources) for each in option.points)
        quality = HIGH if max(points, default=0) >= ENOUGH else MEDIUM if options else LOW
    else:
        quality = _leading(context, asked, resources)
    return Assessed(name, context, quality, score)


def best_contexts(assessed: Sequence[Assessed]) -> list[Assessed]:
    """The best contexts with any line: by quality, then by score."""
    ranked = sorted(assessed, key=lambda each: (-RANKS.index(each.quality), -each.score))
    return [each for each in ranked if each.context.lines][:KEPT]


def _leading(context: Context, asked: Decomposed, resources: Resources) -> str:
    """The quality for a question without options."""
    ends = {id for line in context.lines for id in ends_of(line, asked.entities)}
    wanted = {item.id for item in items_of(ends, resources) if item.type in asked.linked.asked}
    leading = [line for line in context.lines if wanted.intersection(ends_of(line, asked.entities))]
    if any(asked.linked.said.get(triple.relation) for line in leading for triple in line.triples):
        return HIGH
    return MEDIUM if leading else LOW
