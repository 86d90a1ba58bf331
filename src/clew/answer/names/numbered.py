"""Names with numbers as people say them: "the sixth series of Bake Off" is Bake Off Series 6.

A mention is a noun with its number, or several of them, and perhaps words of a name beside them. It is found if exactly
one entity has all of that and no other number.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.answer.lexicon.dimensions import units
from clew.answer.lexicon.forms import Token, is_irregular, stem
from clew.answer.lexicon.numbers import COMPARISON, NUMBER, spellings
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor, meanings_of
from clew.answer.names.numerals import COUNTING, Numeral, number_of, numerals_of, own_words
from clew.link import Form, Linker
from clew.link.normalise import SMALL_WORDS, fold, words_of

__all__ = ["BY_NUMBER", "numbered"]

BY_NUMBER = 0.97  # score of the only entity with these nouns and numbers
FEW = 400  # most entities of a type whose names are searched for a number
MOST_PAIRS = 4  # nouns with numbers in one mention
FARTHEST = 4  # words from an ordinal to its noun: "the first Bake Off series"
NO_NOUNS = ("frame", "comparison", "negation", "quantifier", "restriction")
JOINING = frozenset({"of", "the", "in", "on", "from", "at", "very"})  # between the parts of a mention
OTHERS = frozenset({"a", "an", "another", "any", "each", "every", "my", "your", "his", "her", "its", "our", "their"})
AMOUNT = re.compile(
    rf"\s*(?:%|[.,]\d|[-–]\s*\d|times\b|(?:or|and|to)\s+(?:{NUMBER}|{COMPARISON}|more|less|fewer|up)\b|or\s+\w+er\b)",
    re.IGNORECASE,
)  # behind a number that is no name's: "ward 3 or higher"
UNRANKED = re.compile(r"\s*(?:$|[^\w\s]|(?:and|or|but|is|are|was|were|do|does|did|has|have|had)\b)", re.IGNORECASE)
# behind an ordinal that is a name's, unlike "the first series that she won"


def numbered(
    text: str,
    tokens: Sequence[Token],
    anchors: Sequence[Anchor],
    linker: Linker,
    words: Words,
    *,
    typed: Collection[int],
    check_time: Callable[[], None],
) -> list[Anchor]:
    """The names of a question, and those said by number in the place of what they span; `typed` words name types."""
    question = _Question(text, tokens, anchors, linker, words, typed, check_time)
    pairs = list(question.pairs())
    found: list[Anchor] = []
    for first in range(len(pairs)):
        for last in range(min(first + MOST_PAIRS, len(pairs)), first, -1):
            mention = question.mention(pairs[first:last])
            if mention is not None and all(each.end <= mention.start for each in found):
                found.append(mention)
                break
    kept = [each for each in anchors if all(each.end <= own.start or own.end <= each.start for own in found)]
    return [*kept, *found]


@dataclass(frozen=True, slots=True)
class _Pair:
    """A noun with its number, the types that are called so, where they stand, and the names that have them."""

    number: int
    noun: str
    types: frozenset[int]
    places: tuple[int, ...]
    is_ordinal: bool
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    tokens: Sequence[Token]
    anchors: Sequence[Anchor]
    linker: Linker
    words: Words
    typed: Collection[int]
    check_time: Callable[[], None]

    def lower(self, at: int) -> str:
        """A word as it is written, also where its token is put right."""
        if not 0 <= at < len(self.tokens):
            return ""
        return self.text[self.tokens[at].start : self.tokens[at].end].lower()

    def is_joined(self, at: int, *, by: Collection[str] = ()) -> bool:
        """Whether only space is between a word and the next, or what may be there; a full stop may shorten it."""
        if not 0 <= at < len(self.tokens) - 1:
            return False
        between = self.text[self.tokens[at].end : self.tokens[at + 1].start].strip()
        return not between or between in by or (between == "." and self.lower(at) in COUNTING)

    def anchor_at(self, at: int) -> Anchor | None:
        here = self.tokens[at].start
        return next((each for each in self.anchors if each.start <= here < each.end), None)

    def pairs(self) -> Iterator[_Pair]:
        """Nouns with their numbers, where the graph has names with both."""
        read = [(at, *number_of(token.text)) for at, token in enumerate(self.tokens)]
        numbers = [(at, number, is_ordinal) for at, number, is_ordinal in read if number is not None]
        if all(self.anchor_at(at) is not None for at, *_ in numbers):
            return
        for at, number, is_ordinal in numbers:
            self.check_time()
            for noun in () if self._is_amount(at) else self._behind(at) if is_ordinal else self._before(at):
                said, types = self.tokens[noun].text, self._types(noun)
                forms = tuple(self._forms(number, said, types))
                if forms:
                    places = (at, noun) if is_ordinal else tuple(range(noun, at + 1))
                    yield _Pair(number, fold(said), types, places, is_ordinal, forms)
                    break

    def _is_amount(self, at: int) -> bool:
        """Whether a number counts or measures: "5 times", "12 metres"."""
        unit = self.lower(at + 1) if self.is_joined(at) else ""
        measures = unit not in JOINING and not units().keys().isdisjoint({unit, unit.removesuffix("s")})
        return measures or AMOUNT.match(self.text, self.tokens[at].end) is not None

    def _before(self, at: int) -> Iterator[int]:
        noun = at - 2 if self.lower(at - 1) in COUNTING else at - 1
        known = noun >= 0 and all(map(self.is_joined, range(noun, at)))
        if known and not (self.tokens[at].text == "I" and self.tokens[noun].text.islower()):  # "the ward I know"
            yield noun

    def _behind(self, at: int) -> Iterator[int]:
        for noun in range(at + 1, at + 1 + FARTHEST):
            if not self.is_joined(noun - 1) or self.lower(noun) in SMALL_WORDS:
                return
            if noun == at + 1 or self.anchor_at(noun) is None:
                yield noun

    def _types(self, at: int) -> frozenset[int]:
        schema = self.linker.engine.schema
        spoken = [word for word in self.words.find_types([self.tokens[at]]) if not word.implied]
        types = {self.words.schema.type_of(label) for word in spoken for label in word.labels}
        return frozenset(schema.type_number(each) for each in types if schema.types.get(each, 0) <= FEW)

    def _forms(self, number: int, noun: str, types: frozenset[int]) -> Iterator[Form]:
        """Names with a number that belongs to a noun, or to a type that is called so."""
        index, said = self.linker.index, fold(noun)
        spelt = "|".join(each for each in spellings(number) if index.phrases.count(each))
        if not spelt or any(self.words.is_class(each, noun) for each in NO_NOUNS):
            return
        found: list[Form] = []
        if index.phrases.count(noun):
            one, counting = re.escape(said), f"(?:(?:{'|'.join(sorted(COUNTING))}) )?"
            rows = index.keys.matching(rf"(?:^| )(?:{one} {counting}(?:{spelt})|(?:{spelt}) {one})(?: |$)")
            found = [form for row in rows for form in index.forms(row)]
        if types:
            found += index.forms_of(np.flatnonzero(np.isin(self.linker.type_numbers, list(types))))
        yield from (form for form in found if self._has(form, numerals_of(form.text), number, said, types))

    def _has(self, form: Form, owned: Sequence[Numeral], number: int, noun: str, types: frozenset[int]) -> bool:
        of_type = int(self.linker.type_numbers[form.entity]) in types
        return any(own == number and (of == noun or (of_type and of is not None)) for own, of in owned)

    def has_exactly(self, form: Form, pairs: Sequence[_Pair]) -> bool:
        """Whether a name has all nouns with their numbers, and no other number."""
        owned = numerals_of(form.text)
        return len(owned) == len(pairs) and all(
            self._has(form, owned, pair.number, pair.noun, pair.types) for pair in pairs
        )

    def mention(self, pairs: Sequence[_Pair]) -> Anchor | None:
        """The only entity that has some nouns with their numbers, and the words of a name between and beside them."""
        found = _Mention(self, pairs)
        if not (found.forms and found.fill() and found.widen()) or len(found.forms) > 1:
            return None
        (form,) = found.forms.values()
        if not (found.is_whole() and found.is_enough_of(form.text) and found.ranks_nothing()):
            return None
        start, end = self.tokens[found.first].start, self.tokens[found.last - 1].end
        said = self.text[start:end]
        only = self.linker.candidate(form, "normalised", BY_NUMBER, f"the only entity that {said!r} fits")
        return Anchor(start, end, said, meanings_of([only], only))


class _Mention:
    """Words from `first` to before `last`, a name of each entity that has them, and whether they have a name."""

    def __init__(self, question: _Question, pairs: Sequence[_Pair]) -> None:
        self.question, self.pairs, self.is_named = question, pairs, False
        self.own = {place for pair in pairs for place in pair.places}
        self.first, self.last = min(self.own), max(self.own) + 1
        exact = [form for form in pairs[0].forms if question.has_exactly(form, pairs)]
        self.forms = {form.entity: form for form in sorted(exact, key=lambda form: -len(form.text))}
        self.words: dict[int, set[str]] = {entity: set() for entity in self.forms}
        for form in question.linker.index.forms_of(np.array(sorted(self.forms), np.int64)):
            self.words[form.entity].update(words_of(form.text))

    def fill(self) -> bool:
        """Take in the words between nouns and numbers; whether all of them are of the name, or join its parts."""
        at = self.first
        while at < self.last:
            joins = at in self.own or self.question.lower(at) in JOINING
            taken = (at, at + 1) if joins else self._take(at)
            if taken is None or not (taken[1] >= self.last or self.question.is_joined(taken[1] - 1, by=(",",))):
                return False
            at = taken[1]
        return True

    def widen(self) -> bool:
        """Take in the words of a name beside it; whether it is of nothing else."""
        while self.question.is_joined(self.first - 1) and (taken := self._take(self.first - 1)):
            self.first = taken[0]
        if self.question.lower(self.first - 1) == "very":
            self.first -= 1
        at = self.last
        while self.question.is_joined(at - 1) and self.question.lower(at) in JOINING:
            at += 1
        while self.question.is_joined(at - 1) and (taken := self._take(at)):
            self.last = at = taken[1]
        return not (self.question.is_joined(self.last - 1) and self.question.lower(self.last) == "of")

    def _take(self, at: int) -> tuple[int, int] | None:
        """Keep the entities that have a word, or the name that it is of, if any has: where those words are."""
        start, end, names = self._unit(at)
        fitting = [each for each in self.forms if any(name and name <= self.words[each] for name in names)]
        if not fitting:
            return None
        self.forms, self.is_named = {each: self.forms[each] for each in fitting}, True
        return start, end

    def _unit(self, at: int) -> tuple[int, int, list[set[str]]]:
        """The words of the name at a place, and what it is called; or just the word there."""
        tokens, anchor = self.question.tokens, self.question.anchor_at(at)
        if anchor is not None:
            places = [here for here, each in enumerate(tokens) if anchor.start <= each.start < anchor.end]
            if self.own.isdisjoint(places):
                called = (anchor.text, *(meaning.name for meaning in anchor.meanings))
                return places[0], places[-1] + 1, [_telling(each) for each in called]
        elif at in self.question.typed:
            return at, at + 1, []
        return at, at + 1, [_telling(tokens[at].text)]

    def is_whole(self) -> bool:
        """Whether it is more than a name that was found before, and no name goes on beside it."""
        around = [self.question.anchor_at(at) for at in (self.first, self.last - 1)]
        if around[0] is not None and around[0] is around[1]:
            return False
        return not any(at is not None and self._is_name(at) for at in self._beside())

    def is_enough_of(self, name: str) -> bool:
        """Whether nouns and numbers are half of a name whose other words are not said, and none are in their place."""
        words = [fold(word) for word in own_words(name)]
        said = {word for pair in self.pairs for word in (pair.noun, *spellings(pair.number))}
        before, behind = self._beside()
        replaced = (words[0] not in said and self._is_other(before)) or (
            words[-1] not in said and self._is_other(behind) and not self._is_subject()
        )
        return self.is_named or (2 * sum(word in said for word in words) >= len(words) and not replaced)

    def _beside(self) -> tuple[int | None, int | None]:
        """The words before and behind it with nothing in between."""
        before, behind = self.question.is_joined(self.first - 1), self.question.is_joined(self.last - 1)
        return self.first - 1 if before else None, self.last if behind else None

    def _is_name(self, at: int) -> bool:
        return self.question.anchor_at(at) is not None or (at > 0 and self.question.tokens[at].text[0].isupper())

    def _is_other(self, at: int | None) -> bool:
        """Whether nothing tells what a word is, which may thus be of another name: "phase 2 trials"."""
        if at is None:
            return False
        question, word = self.question, self.question.lower(at)
        verb = is_irregular(word) or word.endswith("ed") or (at > 0 and question.anchor_at(at - 1) is not None)
        return not (verb or at in question.typed or question.words.explains(stem(word)))

    def _is_subject(self) -> bool:
        """Whether a verb behind it tells what it did: "when did the third ward open"."""
        behind = self.question.lower(self.last)
        other = is_irregular(behind) or behind.endswith("ed") or self.question.words.is_class("frame", behind)
        return self.question.lower(self.first - 2) in ("do", "does", "did") and not other

    def ranks_nothing(self) -> bool:
        """Whether its ordinals are numbers of names, unlike "a second series", "the first series that she won"."""
        question = self.question
        ordinals = [pair.places[0] for pair in self.pairs if pair.is_ordinal]
        for at in ordinals:
            before = question.lower(at - 2 if question.lower(at - 1) == "very" else at - 1)
            if before != "the" and (before in OTHERS or not self.is_named):
                return False
        ends = UNRANKED.match(question.text, question.tokens[self.last - 1].end) is not None
        return not ordinals or ends or self._is_subject()


def _telling(text: str) -> set[str]:
    return {word for word in words_of(text) if word not in SMALL_WORDS}
