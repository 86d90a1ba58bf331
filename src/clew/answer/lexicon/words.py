"""What people call the types and relations of a graph: "signs" are phenotypes, "linked to" is associated_with.

The words of common biomedical types and relations come from words.json; any other is called by its own name. More
can be added for a graph of one's own.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clew.store.layout import StoreSchema, upper_snake

__all__ = ["Said", "Token", "TypeWord", "Words", "stem", "tokens_of"]

WORD = re.compile(r"[^\W_]+(?:['’\-–][^\W_]+)*")
TRAILING = frozenset({"by", "with", "to", "on", "upon"})
OWN_NAME = 0.1  # bonus of a relation's own name over an everyday word
LESS_CLEARLY = 0.6
SHORTEST_SLIP, LONG_WORD = 5, 8  # letters of a word that is misspelt, and of one that may be so twice
IRREGULAR = {
    "loci": "locus",
    "phenotypes": "phenotype",
    "diagnoses": "diagnosis",
    "indices": "index",
    "having": "have",
    "bound": "bind",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question and where it stands."""

    text: str
    start: int
    end: int

    @property
    def stem(self) -> str:
        return stem(self.text)


@dataclass(frozen=True, slots=True)
class Said:
    """How clearly a relation is mentioned, and by which words of a text."""

    clearly: float
    places: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase for a relation; `own` if it is the relation's name."""

    stems: tuple[str, ...]
    own: bool


@dataclass(frozen=True, slots=True)
class TypeWord:
    """Words that name types, from token `first` to before token `last`; `implied` where a verb says it."""

    first: int
    last: int
    labels: tuple[str, ...]
    implied: bool = False


def tokens_of(text: str) -> list[Token]:
    """The words of a text."""
    return [Token(found.group(), found.start(), found.end()) for found in WORD.finditer(text)]


@cache
def stem(word: str) -> str:
    """A word without its ending, so that "diseases", "linked" and "causing" meet "disease", "link" and "cause".

    >>> [stem(word) for word in ("diseases", "Linked", "causing", "studies", "syndromes", "inherited")]
    ['diseas', 'link', 'caus', 'study', 'syndrom', 'inherit']
    """
    lowered = word.lower().replace("’", "'").removesuffix("'s")
    lowered = IRREGULAR.get(lowered, lowered)
    if lowered.endswith("ies") and len(lowered) > 4:
        lowered = lowered[:-3] + "y"
    elif lowered.endswith("s") and not lowered.endswith("ss") and len(lowered) > 3:
        lowered = lowered[:-1]
    for ending in ("ing", "ed"):
        if lowered.endswith(ending) and len(lowered) - len(ending) >= 3:
            lowered = lowered[: -len(ending)]
    return lowered.removesuffix("e") if len(lowered) > 3 else lowered


@cache
def _common() -> Mapping[str, Mapping[str, list[str]]]:
    found: Mapping[str, Mapping[str, list[str]]] = json.loads(
        files("clew.answer.lexicon").joinpath("words.json").read_text()
    )
    return found


class Words:
    """The words for one graph's types and relations."""

    def __init__(self, schema: StoreSchema, *, more: Mapping[str, Mapping[str, Iterable[str]]] | None = None) -> None:
        known: Any = _merged(_common(), more or {})
        self.schema = schema
        self.everyday: Mapping[str, list[str]] = known["everyday"]  # lay words → what graphs call it
        self.types = {label.name: _phrases(label.type, known["types"]) for label in schema.labels}
        self.verbs = {label.name: known["verbs"].get(label.type, []) for label in schema.labels}
        self.relations = {each.name: _phrases(each.relation, known["relations"]) for each in schema.relationships}
        self._type_index = _index(self.types)
        elsewhere = _index({name: phrases for name, phrases in known["types"].items() if name not in self.types})
        self._foreign_index = {phrase: () for phrase in elsewhere if phrase not in self._type_index}
        self._verb_index = _index(self.verbs)
        self._spoken = {
            each.name: _spoken_phrases(self.relations[each.name], each.relation) for each in schema.relationships
        }
        spoken = [phrase for family in (self.relations, self.verbs) for listed in family.values() for phrase in listed]
        asking = [*spoken, *known["asking"]["words"]]
        self._explained = {token.stem for phrase in asking for token in tokens_of(phrase)}
        listed = [phrase for family in (self.types, self.verbs) for phrases in family.values() for phrase in phrases]
        right = (token for phrase in [*asking, *listed] for token in tokens_of(phrase))
        self._right = {token.stem: token.text for token in right if len(token.stem) >= SHORTEST_SLIP}

    def read(self, text: str, *, is_name: Callable[[str], bool]) -> list[Token]:
        """The words of a question, with slips of the pen in those that ask put right ("wich sympoms").

        What `is_name` says of a name is left as it is.
        """
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extractOne

        tokens = []
        for token in tokens_of(text):
            known = token.stem in self._explained or self.find_types([token])
            if not known and len(token.stem) >= SHORTEST_SLIP - 1 and not is_name(token.text):
                most = 1 if len(token.stem) < LONG_WORD else 2
                meant = extractOne(token.stem, self._right.keys(), scorer=OSA.distance, score_cutoff=most)
                token = Token(self._right[meant[0]], token.start, token.end) if meant else token
            tokens.append(token)
        return tokens

    def name_of(self, label: str) -> str:
        """The everyday name of a type, in the singular."""
        return self.types[label][0]

    def find_types(self, tokens: list[Token]) -> list[TypeWord]:
        """Words that name types, the longest first where they overlap, in the order of the text."""
        found = [*_find(tokens, self._type_index, implied=False), *_find(tokens, self._verb_index, implied=True)]
        found.sort(key=lambda word: (word.implied, word.first - word.last, word.first))
        kept: list[TypeWord] = []
        for word in found:
            if all(word.last <= other.first or word.first >= other.last for other in kept):
                kept.append(word)
        return sorted(kept, key=lambda word: word.first)

    def find_foreign(self, tokens: list[Token]) -> list[TypeWord]:
        """Words for types that other graphs have and this one does not: nobody can list its drugs."""
        return list(_find(tokens, self._foreign_index, implied=False))

    def explains(self, stemmed: str) -> bool:
        """Whether a word belongs to how people ask, or to what relations are called here, and so names nothing."""
        return stemmed in self._explained

    def says(self, relation: str, stems: Sequence[str]) -> float:
        """How clearly a text mentions a relation: 0 for not at all, more for longer phrases, most for its own name."""
        return self._said(relation, stems).clearly

    def relations_said(self, stems: Sequence[str]) -> dict[str, Said]:
        """The relations that a text mentions."""
        said = {relation: self._said(relation, stems) for relation in self.relations}
        return {relation: each for relation, each in said.items() if each.clearly}

    def _said(self, relation: str, stems: Sequence[str]) -> Said:
        """The small word at the end of a phrase need not be there: "metabolise" matches "metabolised by"."""
        best = Said(0.0, frozenset())
        for phrase in self._spoken[relation]:
            wanted, clearly = phrase.stems, min(1.0, 0.5 + 0.25 * len(phrase.stems))
            at = _place(stems, wanted)
            if at is None and len(wanted) > 1 and wanted[-1] in TRAILING:
                wanted, clearly = wanted[:-1], LESS_CLEARLY
                at = _place(stems, wanted)
            if at is not None and clearly + OWN_NAME * phrase.own > best.clearly:
                best = Said(clearly + OWN_NAME * phrase.own, frozenset(range(at, at + len(wanted))))
        return best


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    return {
        family: {
            name: [*other.get(family, {}).get(name, ()), *one[family].get(name, ())]
            for name in {**one[family], **other.get(family, {})}
        }
        for family in one
    }


def _spoken_phrases(phrases: Iterable[str], relation: str) -> list[_Phrase]:
    own = upper_snake(relation)
    found = [(phrase, tuple(stem(word.text) for word in tokens_of(phrase))) for phrase in phrases]
    return [_Phrase(stems, _family(phrase) == _family(own)) for phrase, stems in found if stems]


def _family(phrase: str) -> tuple[str, ...]:
    """The words of a phrase without their endings, small ones left out: "treat" and TREATS are one."""
    words = upper_snake(phrase).lower().split("_")
    return tuple(stem(word) for word in words if word not in TRAILING) or tuple(words)


def _phrases(name: str, known: Mapping[str, list[str]]) -> list[str]:
    """Everyday words for a name, or its own words."""
    by_form = {upper_snake(each): phrases for each, phrases in known.items()}
    own = " ".join(upper_snake(name).lower().split("_"))
    return list(dict.fromkeys([*by_form.get(upper_snake(name), []), own]))


def _index(phrases: Mapping[str, list[str]]) -> dict[tuple[str, ...], tuple[str, ...]]:
    index: dict[tuple[str, ...], list[str]] = {}
    for name, listed in phrases.items():
        for phrase in listed:
            index.setdefault(tuple(stem(word.text) for word in tokens_of(phrase)), []).append(name)
    return {key: tuple(dict.fromkeys(names)) for key, names in index.items()}


def _find(
    tokens: list[Token], index: Mapping[tuple[str, ...], tuple[str, ...]], *, implied: bool
) -> Iterator[TypeWord]:
    longest = max(map(len, index), default=0)
    stems = [token.stem for token in tokens]
    for first in range(len(tokens)):
        for length in range(1, min(longest, len(tokens) - first) + 1):
            labels = index.get(tuple(stems[first : first + length]))
            if labels is not None:
                yield TypeWord(first, first + length, labels, implied)


def _place(stems: Sequence[str], wanted: tuple[str, ...]) -> int | None:
    """Where a run of words begins in a text, if it is there."""
    last = len(stems) - len(wanted)
    return next((at for at in range(last + 1) if tuple(stems[at : at + len(wanted)]) == wanted), None)
