"""What the second reader makes of a question before it looks at the graph: its words, its sketches, and their links.

Two networks say so, and take about as long as the first reader: they run in a thread of their own beside it. Only the
first reader's answer tells whether the second is needed; it nearly always is.
"""

import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, replace

from clew.answer.hearing.linking import Has, LinkedQuestion
from clew.answer.hearing.parser import SketchParser
from clew.answer.hearing.writing import Written
from clew.answer.lexicon.forms import word_table
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.sketch import Sketch, Word
from clew.errors import Cancelled

__all__ = ["Heard", "Hearing", "forbids", "hear"]

Check = Callable[[], None]
IMPROBABLE = 0.02  # sketches of a lower probability are no readings
PROHIBITED = re.compile(r"\b(?:must|should|may|ought)(?:n['’]t|\s+not|\s+never)\b", re.IGNORECASE)
ONLY = frozenset(word_table("sketch.json")["only"])  # words without which nothing is said to be the only one
EXCLUSIONS = frozenset(word_table("sketch.json")["exclusions"])  # "other than", "apart from"


@dataclass(frozen=True, slots=True)
class Heard:
    """The words of a question, its likely sketches, and what its words mean in the schema."""

    words: Sequence[Word]
    spelt: Sequence[Word]  # with slips of the pen put right
    written: Sequence[Written]
    linked: LinkedQuestion


def hear(
    text: str,
    anchors: Sequence[Anchor],
    parser: SketchParser,
    lexical: Lexical,
    *,
    has: Has | None = None,
    is_right: Callable[[str], bool] = lambda word: True,
    check: Check = lambda: None,
) -> Heard:
    """Write the sketches of a question with these names, and link its words with the schema; `check` ends it in time.

    What denies or excludes something, or says that something is the only one, needs a word for it.
    """
    words, written = parser.parse(text, [(each.start, each.end) for each in anchors], least=IMPROBABLE, check=check)
    check()
    spelt = _spelt(text, words, lexical.words, is_right)
    may_deny = any(lexical.words.is_class("negation", each.text) or each.text.lower() in EXCLUSIONS for each in words)
    if forbids(text):
        written = [replace(each, sketch=_affirmed(each.sketch, text, words)) for each in written]
    may_limit = any(each.text.lower() in ONLY for each in words)
    likely = [
        each
        for each in written
        if (may_deny or not each.sketch.denies)
        and (may_limit or all(one.kind != "only" for one in each.sketch.statements))
    ]
    names = [each.meanings[0] for each in anchors]
    linked = parser.linker.link(spelt, names, lexical.items, has=has, check=check)
    return Heard(words, spelt, likely, linked)


class Hearing:
    """Hears a question in another thread, from now on.

    >>> Hearing(lambda check: 42).result()  # doctest: +SKIP
    42
    """

    def __init__(self, work: Callable[[Check], Heard], check: Check) -> None:
        self._work, self._check = work, check
        self._promise: Future[Heard] = Future()
        self._given_up = threading.Event()
        threading.Thread(target=copy_context().run, args=(self._run,), name="clew second reader", daemon=True).start()

    def result(self) -> Heard:
        """What was heard, once it is; what the work raised is raised here."""
        return self._promise.result()

    def give_up(self) -> None:
        """Nobody waits for the result any more: stop at the next look at the clock."""
        self._given_up.set()

    def _run(self) -> None:
        try:
            self._promise.set_result(self._work(self._in_time))
        except BaseException as error:  # whatever it is, it belongs to whoever waits for the result
            self._promise.set_exception(error)

    def _in_time(self) -> None:
        if self._given_up.is_set():
            raise Cancelled("nobody waits for what was heard")
        self._check()


def forbids(text: str) -> bool:
    """Whether a question is about what must not be, which is not what is not."""
    return PROHIBITED.search(text) is not None


def _affirmed(sketch: Sketch, text: str, words: Sequence[Word]) -> Sketch:
    """A sketch that states what is forbidden: what must not be given to A is <must not given to> A."""
    found = PROHIBITED.search(text)
    first = next((each for each in sketch.statements if each.kind == "fact" and each.denied), None)
    if found is None or first is None:
        return sketch
    said = [at for at, word in enumerate(words) if found.start() <= word.start < found.end()]
    return replace(
        sketch,
        statements=tuple(
            replace(each, denied=0, words=(*said, *each.words) if each is first else each.words)
            for each in sketch.statements
        ),
    )


def _spelt(text: str, words: Sequence[Word], lexicon: Words, is_right: Callable[[str], bool]) -> list[Word]:
    """The words with slips of the pen in words of the schema put right."""
    read = {(token.start, token.end): token.text for token in lexicon.read(text, is_right=is_right)}
    return [
        replace(each, text=read.get((each.start, each.end), each.text)) if each.name is None else each for each in words
    ]
