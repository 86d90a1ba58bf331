"""Where a question names types: "signs" are phenotypes, a "time zone" is a Timezone, "rating" is of MPAA ratings.

Phrases are kept by the forms of their words; tokens go in, and each run of them that is such a phrase comes out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from clew.answer.lexicon.forms import Token, singular, tokens_of, word_table

__all__ = ["TypeWord", "heads", "phrase_index", "type_words"]


@dataclass(frozen=True, slots=True)
class TypeWord:
    """Words that name types, from token `first` to before token `last`; `implied` where a verb says it."""

    first: int
    last: int
    labels: tuple[str, ...]
    implied: bool = False


def phrase_index(
    phrases: Mapping[str, list[str]], form: Callable[[str], str]
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The names that phrases stand for, by the forms of each phrase's words."""
    index: dict[tuple[str, ...], list[str]] = {}
    for name, listed in phrases.items():
        for phrase in listed:
            index.setdefault(tuple(form(word.text) for word in tokens_of(phrase)), []).append(name)
    return {key: tuple(dict.fromkeys(names)) for key, names in index.items()}


def heads(names: Mapping[tuple[str, ...], tuple[str, ...]]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """The last words of types' names: the "rating" of MPAA ratings, "stations" on the ground and in orbit."""
    table = word_table("asking.json")
    said = {singular(word) for family in ("frame", "filler", "light") for word in table[family]}
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for phrase, labels in names.items():
        if len(phrase) > 1 and phrase[-1] not in said:
            found[phrase[-1:]] = tuple(dict.fromkeys((*found.get(phrase[-1:], ()), *labels)))
    return found


def type_words(
    tokens: list[Token],
    index: Mapping[tuple[str, ...], tuple[str, ...]],
    form: Callable[[str], str],
    *,
    implied: bool,
) -> Iterator[TypeWord]:
    """The runs of tokens, and pairs written as one word, that stand for types."""
    longest = max(map(len, index), default=0)
    stems = [form(token.text) for token in tokens]
    for first in range(len(tokens)):
        for length in range(1, min(longest, len(tokens) - first) + 1):
            labels = index.get(tuple(stems[first : first + length]))
            if labels is not None:
                yield TypeWord(first, first + length, labels, implied)
        joined = "".join(token.text for token in tokens[first : first + 2])  # a "time zone" is a Timezone
        labels = index.get((form(joined),)) if first + 1 < len(tokens) else None
        if labels is not None:
            yield TypeWord(first, first + 2, labels, implied)
