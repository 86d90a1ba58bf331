"""A sketch: the things a question talks about, the words that join them, and what is asked, denied, counted, compared.

    Which drugs given for [migraine] never cause [nausea]?
    list x; x:drugs; x <given for> [migraine]; not x <cause> [nausea]

Only words of the question stand in it, each known by its number; a name is one word. Things that are not named are
variables (x, y, …), in the order in which they appear.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["OPERATORS", "VARIABLES", "Ref", "Said", "Sketch", "Statement", "Word", "show", "split_words"]

VARIABLES = ("x", "y", "z", "w", "v", "u")
GRADING = frozenset({"most", "fewest", "max", "min", "number", "attribute", "only", "every", "top"})
OPERATORS = ("=", "<", "<=", ">", ">=")
Ref = str | int  # a variable, or the number of a word that is a name
TOKEN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|[^\W_]+(?:[-.][^\W_]+|['’](?!s\b)[^\W_]+)*|['’]s\b|[^\w\s]|_+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a mark, or a whole name of a question; `name` is the number of the name."""

    text: str
    start: int
    end: int
    name: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A property of a statement itself: how often it holds, since when, according to whom."""

    words: tuple[int, ...]
    operator: str = ""
    value: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said: `kind` is kind, fact, attribute, is, number, most, fewest, max, min, top, only, every,
    any, of or differ.

    `denied` is the number of the group of statements that do not hold together, `other` whether it is an alternative
    to the statement before.
    """

    kind: str
    left: Ref | None = None
    words: tuple[int, ...] = ()
    right: Ref | None = None
    operator: str = ""
    value: tuple[int, ...] = ()
    said: tuple[Said, ...] = ()
    denied: int = 0
    other: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a question says; `asked` are the things (and their attributes) that are wanted.

    `mode` is list, count, yesno, value or pick; a value without a thing is one of a statement.
    """

    mode: str
    asked: tuple[tuple[Ref | None, tuple[int, ...]], ...] = ()
    statements: tuple[Statement, ...] = field(default=())

    @property
    def denies(self) -> bool:
        """Whether anything must not hold."""
        return any(each.denied for each in self.statements)

    @property
    def grades(self) -> bool:
        """Whether anything is counted, compared, ordered or quantified, or asked of a statement."""
        asked = self.mode == "value"
        return any(
            each.kind in GRADING or any(asked or said.operator for said in each.said) for each in self.statements
        )


def split_words(text: str, names: Sequence[tuple[int, int]]) -> list[Word]:
    """The words of a question; each name, given by its start and end, is one."""
    found: list[Word] = []
    here = 0
    for number, (start, end) in enumerate(names):
        found += [Word(m.group(), here + m.start(), here + m.end()) for m in TOKEN.finditer(text[here:start])]
        found.append(Word(text[start:end], start, end, number))
        here = end
    return found + [Word(m.group(), here + m.start(), here + m.end()) for m in TOKEN.finditer(text[here:])]


def show(sketch: Sketch, words: Sequence[Word]) -> str:
    """A sketch as it is written down."""

    def phrase(numbers: Sequence[int]) -> str:
        parts = [words[at].text for at in numbers]
        gaps = ["" if at == 0 else " " if numbers[at] == numbers[at - 1] + 1 else ".." for at in range(len(numbers))]
        return "".join(gap + part for gap, part in zip(gaps, parts, strict=True))

    def ref(given: Ref | None) -> str:
        return f"[{words[given].text}]" if isinstance(given, int) else given or ""

    def of(each: Statement) -> str:
        said = f"<{phrase(each.words)}>"
        return f"{{{said}}}" if each.left is None else f"{ref(each.left)}.{said}"

    def one(each: Statement) -> str:
        end = phrase(each.value) if each.value else ref(each.right)
        text = {
            "kind": f"{ref(each.left)}:{phrase(each.words)}",
            "fact": f"{ref(each.left)} <{phrase(each.words)}> {ref(each.right)}",
            "attribute": f"{ref(each.left)}.<{phrase(each.words)}> {each.operator} {end}",
            "is": f"{ref(each.left)} is <{phrase(each.words)}>",
            "number": f"#{ref(each.left)} {each.operator} {'#' * (not each.value)}{end}",
            "max": f"max {of(each)}",
            "min": f"min {of(each)}",
            "top": f"top {end}",
            "of": f"{ref(each.left)} of [{'], ['.join(words[at].text for at in each.value)}]",
            "differ": f"differ {ref(each.left)} {ref(each.right)}",
        }.get(each.kind, f"{each.kind} {ref(each.left)}")
        for said in each.said:
            text += (
                f" {{<{phrase(said.words)}>" + (f" {said.operator} {phrase(said.value)}" if said.value else "") + "}"
            )
        return f"{'or ' * each.other}{f'not{each.denied} ' if each.denied else ''}{text}"

    asked = ", ".join(
        ref(of) + (f".<{phrase(said)}>" if said and of is not None else f"{{<{phrase(said)}>}}" if said else "")
        for of, said in sketch.asked
    )
    return "; ".join([f"{sketch.mode} {asked}".strip(), *(one(each) for each in sketch.statements)])
