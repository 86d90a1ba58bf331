"""The words that mean the attributes of a graph: nouns, adjectives in three degrees, verbs and units.

Everything is by the words as they stand in a question, in lower case; what no attribute of the graph has is left out.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from clew.answer.lexicon.dimensions import ANY_TIME, Dimension, compared_forms, dimensions, units
from clew.answer.lexicon.forms import forms_of_verb, is_irregular, stem, word_table
from clew.answer.names.adjectives import adjectives_of, places_named
from clew.answer.values.attributes import Attribute
from clew.plurals import plural

__all__ = ["AMOUNTS", "Graded", "Vocabulary", "either", "is_done"]

TIMES = ("year", "date", "day", "time")
COUNTING = frozenset({"number", "num", "count", "total", "no", "n", "of", "nr"})
DONE = {"win": ("win", "won"), "goal": ("score", "scored"), "scor": ("score", "scored"), "sal": ("sell", "sold")}
YES = frozenset({"yes", "true", "y"})
YES_OR_NO = YES | {"no", "false", "n", ""}
PLACES = frozenset({"country", "nation", "nationality", "citizenship", "state", "region", "continent", "origin"})
AMOUNTS = ("more", "most", "less", "least")  # of something that is named, never by themselves
PREPOSITIONS = ("in", "on", "at", "by", "since", "from")
INFLECTED = r"(?:s|es|d|ed|ing)?"
Found = TypeVar("Found")
NO_NOUNS = frozenset({"time", "name", "type", "value", "number", "people", "note", "meaning", "size of"})


@dataclass(frozen=True, slots=True)
class Graded:
    """An attribute that an adjective is about, and whether the adjective means much of it."""

    attribute: Attribute
    much: bool


def either(words: Iterable[str]) -> str:
    """A pattern for any of some phrases, the longest first; one that matches nothing where there are none."""
    listed = sorted(dict.fromkeys(words), key=len, reverse=True)
    patterns = (r"\s+".join(map(re.escape, each.split())) for each in listed)
    return f"(?:{'|'.join(patterns)})" if listed else r"(?!)"


class Vocabulary:
    """The words of some attributes; `types` are words that name types of the graph, which are no attributes."""

    def __init__(
        self, attributes: Iterable[Attribute], types: Collection[str] = (), literals: Collection[str] = ()
    ) -> None:
        self.attributes = tuple(attributes)
        self.literals = frozenset(literals)  # labels of which every entity is a number or a day
        self.nouns: dict[str, list[Attribute]] = {}
        self.counted: dict[str, list[Attribute]] = {}
        self.plain: dict[str, list[Graded]] = {}
        self.comparatives: dict[str, list[Graded]] = {}
        self.superlatives: dict[str, list[Graded]] = {}
        self.verbs: dict[str, list[Attribute]] = {}
        self.classes: dict[str, list[tuple[Attribute, str]]] = {}  # values that sort entities into classes
        for each in self.attributes:
            self._add(each, {word.lower() for word in types})
        generic = word_table("dimensions.json")["generic"]
        more, most = (
            {
                form: way == "more"
                for way in ("more", "less")
                for word in generic[way]
                for form in compared_forms(word)[degree]
            }
            for degree in (0, 1)
        )
        self.generic = {**more, **most}  # adjectives that any number may have: larger, highest
        self.units = units()
        self.noun, self.count = either(self.nouns), either(self.counted)
        self.adjective = either(self.plain)
        some = any(each.kind != "text" for each in self.attributes)
        self.more = either([*self.comparatives, *(more if some else ())])
        self.most = either([*self.superlatives, *(most if some else ())])
        self.verb, self.class_ = either(self.verbs), either(self.classes)
        phrases = (
            *self.classes,
            *self.nouns,
            *self.counted,
            *self.plain,
            *self.comparatives,
            *self.superlatives,
            *self.verbs,
        )
        self._known = frozenset(word for phrase in (*phrases, *self.generic, *self.units) for word in phrase.split())
        self.spelt = tuple(sorted(word for phrase in (*self.classes, *self.nouns) for word in phrase.split()))
        written = {form for name in self.units for form in (name, plural(name) if name.isalpha() else name)}
        self.unit = either(name for name in written if name not in ("in", "d", "c", "f", "t"))

    def knows(self, word: str) -> bool:
        """Whether a word is one for values, and so is spelt as it should be."""
        return word.lower() in self._known

    def graded(self, form: str) -> list[Graded]:
        """What an adjective in any degree is about by itself: "taller" and "tallest" of height."""
        return [*self.comparatives.get(form, ()), *self.superlatives.get(form, ()), *self.plain.get(form, ())]

    def direction(self, form: str, attribute: Attribute) -> bool | None:
        """Whether an adjective before the noun of an attribute means much of it; None where it does not fit."""
        own = [each.much for each in self.graded(form) if each.attribute == attribute]
        return own[0] if own else self.generic.get(form)

    def unit_named(self, written: str | None) -> str | None:
        """The name of a unit as the table has it."""
        if not written:
            return None
        lowered = " ".join(written.lower().split())
        for form in (lowered, lowered.removesuffix("s"), lowered.removesuffix("es")):
            if form in self.units:
                return form
        return None

    def verbs_of(self, attribute: Attribute) -> str:
        """A pattern for the verbs that go with an attribute, with the preposition behind."""
        said = [verb for verb, listed in self.verbs.items() if attribute in listed]
        return rf"\b{either(said)}{INFLECTED}\b(?:\s+(?:in|at|on|for|to|up|out)\b(?!\s+(?:which|what)))?"

    def _add(self, attribute: Attribute, types: set[str]) -> None:
        own = [dimensions()[name] for name in attribute.dimensions]
        for noun in _nouns(attribute, own):
            if noun not in NO_NOUNS and (noun not in types or attribute.target):
                _put(self.nouns, noun, attribute)
        for verb in _verbs(attribute, own):
            _put(self.verbs, verb, attribute)
        if attribute.kind == "text":
            for form, value in _class_words(attribute):
                if len(form) > 2 and not form.isdigit() and form not in types and not _is_asking(form):
                    _put(self.classes, form, (attribute, value))
            return
        for noun in _counted(attribute, own):
            if noun not in types:
                _put(self.counted, noun, attribute)
        for dimension in own:
            for words, much in ((dimension.more, True), (dimension.less, False)):
                for adjective in words:
                    _put(self.plain, adjective, Graded(attribute, much))
                    more, most = compared_forms(adjective)
                    for form in more:
                        if form not in AMOUNTS:
                            _put(self.comparatives, form, Graded(attribute, much))
                    for form in most:
                        if form not in AMOUNTS:
                            _put(self.superlatives, form, Graded(attribute, much))
                    _put(self.comparatives, f"less {adjective}", Graded(attribute, not much))
                    _put(self.superlatives, f"least {adjective}", Graded(attribute, not much))


def _class_words(attribute: Attribute) -> Iterator[tuple[str, str]]:
    """What sorts entities by a text: its values, the adjectives of places, and the name of what is so or not."""
    if attribute.values and YES_OR_NO.issuperset(value.lower() for value in attribute.values):
        for value in attribute.values:
            if value.lower() in YES:
                yield from ((attribute.title, value), (attribute.title.replace(" ", "-"), value))
        return
    placed = PLACES.intersection(attribute.title.split())
    for value in attribute.values:
        lowered = " ".join(value.lower().split())
        adjectives = adjectives_of(lowered) if placed else ()
        for form in (lowered, plural(lowered), *adjectives, *(places_named(lowered) if placed else ())):
            yield form.lower(), value


def _is_asking(word: str) -> bool:
    """Whether a word is one that every question may have: "none", "other", "open"."""
    table = word_table("asking.json")
    return any(word in table[name] for name in ("frame", "light", "negation", "quantifier", "comparison", "listing"))


def _put(table: dict[str, list[Found]], word: str, found: Found) -> None:
    listed = table.setdefault(word, [])
    if found not in listed:
        listed.append(found)


def _nouns(attribute: Attribute, own: Iterable[Dimension]) -> Iterator[str]:
    words = attribute.title.split()
    names: Mapping[str, list[str]] = word_table("dimensions.json")["names of entities"]
    yield from names.get(attribute.key, ())
    if not is_done(attribute):
        yield from (attribute.title, plural(attribute.title))
        if len(words) == 2 and words[1] in TIMES:
            yield f"{words[1]} of {words[0]}"
        if len(words) == 2 and words[0] in TIMES:
            yield f"{words[1]} {words[0]}"
    for dimension in own:
        if dimension.name == ANY_TIME:
            continue
        for noun in dimension.nouns:
            if not dimension.time:
                yield from (noun, plural(noun))
            else:
                yield from (f"{noun} {time}" for time in TIMES)
                yield from (f"{time} of {noun}" for time in TIMES)
                if noun != "end" and noun != "start":
                    yield noun


def _counted(attribute: Attribute, own: Iterable[Dimension]) -> Iterator[str]:
    """Nouns that a number stands before: "inhabitants", "goals"."""
    for dimension in own:
        yield from dimension.counted
    words = [word for word in attribute.title.split() if word not in COUNTING]
    if attribute.kind == "number" and attribute.unit is None and words and not any(own):
        yield from (" ".join(words), plural(" ".join(words)))
        if len(words) == 2:  # oscar wins: how many Oscars were won; daily passengers: how many passengers
            yield plural(words[0]) if stem(words[1]) in DONE else plural(words[1])


def _verbs(attribute: Attribute, own: Iterable[Dimension]) -> Iterator[str]:
    for dimension in own:
        yield from dimension.verbs
    words = attribute.title.split()
    if is_done(attribute):
        yield " ".join(words[:-1]) if words[-1] in PREPOSITIONS and len(words) > 1 else attribute.title
    elif attribute.kind == "time" and len(words) == 2 and words[-1] in TIMES:  # hire date: when somebody was hired
        yield from forms_of_verb(words[0])
    if attribute.kind == "number" and stem(attribute.title.split()[-1]) in DONE:
        yield from DONE[stem(attribute.title.split()[-1])]
    if attribute.key == "definition":
        yield from ("defined", "define")


def is_done(attribute: Attribute) -> bool:
    """Whether an attribute is called by what was done: "born", "released in"."""
    words = attribute.title.split()
    verbs = {verb for name in attribute.dimensions for verb in dimensions()[name].verbs}
    done = len(words) == 1 and (words[0].endswith("ed") or is_irregular(words[0]))
    return attribute.kind == "time" and (done or words[-1] in PREPOSITIONS or attribute.title in verbs)
