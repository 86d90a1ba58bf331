"""Sequences of an abstract for asking about its chemicals: the title before every window of whole sentences.

A pair of mentions rarely stands in one sentence with all that tells what became of it; the title says what an abstract
is about. A window has at most `length` tokens, title included; the next one begins in the middle of the last, so that
each mention is also seen with what precedes and follows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.evaluate.extraction.bc5cdr.abstracts import Abstract, Mentioned
from clew.extract.corpus.sentences import split_passage

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Window", "cut_windows", "mention_range"]

LONGEST_TITLE = 48  # tokens; what is longer is cut


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens with the span of each in the abstract's text; the title's tokens come first."""

    tokens: tuple[int, ...] = field(repr=False)
    spans: tuple[tuple[int, int], ...] = field(repr=False)
    title: int  # how many of the tokens are the title's


def cut_windows(abstract: Abstract, tokenizer: "Tokenizer", *, length: int = 128) -> list[Window]:
    """The windows of an abstract in order; one that has no body is its title alone."""
    encoded = tokenizer.encode(abstract.text, add_special_tokens=False)
    tokens = [(token, span) for token, span in zip(encoded.ids, encoded.offsets, strict=True) if span[1] > span[0]]
    title = [each for each in tokens if each[1][0] < len(abstract.title)]
    body = _sentences(abstract.text, tokens[len(title) :], length - min(len(title), LONGEST_TITLE))
    title = title[:LONGEST_TITLE]
    windows, first = [], 0
    while True:
        last, size = first, 0
        while last < len(body) and size + len(body[last]) <= length - len(title):
            size += len(body[last])
            last += 1
        chosen = title + [each for sentence in body[first:last] for each in sentence]
        windows.append(Window(tuple(token for token, _ in chosen), tuple(span for _, span in chosen), len(title)))
        if last >= len(body):
            return windows
        first = max(first + 1, (first + last + 1) // 2)


def _sentences(
    text: str, tokens: Sequence[tuple[int, tuple[int, int]]], longest: int
) -> list[list[tuple[int, tuple[int, int]]]]:
    """Tokens by sentence; a sentence that fills more than a window is cut."""
    ends = [start for start, _ in split_passage(text)][1:]
    sentences: list[list[tuple[int, tuple[int, int]]]] = []
    at, current = 0, -1
    for token in tokens:
        while at < len(ends) and ends[at] <= token[1][0]:
            at += 1
        if at != current or len(sentences[-1]) == longest:
            sentences.append([])
            current = at
        sentences[-1].append(token)
    return sentences


def mention_range(window: Window, mention: Mentioned) -> tuple[int, int] | None:
    """The tokens [first, last) of a window that a mention covers; None where the window does not hold all of it."""
    inside = [at for at, (start, end) in enumerate(window.spans) if start < mention.end and end > mention.start]
    if not inside or inside[-1] - inside[0] + 1 != len(inside):
        return None
    whole = window.spans[inside[0]][0] <= mention.start and window.spans[inside[-1]][1] >= mention.end
    return (inside[0], inside[-1] + 1) if whole else None
