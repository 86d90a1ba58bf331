"""The grammar of a question: dependency trees from spaCy's small English pipeline, each name standing for one word.

A tree depends on how words look to the parser, so a question is parsed in several spellings: with placeholders for
names, with plain words for its types and relations ("Which people invite Alvarez?"), with what was fronted moved back.
"""

import logging
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

from clew.answer.lexicon.forms import is_irregular, stem
from clew.errors import MissingModel
from clew.models import locate

__all__ = ["Known", "Parser", "Tree", "Word", "open_parser"]

log = logging.getLogger(__name__)
MODEL = "english"
NOT_NEEDED = ("ner", "senter")
PEOPLE = ("Alvarez", "Bentley", "Carson", "Dawson", "Ellison", "Fulton", "Gibson", "Hobart")
THINGS = ("aspirin", "copper", "butter", "cotton", "marble", "timber", "rubber", "nickel")
WORD_OR_NOT = re.compile(r"\s+|[^\W_]+(?:[-'’][^\W_]+)*|.")
FRONTED = re.compile(
    r"(?P<preposition>(?:in|to|for|with|by|from|at|on|through|under|of|against|into|via)\s+)?"
    r"(?P<asked>(?:which|what|how many|whose)\s+(?:[\w'-]+\s+){1,4}?)"
    r"(?P<helper>(?:do|does|did|has|have|had|is|are|was|were|can|could)\s+)"
    r"(?P<subject>(?:the\s+)?[\w'-]+(?:(?:\s*,\s*|\s+and\s+|\s+or\s+)[\w'-]+)*\s+)(?P<verb>[^?]+)",
    re.IGNORECASE,
)
BEFORE_NOUN = frozenset({" ", "the", "all", "any", "every", "those", "of"})
REDUCED = frozenset({"nobody", "no", "everybody", "everyone", "we", "you", "i", "he", "she", "they", "nothing"})
LONGEST = 500  # letters of a question that is parsed; longer ones are told in many sentences
_guard = Lock()
_opened: "dict[Path, Parser]" = {}


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

    def without(self, name: int) -> "Tree":
        """The tree in which a name is a word like others, and later names count one less."""

        def renumbered(anchor: int | None) -> int | None:
            return None if anchor is None or anchor == name else anchor - (anchor > name)

        return Tree(tuple(replace(word, anchor=renumbered(word.anchor)) for word in self.words))

    def respelt(self, right: Mapping[int, str]) -> "Tree":
        """The tree with slips of the pen put right, by where words begin: what was *traned* is "train"."""
        changed = (
            replace(each, text=right[each.start], lemma=right[each.start]) if each.start in right else each
            for each in self.words
        )
        return Tree(tuple(changed))

    @property
    def root(self) -> int:
        return next((number for number, word in enumerate(self.words) if word.head == number), 0)


@dataclass(frozen=True, slots=True)
class Known:
    """A stretch of a question that is a name (`anchor`), a noun for a type, a verb for a relation, or rewritten."""

    start: int
    end: int
    kind: str  # name, noun, verb or written
    anchor: int | None = None
    written: str = ""  # what is read in its place


class Parser:
    """Parses questions; one object serves many threads, one after another."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self._lock = Lock()
        index = pipeline.get_pipe("lemmatizer").lookups.get_table("lemma_index", {})
        self._vocabulary = frozenset(word for listed in index.values() for word in listed)

    def knows(self, word: str) -> bool:
        """Whether a word is English, in one of its forms."""
        lowered = word.lower()
        return any(each in self._vocabulary for each in (lowered, stem(lowered), f"{stem(lowered)}e"))

    def trees(self, text: str, known: Sequence[Known]) -> list[Tree]:
        """The trees of a question, one for each spelling of what is known of it; none of one that is very long."""
        if len(text) > LONGEST:
            return []
        names = [each for each in known if each.kind in ("name", "written")]
        plain, moved = _with_who(_pieces(text, known, PEOPLE, plain=True)), _pieces(text, names, PEOPLE)
        spelt = [_listed(plain), plain, _moved_back(plain), moved, _moved_back(moved), _pieces(text, names, THINGS)]
        distinct = [pieces for at, pieces in enumerate(spelt) if pieces and pieces not in spelt[:at]]
        with self._lock:
            parsed = list(self._pipeline.pipe(["".join(piece.written for piece in pieces) for pieces in distinct]))
        found = [_tree(document, pieces) for document, pieces in zip(parsed, distinct, strict=True)]
        return list(dict.fromkeys(found))


def open_parser() -> Parser | None:
    """The parser, if spaCy and its English pipeline are on this machine; opened once for all graphs of a process."""
    try:
        files = locate(MODEL)
        with _guard, _lightly():
            import spacy
    except MissingModel as missing:
        log.warning("questions are read by words alone: %s", missing)
        return None
    except ImportError:
        log.warning("questions are read by words alone: pip install 'clew[english]' adds the parser")
        return None
    folder: Path = files["config.cfg"].parent
    with _guard:
        if folder not in _opened:
            _opened[folder] = Parser(spacy.load(folder, exclude=list(NOT_NEEDED)))
        return _opened[folder]


@contextmanager
def _lightly() -> Iterator[None]:
    """spaCy imports torch, where it is installed, and its own commands, which takes seconds; nothing here needs them.

    Whoever else imports them later gets them as ever.
    """
    if "spacy" in sys.modules:
        yield
        return
    commands, named = ModuleType("spacy.cli"), ModuleType("spacy.cli.info")
    named.info = _spacy_info  # type: ignore[attr-defined]
    stand_ins = {"spacy.cli": commands, "spacy.cli.info": named} | ({} if "torch" in sys.modules else {"torch": None})
    sys.modules.update(stand_ins)  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in stand_ins:
            del sys.modules[name]


def _spacy_info(*given: Any, **options: Any) -> Any:
    """`spacy.info`, as it is."""
    from spacy.cli.info import info

    return info(*given, **options)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the question as the parser sees it."""

    written: str
    text: str
    start: int
    end: int
    anchor: int | None = None
    replaced: bool = False


def _pieces(text: str, known: Sequence[Known], names: Sequence[str], *, plain: bool = False) -> list[_Piece]:
    """The question with placeholders for names and, if `plain`, plain words for nouns and verbs."""
    pieces: list[_Piece] = []
    here = 0
    for each in sorted(known, key=lambda one: one.start):
        if each.start < here:
            continue
        pieces += _words(text, here, each.start)
        own = text[each.start : each.end]
        if each.kind == "written":
            pieces += [
                replace(piece, start=each.start, end=each.end) for piece in _words(each.written, 0, len(each.written))
            ]
            here = each.end
            continue
        if each.anchor is not None:
            written = names[each.anchor % len(names)]
        else:
            written = _plain_noun(own) if each.kind == "noun" else _plain_verb(own)
        pieces.append(_Piece(written, own, each.start, each.end, each.anchor, True))
        here = each.end
    pieces += _words(text, here, len(text))
    if pieces:
        first = pieces[0]
        pieces[0] = replace(first, written=first.written[:1].upper() + first.written[1:])
    ending = "".join(piece.written for piece in pieces).rstrip()[-1:]
    return pieces if ending in (".", "?", "!") else [*pieces, _Piece("?", "?", len(text), len(text))]


def _words(text: str, start: int, end: int) -> list[_Piece]:
    """Words, marks, and one space for any number; none at the beginning."""
    return [
        _Piece(
            " " if found.group().isspace() else found.group(), found.group(), start + found.start(), start + found.end()
        )
        for found in WORD_OR_NOT.finditer(text[start:end])
        if text[: start + found.end()].strip()
    ]


def _with_who(pieces: list[_Piece]) -> list[_Piece]:
    """ "Which people that invite" as "which people who invite": such a "that" is never taken for a conjunction."""
    return [
        replace(piece, written="who")
        if piece.written == "that" and at > 1 and pieces[at - 2].written in ("people", "person")
        else piece
        for at, piece in enumerate(pieces)
    ]


def _plain_noun(noun: str) -> str:
    return "people" if noun.lower().endswith("s") or noun.lower() in ("people", "children") else "person"


def _plain_verb(verb: str) -> str:
    lowered = verb.lower()
    for ending, plain in (("ing", "inviting"), ("ed", "invited"), ("s", "invites")):
        if lowered.endswith(ending) and not lowered.endswith("ss"):
            return plain
    return "invited" if is_irregular(lowered) else "invite"


def _listed(pieces: list[_Piece]) -> list[_Piece]:
    """ "Customers nobody looks after" as "Name the customers that nobody looks after"; none for a whole sentence."""
    first = next((at for at, piece in enumerate(pieces) if piece.written.lower() not in BEFORE_NOUN), len(pieces))
    if first >= len(pieces) or pieces[first].written.lower() not in ("people", "person") or not pieces[first].replaced:
        return []
    noun = replace(pieces[first], written=pieces[first].written.lower())
    rest = pieces[first + 1 :]
    after = next((piece for piece in rest if piece.written.strip()), None)
    reduced = after is not None and (after.anchor is not None or after.written.lower() in REDUCED)
    that = [_Piece(" ", " ", 0, 0), _Piece("that", "that", 0, 0)] if reduced else []
    asking = [_Piece(word, word, 0, 0) for word in ("Name", " ", "the", " ")]
    return [*asking, noun, *that, *rest]


def _moved_back(pieces: list[_Piece]) -> list[_Piece]:
    """ "Which films did Alvarez direct?" as "Alvarez did direct which films?"; none for other questions."""
    whole = "".join(piece.written for piece in pieces)
    found = FRONTED.match(whole)
    if found is None or not any(piece.replaced for piece in pieces):
        return []
    starts = [sum(len(piece.written) for piece in pieces[:at]) for at in range(len(pieces))]

    def part(name: str) -> list[_Piece]:
        start, end = found.span(name)
        return [piece for piece, at in zip(pieces, starts, strict=True) if start <= at < end and piece.written.strip()]

    space = _Piece(" ", " ", 0, 0)
    order = [*part("subject"), *part("helper"), *part("verb"), *part("preposition"), *part("asked")]
    if not any(piece.anchor is not None for piece in part("subject")) or not part("verb"):
        return []
    spaced = [each for piece in order for each in (piece, space)]
    return [*spaced[:-1], _Piece("?", "?", 0, 0)]


def _tree(document: Any, pieces: Sequence[_Piece]) -> Tree:
    """The tree of the question itself: words of the parser's text stand where they stood in the question."""
    starts, here = [], 0
    for piece in pieces:
        starts.append(here)
        here += len(piece.written)
    words = []
    for token in document:
        at = max(number for number, start in enumerate(starts) if start <= token.idx)
        piece = pieces[at]
        offset = token.idx - starts[at]
        whole = piece.replaced
        start = piece.start if whole else piece.start + offset
        end = piece.end if whole else start + len(token.text)
        text = "§" if piece.anchor is not None else piece.text if whole else token.text
        lemma = piece.text.lower() if whole else token.lemma_.lower()
        words.append(Word(text, lemma, token.pos_, token.tag_, token.dep_, token.head.i, start, end, piece.anchor))
    return Tree(tuple(words))
