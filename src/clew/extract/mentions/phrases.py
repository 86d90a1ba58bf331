"""Phrases of a sequence that can be tails: runs of words between small words, verbs and signs, by token ranges."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from clew.extract.chains.graphs import SLOTS
from clew.extract.mentions.syntax import STOP, VERBS, is_nominal
from clew.extract.sequences.vocabulary import CONTINUES

__all__ = ["Range", "cuts", "find_phrases", "word_ranges"]

JOINTS = frozenset("-/'’")  # signs inside a name, without spaces around them
BETWEEN = frozenset(("of", "in"))  # join two runs to a name: "loss of vision"
Range = tuple[int, int]  # tokens, the last exclusive


def find_phrases(pieces: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> list[Range]:
    """Token ranges of noun-like phrases of at most seven tokens, in order and without repeats.

    `pieces` are a sequence's tokens as the vocabulary writes them, `starts` and `ends` where each stands in the text.

    >>> pieces = ["severe", "liver", "fi", "##brosis", "is", "seen", "in", "gout", "."]
    >>> starts = [0, 7, 13, 15, 22, 25, 30, 33, 37]
    >>> ends = [6, 12, 15, 21, 24, 29, 32, 37, 38]
    >>> [" ".join(pieces[first:last]) for first, last in find_phrases(pieces, starts, ends)]
    ['severe liver', 'severe liver fi ##brosis', 'liver', 'liver fi ##brosis', 'fi ##brosis', 'gout']
    """
    words = word_ranges(pieces, starts, ends)
    texts = ["".join(piece.removeprefix(CONTINUES) for piece in pieces[first:last]) for first, last in words]
    runs = list(_runs(texts))
    found: dict[Range, None] = {}
    for begin, end in runs:
        for first in range(begin, end):
            for last in range(first + 1, end + 1):
                _note(found, words, texts, first, last)
    for (begin, middle), (after, end) in pairwise(runs):
        if after == middle + 1 and texts[middle] in BETWEEN:
            _note(found, words, texts, begin, end)
    return sorted(found)


def word_ranges(pieces: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> list[Range]:
    """Tokens grouped into words: pieces that go on, and what a hyphen or stroke joins without spaces."""
    ranges: list[Range] = []
    for at, piece in enumerate(pieces):
        touches = at > 0 and starts[at] == ends[at - 1]
        joined = touches and (piece in JOINTS or pieces[at - 1] in JOINTS)
        if ranges and (piece.startswith(CONTINUES) or joined):
            ranges[-1] = (ranges[-1][0], at + 1)
        else:
            ranges.append((at, at + 1))
    return ranges


def cuts(phrase: Range, name: Range) -> bool:
    """Whether a phrase has some tokens of a name, but not all.

    >>> cuts((3, 5), (4, 6)), cuts((3, 6), (4, 6)), cuts((3, 4), (4, 6))
    (True, False, False)
    """
    shared = min(phrase[1], name[1]) - max(phrase[0], name[0])
    return 0 < shared < name[1] - name[0]


def _runs(texts: Sequence[str]) -> Iterator[Range]:
    """Ranges of words without a small word, a verb or a sign among them."""
    begin = 0
    for at, text in enumerate((*texts, ".")):
        if text in STOP or text in VERBS or not text[:1].isalnum():
            if at > begin:
                yield begin, at
            begin = at + 1


def _note(found: dict[Range, None], words: Sequence[Range], texts: Sequence[str], first: int, last: int) -> None:
    tokens = words[first][0], words[last - 1][1]
    if tokens[1] - tokens[0] <= SLOTS and is_nominal(list(texts[first:last])):
        found[tokens] = None
