"""Whether a text is English, by the small words it is made of.

English prose is a third small words and hardly ever less than a tenth; other languages in Latin letters have their own,
and other scripts have none of them.
"""

import re
from collections.abc import Iterable

from clew.extract.corpus.word_lists import word_list

__all__ = ["is_english", "is_foreign"]

WORD = re.compile(r"[^\W\d_]+")
ENGLISH = word_list("small words of English")
OTHERS = word_list("small words of other languages") - ENGLISH  # "no" and "as" tell nothing
LEAST = 0.08  # share of small words below which a long text is not English
FEW = 12  # words: fewer are too few to judge by the share


def is_english(text: str, *, stated: str | None = None) -> bool:
    """Whether a whole text is English; what its record states ("eng") decides where there are too few words.

    >>> is_english("Die Behandlung der Gicht mit Colchicin wurde bei den Patienten nicht unter Placebo verglichen.")
    False
    >>> is_english("Familial Mediterranean fever")
    True
    """
    words = [word.lower() for word in WORD.findall(text[:20_000])]
    if not words or sum(map(_is_latin, words)) * 2 < len(words):
        return not words
    ours, theirs = _count(words, ENGLISH), _count(words, OTHERS)
    if len(words) < FEW:
        return theirs <= ours + 1 if stated is None else stated == "eng" or theirs <= ours
    return ours >= LEAST * len(words) and 2 * ours >= theirs  # an abstract may come in two languages


def is_foreign(sentence: str) -> bool:
    """Whether a sentence of an English text is in another language, told only where it is plain."""
    words = [word.lower() for word in WORD.findall(sentence)]
    if words and sum(map(_is_latin, words)) * 2 < len(words):
        return True
    theirs = _count(words, OTHERS)
    return theirs >= 3 and theirs > 2 * _count(words, ENGLISH)


def _count(words: Iterable[str], known: frozenset[str]) -> int:
    return sum(word in known for word in words)


def _is_latin(word: str) -> bool:
    return word[0] < "\u0400" or "\u1e00" <= word[0] < "\u2000"  # Latin and Greek
