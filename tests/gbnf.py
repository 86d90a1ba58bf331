"""Sentences of a GBNF grammar: whether a text is one, and random ones. For grammars without left recursion."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

PIECE = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[A-Za-z][A-Za-z0-9-]*|[()|]|[*+?]|\{\d+(?:,\d*)?\})')
ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}


@dataclass(frozen=True)
class Item:
    """A literal, a set of characters, a rule's name or a group, repeated so many times."""

    kind: str
    value: object
    least: int = 1
    most: int = 1


Sequence = tuple[Item, ...]


class Grammar:
    """A grammar that can tell its sentences."""

    def __init__(self, text: str) -> None:
        self.rules = {}
        for line in text.splitlines():
            name, _, body = line.partition(" ::= ")
            self.rules[name] = _alternatives(PIECE.findall(body))

    def accepts(self, text: str) -> bool:
        @cache
        def rule(name: str, at: int) -> frozenset[int]:
            return alternatives(self.rules[name], at)

        def alternatives(given: tuple[Sequence, ...], at: int) -> frozenset[int]:
            return frozenset(end for sequence in given for end in ends(sequence, at))

        def ends(sequence: Sequence, at: int) -> set[int]:
            reached = {at}
            for item in sequence:
                reached = {end for start in reached for end in repeated(item, start)}
            return reached

        def repeated(item: Item, at: int) -> Iterator[int]:
            reached = {at}
            for number in range(item.most + 1):
                if number >= item.least:
                    yield from reached
                reached = {end for start in reached for end in once(item, start)}

        def once(item: Item, at: int) -> frozenset[int]:
            if item.kind == "literal":
                return frozenset({at + len(str(item.value))} if text.startswith(str(item.value), at) else ())
            if item.kind == "set":
                return frozenset({at + 1} if at < len(text) and text[at] in str(item.value) else ())
            return rule(str(item.value), at) if item.kind == "rule" else alternatives(item.value, at)  # type: ignore[arg-type]

        return len(text) in rule("root", 0)

    def sentences(self) -> st.SearchStrategy[str]:
        """Random sentences."""

        @st.composite
        def sentence(draw: st.DrawFn) -> str:
            def say(given: tuple[Sequence, ...]) -> str:
                return "".join(map(repeat, draw(st.sampled_from(given))))

            def repeat(item: Item) -> str:
                return "".join(once(item) for _ in range(draw(st.integers(item.least, min(item.most, item.least + 2)))))

            def once(item: Item) -> str:
                if item.kind == "literal":
                    return str(item.value)
                if item.kind == "set":
                    return draw(st.sampled_from(str(item.value)))
                return say(self.rules[str(item.value)] if item.kind == "rule" else item.value)  # type: ignore[arg-type]

            return say(self.rules["root"])

        return sentence()


def _alternatives(pieces: list[str]) -> tuple[Sequence, ...]:
    """Reads up to a closing bracket or the end, and takes what it read off the list."""
    found: list[Sequence] = []
    items: list[Item] = []
    while pieces and pieces[0] != ")":
        piece = pieces.pop(0)
        if piece == "|":
            found.append(tuple(items))
            items = []
        elif piece == "(":
            items.append(Item("group", _alternatives(pieces)))
            assert pieces.pop(0) == ")"
        elif piece in "*+?" or piece.startswith("{"):
            items[-1] = Item(items[-1].kind, items[-1].value, *_bounds(piece))
        else:
            items.append(_plain(piece))
    return (*found, tuple(items))


def _plain(piece: str) -> Item:
    if piece.startswith('"'):
        return Item("literal", re.sub(r"\\.", lambda found: ESCAPES.get(found[0], found[0][1]), piece[1:-1]))
    if piece.startswith("["):
        spread = re.sub(
            r"(.)-(.)", lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))), piece[1:-1]
        )
        return Item("set", spread)
    return Item("rule", piece)


def _spread(found: re.Match[str]) -> str:
    return "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1)))


def _bounds(piece: str) -> tuple[int, int]:
    if piece in "*+?":
        return {"*": (0, 9), "+": (1, 9), "?": (0, 1)}[piece]
    least, comma, most = piece[1:-1].partition(",")
    return int(least), int(most or 9) if comma else int(least)
