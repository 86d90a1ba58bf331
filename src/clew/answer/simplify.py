"""A question that says less, for when all of it together finds nothing; what is left out is said.

In: an understood question. Out: simpler ones with a note each, the one that loses least first.
"""

from collections.abc import Iterator
from dataclasses import replace

from clew.answer.question import Anchor, ParsedQuestion

__all__ = ["is_sure", "simpler"]

SURE = 0.97  # what a name or synonym is worth that is written as in the graph, ignoring case


def is_sure(anchor: Anchor) -> bool:
    """Whether a name is written as the graph writes it, rather than something that resembles it."""
    return max((meaning.score for meaning in anchor.meanings), default=0.0) >= SURE


def simpler(question: ParsedQuestion, *, fits: bool) -> Iterator[tuple[ParsedQuestion, str]]:
    """Simpler questions; where the whole one `fits` the graph, only what may not have been a name is left out."""
    if question.operation == "top" and not fits:
        yield replace(question, operation="list", number=None), "not ranked: the question does not say by what"
    if len(question.anchors) < 2:
        return
    why = "with it nothing is found" if fits else "nothing in this graph's schema joins it to the rest"
    for anchor in sorted(question.anchors, key=lambda each: max(meaning.score for meaning in each.meanings)):
        if is_sure(anchor) and fits:
            continue
        rest = tuple(each for each in question.anchors if each is not anchor)
        left_out = (*question.unrecognised, anchor.text)
        yield replace(question, anchors=rest, unrecognised=left_out), f"without {anchor.text!r}: {why}"
