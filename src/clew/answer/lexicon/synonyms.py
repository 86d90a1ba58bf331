"""Words that say the same as the one word a relation is named by, or say it from its other end (synonyms.json)."""

from collections.abc import Mapping
from functools import cache

from clew.answer.lexicon.forms import core_name, root, stem, word_table
from clew.store.layout import upper_snake

__all__ = ["converses_of", "has_synonyms", "synonyms_of"]

SMALL = frozenset(
    (
        "a",
        "an",
        "and",
        "are",
        "at",
        "by",
        "for",
        "from",
        "has",
        "have",
        "in",
        "is",
        "of",
        "off",
        "on",
        "out",
        "the",
        "to",
    )
) | {"up", "was", "were", "with"}


def synonyms_of(relation: str) -> tuple[str, ...]:
    """Other words for a relation that is named by one word, whatever small words stand around it.

    >>> synonyms_of("trained_by"), synonyms_of("hasTrainer"), synonyms_of("date_of_birth")
    (('trainer', 'coach'), ('trainer', 'coach'), ())
    """
    return _found(_families()[0], _word_of(relation))


def converses_of(relation: str) -> tuple[str, ...]:
    """Words that say a relation from its other end: "learn from" for *teaches*."""
    return _found(_families()[1], _word_of(relation))


def has_synonyms(word: str) -> bool:
    """Whether a word is listed as one for some relation, and so means that and no other."""
    return stem(word) in _families()[0]


def _word_of(relation: str) -> str:
    """The only word of a name that says something; none where there are several."""
    words = [word for word in upper_snake(core_name(relation)).lower().split("_") if word not in SMALL]
    return words[0] if len(words) == 1 else ""


def _found(families: Mapping[str, tuple[str, ...]], word: str) -> tuple[str, ...]:
    return families.get(stem(word)) or families.get(root(word), ())


@cache
def _families() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """By the stem of a word: those that say the same, and those that say it from the other end."""
    table = word_table("synonyms.json")
    same: dict[str, tuple[str, ...]] = {}
    for listed in table["same"]:
        first, *others = listed.split(", ")
        same[stem(first)] = tuple(others)
    for listed in table["same"]:  # a noun of the family stands for it too: hasTrainer
        first, *others = listed.split(", ")
        for word in others:
            if " " not in word:
                same.setdefault(stem(word), (*others, first) if stem(first) != stem(word) else tuple(others))
    converse = {}
    for listed in table["converse"]:
        first, others_said = listed.split(" | ")
        converse[stem(first)] = tuple(others_said.split(", "))
    return same, converse
