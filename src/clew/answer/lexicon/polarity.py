"""Whether a word or a relation means help or harm: "cure" and *treats* help, "side effect" and *causes* harm.

The words are in polarity.json. A relation has the polarity of the words of its name, unless the owner of the graph
says otherwise ({"polarity": {"causes": ["neither"]}} among its own words); one that states an absence has none.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from clew.answer.lexicon.families import written_out
from clew.answer.lexicon.forms import stem, tokens_of
from clew.store.layout import Relationship, StoreSchema, upper_snake

__all__ = ["HARM", "HELP", "NEITHER", "POLARITIES", "polarity_at", "polarity_of_name", "polarity_of_relations"]

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
    said = (written_out(word) for word in upper_snake(relationship.relation).lower().split("_"))
    words = [stem(word) for each in said for word in each.split("_")]
    found = {polarity for _, polarity in polarity_at(words)}
    return found.pop() if len(found) == 1 else NEITHER


@cache
def _phrases() -> Mapping[tuple[str, ...], str]:
    listed = json.loads(files("clew.answer.lexicon").joinpath("polarity.json").read_text("utf-8"))
    return {
        tuple(stem(token.text) for token in tokens_of(phrase)): polarity
        for polarity, phrases in listed.items()
        for phrase in phrases
    }
