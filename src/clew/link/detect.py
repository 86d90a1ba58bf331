"""Mention detection: the longest names in running text, with abbreviations, marked by their context.

The words of a text are normalised like names and matched against the trie of all names. To avoid false matches, a
one-word name in capitals, such as the genes WAS, CAN and REST, matches only the same capitals in text that is not all
upper case; stop words and single letters match no other way.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np

from clew.link.abbreviations import Abbreviation, find_abbreviations
from clew.link.candidates import Linked
from clew.link.context import Marks, mark
from clew.link.names.name_index import LinkIndex
from clew.link.normalise import SMALL_WORDS, WORDS, fold, plain

__all__ = ["Detector", "Mention"]

SOME_WORDS = re.compile(f"({WORDS.pattern})")
PLAIN_WORDS = re.compile(r"([A-Za-z0-9]+(?:'[sS](?![A-Za-z0-9]))?)")  # the same in ASCII, faster
ENGLISH = SMALL_WORDS | {  # and words too common to be a name unless written in capitals
    "a", "all", "are", "as", "at", "be", "but", "can", "did", "do", "does", "had", "has", "have", "he", "her", "his",
    "how", "if", "into", "is", "it", "its", "may", "more", "most", "no", "non", "not", "other", "our", "out", "she",
    "so", "some", "such", "than", "that", "their", "them", "then", "there", "these", "they", "this", "those", "up",
    "was", "we", "were", "what", "when", "which", "who", "will", "would", "you",
}  # fmt: skip
SENTENCE_END = re.compile(r"[.!?;:](?=\s)|\n\s*\n")
CACHED = 1 << 14  # cached names and words
WINDOW, FEWEST_LETTERS = (
    40,
    6,
)  # characters examined on either side, and the fewest letters that show a text is all upper case
SIMILAR = "fuzzy"
LAST_STAGE = "normalised"  # running text is searched for names, not for similar ones
MODIFIERS = re.compile(
    r"(?:(?:(?:very )?(?:low|high|single|medium)[- ]doses?|oral|intravenous|topical|inhaled|intranasal|intrathecal"
    r"|recombinant|liposomal|pegylated|nebuli[sz]ed|continuous|adjuvant|acute|chronic|severe|mild|moderate|refractory|recurrent|advanced"
    r"|idiopathic|newly diagnosed|relapsed|untreated|symptomatic)(?:,| and| or)? )+",
    re.IGNORECASE,
)
ACCEPTED, CASE_SENSITIVE, REJECTED = "accepted", "case-sensitive", "rejected"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text: its span, its linked entities, and whether it is negated, uncertain, family or historical.

    `abbreviation_of` is the long form that the text defines for it.
    """

    start: int
    end: int
    text: str
    linked: Linked
    marks: Marks | None = None
    abbreviation_of: str | None = None


Match = tuple[int, int, Abbreviation | None]  # start, end, definition


class Links(Protocol):
    """What detection needs of a linker."""

    index: LinkIndex

    def link(self, mention: str, *, type: tuple[str, ...] | None, long_form: str | None, last_stage: str) -> Linked: ...


class Detector:
    """Finds mentions with a linker and caches the links of names, since texts repeat them."""

    def __init__(self, linker: Links) -> None:
        self._linker = linker
        self._link = lru_cache(maxsize=CACHED)(self._link_name)
        self._check = lru_cache(maxsize=CACHED)(self._check_word)

    def detect(self, text: str, *, types: tuple[str, ...] | None = None, marks: bool = True) -> list[Mention]:
        """Every mention in a text, in order and without overlaps."""
        # In reverse, so that the first definition of an abbreviation counts.
        defined = reversed(find_abbreviations(text))
        definitions = {each.short: each for each in defined}
        shorts = {short: known for short, each in definitions.items() if (known := self._known(each, types))}
        otherwise = {short for short, each in definitions.items() if short not in shorts and not self._agrees(each)}
        matches = _short_forms(text, shorts)
        for start, end in self._names(text):
            written = text[start:end]
            if written in shorts or {written, written.removesuffix("s")} & otherwise:
                continue
            if types is None or self._link(written, None, types).best is not None:
                matches.append((start, end, None))
        mentions = []
        for start, end, short in _without_overlaps(matches, len(text)):
            written, long_form = text[start:end], None if short is None else short.long
            linked = self._link(written, long_form, types)
            if linked.best is not None:
                mentions.append(Mention(start, end, written, linked, None, long_form))
        return _marked(text, mentions) if marks else mentions

    def _known(self, defined: Abbreviation, types: tuple[str, ...] | None) -> Abbreviation | None:
        """The definition, if its long form names an entity, as it is or without adjectives of dose, route and course:
        "low-dose naltrexone (LDN)"."""
        for long in dict.fromkeys((defined.long, MODIFIERS.sub("", defined.long))):
            if self._link(long, None, types).best:
                return replace(defined, long=long)
        return None

    def _agrees(self, defined: Abbreviation) -> bool:
        """Whether a definition without an entity may mean the entity that has the short form as a name: "sentinel lymph
        node (SLN)" is not the gene SLN, while "breast cancer gene 1 (BRCA1)" is spelled like a name of that gene."""
        meant = {
            each.entity
            for each in self._linker.link(defined.long, type=None, long_form=None, last_stage=SIMILAR).candidates
        }
        return any(each.entity in meant for each in self._link(defined.short, None, None).candidates)

    def _link_name(self, name: str, long_form: str | None, types: tuple[str, ...] | None) -> Linked:
        return self._linker.link(name, type=types, long_form=long_form, last_stage=LAST_STAGE)

    def _names(self, text: str) -> Iterator[tuple[int, int]]:
        """Every span of words that is a name, overlapping ones included."""
        parts = (PLAIN_WORDS if text.isascii() else SOME_WORDS).split(text)  # gap, word, gap, word, …
        if len(parts) == 1:
            return
        bounds = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        word_starts, word_ends = bounds[0:-1:2], bounds[1::2]
        phrases = self._linker.index.phrases
        at, lengths, rows = phrases.find(phrases.number(parts[1::2]))
        starts, ends = word_starts[at], word_ends[at + lengths - 1]
        breaks = np.array([each.start() for each in SENTENCE_END.finditer(text)])
        crossing = np.searchsorted(breaks, starts) != np.searchsorted(breaks, ends)
        doubtful = (lengths == 1) | crossing
        yield from zip(starts[~doubtful].tolist(), ends[~doubtful].tolist(), strict=True)
        columns = (array[doubtful].tolist() for array in (starts, ends, rows, crossing))
        for start, end, row, crosses in zip(*columns, strict=True):
            outcome = self._check(text[start:end], row, crosses)
            if outcome == ACCEPTED or (outcome == CASE_SENSITIVE and not _all_capitals(text, start, end)):
                yield start, end

    def _check_word(self, written: str, row: int, crosses: bool) -> str:
        """Whether a word can be the name of that row: always, only in text that is not all upper case, or never.

        Words on both sides of a sentence end are a name only if the name itself contains that punctuation.
        """
        forms = [form.text for form in self._linker.index.forms(row)]
        if crosses:
            return ACCEPTED if plain(written) in map(plain, forms) else REJECTED
        if not any(character.isalpha() for character in written) or len(fold(written)) < 2:
            return REJECTED
        symbols = set(filter(_is_symbol, forms))
        if len(symbols) < len(set(forms)) and fold(written) not in ENGLISH:
            return ACCEPTED
        variants = {written, written.removesuffix("s")}
        if sum(map(str.isupper, written)) > 1:  # mTOR, PlGF
            variants.add(written.upper())
        return CASE_SENSITIVE if variants & symbols else REJECTED


def _is_symbol(form: str) -> bool:
    """A word of capital letters only, such as WAS; a digit (FBN1) rules out an ordinary word."""
    return form.isalpha() and form.isupper()


def _all_capitals(text: str, start: int, end: int) -> bool:
    """Whether the text around a match is all upper case, so that capitals carry no information."""
    around = [letter for letter in text[max(0, start - WINDOW) : start] + text[end : end + WINDOW] if letter.isalpha()]
    return len(around) >= FEWEST_LETTERS and all(letter.isupper() for letter in around)


def _short_forms(text: str, shorts: Mapping[str, Abbreviation]) -> list[Match]:
    """Occurrences of the short forms that a text defines, case-sensitive, with an optional plural s."""
    if not shorts:
        return []
    longest_first = sorted(shorts, key=len, reverse=True)
    pattern = re.compile(rf"(?<![^\W_])({'|'.join(map(re.escape, longest_first))})s?(?![^\W_])")
    return [(match.start(), match.end(), shorts[match[1]]) for match in pattern.finditer(text)]


def _without_overlaps(matches: list[Match], length: int) -> list[Match]:
    """The longest matches, and others that overlap no longer one, in text order."""
    taken = bytearray(length)
    kept = []
    for match in sorted(matches, key=lambda match: (match[0] - match[1], match[0], match[2] is None)):
        start, end, _ = match
        if not (taken[start] or taken[end - 1]):  # a longer match can only overlap at an end
            taken[start:end] = b"\x01" * (end - start)
            kept.append(match)
    return sorted(kept, key=lambda match: match[0])


def _marked(text: str, mentions: list[Mention]) -> list[Mention]:
    found = mark(text, [(mention.start, mention.end) for mention in mentions])
    return [replace(mention, marks=marks) for mention, marks in zip(mentions, found, strict=True)]
