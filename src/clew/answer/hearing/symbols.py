"""A sketch as a row of symbols, which is what the parser writes, and back; and which symbol may come next.

A symbol is one of a few (`SYMBOLS`), or a word of the question: word 3 is the symbol `len(SYMBOLS) + 3`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from clew.answer.sketch.sketch import OPERATORS, VARIABLES, Ref, Said, Sketch, Statement, Word

__all__ = ["BEGIN", "END", "FIRST", "SYMBOLS", "allowed", "follow", "from_symbols", "to_symbols"]

MODES = ("list", "count", "yesno", "value", "pick")
STATEMENTS = (
    "kind", "fact", "attribute", "is", "number", "most", "fewest", "max", "min", "top", "only", "every", "any", "of",
    "differ",
)  # fmt: skip
OTHERS = ("begin", "end", ",", "said", "not", "not too", "or")
SYMBOLS = (*OTHERS, *MODES, *STATEMENTS, *OPERATORS, *VARIABLES)
NUMBER = {symbol: number for number, symbol in enumerate(SYMBOLS)}
BEGIN, END = NUMBER["begin"], NUMBER["end"]
FIRST = len(SYMBOLS)  # the symbol of the first word
# What follows the symbol of a statement: v a variable, r a variable or a name, w words, o an operator, e an end (words,
# a variable or a name), n names, a a thing or a property of a statement, s any number of such properties.
FORMS = {
    "kind": "vw", "fact": "rwrs", "attribute": "rwoe", "is": "rw", "number": "voe", "most": "v", "fewest": "v",
    "max": "aw", "min": "aw", "top": "w", "only": "r", "every": "r", "any": "r", "of": "vn", "differ": "vv",
}  # fmt: skip


def to_symbols(sketch: Sketch) -> list[int]:
    """The symbols of a sketch, from begin to end."""
    out: list[int] = [BEGIN, NUMBER[sketch.mode]]

    def ref(given: Ref | None) -> None:
        if given is not None:
            out.append(FIRST + given if isinstance(given, int) else NUMBER[given])

    def words(numbers: Sequence[int]) -> None:
        out.extend(FIRST + number for number in numbers)

    for at, (of, numbers) in enumerate(sketch.asked):
        if at:
            out.append(NUMBER[","])
        if of is None:
            out.append(NUMBER["said"])
        ref(of)
        words(numbers)
    last = 0
    for each in sketch.statements:
        if each.other:
            out.append(NUMBER["or"])
        if each.denied:
            out.append(NUMBER["not too" if each.denied == last else "not"])
        last = each.denied
        out.append(NUMBER[each.kind])
        if each.kind in ("max", "min") and each.left is None:
            out.append(NUMBER["said"])
        ref(each.left)
        words(each.words)
        if each.operator:
            out.append(NUMBER[each.operator])
        ref(each.right)
        words(each.value)
        for said in each.said:
            out.append(NUMBER["said"])
            words(said.words)
            if said.operator:
                out.append(NUMBER[said.operator])
                words(said.value)
    return [*out, END]


class _Reader:
    def __init__(self, symbols: Sequence[int], words: Sequence[Word]) -> None:
        self.symbols, self.words, self.at = list(symbols), words, 0

    @property
    def next(self) -> str:
        """The next symbol: itself, "name" or "word"; empty at the end."""
        if self.at >= len(self.symbols):
            return ""
        symbol = self.symbols[self.at]
        if symbol < FIRST:
            return SYMBOLS[symbol]
        return "word" if self.words[symbol - FIRST].name is None else "name"

    def take(self) -> int:
        self.at += 1
        return self.symbols[self.at - 1]

    def ref(self) -> Ref:
        if self.next == "name":
            return self.take() - FIRST
        if self.next not in VARIABLES:
            raise ValueError(f"a thing was expected, not {self.next!r}")
        return SYMBOLS[self.take()]

    def phrase(self, kinds: tuple[str, ...] = ("word",)) -> tuple[int, ...]:
        found = []
        while self.next in kinds:
            found.append(self.take() - FIRST)
        if not found:
            raise ValueError(f"words were expected, not {self.next!r}")
        return tuple(found)

    def operator(self) -> str:
        if self.next not in OPERATORS:
            raise ValueError(f"an operator was expected, not {self.next!r}")
        return SYMBOLS[self.take()]


def from_symbols(symbols: Sequence[int], words: Sequence[Word]) -> Sketch:
    """The sketch of symbols between begin and end; ValueError if they are none."""
    read = _Reader([each for each in symbols if each not in (BEGIN, END)], words)
    if read.next not in MODES:
        raise ValueError(f"a mode was expected, not {read.next!r}")
    mode = SYMBOLS[read.take()]
    asked: list[tuple[Ref | None, tuple[int, ...]]] = []
    while mode != "yesno":
        of: Ref | None = None
        if read.next == "said":
            read.take()
        else:
            of = read.ref()
        asked.append((of, read.phrase() if read.next == "word" else ()))
        if read.next != ",":
            break
        read.take()
    return Sketch(mode, tuple(asked), tuple(_statements(read)))


def _statements(read: _Reader) -> Iterator[Statement]:
    group = last = 0
    while read.next:
        other = read.next == "or" and bool(read.take())
        denied = 0
        if read.next in ("not", "not too"):
            again = SYMBOLS[read.take()] == "not too" and last
            group = group if again else group + 1
            denied = group
        last = denied
        kind = read.next
        if kind not in FORMS:
            raise ValueError(f"a statement was expected, not {kind!r}")
        read.take()
        yield replace(_statement(read, kind), denied=denied, other=other)


def _statement(read: _Reader, kind: str) -> Statement:
    given: dict[str, object] = {}
    said: list[Said] = []
    for form in FORMS[kind]:
        if form == "a" and read.next == "said":
            read.take()
        elif form in "vra":
            given["right" if "left" in given else "left"] = read.ref()
        elif form == "w":
            key = "value" if kind == "top" else "words"
            given[key] = read.phrase(("word", "name") if kind == "kind" else ("word",))
        elif form == "o":
            given["operator"] = read.operator()
        elif form == "n":
            given["value"] = read.phrase(("name",))
        elif form == "e":
            if read.next == "word":
                given["value"] = read.phrase()
            else:
                given["right"] = read.ref()
        else:
            while read.next == "said":
                read.take()
                words = read.phrase()
                operator = read.operator() if read.next in OPERATORS else ""
                said.append(Said(words, operator, read.phrase(("word", "name")) if operator else ()))
    return Statement(kind, said=tuple(said), **given)  # type: ignore[arg-type]


# The same forms for what is being written: complete, and as far as it goes. v is a variable, n a name, w a word, o an
# operator, s "said".
SO_FAR = {
    "kind": ("v[wn]+", "v?[wn]*"),
    "fact": ("[vn]w+[vn](sw+(o[wn]+)?)*", "([vn](w+([vn](sw+(o[wn]+)?)*(sw*(o[wn]*)?)?)?)?)?"),
    "attribute": ("[vn]w+o(w+|[vn])", "([vn](w+(o(w*|[vn]))?)?)?"),
    "is": ("[vn]w+", "[vn]?w*"),
    "number": ("vo(w+|v)", "(v(o(w*|v))?)?"),
    "most": ("v", "v?"),
    "fewest": ("v", "v?"),
    "max": ("[vns]w+", "([vns]w*)?"),
    "min": ("[vns]w+", "([vns]w*)?"),
    "top": ("w+", "w*"),
    "only": ("[vn]", "[vn]?"),
    "every": ("[vn]", "[vn]?"),
    "any": ("[vn]", "[vn]?"),
    "of": ("vn+", "(vn*)?"),
    "differ": ("vv", "v?v?"),
    "asked": ("([vn]w*|sw+)(,([vn]w*|sw+))*", "([vns]w*)?(,([vns]w*)?)*"),
}
CLASSES = {"v": VARIABLES, "n": ("name",), "w": ("word",), "o": OPERATORS, "s": ("said",), ",": (",",)}
CLASS_OF = {symbol: name for name, symbols in CLASSES.items() for symbol in symbols}
FRESH = frozenset({"not", "not too", "or", "end", *STATEMENTS})


@cache
def allowed(kind: str, written: str) -> frozenset[str]:
    """What may follow, given the statement that is being written and the classes of its symbols so far.

    Symbols stand for themselves, "word" for any word and "name" for any name.
    """
    if kind == "":
        return frozenset(MODES)
    if kind == "yesno":
        return FRESH
    if kind in ("not", "not too"):
        return frozenset(STATEMENTS)
    if kind == "or":
        return frozenset({"not", "not too", *STATEMENTS})
    whole, begun = SO_FAR[kind]
    more = {symbol for name, symbols in CLASSES.items() if re.fullmatch(begun, written + name) for symbol in symbols}
    return frozenset(more | FRESH if re.fullmatch(whole, written) else more)


def follow(kind: str, written: str, symbol: str) -> tuple[str, str]:
    """The statement that is being written after one more symbol, and the classes of its symbols so far."""
    if symbol in MODES:
        return ("yesno" if symbol == "yesno" else "asked"), ""
    if symbol in FRESH:
        return symbol, ""
    return kind, written + CLASS_OF[symbol]
