"""Finding the entities named in a question: exact names, misspellings, shared heads and paraphrases.

Every word that is not a question word, type or relation should belong to a name. The stages run from the most to the
least certain: exact, noun and number, title and name, adjective of a place, part of a name, misspelt, shared head
("Apert and Pfeiffer syndrome"), attribute of a type ("start in adulthood"), lay term, paraphrase.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from clew.answer.lexicon.forms import Token, is_irregular, tokens_of
from clew.answer.lexicon.numbers import read_number
from clew.answer.lexicon.words import TypeWord, Words
from clew.answer.names.adjectives import is_direction, part_of_place, places_of
from clew.answer.names.identifiers import ids_in
from clew.answer.names.likeness import is_meant, is_symbol, joins, resembles
from clew.answer.names.meanings import Anchor, meanings_of, settled
from clew.answer.names.numbered import numbered
from clew.answer.names.overlap import most_overlapping
from clew.answer.names.shortened import shortened
from clew.answer.names.titles import titled
from clew.errors import InputError
from clew.link import Linker, Paraphrases
from clew.link.normalise import words_of
from clew.store.deadline import Deadline

__all__ = ["MAX_NAMES", "find_anchors"]

MAX_NAMES = 100  # of one question

LONGEST_NAME, SHORTEST_NAME = 6, 4  # of a name not spelt as in the graph: most words, fewest letters
MEANS_THE_SAME, ONE_WORD_MEANS = 0.7, 0.8  # minimum similarity of a paraphrase of several words, of one word
MOST_PARAPHRASES = 5  # phrases of a question that are looked up by embedding
SAID_OF_A_TYPE = 0.42  # minimum similarity among the entities of a small type that is mentioned alongside
FEW = 400  # most entities of a small type
DROPPED = frozenset({"a", "an", "the", "this", "that", "these", "those", "such", "any", "some"}) | frozenset(
    {"my", "your", "his", "her", "its", "our", "their"}
)
INNER = frozenset({"of", "in", "with", "to", "on", "at", "by", "from", "for", "through", "via", "into", "no", "not"})
SMALL = INNER | DROPPED
ARTICLES = frozenset({"a", "an", "the"})
PREDICATING = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "must"})
BREAKS = re.compile(r"[,;:?!()\[\]/+>]|\s[-–—]\s|\.\s|\b(?:and|or|but|nor|plus|which|what|who|whose|where)\b", re.I)


def find_anchors(
    text: str,
    tokens: Sequence[Token],
    linker: Linker,
    words: Words,
    *,
    is_cue: Callable[[str], bool],
    paraphrases: Paraphrases | None = None,
    deadline: Deadline | None = None,
) -> list[Anchor]:
    """The entities named in a question, in order; a word for a type or a cue is not a name."""
    finder = _Finder(text, tokens, linker, words, is_cue, deadline)
    finder.find_ids()
    finder.find_written()
    finder.find_numbered()
    finder.find_titled()
    finder.widen()
    finder.find_adjectives()
    finder.find_directions()
    finder.find_shortened()
    finder.find_misspelt()
    finder.find_shared_heads()
    finder.find_said_of_types(paraphrases)
    finder.find_everyday()
    if paraphrases is not None:
        finder.find_paraphrased(paraphrases)
    return settled(finder.anchors, text, words)


class _Finder:
    """Finds names stage by stage; later stages leave the names of earlier ones alone."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        linker: Linker,
        words: Words,
        is_cue: Callable[[str], bool],
        deadline: Deadline | None,
    ) -> None:
        self.text = text
        self.linker = linker
        self.words = words
        self.is_cue = is_cue
        self.deadline = deadline
        self.tokens = list(tokens)
        self.spoken = words.find_types(self.tokens)
        self.typed = {at for word in self.spoken for at in range(word.first, word.last)}
        self.anchors: list[Anchor] = []
        self.starts = [token.start for token in self.tokens]
        self.free = {
            at
            for at, token in enumerate(self.tokens)
            if at not in self.typed and not words.explains(token.stem) and not self._is_said_of_a_type(at)
        }  # places of words that nothing accounts for
        self.inside: set[int] = set()  # places of words inside names
        self.broken = [self._is_broken(at) for at in range(len(self.tokens))]

    def _is_said_of_a_type(self, at: int) -> bool:
        """Whether a word is the adjective of a type before a word for it: "phenotypic features"."""
        return at + 1 in self.typed and self.words.is_said_of_a_type(self.tokens[at].text)

    def _add(self, anchor: Anchor) -> None:
        self.anchors.append(anchor)
        if len(self.anchors) > MAX_NAMES:
            raise InputError(f"the question names more than {MAX_NAMES} entities: name fewer, or ask several questions")
        self._cover(anchor)

    def _cover(self, anchor: Anchor) -> None:
        """Note that the words of a name are accounted for."""
        covered = range(bisect_left(self.starts, anchor.start), bisect_left(self.starts, anchor.end))
        self.inside.update(covered)
        self.free.difference_update(covered)

    def _check_time(self) -> None:
        if self.deadline is not None:
            self.deadline.check()

    # spelt as in the graph, or nearly -------------------------------------------------------------------------------

    def find_ids(self) -> None:
        for anchor in ids_in(self.text, self.linker):
            self._add(anchor)

    def find_written(self) -> None:
        for mention in self.linker.detect(self.text, marks=False):
            if any(mention.start < each.end and each.start < mention.end for each in self.anchors):
                continue
            tokens = tokens_of(mention.text)
            spoken = self.words.find_types(tokens)
            whole = any(word.first == 0 and word.last == len(tokens) for word in spoken)
            asking = len(tokens) == 1 and self.words.is_asking(tokens[0].stem) and not mention.text.isupper()
            best = mention.linked.best
            if best is not None and not whole and not asking and not self._is_no_name(mention.start, mention.text):
                meanings = meanings_of(mention.linked.candidates, best)
                self._add(Anchor(mention.start, mention.end, mention.text, meanings))

    def _is_no_name(self, start: int, written: str) -> bool:
        """Whether words only look like a name: a cue, or a verb with an object behind it, as in "who won the cup"."""
        at = bisect_left(self.starts, start) + 1
        verb = written.islower() and is_irregular(written) and at < len(self.tokens)
        return self.is_cue(written) or (verb and self.tokens[at].text.lower() in ARTICLES)

    def find_numbered(self) -> None:
        """Names said by noun and number: "the sixth series of Bake Off"."""
        known = (self.anchors, self.linker, self.words)
        self._replace(numbered(self.text, self.tokens, *known, typed=self.typed, check_time=self._check_time))

    def find_titled(self) -> None:
        """Titles belong to the names of people behind them, also to a surname: "Dr Okafor"."""
        self._replace(titled(self.anchors, self.text, self.linker, self.words))

    def _replace(self, anchors: Sequence[Anchor]) -> None:
        self.anchors = []
        for anchor in anchors:
            self._add(anchor)

    def widen(self) -> None:
        """Widen names that are part of a misspelt longer one: "glanzman thrombasthenia"."""
        for at, anchor in enumerate(self.anchors):
            self._check_time()
            free = [self.tokens[place] for place in self.free]
            before = [token for token in free if token.end == anchor.start - 1]
            behind = [token for token in free if token.start == anchor.end + 1]
            for start, end in (
                (before[0].start if before else anchor.start, behind[0].end if behind else anchor.end),
                (before[0].start if before else anchor.start, anchor.end),
                (anchor.start, behind[0].end if behind else anchor.end),
            ):
                wider = self._misspelt(start, end, within=anchor) if end - start > len(anchor.text) else None
                if wider is not None:
                    self.anchors[at] = wider
                    self._cover(wider)
                    break

    def find_adjectives(self) -> None:
        """Adjectives of places before a type ("African countries"); one that is a name too may mean either."""
        for word in self.spoken:
            at = word.first - 1
            if word.implied or at < 0 or self.broken[at]:
                continue
            own = next((n for n, each in enumerate(self.anchors) if each.end == self.tokens[at].end), None)
            if own is None and at not in self.free:
                continue
            first, found = places_of(self.tokens, at, self.linker)
            start, end = self.tokens[first].start, self.tokens[at].end
            if not found:
                continue
            if own is None:
                self.anchors = [each for each in self.anchors if each.end <= start or each.start >= end]
                self._add(Anchor(start, end, self.text[start:end], found))
            elif self.anchors[own].start == start:
                known = {meaning.type for meaning in self.anchors[own].meanings}
                more = tuple(meaning for meaning in found if meaning.type not in known)
                self.anchors[own] = replace(self.anchors[own], meanings=(*self.anchors[own].meanings, *more))

    def find_directions(self) -> None:
        """Places with a direction before them that the graph calls a little otherwise: "south Asia"."""
        for number, anchor in enumerate(self.anchors):
            at = bisect_left(self.starts, anchor.start) - 1
            if at >= 0 and anchor.start - self.tokens[at].end == 1 and is_direction(self.tokens[at].text):
                written = self.text[self.tokens[at].start : anchor.end]
                found = part_of_place(written, self.linker)
                if found:
                    self.anchors[number] = Anchor(self.tokens[at].start, anchor.end, written, found)
                    self._cover(self.anchors[number])

    def find_shortened(self) -> None:
        """Parts of names that no other name has: "Fellside"."""
        for first, last in list(self._runs()):
            found = shortened(self.text, self.tokens[first].start, self.tokens[last - 1].end, self.linker)
            if found is not None:
                self._add(found)

    def find_misspelt(self) -> None:
        for first, last in self._windows():
            self._check_time()
            if self._is_open(first, last):
                found = self._misspelt(self.tokens[first].start, self.tokens[last - 1].end)
                if found is not None:
                    self._add(found)

    def _misspelt(self, start: int, end: int, *, within: Anchor | None = None) -> Anchor | None:
        """The name a misspelt text resembles; around the name `within`, each further word must resemble one of its."""
        written = self.text[start:end]
        linked = self.linker.link(written, last_stage="fuzzy")
        if linked.best is None or self.is_cue(written) or is_symbol(linked.best.matched, written):
            return None
        if within is not None and not resembles(written, within.text, linked.best.matched):
            return None
        return Anchor(start, end, written, meanings_of(linked.candidates, linked.best))

    def find_shared_heads(self) -> None:
        """Names that share a head or modifier with the next one: "Angelman, Rett and Pitt-Hopkins syndrome"."""
        waiting = [(anchor.start, anchor.end, anchor.text) for anchor in self.anchors]
        while waiting:
            self._check_time()
            start, end, whole = waiting.pop()
            for first, last in list(self._runs()):
                here, there = self.tokens[first].start, self.tokens[last - 1].end
                run, own = self.text[here:there], whole.split()
                wholes = [f"{run} {' '.join(own[at:])}" for at in range(1, len(own))]
                if not joins(self.text[there:start]):
                    wholes = []
                if joins(self.text[end:here]):
                    wholes = [f"{' '.join(own[:-at])} {run}" for at in range(1, len(own))]
                found = next((each for each in wholes if self.linker.link(each, last_stage="fuzzy").best), None)
                if found is not None and self._is_open(first, last):
                    linked = self.linker.link(found, last_stage="fuzzy")
                    assert linked.best is not None
                    self._add(Anchor(here, there, run, meanings_of(linked.candidates, linked.best)))
                    waiting.append((here, there, found))

    # not spelt as in the graph --------------------------------------------------------------------------------------

    def find_said_of_types(self, paraphrases: Paraphrases | None) -> None:
        """Attributes from a type with few entities: "start in adulthood", "mitochondrially inherited"."""
        for word in self.spoken:
            self._check_time()
            types = tuple(self.words.schema.type_of(label) for label in word.labels)
            if not self._are_few(types) or self._has_one_near(word, types):
                continue
            for first, last in self._around(word):
                if last in self.inside and self.tokens[last].start - self.tokens[last - 1].end == 1:
                    continue  # "countries in south Asia": said of the name behind it
                found = self._said_of(types, first, last, paraphrases)
                if found is not None:
                    self._add(found)
                    break

    def _said_of(self, types: tuple[str, ...], first: int, last: int, paraphrases: Paraphrases | None) -> Anchor | None:
        if all(read_number(self.tokens[at].text) is not None for at in range(first, last) if at in self.free):
            return None  # "over 5 series"
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        phrase = self._cleaned(first, last)
        found = most_overlapping(phrase, types, self.linker)
        if paraphrases is not None and not found:
            near = paraphrases.nearest([phrase], types=types)[0]
            found = [each for each in near[:1] if each.score >= SAID_OF_A_TYPE]
        if not found:
            return None
        return Anchor(start, end, self.text[start:end], meanings_of(found, found[0]))

    def find_everyday(self) -> None:
        """Lay terms: "heart attack", or "fits" (but not in "diseases that fit")."""
        for first, last in self._windows(shortest=3):
            if last - first == 1 and first - 1 in self.typed:
                continue
            said = " ".join(token.text.lower() for token in self.tokens[first:last])
            for name in self.words.everyday.get(said, ()):
                linked = self.linker.link(name, last_stage="normalised")
                if linked.best is not None and self._is_open(first, last):
                    start, end = self.tokens[first].start, self.tokens[last - 1].end
                    meanings = meanings_of(linked.candidates, linked.best)
                    self._add(Anchor(start, end, self.text[start:end], meanings))

    def find_paraphrased(self, paraphrases: Paraphrases) -> None:
        """Link the remaining words to the entity with the most similar name."""
        tried = 0
        for first, last in self._windows():
            if tried == MOST_PARAPHRASES or not self._is_open(first, last) or self._begins_no_name(first):
                continue
            tried += 1
            phrase = self._cleaned(first, last)
            if self.is_cue(phrase):
                continue
            (found,) = paraphrases.nearest([phrase])
            if found and is_symbol(found[0].matched, phrase):
                continue
            if found and is_meant(found, MEANS_THE_SAME if len(words_of(phrase)) > 1 else ONE_WORD_MEANS):
                start, end = self.tokens[first].start, self.tokens[last - 1].end
                self._add(Anchor(start, end, self.text[start:end], meanings_of(found, found[0])))

    # words ----------------------------------------------------------------------------------------------------------

    def _begins_no_name(self, at: int) -> bool:
        """Whether a word says something of the name before it, and so begins no name: "is FBN1 expressed in"."""
        return at - 1 in self.inside and at + 1 < len(self.tokens) and self.tokens[at + 1].text.lower() in INNER

    def _is_open(self, first: int, last: int) -> bool:
        return self.inside.isdisjoint(range(first, last))

    def _is_broken(self, at: int) -> bool:
        """Whether no name can span this word and the next (punctuation or a conjunction in between)."""
        if at + 1 >= len(self.tokens):
            return True
        between = self.text[self.tokens[at].start : self.tokens[at + 1].end]
        return BREAKS.search(between, len(self.tokens[at].text)) is not None or BREAKS.match(between) is not None

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Maximal runs of free words."""
        first = None
        for at, token in enumerate(self.tokens):
            free = at in self.free and token.text.lower() not in DROPPED
            if free and first is None:
                first = at
            if first is not None and (not free or self.broken[at]):
                last = at + 1 if free else at
                if any(len(each.text) >= SHORTEST_NAME for each in self.tokens[first:last]):
                    yield first, last
                first = None

    def _windows(self, *, shortest: int = SHORTEST_NAME) -> list[tuple[int, int]]:
        """Windows that start at a free word and end at a free word or a type, most free words first.

        Inside they may hold function words and one question word: "make the skin turn yellow".
        """
        windows = []
        for first in sorted(self.free):
            asking = 0
            for last in range(first + 1, min(first + LONGEST_NAME, len(self.tokens)) + 1):
                if last - 1 in self.inside or self.tokens[last - 1].text.lower() in PREDICATING:
                    break
                if last - 1 in self.free or last - 1 in self.typed:
                    if any(len(self.tokens[at].text) >= shortest for at in range(first, last) if at in self.free):
                        windows.append((first, last))
                elif self.tokens[last - 1].text.lower() not in SMALL:
                    asking += 1
                if asking > 1 or self.broken[last - 1]:
                    break

        def order(window: tuple[int, int]) -> tuple[int, int, int]:
            free = sum(1 for at in range(*window) if at in self.free)
            return -free, window[0] - window[1], window[0]

        return sorted(windows, key=order)

    def _cleaned(self, first: int, last: int) -> str:
        return " ".join(token.text for token in self.tokens[first:last] if token.text.lower() not in DROPPED)

    # types ----------------------------------------------------------------------------------------------------------

    def _are_few(self, types: Sequence[str]) -> bool:
        counts = self.linker.engine.schema.types
        return sum(counts.get(name, 0) for name in types) <= FEW

    def _has_one_near(self, word: TypeWord, types: Sequence[str]) -> bool:
        """Whether an entity of the type is named already, so that the type word refers to it."""
        return any(meaning.type in types for anchor in self.anchors for meaning in anchor.meanings[:1])

    def _around(self, word: TypeWord) -> Iterator[tuple[int, int]]:
        """The type word with the free words after it, or before it."""
        last = word.last
        while last < len(self.tokens) and last - word.last < LONGEST_NAME and not self.broken[last - 1]:
            small = self.tokens[last].text.lower() in SMALL
            if last in self.inside or not (last in self.free or small):
                break
            last += 1
        while last > word.last and last - 1 not in self.free:
            last -= 1
        if last > word.last:
            yield (word.first if word.implied else word.last), last
        first = word.first
        while first > 0 and not self.broken[first - 1] and first - 1 in self.free:
            first -= 1
        if first < word.first:
            yield first, word.last
