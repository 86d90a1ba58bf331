"""Numbers in names, and the nouns that they belong to: Bake Off Series 5 Episode 4 has series 5 and episode 4."""

import re
from collections.abc import Sequence
from functools import lru_cache

from clew.answer.lexicon.numbers import NUMBERS, ROMAN, read_number, read_ordinal
from clew.link.normalise import SMALL_WORDS, WORDS, fold

__all__ = ["COUNTING", "Numeral", "number_of", "numerals_of", "own_words"]

COUNTING = frozenset({"no", "nr", "number"})  # between a noun and its number
COMPLETING = SMALL_WORDS - {"the"}  # before a noun that completes another
BRACKETS = re.compile(r"\[[^]]*\]|\([^)]*\)")  # they tell a name apart, and are no part of it
MOST_DIGITS = 9
CACHED = 1 << 14  # names

Numeral = tuple[int, str | None]  # a number and its noun; None where it is not the name's own


def number_of(word: str) -> tuple[int | None, bool]:
    """The number that a word is, and whether it is an ordinal.

    >>> number_of("12"), number_of("twelve"), number_of("XII"), number_of("12th"), number_of("dozens")
    ((12, False), (12, False), (12, False), (12, True), (None, False))
    """
    place = read_ordinal(word)
    if place is not None:
        return place, True
    if word.isdecimal() and len(word) <= MOST_DIGITS:
        return int(word), False
    number = read_number(word) if word.lower().partition("-")[0] in NUMBERS else ROMAN.get(word)
    return (number if isinstance(number, int) else None), False


def own_words(name: str) -> list[str]:
    """The words of a name as they are written, without those in brackets."""
    return [word for word in WORDS.findall(BRACKETS.sub(" ", name)) if fold(word) not in COUNTING]


@lru_cache(maxsize=CACHED)
def numerals_of(name: str) -> Sequence[Numeral]:
    """The numbers of a name with their nouns, folded: the word before a cardinal, or behind an ordinal.

    >>> numerals_of("Ward 3 Spine"), numerals_of("Third Ward"), numerals_of("Loss of chromosome 8"), numerals_of("7")
    (((3, 'ward'),), ((3, 'ward'),), ((8, None),), ((7, ''),))
    """
    words = own_words(name)
    found: list[Numeral] = []
    for at, word in enumerate(words):
        number, is_ordinal = number_of(word)
        if number is not None:
            noun = at + 1 if is_ordinal else at - 1
            completes = any(each.lower() in COMPLETING for each in words[: min(at, max(noun, 0))][-1:])
            found.append((number, None if completes else fold(words[noun]) if 0 <= noun < len(words) else ""))
    return tuple(found)
