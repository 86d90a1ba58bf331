"""Adjectives of places as names: "African countries" are those of Africa, "Danish films" those of Denmark.

Regular adjectives are undone by their endings, others are in demonyms.json. An adjective counts only before a word for
a type ("Melanesian countries"), and only where the graph has the place under its own name.
"""

from collections.abc import Iterator, Sequence

from clew.answer.lexicon.forms import Token, word_table
from clew.answer.names.meanings import Meaning, meanings_of
from clew.link import Linked, Linker

__all__ = ["adjectives_of", "is_direction", "part_of_place", "places_named", "places_of"]

ENDINGS = {
    "ian": ("", "ia", "y", "e"),
    "ean": ("", "ea", "e"),
    "an": ("", "a", "e"),
    "ese": ("", "a"),
    "i": ("",),
    "ic": ("",),
    "ish": ("", "land"),
}
SIDES = ("north", "south", "east", "west", "north-east", "north-west", "south-east", "south-west")
DIRECTIONS = {side: f"{side}ern" for side in SIDES} | {f"{side}ern": side for side in SIDES}
SHORTEST = 4  # letters of a place
LESS = 0.02  # by which a place is less likely than a name spelt as in the graph
WORDS_BEFORE = 2  # of a place of several words: "South American", "Papua New Guinean"


def places_of(tokens: Sequence[Token], at: int, linker: Linker) -> tuple[int, tuple[Meaning, ...]]:
    """The first word of an adjective that ends at a word, and the places that it may mean, if any."""
    for before in range(min(WORDS_BEFORE, at), -1, -1):
        leading = " ".join(token.text for token in tokens[at - before : at])
        for name in places_named(tokens[at].text):
            linked = _linked(f"{leading} {name}".strip(), linker)
            if linked.best is not None:
                found = meanings_of(linked.candidates, linked.best)
                return at - before, tuple(_less(each, tokens[at].text) for each in found)
    return at, ()


def part_of_place(written: str, linker: Linker) -> tuple[Meaning, ...]:
    """What a place with a direction before it may mean, however the graph calls it: "south Asia", Southern Asia."""
    linked = _linked(written, linker)
    return () if linked.best is None else meanings_of(linked.candidates, linked.best)


def is_direction(word: str) -> bool:
    return word.lower() in DIRECTIONS


def _linked(written: str, linker: Linker) -> Linked:
    """The entities that are called so, or so with the other form of a direction."""
    linked = linker.link(written, last_stage="normalised")
    first, _, rest = written.partition(" ")
    if linked.best is None and first.lower() in DIRECTIONS:
        return linker.link(f"{DIRECTIONS[first.lower()]} {rest}", last_stage="normalised")
    return linked


def _less(meaning: Meaning, adjective: str) -> Meaning:
    return Meaning(
        meaning.type, meaning.ids, meaning.name, round(meaning.score - LESS, 4), f"{adjective!r} says of {meaning.name}"
    )


def places_named(adjective: str) -> Iterator[str]:
    """What an adjective may be made from.

    >>> [place in places_named(adjective) for adjective, place in (("Melanesian", "Melanesia"), ("danish", "Denmark"))]
    [True, True]
    """
    yield from word_table("demonyms.json").get(adjective.lower(), ())
    for ending, added in ENDINGS.items():
        if adjective.lower().endswith(ending):
            first = adjective[: -len(ending)]
            yield from (first + each for each in added if len(first + each) >= SHORTEST)


def adjectives_of(place: str) -> Iterator[str]:
    """The adjectives that are made from a place, in lower case.

    >>> list(adjectives_of("France")), list(adjectives_of("Melanesia"))
    (['french'], ['melanesian'])
    """
    lowered = place.lower()
    listed = [
        adjective
        for adjective, places in word_table("demonyms.json").items()
        if lowered in (each.lower() for each in places)
    ]
    yield from listed or ([f"{lowered}n"] if lowered.endswith("a") else [])
