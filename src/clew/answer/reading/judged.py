"""Words that no lexicon has, met by the relation they mean: "put in" and *calls_at*, as a trained judge says.

Words that a plan leaves out are bound where the judge is confident that they mean a relation of the plan; where it is
only likely, the answer is doubtful.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.answer.lexicon.forms import core_name
from clew.answer.lexicon.matching import Matcher, Rendered, WordEncoder, small_words
from clew.answer.lexicon.words import Words
from clew.answer.reading.account import RESTRICTION, STRUCTURE, Account, Binding, Unbound
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion
from clew.answer.values.attributes import Attribute
from clew.store.layout import LabelPair, upper_snake

__all__ = ["Judge"]

CONFIDENT = 0.85
LIKELY = 0.65
WORD = re.compile(r"[^\W_]+(?:['’\-–][^\W_]+)*|[^\w\s]")
ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class _Masked:
    """A question with "this TYPE" for each name; where its words stand in the text, and the types of its names."""

    words: tuple[str, ...]
    places: dict[int, int]  # where a word begins → its number
    labels: frozenset[str]


class Judge:
    """Says which relations of one graph the words of a question mean."""

    def __init__(self, words: Words, attributes: Sequence[Attribute], encoder: WordEncoder) -> None:
        self._words = words
        self._attributes = [each for each in attributes if not each.relation]
        self._matcher = Matcher(encoder)

    def eased(self, accounts: Sequence[tuple[Candidate, Account]], question: ParsedQuestion) -> list[Account]:
        """The accounts of some plans, with words bound that mean a relation of the plan."""
        masked = self._masked(question)
        return [self._eased(candidate, account, masked) for candidate, account in accounts]

    def _eased(self, candidate: Candidate, account: Account, masked: _Masked) -> Account:
        if not candidate.relationships:
            return account
        met: dict[int, tuple[str, float]] = {}
        for run in _runs(account.unbound, masked):
            found = self._meant(candidate, [masked.places[each.start] for each in run], masked)
            met |= {each.start: found for each in run}
        bindings = [
            Binding(each.start, each.end, f"relation {met[each.start][0]}")
            for each in account.unbound
            if each.start in met and met[each.start][1] >= CONFIDENT
        ]
        unbound = [
            replace(each, role=RESTRICTION) if each.start in met and met[each.start][1] >= LIKELY else each
            for each in account.unbound
            if each.start not in met or met[each.start][1] < CONFIDENT
        ]
        return Account(tuple(sorted((*account.bindings, *bindings), key=lambda each: each.start)), tuple(unbound))

    def _meant(self, candidate: Candidate, places: Sequence[int], masked: _Masked) -> tuple[str, float]:
        """The relation of a plan that some words mean most likely, and how likely they mean any of them."""
        known = dict(self._relations(masked.labels))
        for name in candidate.relationships:
            known.setdefault(name, self._rendered(name, None))
        probabilities = self._matcher.match(masked.words, places, list(known.values()))
        of = dict(zip(known, probabilities.tolist(), strict=False))
        own = dict.fromkeys(candidate.relationships)
        return max(own, key=lambda name: of[name]), sum(of[name] for name in own)

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
                said += ["this", *_plain(anchor.meanings[0].type).split()]
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
                subject = _plain(self._words.schema.type_of(attribute.label))
                yield f"{attribute.label}.{attribute.key}", Rendered(subject, attribute.title, attribute.kind)

    def _rendered(self, name: str, ends: LabelPair | None) -> Rendered:
        schema = self._words.schema
        known = schema.relationship(name)
        ends = ends or max(known.ends, key=lambda pair: pair.count)
        subject, object = (_plain(schema.type_of(label)) for label in (ends.subject, ends.object))
        return Rendered(subject, _plain(known.relation), object)


def _runs(unbound: Sequence[Unbound], masked: _Masked) -> Iterator[list[Unbound]]:
    """Words of a question's structure that stand together but for small words: "came from the pen of"."""
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


def _plain(name: str) -> str:
    """A name of a type, relation or column in plain words."""
    return " ".join(upper_snake(core_name(name)).lower().split("_")) or "thing"
