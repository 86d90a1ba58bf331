"""Example questions made from a graph itself: one for each operation, about entities that are linked in that way.

List, count, top n, shared by all, difference, yes or no and two steps, on the graph's most frequent relationships. The
same graph always gives the same questions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.answer.lexicon.words import Words
from clew.graph import read_triples
from clew.plurals import plural
from clew.store.layout import LabelPair, StoreSchema
from clew.traverse import GraphEngine

__all__ = ["make_examples"]

SIMPLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+){0,3}")
LOOKED_AT = 2_000  # triples of a relationship among which suitable names are sought
MOST_JOINS = 60
TOP = 5


@dataclass(frozen=True, slots=True)
class _Join:
    relationship: str
    ends: LabelPair


@dataclass(frozen=True, slots=True)
class _Joined:
    """A join with entities of the graph: a subject and some of its objects."""

    relationship: str
    ends: LabelPair
    subject: str
    objects: tuple[str, ...]


def make_examples(engine: GraphEngine, schema: StoreSchema, words: Words) -> tuple[str, ...]:
    """Questions over the two most frequent joins between labels that state something, and one within a label."""
    stating = [_Join(each.name, ends) for each in schema.relationships if not each.negated for ends in each.ends]
    stating = sorted(stating, key=lambda join: -join.ends.count)[:MOST_JOINS]
    between = [join for join in stating if join.ends.subject != join.ends.object]
    found = [sample for join in between if (sample := _sample(join, engine, schema, objects=2)) is not None]
    within = [join for join in stating if join.ends.subject == join.ends.object]
    alike = next((sample for join in within if (sample := _sample(join, engine, schema, objects=1)) is not None), None)
    speaker = _Speaker(words)
    questions: list[str] = []
    if found:
        first = found[0]
        second = next((each for each in found[1:] if each.ends.object == first.ends.subject), None)
        questions += speaker.operations(first, second or next(iter(found[1:]), first))
        if second is not None:
            questions.append(speaker.chained(second, first))
    return (*questions, *([speaker.listed(alike)] if alike is not None else []))


def _sample(join: _Join, engine: GraphEngine, schema: StoreSchema, *, objects: int) -> _Joined | None:
    """A subject and some objects with plain names, from the middle of the relationship's triples."""
    relation = schema.relationship(join.relationship).relation
    wanted = [schema.type_of(label) for label in (join.ends.subject, join.ends.object)]
    triples = read_triples(engine, relations=[relation])["number"].to_numpy()
    start = max(0, (len(triples) - LOOKED_AT) // 2)
    middle = triples[start : start + LOOKED_AT]  # (n,) triple numbers, subjects together
    ends = engine.triple_columns(middle)
    described = [engine.describe(numbers) for numbers in (ends.subject, ends.object)]
    types = zip(*(table["type"].to_pylist() for table in described), strict=True)
    names = zip(*(table["name"].to_pylist() for table in described), strict=True)
    by_subject: dict[str, list[str]] = {}
    for typed, called in zip(types, names, strict=True):
        if list(typed) == wanted and all(map(SIMPLE_NAME.fullmatch, called)):
            listed = by_subject.setdefault(called[0], [])
            listed += [called[1]] if called[1] not in listed else []
            if len(listed) == objects:
                return _Joined(join.relationship, join.ends, called[0], tuple(listed))
    return None


class _Speaker:
    """Turns samples into questions."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def operations(self, first: _Joined, second: _Joined) -> Iterator[str]:
        """One question for each operation."""
        one, other = first.objects
        subjects, objects = self._plural(first.ends.subject), self._plural(first.ends.object)
        yield self.listed(first)
        yield (
            f"How many {self._plural(second.ends.object)} {self._auxiliary(second)} {second.subject} "
            f"{self._phrase(second)}?"
        )
        yield f"Which {TOP} {subjects} {self._verb(first)} the most {objects}?"
        yield f"{self._which(first)} both {one} and {other}?"
        yield f"{self._which(first)} {one} but not {other}?"
        judged = f"{self._auxiliary(first)} {first.subject} {self._phrase(first)} {one}?"
        yield judged[0].upper() + judged[1:]

    def listed(self, sample: _Joined) -> str:
        """What is linked to a named object."""
        return f"{self._which(sample)} {sample.objects[0]}?"

    def chained(self, second: _Joined, first: _Joined) -> str:
        """Two steps: what is linked to something that is linked to a named object."""
        inner = f"{self._plural(first.ends.subject)} that {self._verb(first)} {first.objects[0]}"
        return f"{self._which(second)} {inner}?"

    def _plural(self, label: str) -> str:
        return plural(self.words.name_of(label))

    def _phrase(self, sample: _Joined) -> str:
        return self.words.relations[sample.relationship][0]

    def _auxiliary(self, sample: _Joined) -> str:
        """The auxiliary verb before the everyday words of a relationship in a question: "is" linked to, "does" show."""
        phrase = self._phrase(sample)
        return "is" if phrase.split()[0].endswith("ed") or phrase.endswith(" of") else "does"

    def _verb(self, sample: _Joined) -> str:
        phrase = self._phrase(sample)
        if phrase.endswith(" of"):
            return f"are a {phrase}"
        return f"are {phrase}" if self._auxiliary(sample) == "is" else phrase

    def _which(self, sample: _Joined) -> str:
        return f"Which {self._plural(sample.ends.subject)} {self._verb(sample)}"
