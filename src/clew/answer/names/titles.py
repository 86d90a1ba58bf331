"""Titles before names of people: "Dr Pavel Okafor" is Pavel Okafor, a doctor where the graph has doctors.

A title belongs to the name behind it, so that no word is left over. A surname behind a title names the one person who
bears it ("Professor Lin"). Titles, and the type that each of them says, are in titles.json.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pyarrow.compute as pc

from clew.answer.lexicon.forms import tokens_of, word_table
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor, Meaning
from clew.graph import read_entities
from clew.link import Linker

__all__ = ["titled"]

BY_SURNAME = 0.97  # score of the only person with a surname


def titled(anchors: Sequence[Anchor], text: str, linker: Linker, words: Words) -> list[Anchor]:
    """Names with the titles before them, and the surnames behind a title that are no names by themselves."""
    return [*(_with_title(each, text, words) for each in anchors), *_surnames(text, anchors, linker, words)]


def _with_title(anchor: Anchor, text: str, words: Words) -> Anchor:
    """A name with the titles before it, which means a person of the type that they say, if it may mean one."""
    people = tuple(each for each in anchor.meanings if words.may_be_who(words.schema.label_of(each.type)))
    found = _before().search(text[: anchor.start])
    if found is None or not people:
        return anchor
    said = _types(found.group(), words)
    fitting = tuple(each for each in people if each.type in said)
    return replace(anchor, start=found.start(), text=text[found.start() : anchor.end], meanings=fitting or people)


def _surnames(text: str, anchors: Sequence[Anchor], linker: Linker, words: Words) -> Iterator[Anchor]:
    """Titles with a surname that only one person of the graph bears."""
    taken = [(each.start, each.end) for each in anchors]
    for found in _surname().finditer(text):
        if any(start < found.end() and found.start() < end for start, end in taken):
            continue
        person = _only_person(found["surname"], _types(found["title"], words), linker, words)
        if person is not None:
            yield Anchor(found.start(), found.end(), found.group(), (person,))


def _only_person(surname: str, types: Sequence[str], linker: Linker, words: Words) -> Meaning | None:
    entities = read_entities(linker.engine, ("id", "name", "type"))
    ends = pc.match_substring_regex(entities["name"], rf"(?i) {re.escape(surname)}$")
    people = [
        each for each in entities.filter(ends).to_pylist() if words.may_be_who(words.schema.label_of(each["type"]))
    ]
    fitting = [each for each in people if each["type"] in types] or people
    if len(fitting) != 1:
        return None
    (only,) = fitting
    reason = f"the only person with the surname {surname}"
    return Meaning(only["type"], (only["id"],), only["name"], BY_SURNAME, reason)


def _types(titles: str, words: Words) -> list[str]:
    """The types that titles say."""
    table = word_table("titles.json")
    nouns = " ".join(table.get(each.text.lower(), "") for each in tokens_of(titles))
    return [words.schema.type_of(label) for word in words.find_types(tokens_of(nouns)) for label in word.labels]


def _titles() -> str:
    listed = "|".join(sorted(map(re.escape, word_table("titles.json")), key=len, reverse=True))
    return rf"(?:\b(?:{listed})\b\.?\s+)+"


@cache
def _before() -> re.Pattern[str]:
    return re.compile(rf"{_titles()}$", re.IGNORECASE)


@cache
def _surname() -> re.Pattern[str]:
    return re.compile(rf"(?P<title>(?i:{_titles()}))(?P<surname>[^\W\d_][\w'’-]+)")
