"""Whether a word or a relation means help or harm: "cure" and *treats* help, "side effect" and *causes* harm.

The words are in polarity.json. Some are of a kind: what eases does not cure, and what treats need not prevent
(`is_of_that_kind`). A relation has the polarity of the words of its name, unless the owner of the graph
says otherwise ({"polarity": {"causes": ["neither"]}} among its own words); one that states an absence has none.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from clew.answer.lexicon.families import written_out
from clew.answer.lexicon.forms import stem, tokens_of
from clew.store.layout import Relationship, StoreSchema, upper_snake

__all__ = [
    "HARM",
    "HELP",
    "NEITHER",
    "POLARITIES",
    "is_of_that_kind",
    "polarity_at",
    "polarity_of_name",
    "polarity_of_relations",
]

POLARITIES = HELP, HARM, NEITHER = ("help", "harm", "neither")


def polarity_at(stems: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The words of help and harm in a text: where each begins, and which it is.

    >>> list(polarity_at([stem(word) for word in "drugs that cure A with the side effect B".split()]))
    [(2, 'help'), (6, 'harm')]
    """
    longest = max(map(len, _phrases()))
    for at in range(len(stems)):
        for length in range(longest, 0, -1):
            found = _phrases().get(tuple(stems[at : at + length]))
            if found is not None:
                yield at, found
                break


def polarity_of_relations(schema: StoreSchema, stated: Mapping[str, Sequence[str]] | None = None) -> dict[str, str]:
    """The polarity of each relationship of a graph; `stated` gives that of some relations, by their names."""
    said = stated or {}
    return {
        each.name: said[each.relation][0] if said.get(each.relation) else polarity_of_name(each)
        for each in schema.relationships
    }


def polarity_of_name(relationship: Relationship) -> str:
    """The polarity that the name of a relation says."""
    if relationship.negated:
        return NEITHER
    found = {polarity for _, polarity in polarity_at(_stems_of(relationship))}
    return found.pop() if len(found) == 1 else NEITHER


def is_of_that_kind(word: str, relationship: Relationship) -> bool:
    """Whether a relation may help or harm in the way that the stem of a word says.

    *Relieve* is not met by *cures*, but by *treats*, which says no way; *safe* and *prevent* only by a relation that
    says so.
    """
    kind = _kinds().get(word)
    said = {_kinds()[each] for each in _stems_of(relationship) if each in _kinds()}
    return kind is None or kind in said or not (said or kind in _listed()["stated"])


def _stems_of(relationship: Relationship) -> list[str]:
    said = (written_out(word) for word in upper_snake(relationship.relation).lower().split("_"))
    return [stem(word) for each in said for word in each.split("_")]


@cache
def _phrases() -> Mapping[tuple[str, ...], str]:
    return {
        tuple(stem(token.text) for token in tokens_of(phrase)): polarity
        for polarity in (HELP, HARM)
        for phrase in _listed()[polarity]
    }


@cache
def _kinds() -> Mapping[str, str]:
    return {stem(word): kind for kind, words in _listed()["kinds"].items() for word in words}


@cache
def _listed() -> Mapping[str, Any]:
    listed: Mapping[str, Any] = json.loads(files("clew.answer.lexicon").joinpath("polarity.json").read_text("utf-8"))
    return listed
