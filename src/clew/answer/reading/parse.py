"""The grammar of a question: dependency trees from spaCy's small English pipeline, each name standing for one word.

A tree depends on how a name looks to the parser, so a question is parsed with several spellings of its names; `trees`
gives one tree for each, the one that agrees best with what is known of its words first.
"""

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from clew.answer.names.meanings import Anchor
from clew.errors import MissingModel
from clew.models import locate

__all__ = ["Parser", "Tree", "Word", "open_parser"]

log = logging.getLogger(__name__)
MODEL = "english"
NOT_NEEDED = ("ner", "senter")
PLACEHOLDERS = (  # as the parser may take them: for people, for things
    ("Alvarez", "Bentley", "Carson", "Dawson", "Ellison", "Fulton", "Gibson", "Hobart"),
    ("aspirin", "copper", "butter", "cotton", "marble", "timber", "rubber", "nickel"),
)
_guard = Lock()


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question in its tree; a name is one word, and `anchor` is its number."""

    text: str
    lemma: str
    kind: str  # universal part of speech: NOUN, VERB, …
    tag: str  # part of speech of the Penn treebank: JJS, VBN, …
    role: str  # towards its head: nsubj, dobj, …
    head: int  # itself for the root
    start: int
    end: int
    anchor: int | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """The words of a question, each with its head."""

    words: tuple[Word, ...]

    def children(self, at: int, *roles: str) -> list[int]:
        """The words that depend on a word, in these roles or in any."""
        return [
            number
            for number, word in enumerate(self.words)
            if word.head == at and number != at and (not roles or word.role in roles)
        ]

    def child(self, at: int, *roles: str) -> int | None:
        """The first word that depends on a word in one of these roles."""
        return next(iter(self.children(at, *roles)), None)

    def at(self, start: int) -> int | None:
        """The word that begins at, or stretches over, a place of the question."""
        return next((number for number, word in enumerate(self.words) if word.start <= start < word.end), None)

    @property
    def root(self) -> int:
        return next((number for number, word in enumerate(self.words) if word.head == number), 0)


class Parser:
    """Parses questions; one object serves many threads, one after another."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._lock = Lock()

    def trees(self, text: str, anchors: Sequence[Anchor]) -> list[Tree]:
        """The trees of a question, one for each spelling of its names; different ones only."""
        spelt = [_spelt(text, anchors, names) for names in (PLACEHOLDERS if anchors else PLACEHOLDERS[:1])]
        with self._lock:
            parsed = list(self._pipeline.pipe([masked for masked, _ in spelt]))
        found = [_tree(document, places, text, [anchor.end for anchor in anchors]) for document, (_, places) in zip(parsed, spelt, strict=True)]
        return list(dict.fromkeys(found))


def open_parser() -> Parser | None:
    """The parser, if spaCy and its English pipeline are on this machine."""
    try:
        files = locate(MODEL)
        with _guard, _without_torch():
            import spacy
    except MissingModel as missing:
        log.warning("questions are read by words alone: %s", missing)
        return None
    except ImportError:
        log.warning("questions are read by words alone: pip install 'clew[english]' adds the parser")
        return None
    folder: Path = files["config.cfg"].parent
    return Parser(spacy.load(folder, exclude=list(NOT_NEEDED)))


@contextmanager
def _without_torch() -> Iterator[None]:
    """spaCy imports torch where it is installed, which takes seconds and is not needed here."""
    if "torch" in sys.modules or "spacy" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["torch"]


Places = list[tuple[int, int, int | None]]  # of the masked text: where a stretch begins, and where that was; its name


def _spelt(text: str, anchors: Sequence[Anchor], names: Sequence[str]) -> tuple[str, Places]:
    """The question as a sentence, with placeholders for names."""
    masked, here = "", 0
    places: Places = []
    for number, anchor in enumerate(anchors):
        places.append((len(masked), here, None))
        masked += text[here : anchor.start]
        places.append((len(masked), anchor.start, number))
        masked += names[number % len(names)]
        here = anchor.end
    places.append((len(masked), here, None))
    masked += text[here:]
    masked = masked[:1].upper() + masked[1:]
    return (masked if masked.rstrip()[-1:] in (".", "?", "!") else f"{masked.rstrip()}?"), places


def _tree(document: Any, places: Places, text: str, ends: Sequence[int]) -> Tree:
    words = []
    for token in document:
        begin, was, name = max((place for place in places if place[0] <= token.idx), key=lambda place: place[0])
        start = was if name is not None else was + token.idx - begin
        end = ends[name] if name is not None else min(len(text), start + len(token.text))
        words.append(
            Word(
                token.text if name is None else "§",
                token.lemma_.lower(),
                token.pos_,
                token.tag_,
                token.dep_,
                token.head.i,
                start,
                end,
                name,
            )
        )
    return Tree(tuple(words))
