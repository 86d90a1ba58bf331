"""The sentences of a document about a pair of entities, with only the mentions of these two marked.

Sentences that name both come first, then the title, then those that name one of them, nearest first, up to a number of
tokens; they are read in the order of the text.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.extract.statements.examples import ENTITY_TYPES
from clew.extract.statements.pairing import Layout, TokenMention

__all__ = ["cut_pair_text"]

MOST = 200  # tokens of a pair's sentences, markers not counted
LONGEST = 320  # tokens with markers
Span = tuple[int, int]


def cut_pair_text(
    tokens: Sequence[int],
    sentences: Sequence[int],
    mentions: tuple[Sequence[TokenMention], Sequence[TokenMention]],
    layout: Layout,
) -> NDArray[np.int64]:
    """Tokens, with [CLS] and [SEP], of the sentences about two entities; `sentences` are the places of their starts."""
    bounds = list(zip(sentences, [*sentences[1:], len(tokens)], strict=True))
    named = [{_sentence(sentences, each.first) for each in mine} for mine in mentions]
    marked: list[int] = []
    for number in sorted(_choose(bounds, named[0] & named[1], named[0] | named[1])):
        first, after = bounds[number]
        marked += _mark(tokens, (first, min(after, first + MOST)), mentions, layout)
    return np.array([layout.begin, *marked[:LONGEST], layout.end], np.int64)


def _sentence(sentences: Sequence[int], token: int) -> int:
    return int(np.searchsorted(sentences, token, side="right")) - 1


def _choose(bounds: Sequence[Span], both: set[int], either: set[int]) -> set[int]:
    """The numbers of the sentences that are read."""

    def apart(number: int) -> int:
        return min((abs(number - each) for each in both), default=0)

    order = [*sorted(both), 0, *sorted(either - both - {0}, key=apart)]
    taken: set[int] = set()
    size = 0
    for number in dict.fromkeys(order):
        length = bounds[number][1] - bounds[number][0]
        if taken and size + length > MOST:
            continue
        taken.add(number)
        size += length
        if size >= MOST:
            break
    return taken


def _mark(
    tokens: Sequence[int], span: Span, mentions: tuple[Sequence[TokenMention], Sequence[TokenMention]], layout: Layout
) -> list[int]:
    """The tokens of a span with a marker before and after each mention that begins in it."""
    first, end = span
    inserted: list[tuple[int, int, int]] = []  # before which token, closing first, marker
    for mention in (each for mine in mentions for each in mine if first <= each.first < end):
        marker = layout.vocabulary + 2 * ENTITY_TYPES.index(mention.type)
        inserted += [(mention.first, 1, marker), (min(mention.after, end), 0, marker + 1)]
    marked: list[int] = []
    done = first
    for place, _, marker in sorted(inserted):
        marked += [*tokens[done:place], marker]
        done = max(done, place)
    return [*marked, *tokens[done:end]]
