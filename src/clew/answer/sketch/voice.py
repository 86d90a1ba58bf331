"""The voice of sketches in answering: the best reading that finds something, run and ready to be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.answer.kept import matcher_of, schema_of, stated_once_of, vocabulary_of, words_of
from clew.answer.names.meanings import Anchor
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.parser import SketchParser
from clew.answer.sketch.reading import SketchReading, read_sketches
from clew.answer.sketch.sketch import Word
from clew.answer.sketch.things import Has
from clew.errors import ClewError, Timeout

__all__ = ["Spoken", "speak"]

MOST_TRIED = 4  # readings that are run until one finds something


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reading that was run, and the words of its question."""

    reading: SketchReading
    ran: Ran
    words: Sequence[Word]


def speak(
    text: str, anchors: Sequence[Anchor], parser: SketchParser, resources: Resources, runner: Runner, has: Has
) -> Spoken | None:
    """The best reading of a question that finds something, else the best that runs; None where there is none.

    `has` says whether an entity has triples of a relation.
    """
    english = resources.parser
    readings, words = read_sketches(
        text,
        anchors,
        parser,
        resources.once("sketch words", lambda: _lexical(resources)),
        resources.engine,
        has=has,
        is_right=lambda word: english is not None and english.knows(word),
        mutual=stated_once_of(resources),
    )
    first: Spoken | None = None
    for reading in readings[:MOST_TRIED]:
        question = ParsedQuestion(
            text,
            anchors=tuple(anchors),
            tokens=(),
            type_words=(),
            operation="list",
            asked=(),
            mentioned=(),
            subclasses=reading.subclasses,
        )
        try:
            ran = runner.run(Interpretation(question, reading.candidate))
        except Timeout:
            raise
        except ClewError:
            continue
        spoken = Spoken(reading, ran, words)
        if not ran.is_empty:
            return spoken
        first = first or spoken
    return first


def _lexical(resources: Resources) -> Lexical:
    return Lexical(
        schema_of(resources),
        words_of(resources),
        vocabulary_of(resources),
        resources.encoder,
        matcher_of(resources),
    )
