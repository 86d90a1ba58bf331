"""Whether a phrase can be the name of something: the heuristics of appendix I, without a part-of-speech tagger.

A phrase is refused that is very long, mostly small words, holds a finite verb, or whose main word is no noun. Word
classes come from the short lists and endings of syntax_words.json; a biomedical ending or keyword makes a noun. Of the
names of Hetionet's and HPO's diseases, genes, compounds and phenotypes fewer than 1 in 100 are not recognised as nouns.
"""

import json
import re
from dataclasses import dataclass
from importlib.resources import files

from clew.errors import InputError

__all__ = ["FAULTS", "Syntax", "find_fault", "is_biomedical", "is_nominal"]

TOO_LONG, STOP_WORDS, CLAUSE, NO_NOUN = "too long", "mostly stop words", "holds a verb", "no noun"
FAULTS = (TOO_LONG, STOP_WORDS, CLAUSE, NO_NOUN)

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LISTS: dict[str, list[str]] = json.loads(
    files("clew.extract.mentions").joinpath("syntax_words.json").read_text("utf-8")
)
PREPOSITIONS = frozenset(_LISTS["prepositions"])
STOP = PREPOSITIONS | frozenset(_LISTS["small words"])
VERBS = frozenset(_LISTS["finite verbs"])  # that no name holds; "causes", "results" and "increases" are nouns as well
MODIFIERS = frozenset(_LISTS["modifiers"])  # adjectives and the like that no ending gives away
ADJECTIVE_ENDINGS = tuple(_LISTS["endings of adjectives"])
NOUNS_ALL_THE_SAME = frozenset(_LISTS["nouns with such an ending"])
BIOMEDICAL_ENDINGS = tuple(_LISTS["biomedical endings"])
BIOMEDICAL_WORDS = frozenset(_LISTS["biomedical words"])
STEM = 3  # letters before an ending, that it counts: "vein" is no drug
SYMBOL = 4  # letters: a word of no more tells nothing by its ending


@dataclass(frozen=True, slots=True)
class Syntax:
    """What a tail may look like; the figures are the paper's (appendix I)."""

    longest: int = 40  # characters
    stop_share: float = 0.3  # of the words, where there are at least `stop_words_from`
    stop_words_from: int = 4
    adjectival: tuple[str, ...] = ("role", "morphology", "disposition", "quality")  # in the names of relations

    def __post_init__(self) -> None:
        if self.longest < 1 or self.stop_words_from < 1 or not 0 <= self.stop_share <= 1:
            raise InputError("a tail has at least one letter, and a share of stop words between 0 and 1")


def find_fault(phrase: str, *, relation: str = "", syntax: Syntax | None = None) -> str | None:
    """One of `FAULTS`, or None for a phrase that can be a name.

    Relations whose objects are adjectives ("plays_role": therapeutic) ask for no noun.

    >>> find_fault("obesity"), find_fault("high", relation="associated_with"), find_fault("insulin is released")
    (None, 'no noun', 'holds a verb')
    """
    syntax = syntax or Syntax()
    words = [word.lower() for word in WORD.findall(phrase)]
    before_comma = [word.lower() for word in WORD.findall(phrase.partition(", ")[0])]  # "malabsorption, primary"
    if len(phrase) > syntax.longest:
        return TOO_LONG
    small = sum(word in STOP for word in words)
    if len(words) >= syntax.stop_words_from and small > syntax.stop_share * len(words):
        return STOP_WORDS
    if any(word in VERBS for word in words):
        return CLAUSE
    if any(name in relation.lower() for name in syntax.adjectival):
        return None if any(word not in STOP for word in words) else NO_NOUN
    return None if is_nominal(before_comma) else NO_NOUN


def is_nominal(words: list[str]) -> bool:
    """Whether the main word, the last before a preposition, is a noun; a name cannot begin or end with a small word.

    >>> is_nominal(["fibrosis", "of", "lung"]), is_nominal(["severe", "metabolic"]), is_nominal(["of", "lung"])
    (True, False, False)
    """
    if not words or words[0] in STOP or words[-1] in STOP - {"a", "i"}:  # vitamin A, type I
        return False
    before = next((at for at, word in enumerate(words) if word in PREPOSITIONS or word == "due"), len(words))
    return _is_noun(words[:before])


def is_biomedical(word: str) -> bool:
    """Whether a word is clearly of the field, by its ending or because it is one of its commonest.

    >>> is_biomedical("hyperglycemia"), is_biomedical("vein"), is_biomedical("kinase")
    (True, False, True)
    """
    if word in BIOMEDICAL_WORDS:
        return True
    return any(word.endswith(ending) and len(word) - len(ending) >= STEM for ending in BIOMEDICAL_ENDINGS)


def _is_noun(words: list[str]) -> bool:
    """Whether the last word can be a noun; one that only numbers or names a kind lets the word before it decide."""
    while len(words) > 1 and (words[-1].isdecimal() or len(words[-1]) == 1 or words[-1] in ("ii", "iii", "iv", "vi")):
        words = words[:-1]
    last = words[-1].rpartition("-")[2] or words[-1]
    if last.isdecimal() and last == words[-1]:
        return False
    if last in NOUNS_ALL_THE_SAME:
        return True
    if last in STOP or last in MODIFIERS:
        return False
    if len(last) <= SYMBOL or not last.isalpha() or is_biomedical(last):
        return True
    return not last.endswith(ADJECTIVE_ENDINGS)
