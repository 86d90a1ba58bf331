"""Words and their forms: tokens of a text, stems, roots and singulars, the core of a relation's name."""

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from clew.store.layout import NAMESPACE, REMEMBERED, upper_snake

__all__ = [
    "Token",
    "core_name",
    "forms_of_verb",
    "is_code",
    "is_irregular",
    "plain_name",
    "root",
    "singular",
    "stem",
    "tokens_of",
    "word_table",
]

WORD = re.compile(r"[^\W_]+(?:['’\-–][^\W_]+)*")
DERIVED = ("ation", "ition", "ion", "ment", "ency", "ance", "ence", "er", "or", "e", "ist", "ive", "al", "ant", "ent")
DOUBLED = "bdgmnprt"  # before an ending
LONGEST_CODE = 3  # letters of a name that is a code
SHORTEST_ROOT = 4  # letters that remain of a word without such an ending


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question and where it stands."""

    text: str
    start: int
    end: int

    @property
    def stem(self) -> str:
        return stem(self.text)


def tokens_of(text: str) -> list[Token]:
    """The words of a text."""
    return [Token(found.group(), found.start(), found.end()) for found in WORD.finditer(text)]


@cache
def word_table(name: str) -> Any:
    """A table of words that Clew brings along."""
    return json.loads(files("clew.answer.lexicon").joinpath(name).read_text("utf-8"))


def is_code(name: str) -> bool:
    """Whether a name is a code that nobody says.

    >>> [is_code(each) for each in ("CTY", "WS", "Hut", "WINE")]
    [True, True, False, False]
    """
    return name.isupper() and len(name) <= LONGEST_CODE


def is_irregular(word: str) -> bool:
    """Whether a word is a form that no rule makes: "beaten", "won", "children"."""
    return word.lower() in word_table("irregular.json")


def forms_of_verb(verb: str) -> tuple[str, ...]:
    """A verb as it stands in the present and in the past.

    >>> forms_of_verb("hire"), forms_of_verb("sell")
    (('hire', 'hires', 'hired'), ('sell', 'sells', 'selled', 'sold'))
    """
    past = f"{verb}d" if verb.endswith("e") else f"{verb[:-1]}ied" if verb.endswith("y") else f"{verb}ed"
    return (verb, f"{verb}s", past, *(form for form, meant in word_table("irregular.json").items() if meant == verb))


@cache
def root(word: str) -> str:
    """What the words of one family share, so that "directed" meets "director" and "indication" meets "indicated".

    >>> [root(word) for word in ("director", "directed", "indication", "indicated", "employee", "employs", "beaten")]
    ['direct', 'direct', 'indic', 'indic', 'employ', 'employ', 'beat']
    """
    plain = stem(word)
    for ending in (*DERIVED, "at"):
        if plain.endswith(ending) and len(plain) - len(ending) >= SHORTEST_ROOT:
            return plain.removesuffix(ending)
    return plain


@cache
def singular(word: str) -> str:
    """A noun in the singular, without the endings of verbs: "coaches" and "coach" are one, "coached" is another.

    >>> [singular(word) for word in ("Diseases", "studies", "coached", "children")]
    ['diseas', 'study', 'coached', 'child']
    """
    lowered = word.lower().replace("’", "'").removesuffix("'s")
    if lowered.endswith("ings"):  # paintings are no form of "paint"
        return lowered[:-1]
    return lowered if lowered.endswith(("ed", "ing")) and len(lowered) > 5 else stem(lowered)


@lru_cache(REMEMBERED)
def core_name(relation: str) -> str:
    """A relation's name without the parts that say what it is about.

    >>> core_name("people__person__parents"), core_name("biolink:treats"), core_name("located_in")
    ('parents', 'treats', 'located_in')
    """
    return next((part for part in reversed(NAMESPACE.split(relation)) if part.strip("_")), relation)


@lru_cache(REMEMBERED)
def plain_name(name: str) -> str:
    """A name of a type, relation or column in plain words.

    >>> plain_name("people__person__placeOfBirth"), plain_name("biolink:treats")
    ('place of birth', 'treats')
    """
    return " ".join(upper_snake(core_name(name)).lower().split("_"))


@cache
def stem(word: str) -> str:
    """A word without its ending, so that "diseases", "linked" and "causing" meet "disease", "link" and "cause".

    >>> [stem(word) for word in ("diseases", "Linked", "causing", "studies", "syndromes", "inherited")]
    ['diseas', 'link', 'caus', 'study', 'syndrom', 'inherit']
    """
    lowered = word.lower().replace("’", "'").removesuffix("'s")
    lowered = str(word_table("irregular.json").get(lowered, lowered))
    if lowered.endswith("ies") and len(lowered) > 4:
        lowered = lowered[:-3] + "y"
    elif lowered.endswith("s") and not lowered.endswith("ss") and len(lowered) > 3:
        lowered = lowered[:-1]
    for ending in ("ing", "ed"):
        if lowered.endswith(ending) and len(lowered) - len(ending) >= 3:
            lowered = lowered[: -len(ending)]
            if len(lowered) > 3 and lowered[-1] == lowered[-2] and lowered[-1] in DOUBLED:  # planned, shipping
                lowered = lowered[:-1]
            elif ending == "ed" and lowered.endswith("i"):  # studied
                lowered = f"{lowered[:-1]}y"
    return lowered.removesuffix("e") if len(lowered) > 3 else lowered
