"""Phrases for types and relations: from their names and a table of words, as stems and as roots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clew.answer.lexicon.families import names_roles
from clew.answer.lexicon.forms import Token, core_name, root, stem, tokens_of, word_table
from clew.answer.lexicon.light import is_light
from clew.store.layout import upper_snake

__all__ = [
    "TRAILING",
    "VERB_PARTICLES",
    "Phrase",
    "is_doer",
    "is_verb_name",
    "phrases_of",
    "roots_of",
    "spoken_phrases",
]

TRAILING = frozenset({"by", "with", "to", "on", "upon"})
VERB_PARTICLES = TRAILING | {"in", "for", "at", "from", "through", "under", "into", "against"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase for a relation; `own` if it is the relation's name."""

    stems: tuple[str, ...]
    own: bool


def phrases_of(name: str, known: Mapping[str, list[str]], called: str = "") -> list[str]:
    """Everyday words for a name, or its own words; `called` is what of it says something."""
    by_form = {upper_snake(each): phrases for each, phrases in known.items()}
    core = upper_snake(core_name(called or name))
    first, _, last = core.rpartition("_")
    bare = first if last.lower() in VERB_PARTICLES - {"by"} else core  # participates_in is participates
    listed = next((by_form[each] for each in (upper_snake(name), core, bare) if each in by_form), [])
    return list(dict.fromkeys([*listed, " ".join(core.lower().split("_"))]))


def spoken_phrases(phrases: Iterable[str], relation: str) -> list[Phrase]:
    own = upper_snake(core_name(relation))
    found = [(phrase, tuple(stem(word.text) for word in tokens_of(phrase))) for phrase in phrases]
    return [Phrase(stems, _family(phrase) == _family(own)) for phrase, stems in found if stems]


def roots_of(listed: Iterable[str], phrases: Iterable[str], own: str) -> frozenset[str]:
    """The roots of all words that say something by themselves, of a relation's own name and of other phrases for it.

    A light verb of a longer phrase says nothing without the rest ("give rise to"), and of synonyms only those of one
    word, or with a particle, do.
    """
    small = {stem(word) for word in word_table("asking.json")["frame"]}
    whole = [tokens_of(" ".join(upper_snake(phrase).lower().split("_"))) for phrase in listed]
    more = [words for words in map(tokens_of, phrases) if len(words) == 1 or _is_phrasal(words)]
    said = [token for words in (*whole, *more) for token in words if len(words) == 1 or not is_light(token.text)]
    said += tokens_of(" ".join(upper_snake(own).lower().split("_")))
    return frozenset(root(token.text) for token in said if token.stem not in small)


def _is_phrasal(words: Sequence[Token]) -> bool:
    return len(words) == 2 and words[1].text in VERB_PARTICLES


def _family(phrase: str) -> tuple[str, ...]:
    """The words of a phrase without their endings, small ones left out: "treat" and TREATS are one."""
    words = upper_snake(phrase).lower().split("_")
    return tuple(stem(word) for word in words if word not in TRAILING) or tuple(words)


def is_doer(noun: str) -> bool:
    """Whether a noun names who does something: director, artist."""
    return noun.lower().removesuffix("s").endswith(("er", "or", "ist", "ian", "ant"))


def is_verb_name(name: str) -> bool:
    """Whether a relation is named by a verb ("treats", "made by"), not by a noun ("capital", "place of birth")."""
    first, *rest = name.lower().split("_")
    if rest:
        return rest[-1] in VERB_PARTICLES or rest[-1] == "of"
    table = word_table("irregular.json")
    if names_roles(first):
        return False
    return first.endswith(("s", "ed", "ing", "ize", "ise")) or first in table or first in table.values()
