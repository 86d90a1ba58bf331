"""Other nouns for the types of a graph: those that say the same ("firm" for Company), and wider ones ("people").

In: the names of a graph's types. Out: for each the nouns that may stand for it besides its own. A noun that names
another type of the graph means that one alone.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from clew.answer.lexicon.forms import plain_name, singular, word_table

__all__ = ["other_nouns"]


def other_nouns(types: Iterable[str]) -> dict[str, list[str]]:
    """The nouns that may stand for each of some types.

    >>> found = other_nouns(["Company", "Employee", "Person"])
    >>> "firm" in found["Company"], "colleague" in found["Employee"], "people" in found["Employee"]
    (True, True, False)
    """
    names = {type: plain_name(type) for type in types}
    own = {_form(name) for name in names.values()}
    found = {}
    for type, name in names.items():
        same, wider = _tables()
        heads = dict.fromkeys((_form(name), _form(name.split()[-1])))
        nouns = next((same[head] for head in heads if head in same), ())
        general = [group for head in heads for group in wider.get(head, ())]
        free = [noun for noun in nouns if _form(noun) not in own]
        free += [noun for group in general if own.isdisjoint(map(_form, group)) for noun in group]
        found[type] = list(dict.fromkeys(free))
    return found


def _form(noun: str) -> str:
    return " ".join(map(singular, noun.split()))


@cache
def _tables() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[tuple[str, ...], ...]]]:
    """By a noun: those that say the same, and the groups of those that say less."""
    table = word_table("kinds.json")
    same: dict[str, tuple[str, ...]] = {}
    for line in table["same"]:
        first, *others = line.split(", ")
        same[_form(first)] = tuple(others)
    wider: dict[str, list[tuple[str, ...]]] = {}
    for line, members in table["kinds"].items():
        for member in members:
            wider.setdefault(_form(member), []).append(tuple(line.split(", ")))
    return same, {noun: tuple(groups) for noun, groups in wider.items()}
