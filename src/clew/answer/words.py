"""What people call the types and relations of a graph: "signs" are phenotypes, "linked to" is associated_with.

The words of common biomedical types and relations come from words.json; any other is called by its own name. More
can be added for a graph of one's own.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clew.store.layout import StoreSchema, upper_snake

__all__ = ["Token", "TypeWord", "Words", "stem", "tokens_of"]

WORD = re.compile(r"[^\W_]+(?:['’\-–][^\W_]+)*")
IRREGULAR = {"loci": "locus", "phenotypes": "phenotype", "diagnoses": "diagnosis", "indices": "index", "having": "have"}


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
    found: Mapping[str, Mapping[str, list[str]]] = json.loads(files("clew.answer").joinpath("words.json").read_text())
    return found


class Words:
    """The words for one graph's types and relations."""

    def __init__(self, schema: StoreSchema, *, more: Mapping[str, Mapping[str, Iterable[str]]] | None = None) -> None:
        known: Any = _merged(_common(), more or {})
        self.types = {label.name: _phrases(label.type, known["types"]) for label in schema.labels}
        self.verbs = {label.name: known["verbs"].get(label.type, []) for label in schema.labels}
        self.relations = {each.name: _phrases(each.relation, known["relations"]) for each in schema.relationships}
        self._type_index = _index(self.types)
        self._verb_index = _index(self.verbs)
        spoken = [phrase for family in (self.relations, self.verbs) for listed in family.values() for phrase in listed]
        self._explained = {token.stem for phrase in [*spoken, *known["asking"]["words"]] for token in tokens_of(phrase)}

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

    def explains(self, stemmed: str) -> bool:
        """Whether a word belongs to how people ask, or to what relations are called here, and so names nothing."""
        return stemmed in self._explained

    def says(self, relation: str, stems: list[str]) -> float:
        """How clearly a text speaks of a relation: 0 for not at all, more for longer phrases, at most 1."""
        best = 0.0
        for phrase in self.relations[relation]:
            wanted = [stem(word.text) for word in tokens_of(phrase)]
            if wanted and _holds(stems, wanted):
                best = max(best, min(1.0, 0.5 + 0.25 * len(wanted)))
        return best


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    return {
        family: {
            name: [*other.get(family, {}).get(name, ()), *one[family].get(name, ())]
            for name in {**one[family], **other.get(family, {})}
        }
        for family in one
    }


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
            if labels:
                yield TypeWord(first, first + length, labels, implied)


def _holds(stems: list[str], wanted: list[str]) -> bool:
    return any(stems[at : at + len(wanted)] == wanted for at in range(len(stems) - len(wanted) + 1))
