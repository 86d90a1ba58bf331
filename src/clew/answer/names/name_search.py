"""The words of a question while its names are looked for: which belong to a name, a type or a relation, which to none.

Stages add names to a `NameSearch`; a later stage leaves the words of earlier names alone.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.type_words import TypeWord
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor
from clew.errors import InputError
from clew.link import Linker
from clew.store.deadline import Deadline

__all__ = ["INNER", "SHORTEST_NAME", "NameSearch"]

MAX_NAMES = 100  # of one question
LONGEST_NAME, SHORTEST_NAME = 6, 4  # of a name not spelt as in the graph: most words, fewest letters
DROPPED = frozenset({"a", "an", "the", "this", "that", "these", "those", "such", "any", "some"}) | frozenset(
    {"my", "your", "his", "her", "its", "our", "their"}
)
INNER = frozenset({"of", "in", "with", "to", "on", "at", "by", "from", "for", "through", "via", "into", "no", "not"})
SMALL = INNER | DROPPED
PREDICATING = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "must"})
BREAKS = re.compile(r"[,;:?!()\[\]/+>]|\s[-–—]\s|\.\s|\b(?:and|or|but|nor|plus|which|what|who|whose|where)\b", re.I)


class NameSearch:
    """A question, the names found in it so far, and the words that nothing accounts for yet."""

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

    def add(self, anchor: Anchor) -> None:
        """Add a name; its words are accounted for from now on."""
        self.anchors.append(anchor)
        if len(self.anchors) > MAX_NAMES:
            raise InputError(f"the question names more than {MAX_NAMES} entities: name fewer, or ask several questions")
        self.cover(anchor)

    def replace(self, anchors: Sequence[Anchor]) -> None:
        """Put other names in the place of those found so far."""
        self.anchors = []
        for anchor in anchors:
            self.add(anchor)

    def cover(self, anchor: Anchor) -> None:
        """Note that the words of a name are accounted for."""
        covered = range(bisect_left(self.starts, anchor.start), bisect_left(self.starts, anchor.end))
        self.inside.update(covered)
        self.free.difference_update(covered)

    def check_time(self) -> None:
        """Stop the search if its time has run out."""
        if self.deadline is not None:
            self.deadline.check()

    def is_open(self, first: int, last: int) -> bool:
        """Whether none of these words belongs to a name."""
        return self.inside.isdisjoint(range(first, last))

    def _is_broken(self, at: int) -> bool:
        """Whether no name can span this word and the next (punctuation or a conjunction in between)."""
        if at + 1 >= len(self.tokens):
            return True
        between = self.text[self.tokens[at].start : self.tokens[at + 1].end]
        return BREAKS.search(between, len(self.tokens[at].text)) is not None or BREAKS.match(between) is not None

    def runs(self) -> Iterator[tuple[int, int]]:
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

    def windows(self, *, shortest: int = SHORTEST_NAME) -> list[tuple[int, int]]:
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

    def around(self, word: TypeWord) -> Iterator[tuple[int, int]]:
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

    def cleaned(self, first: int, last: int) -> str:
        """These words without articles, demonstratives and possessives."""
        return " ".join(token.text for token in self.tokens[first:last] if token.text.lower() not in DROPPED)
