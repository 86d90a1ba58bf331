"""Questions with their queries, made from a graph itself: what a model is shown before it writes one of its own.

One for each operation (list, count, top n, yes or no, shared by all, difference, two steps, connection), on the graph's
most frequent relationships, about entities that are really joined so. The same graph always gives the same examples.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.answer.lexicon.words import Words
from clew.answer.models.schema_grammar import Join, Placeholder, Vocabulary
from clew.graph import read_triples
from clew.plurals import plural
from clew.store.cypher.write import quote
from clew.store.layout import StoreSchema
from clew.traverse import GraphEngine

__all__ = ["Example", "make_examples"]

SIMPLE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+){0,3}")
LOOKED_AT = 2_000  # triples of a relationship among which suitable names are sought
TOP = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A question, what it names, and its query."""

    question: str
    placeholders: tuple[Placeholder, ...]
    query: str


@dataclass(frozen=True, slots=True)
class _Joined:
    """A join with entities of the graph: a subject and some of its objects."""

    join: Join
    subject: str
    objects: tuple[str, ...]


def make_examples(
    engine: GraphEngine, schema: StoreSchema, vocabulary: Vocabulary, words: Words
) -> tuple[Example, ...]:
    """Examples over the two most frequent joins between labels that state something, and one within a label."""
    stating = [join for join in vocabulary.joins if not schema.relationship(join.relationship).negated]
    between = [join for join in stating if join.subject != join.object]
    found = [sample for join in between if (sample := _sample(join, engine, schema, objects=2)) is not None]
    within = [join for join in stating if join.subject == join.object]
    alike = next((sample for join in within if (sample := _sample(join, engine, schema, objects=1)) is not None), None)
    maker = _Maker(vocabulary, words)
    examples: list[Example] = []
    if found:
        first = found[0]
        second = next((each for each in found[1:] if each.join.object == first.join.subject), None)
        examples += maker.operations(first, second or next(iter(found[1:]), first))
        if second is not None:
            examples.append(maker.chained(second, first))
    return (*examples, *([maker.listed(alike)] if alike is not None else []))


def _sample(join: Join, engine: GraphEngine, schema: StoreSchema, *, objects: int) -> _Joined | None:
    """A subject and some objects with plain names, from the middle of the relationship's triples."""
    relation = schema.relationship(join.relationship).relation
    wanted = [schema.type_of(label) for label in (join.subject, join.object)]
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
                return _Joined(join, called[0], tuple(listed))
    return None


class _Maker:
    """Puts samples into words and into Cypher, in the very form that the grammar admits."""

    def __init__(self, vocabulary: Vocabulary, words: Words) -> None:
        self.vocabulary = vocabulary
        self.words = words

    def operations(self, first: _Joined, second: _Joined) -> Iterator[Example]:
        """One example of each operation."""
        join, (one, other) = first.join, first.objects
        asked, measured = self._variable(join.subject), self._variable(join.object)
        which, start = self._which(join), self._entity(join.subject)
        held = (self._placeholder(join.object, 1, one), self._placeholder(join.object, 2, other))
        to_one, to_other = (f"{self._arrow(join)}{self._named(each)}" for each in held)
        yield self.listed(first)
        yield self.counted(second)
        yield Example(
            f"Which {TOP} {self._plural(join.subject)} {self._verb(join)} the most {self._plural(join.object)}?",
            (),
            f"MATCH {start}{self._arrow(join)}{self._entity(join.object)} "
            f"RETURN {asked}, count(DISTINCT {measured}) AS number ORDER BY number DESC LIMIT {TOP}",
        )
        yield Example(
            f"{which} both {one} and {other}?",
            held,
            f"MATCH {start}{to_one}, ({asked}){to_other} RETURN DISTINCT {asked}",
        )
        yield Example(
            f"{which} {one} but not {other}?",
            held,
            f"MATCH {start}{to_one} WHERE NOT ({asked}){to_other} RETURN DISTINCT {asked}",
        )
        yield self.judged(first)

    def listed(self, sample: _Joined) -> Example:
        """What is joined to a named object."""
        join = sample.join
        held = self._placeholder(join.object, 1, sample.objects[0])
        query = f"MATCH {self._entity(join.subject)}{self._arrow(join)}{self._named(held)}"
        question = f"{self._which(join)} {held.text}?"
        return Example(question, (held,), f"{query} RETURN DISTINCT {self._variable(join.subject)}")

    def counted(self, sample: _Joined) -> Example:
        """How much is joined to a named subject, so that arrows are seen from both sides."""
        join = sample.join
        held = self._placeholder(join.subject, 1, sample.subject)
        return Example(
            f"How many {self._plural(join.object)} {self._auxiliary(join)} {sample.subject} {self._phrase(join)}?",
            (held,),
            f"MATCH {self._named(held)}{self._arrow(join)}{self._entity(join.object)} "
            f"RETURN count(DISTINCT {self._variable(join.object)})",
        )

    def judged(self, sample: _Joined) -> Example:
        """Whether a named subject and a named object are joined."""
        join = sample.join
        held = self._placeholder(join.subject, 1, sample.subject), self._placeholder(join.object, 1, sample.objects[0])
        question = f"{self._auxiliary(join)} {held[0].text} {self._phrase(join)} {held[1].text}?"
        query = f"MATCH {self._named(held[0])}{self._arrow(join)}{self._named(held[1])} RETURN count(*) > 0"
        return Example(question[0].upper() + question[1:], held, query)

    def chained(self, second: _Joined, first: _Joined) -> Example:
        """Two steps: what is joined to what is joined to a named object."""
        join, inner = second.join, first.join
        held = self._placeholder(inner.object, 1, first.objects[0])
        described = f"{self._plural(inner.subject)} that {self._verb(inner)} {held.text}"
        pattern = f"{self._entity(inner.subject)}{self._arrow(inner)}{self._named(held)}"
        query = f"MATCH {self._entity(join.subject)}{self._arrow(join)}{pattern}"
        return Example(
            f"{self._which(join)} {described}?", (held,), f"{query} RETURN DISTINCT {self._variable(join.subject)}"
        )

    # pieces -------------------------------------------------------------------------------------------------------

    def _placeholder(self, label: str, number: int, text: str) -> Placeholder:
        return Placeholder(f"{self._variable(label)}{number}", label, text)

    def _variable(self, label: str) -> str:
        return self.vocabulary.variables[label]

    def _entity(self, label: str) -> str:
        return f"({self._variable(label)}:{quote(label)})"

    def _named(self, held: Placeholder) -> str:
        return f"(:{quote(held.label)} {{id: ${held.name}}})"

    def _arrow(self, join: Join) -> str:
        return f"-[:{quote(join.relationship)}]->"

    def _plural(self, label: str) -> str:
        return plural(self.words.name_of(label))

    def _phrase(self, join: Join) -> str:
        return self.words.relations[join.relationship][0]

    def _auxiliary(self, join: Join) -> str:
        """What the everyday words of a relationship need before them in a question: "is" linked to, "does" show."""
        phrase = self._phrase(join)
        return "is" if phrase.split()[0].endswith("ed") or phrase.endswith(" of") else "does"

    def _verb(self, join: Join) -> str:
        phrase = self._phrase(join)
        if phrase.endswith(" of"):
            return f"are a {phrase}"
        return f"are {phrase}" if self._auxiliary(join) == "is" else phrase

    def _which(self, join: Join) -> str:
        return f"Which {self._plural(join.subject)} {self._verb(join)}"
