"""The voice of sketches in answering: the best reading that finds something, run and ready to be compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from clew.answer.kept import schema_of, vocabulary_of, words_of
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.parser import SketchParser
from clew.answer.sketch.reading import SketchReading, read_sketches
from clew.answer.sketch.sketch import Word
from clew.errors import ClewError, Timeout

__all__ = ["Spoken", "speak"]

MOST_TRIED = 4  # readings that are run until one finds something


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reading that was run, the words of its question, and the other readings."""

    reading: SketchReading
    ran: Ran
    words: Sequence[Word]
    others: tuple[SketchReading, ...]


def speak(
    text: str, anchors: Sequence[Anchor], parser: SketchParser, resources: Resources, runner: Runner
) -> Spoken | None:
    """The best reading of a question that finds something, else the best that runs; None where there is none."""
    lexical = resources.once("sketch words", lambda: _lexical(resources))
    engine, schema = resources.engine, resources.schema

    def has(meaning: Meaning, relationship: str, subject: bool) -> bool:
        known = schema.relationship(relationship)
        way = "both" if known.symmetric else "out" if subject else "in"
        return bool(engine.degree(list(meaning.ids), relations=[known.relation], direction=way).any())

    english = resources.parser
    readings, _, words = read_sketches(
        text,
        anchors,
        parser,
        lexical,
        engine,
        has=has,
        is_right=lambda word: english is not None and english.knows(word),
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
        spoken = Spoken(reading, ran, words, tuple(each for each in readings if each is not reading))
        if not ran.is_empty:
            return spoken
        first = first or spoken
    return first


def _lexical(resources: Resources) -> Lexical:
    from clew.answer.lexicon.matching import Matcher, tuned_initialisers
    from clew.embed.encoders.onnx import OnnxEncoder, open_minilm

    encoder = resources.encoder
    tuned = isinstance(encoder, OnnxEncoder) and encoder.name == "minilm"
    matcher = Matcher(open_minilm(replaced=tuned_initialisers())) if tuned else None
    return Lexical(schema_of(resources), words_of(resources), vocabulary_of(resources), encoder, matcher)
