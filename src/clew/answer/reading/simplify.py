"""Simplified questions to try when the full question finds nothing; each says what it leaves out.

In: a parsed question. Out: simpler ones, each with a note, the least simplified first.
"""

from collections.abc import Iterator
from dataclasses import replace

from clew.answer.reading.question import Anchor, ParsedQuestion

__all__ = ["is_sure", "simpler"]

SURE = 0.95  # score of a name spelt as in the graph, ignoring case, plural, punctuation and accents


def is_sure(anchor: Anchor) -> bool:
    """Whether a name is spelt as in the graph, rather than a near match."""
    return max((meaning.score for meaning in anchor.meanings), default=0.0) >= SURE


def simpler(question: ParsedQuestion, *, fits: bool) -> Iterator[tuple[ParsedQuestion, str]]:
    """Simpler questions; if the full one `fits` the schema, only uncertain names are left out."""
    if question.operation == "top" and not fits:
        yield replace(question, operation="list", number=None), "not ranked: the question does not say what to rank by"
    if len(question.anchors) < 2:
        return
    why = "nothing matches with it" if fits else "nothing in this graph's schema connects it to the rest"
    for anchor in sorted(question.anchors, key=lambda each: max(meaning.score for meaning in each.meanings)):
        if is_sure(anchor) and fits:
            continue
        rest = tuple(each for each in question.anchors if each is not anchor)
        left_out = (*question.unrecognised, anchor.text)
        trees = tuple(tree.without(question.anchors.index(anchor)) for tree in question.trees)
        yield replace(question, anchors=rest, unrecognised=left_out, trees=trees), f"without {anchor.text!r}: {why}"
