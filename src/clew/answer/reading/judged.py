"""Words that no lexicon has, met by the relation they mean: "put in" and *calls_at*, as a trained judge says.

Where every plan leaves out words, those that the judge is confident about no longer stop a plan: the answer is
doubtful. Words that a list has for another relation, or that a plan refused, are not put to the judge.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.answer.lexicon.families import has_synonyms
from clew.answer.lexicon.forms import plain_name
from clew.answer.lexicon.matching import Matcher, Rendered, small_words
from clew.answer.lexicon.words import Words
from clew.answer.reading.account import RESTRICTION, STRUCTURE, Account, Unbound
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion
from clew.answer.values.attributes import Attribute
from clew.store.layout import LabelPair

__all__ = ["Judge"]

CONFIDENT = 0.8
WORD = re.compile(r"[^\W_]+(?:['’\-–][^\W_]+)*|[^\w\s]")
ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class _Masked:
    """A question with "this TYPE" for each name; the places of its words in the text, the types of its names."""

    words: tuple[str, ...]
    places: dict[int, int]  # where a word begins → its number
    labels: frozenset[str]


class Judge:
    """Says which relations of one graph the words of a question mean."""

    def __init__(self, words: Words, attributes: Sequence[Attribute], matcher: Matcher) -> None:
        self._words = words
        self._attributes = [each for each in attributes if not each.relation]
        self._matcher = matcher

    def eased(self, accounts: Sequence[tuple[Candidate, Account]], question: ParsedQuestion) -> list[Account]:
        """The accounts of some plans, in which words that mean a relation of the plan only restrict."""
        masked = self._masked(question)
        return [self._eased(candidate, account, masked) for candidate, account in accounts]

    def _eased(self, candidate: Candidate, account: Account, masked: _Masked) -> Account:
        met: set[int] = set()
        for run in _runs(account.unbound, masked):
            known = any(has_synonyms(each.text) or self._refused(candidate, each.text) for each in run)
            places = [masked.places[each.start] for each in run]
            if not known and self._likely(candidate, places, masked) >= CONFIDENT:
                met |= {each.start for each in run}
        unbound = (replace(each, role=RESTRICTION) if each.start in met else each for each in account.unbound)
        return replace(account, unbound=tuple(unbound))

    def _refused(self, candidate: Candidate, word: str) -> bool:
        """Whether a word belongs to what a relation of the plan is called: it was left unbound for a reason."""
        return any(self._words.binds(name, word) for name in candidate.relationships)

    def _likely(self, candidate: Candidate, places: Sequence[int], masked: _Masked) -> float:
        """How likely some words mean a relation of a plan."""
        known = dict(self._relations(masked.labels))
        for name in candidate.relationships:
            known.setdefault(name, self._rendered(name, None))
        probabilities = self._matcher.match(masked.words, places, list(known.values()))
        own = [at for at, name in enumerate(known) if name in candidate.relationships]
        return float(probabilities[own].sum())

    def _masked(self, question: ParsedQuestion) -> _Masked:
        said: list[str] = []
        places: dict[int, int] = {}
        end = 0
        anchors = sorted(question.anchors, key=lambda each: each.start)
        for start, anchor in [*((each.start, each) for each in anchors), (len(question.text), None)]:
            for found in WORD.finditer(question.text, end, start):
                places[found.start()] = len(said)
                said.append(found.group().lower())
            if anchor is not None:
                if said and said[-1] in ARTICLES:
                    said.pop()
                said += ["this", *plain_name(anchor.meanings[0].type).split()]
                end = anchor.end
        schema = self._words.schema
        labels = frozenset(schema.label_of(meaning.type) for each in anchors for meaning in each.meanings)
        return _Masked(tuple(said), places, labels)

    def _relations(self, labels: frozenset[str]) -> Iterator[tuple[str, Rendered]]:
        """What can be said of entities of some types, or of any: relations and attributes."""
        for each in self._words.schema.relationships:
            ends = [pair for pair in each.ends if not labels or labels & {pair.subject, pair.object}]
            if ends:
                yield each.name, self._rendered(each.name, max(ends, key=lambda pair: pair.count))
        for attribute in self._attributes:
            if not labels or attribute.label in labels:
                subject = plain_name(self._words.schema.type_of(attribute.label))
                yield f"{attribute.label}.{attribute.key}", Rendered(subject, attribute.title, attribute.kind)

    def _rendered(self, name: str, ends: LabelPair | None) -> Rendered:
        schema = self._words.schema
        known = schema.relationship(name)
        ends = ends or max(known.ends, key=lambda pair: pair.count)
        subject, object = (plain_name(schema.type_of(label)) for label in (ends.subject, ends.object))
        return Rendered(subject, plain_name(known.relation), object)


def _runs(unbound: Sequence[Unbound], masked: _Masked) -> Iterator[list[Unbound]]:
    """Words of a question's structure with nothing but small words between them: "came from the pen of"."""
    run: list[Unbound] = []
    small = small_words()
    for each in sorted(unbound, key=lambda each: each.start):
        if each.role != STRUCTURE or each.start not in masked.places:
            continue
        here = masked.places[each.start]
        if run and any(word not in small for word in masked.words[masked.places[run[-1].start] + 1 : here]):
            yield run
            run = []
        run.append(each)
    if run:
        yield run
