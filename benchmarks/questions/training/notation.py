"""Sketches as people write them, one to a line, read into words and statements: QUESTION => SKETCH."""

import re
from collections.abc import Iterator
from pathlib import Path

from clew.answer.lexicon.numbers import read_number
from clew.answer.sketch.sketch import VARIABLES, Ref, Said, Sketch, Statement, Word, split_words

__all__ = ["read_file", "read_line"]

END = r"(?:[a-z]|\[[^\[\]]+\])"
FACT = re.compile(rf"({END}) <([^<>]+)> (?:(only|every|any) )?({END})((?: \{{[^{{}}]+\}})*)")
SAID = re.compile(r"\{<([^<>]+)>(?: (=|<=?|>=?) ([^{}]+))?\}")
AMOUNTS = {
    "half": 0.5, "once": 1, "twice": 2, "both": 2, "a": 1, "an": 1, "one": 1, "single": 1, "pair": 2, "couple": 2,
    "dozen": 12, "several": 2, "multiple": 2, "third": 1 / 3, "quarter": 0.25, "no": 0, "none": 0, "zero": 0, "any": 1,
    "thrice": 3, "first": 1, "another": 2, "other": 2, "some": 1, "different": 2, "only": 1, "sole": 1, "exactly": 1,
}  # fmt: skip


SCALES = {"million": 1e6, "billion": 1e9, "thousand": 1e3, "hundred": 100.0, "dozen": 12.0, "%": 0.01, "percent": 0.01}


class Unreadable(ValueError):
    """A line that says something the notation has no place for."""


def read_file(path: Path) -> Iterator[tuple[str, list[Word], Sketch]]:
    """The question, its words and its sketch for each line that can be read."""
    for line in path.read_text("utf-8").splitlines():
        if " => " in line and not line.startswith("#"):
            try:
                yield read_line(line)
            except Unreadable:
                continue


def read_line(line: str) -> tuple[str, list[Word], Sketch]:
    """One line; the question comes without its brackets."""
    marked, sketch = line.rsplit(" => ", 1)
    text, names, here = "", [], 0
    for found in re.finditer(r"\[([^\[\]]+)\]", marked):
        text += marked[here : found.start()]
        names.append((len(text), len(text) + len(found.group(1))))
        text += found.group(1)
        here = found.end()
    text += marked[here:]
    words = split_words(text, names)
    return text, words, _Line(words).read(sketch)


class _Line:
    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self.low = [word.text.lower() for word in words]
        self.variables: dict[str, str] = {}
        self.group = 0
        self.kinds: dict[str, int] = {}  # where the noun of a variable stands

    def read(self, text: str) -> Sketch:
        parts = _split(text)
        mode, _, asked = parts[0].partition(" ")
        given: list[tuple[Ref | None, tuple[int, ...]]] = []
        more: list[Statement] = []
        for variable, said in re.findall(r"(?:^|; )([a-z]):([^;()]+)", text):
            self.kinds[variable] = self.phrase(said, None, named=True)[-1]
        if mode == "pick":
            variable, _, names = asked.partition(" of ")
            given.append((self.ref(variable), ()))
            more.append(Statement("of", self.ref(variable), value=tuple(self.names(names))))
        elif mode in ("list", "count", "value"):
            given = [self.asked(each.strip()) for each in asked.split(", ")]
        elif mode != "yesno":
            raise Unreadable(mode)
        groups = [[*self.statements(part, 0)] for part in parts[1:]]
        if more:
            groups.insert(0, more)
        groups.sort(key=lambda group: min(_place(each, self) for each in group))
        return self.renamed(Sketch(mode, tuple(given), tuple(each for group in groups for each in group)))

    def renamed(self, sketch: Sketch) -> Sketch:
        """With variables in the order in which they appear."""
        order: dict[str, str] = {}

        def name(ref: Ref | None) -> Ref | None:
            if not isinstance(ref, str):
                return ref
            if ref not in order:
                if len(order) == len(VARIABLES):
                    raise Unreadable("too many variables")
                order[ref] = VARIABLES[len(order)]
            return order[ref]

        from dataclasses import replace

        asked = tuple((name(of), said) for of, said in sketch.asked)
        statements = tuple(replace(each, left=name(each.left), right=name(each.right)) for each in sketch.statements)
        return Sketch(sketch.mode, asked, statements)

    def asked(self, text: str) -> tuple[Ref | None, tuple[int, ...]]:
        if found := re.fullmatch(r"\{<([^<>]+)>\}", text):
            return None, self.phrase(found.group(1), None)
        if found := re.fullmatch(rf"({END})\.<([^<>]+)>", text):
            return self.ref(found.group(1)), self.phrase(found.group(2), None)
        return self.ref(text), ()

    def statements(self, text: str, denied: int) -> Iterator[Statement]:
        from dataclasses import replace

        text = text.strip()
        if text.startswith("not "):
            self.group += 1
            inner = text[4:].strip()
            yield from self.statements(inner, self.group)
        elif text.startswith("(") and text.endswith(")"):
            inside = text[1:-1]
            branches = re.split(r" or (?=[\[(a-z])", inside)
            if len(branches) > 1 and not any(";" in each for each in branches):
                for number, branch in enumerate(branches):
                    for each in self.statements(branch, denied):
                        yield replace(each, other=number > 0)
            elif len(branches) == 1:
                for each in _split(inside):
                    if each.startswith("not "):
                        raise Unreadable("a denial inside another")
                    yield from self.statements(each, denied)
            else:
                raise Unreadable("alternatives of several statements")
        else:
            yield from (replace(each, denied=denied) for each in self.simple(text))

    def simple(self, text: str) -> Iterator[Statement]:
        if found := FACT.fullmatch(text):
            left, right = self.ref(found.group(1)), self.ref(found.group(4))
            said = tuple(self.said(*each) for each in SAID.findall(found.group(5) or ""))
            yield Statement("fact", left, self.phrase(found.group(2), (left, right)), right, said=said)
            if found.group(3):
                yield Statement(found.group(3), right)
        elif found := re.fullmatch(r"([a-z]):(.+)", text):
            yield Statement("kind", self.ref(found.group(1)), self.phrase(found.group(2).strip(), None, named=True))
        elif found := re.fullmatch(rf"({END})\.<([^<>]+)> (=|<=?|>=?) (.+)", text):
            of, words, operator, value = found.groups()
            left = self.ref(of)
            at = self.phrase(words, (left, None))
            if other := re.fullmatch(rf"({END})(?:\.<[^<>]+>)?", value):
                yield Statement("attribute", left, at, self.ref(other.group(1)), operator)
            else:
                yield Statement("attribute", left, at, None, operator, self.value(value))
        elif found := re.fullmatch(rf"({END}) is <([^<>]+)>", text):
            left = self.ref(found.group(1))
            yield Statement("is", left, self.phrase(found.group(2), (left, None)))
        elif found := re.fullmatch(r"#([a-z]) (=|<=?|>=?) (#?)(\w+)", text):
            variable, operator, other, value = found.groups()
            left = self.ref(variable)
            if other:
                yield Statement("number", left, (), self.ref(value), operator)
            else:
                yield Statement("number", left, (), None, operator, self.value(value, near=variable))
        elif found := re.fullmatch(rf"(max|min) ({END})\.<([^<>]+)>", text):
            left = self.ref(found.group(2))
            yield Statement(found.group(1), left, self.phrase(found.group(3), (left, None)))
        elif found := re.fullmatch(r"(max|min) \{<([^<>]+)>\}", text):
            yield Statement(found.group(1), None, self.phrase(found.group(2), None))
        elif found := re.fullmatch(r"(most|fewest) ([a-z])", text):
            yield Statement(found.group(1), self.ref(found.group(2)))
        elif found := re.fullmatch(r"top (\d+)", text):
            yield Statement("top", value=self.value(found.group(1)))
        elif found := re.fullmatch(rf"(only|every|any) ({END}(?:, {END})*)", text):
            for each in re.findall(END, found.group(2)):
                yield Statement(found.group(1), self.ref(each))
        elif found := re.fullmatch(r"([a-z]) of (\[.+)", text):
            yield Statement("of", self.ref(found.group(1)), value=tuple(self.names(found.group(2))))
        elif found := re.fullmatch(r"differ ([a-z]) ([a-z])", text):
            yield Statement("differ", self.ref(found.group(1)), right=self.ref(found.group(2)))
        else:
            raise Unreadable(text)

    def said(self, words: str, operator: str, value: str) -> Said:
        at = self.phrase(words, None)
        if not operator:
            return Said(at)
        if value.startswith("["):
            return Said(at, operator, (self.name(value),))
        return Said(at, operator, self.value(value))

    def ref(self, text: str) -> Ref:
        return self.name(text) if text.startswith("[") else text

    def name(self, text: str) -> int:
        wanted = text.strip("[]").lower()
        for at, word in enumerate(self.words):
            if word.name is not None and word.text.lower() == wanted:
                return at
        raise Unreadable(f"no name {text}")

    def names(self, text: str) -> Iterator[int]:
        for each in re.findall(r"\[[^\[\]]+\]", text):
            yield self.name(each)

    def place(self, ref: Ref | None) -> int | None:
        return ref if isinstance(ref, int) else self.kinds.get(ref or "")

    def phrase(self, text: str, ends: tuple[Ref | None, Ref | None] | None, *, named: bool = False) -> tuple[int, ...]:
        """The numbers of words; of several places, the one nearest to what comes after, or before."""
        found: list[int] = []
        for part in text.replace("[", "").replace("]", "").split(".."):
            wanted = [word.text.lower() for word in split_words(part.strip(), [])]
            places = [at for at in range(len(self.low)) if self._matches(at, wanted)]
            if not named:
                places = [at for at in places if self.words[at].name is None]
            if not places:
                raise Unreadable(f"no words {part!r}")
            best = places[0]
            if len(places) > 1:
                right = None if ends is None else self.place(ends[1])
                left = None if ends is None else self.place(ends[0])
                if found:
                    best = min(places, key=lambda at: abs(at - found[-1]))
                elif right is not None:
                    best = min(places, key=lambda at: (abs(right - at - len(wanted)), at))
                elif left is not None:
                    best = min(places, key=lambda at: (abs(at - left), at))
            if self.words[best].name is not None:
                found.append(best)
            else:
                found += range(best, best + len(wanted))
        return tuple(dict.fromkeys(found))

    def _matches(self, at: int, wanted: list[str]) -> bool:
        if self.words[at].name is not None:
            return [word.text.lower() for word in split_words(self.words[at].text, [])] == wanted
        return self.low[at : at + len(wanted)] == wanted

    def value(self, text: str, near: str | None = None) -> tuple[int, ...]:
        """The words that state a value."""
        if text.startswith(('"', "'")):
            return self.phrase(text.strip("\"'"), None)
        try:
            wanted = float(text.replace(",", ""))
        except ValueError:
            return self.phrase(text, None)
        fits = [at for at in range(len(self.words)) if wanted in _amounts(self.low, at)]
        fits = [at for at in fits if self.low[at] not in AMOUNTS or read_number(self.low[at]) is not None] or fits
        if not fits:
            raise Unreadable(f"no number {text}")
        place = self.kinds.get(near or "")
        best = fits[0] if place is None else min(fits, key=lambda at: abs(place - at))
        return (best, best + 1) if self.low[best + 1 : best + 2] and self.low[best + 1] in SCALES else (best,)


def _amounts(low: list[str], at: int) -> list[float]:
    """The numbers that a word may mean; 10 percent may be 10 or 0.1."""
    word = low[at]
    number = read_number(word)
    if number is None:
        number = AMOUNTS.get(word)
    if re.fullmatch(r"\d{3}0s", word):  # a decade, from its first year to its last
        return [float(word[:-1]), float(word[:-1]) + 9]
    if number is None and (found := re.fullmatch(r"(\d+(?:\.\d+)?)[a-z%]*", word)):
        number = float(found.group(1))
    if number is None:
        return []
    following = low[at + 1] if at + 1 < len(low) else ""
    scale = SCALES.get(following)
    return [float(number)] if scale is None else [float(number), float(number) * scale]


def _place(each: Statement, line: _Line) -> float:
    """Where in the question a statement is said."""
    if each.words:
        return min(each.words) + (0.0 if each.kind == "kind" else 0.1)
    if each.value:
        return min(each.value) + 0.2
    place = line.place(each.left)
    return 999.0 if place is None else place + 0.3


def _split(text: str) -> list[str]:
    """Statements, those in brackets whole."""
    parts, depth, here = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ";" and depth == 0:
            parts.append(text[here:at].strip())
            here = at + 1
    return [*parts, text[here:].strip()]
