"""A question in which words for values are looked for: in lower case, slips put right, each name as one mark (§)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew.answer.lexicon.forms import Token
from clew.answer.names.meanings import Anchor
from clew.answer.values.vocabulary import Graded, Vocabulary

__all__ = ["ARTICLE", "HELPING", "NAME", "Corrected", "Passage", "plain"]

NAME = "§"
ARTICLE = r"(?:an?\s+|the\s+|its\s+|their\s+|his\s+|her\s+)?"
ASKING = re.compile(r"\s*(?:which|who|whose|where|that)\s+")
HELPING = r"(?:\s*,?\s*\b(?:is|are|was|were|does|do|did|has|have|will)\b)?"


def plain(text: str | None) -> str:
    """A phrase with single spaces."""
    return " ".join((text or "").split())


@dataclass(frozen=True, slots=True)
class Corrected:
    """A question with slips of the pen put right; `back` leads from its places to those of the question."""

    text: str
    moved: tuple[tuple[int, int], ...]  # from which place on, how many letters more it has

    @classmethod
    def of(cls, text: str, tokens: Sequence[Token]) -> "Corrected":
        written, here, more = "", 0, 0
        moved: list[tuple[int, int]] = []
        for token in tokens:
            written += text[here : token.start] + token.text
            more += len(token.text) - (token.end - token.start)
            here = token.end
            moved.append((len(written), more))
        return cls(written + text[here:], tuple(moved))

    def back(self, place: int) -> int:
        """Where a place of the corrected text is in the question."""
        more = 0
        for start, number in self.moved:
            if start > place:
                break
            more = number
        return place - more


@dataclass(slots=True)
class Passage:
    """The text, what is known of it, and the stretches that have been read."""

    text: str  # names as marks
    open: str  # names that are only digits as they are: a number is a number first
    words: Vocabulary
    names: tuple[Anchor, ...]
    types: Mapping[int, tuple[str, ...]]  # where words for types end, and the labels that they mean
    dated: bool = False  # whether a relation that it mentions says when its statements hold
    spans: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(
        cls, text: str, words: Vocabulary, names: Sequence[Anchor], types: Mapping[int, tuple[str, ...]]
    ) -> "Passage":
        lowered = text.lower() if len(text.lower()) == len(text) else text
        lowered = lowered.replace("’", "'")
        spelt = [each for each in names if not each.text.replace(",", "").isdigit()]
        return cls(_masked(lowered, names), _masked(lowered, spelt), words, tuple(names), types)

    def take(self, start: int, end: int) -> bool:
        """Note that a stretch has been read; False if a part of it has been before."""
        if any(start < other_end and other_start < end for other_start, other_end in self.spans):
            return False
        self.spans.append((start, end))
        return True

    def take_condition(self, start: int, end: int) -> bool:
        """The same for what must be so, of which the word that asks is no part: "Which" of "Which Danish films"."""
        asking = ASKING.match(self.text, start) if not self.text[:start].strip() else None
        return self.take(asking.end() if asking is not None else start, end)

    def graded(self, groups: dict[str, str | None]) -> list[Graded]:
        """The attributes that an adjective is about, with the noun behind it if there is one."""
        words = self.words
        form = plain(groups.get("more") or groups.get("most"))
        noun = groups.get("noun") or groups.get("counted")
        if not noun and groups.get("verb") and form in words.generic:  # earns more, costs the least
            meant = [each for each in words.verbs[plain(groups["verb"])] if each.kind == "number"]
            return [Graded(each, words.generic[form]) for each in meant]
        if not noun:
            return words.graded(form)
        meant = (words.nouns if groups.get("noun") else words.counted)[plain(noun)]
        found = [(each, words.direction(form, each)) for each in meant if each.kind != "text"]
        return [Graded(each, much) for each, much in found if much is not None]

    @property
    def has_alternatives(self) -> bool:
        """Whether one of its names is to be chosen: "A or B", "which of A and B"."""
        listed = rf"{NAME}\s*(?:,\s*(?:the\s+)?{NAME}\s*)*,?\s*\bor\s+(?:the\s+)?{NAME}"
        among = (
            rf"\b(?:which|who|what)(?:\s+one)?\s+(?:of|among|out\s+of)\s+(?:the\s+)?{NAME}\s*(?:,|and)"
            rf"|\b(?:of|between)\s+{NAME}\s*(?:,|and)\s*{NAME}"
        )
        joined = any(" or " in each.meanings[0].name for each in self.names)
        return joined or re.search(listed, self.text) is not None or re.search(among, self.text) is not None


def _masked(text: str, names: Sequence[Anchor]) -> str:
    for name in names:
        text = f"{text[: name.start]}{NAME}{' ' * (name.end - name.start - 1)}{text[name.end :]}"
    return text
