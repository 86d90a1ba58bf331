"""One document at a time: its sentences, which of them are kept, and why a document is left out."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.errors import InputError
from clew.extract.corpus.boilerplate import is_boilerplate, skip_section_word
from clew.extract.corpus.cues import FLAGS, Flags, flag_sentence, is_about_animals, mentions_people
from clew.extract.corpus.document import Document, LaidOut, Span, lay_out
from clew.extract.corpus.language import is_english, is_foreign
from clew.extract.corpus.sentences import split_passage
from clew.extract.corpus.source_files import LONGEST

__all__ = ["CorpusSettings", "Screened", "Sentence", "screen"]

BOILERPLATE, FOREIGN = "boilerplate", "not English"


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """What is kept of a corpus.

    `keep` names flags whose sentences are not excluded; `whole` names sources of which every sentence is kept as it
    stands, for texts with gold annotations. A record that is stated to be in another language is read if its text is
    English (PubMed translates abstracts), unless `english_records` asks for English articles only, as the paper does.
    """

    keep: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    english_records: bool = False

    def __post_init__(self) -> None:
        for flag in self.keep:
            if flag not in FLAGS:
                raise InputError(f"no sentence flag is called {flag!r}: known: {', '.join(FLAGS)}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's span in its document's text, its flags, and whether it is read further."""

    start: int
    end: int
    flags: Flags
    kept: bool


@dataclass(frozen=True, slots=True)
class Screened:
    """A document's text and sentences, or the reason why it is left out; `removed` counts sentences by reason."""

    laid_out: LaidOut
    reason: str | None = None
    sentences: tuple[Sentence, ...] = ()
    removed: Counter[str] = field(default_factory=Counter)


def screen(document: Document, settings: CorpusSettings) -> Screened:
    """Split a document into sentences, drop boilerplate and other languages, flag the rest."""
    laid_out = lay_out(document)
    reason = _find_reason(document, laid_out, settings)
    if reason is not None:
        return Screened(laid_out, reason)
    removed: Counter[str] = Counter()
    about_animals = _is_animal_study(document, laid_out.text)
    whole = document.source in settings.whole
    spans = _all_spans(laid_out) if whole else _spans(laid_out, removed)
    sentences = []
    for start, end in spans:
        flags = flag_sentence(laid_out.text[start:end])
        if about_animals and not flags.animal:
            flags = Flags(flags.negated, flags.speculative, animal=True)
        kept = whole or all(name in settings.keep or not getattr(flags, name) for name in FLAGS)
        sentences.append(Sentence(start, end, flags, kept))
    if not sentences:
        return Screened(laid_out, "no sentences", (), removed)
    return Screened(laid_out, None, tuple(sentences), removed)


def _find_reason(document: Document, laid_out: LaidOut, settings: CorpusSettings) -> str | None:
    text = laid_out.text
    if not text or text.isspace():
        return "empty document"
    if len(text) > LONGEST:
        return "document too long"
    if document.source in settings.whole:
        return None
    if settings.english_records and document.language not in (None, "eng"):
        return "stated in another language"
    return None if is_english(text, stated=document.language) else "not English"


def _all_spans(laid_out: LaidOut) -> Iterator[Span]:
    for start, end in laid_out.places:
        yield from split_passage(laid_out.text, start, end)


def _spans(laid_out: LaidOut, removed: Counter[str]) -> Iterator[Span]:
    text = laid_out.text
    for span in _all_spans(laid_out):
        start, end = skip_section_word(text, span)
        sentence = text[start:end]
        if is_boilerplate(sentence):
            removed[BOILERPLATE] += 1
        elif is_foreign(sentence):
            removed[FOREIGN] += 1
        else:
            yield start, end


def _is_animal_study(document: Document, text: str) -> bool:
    """By its index terms; where it has none, animals in the title and people nowhere."""
    if document.animal is not None:
        return document.animal
    return is_about_animals(document.title) and not mentions_people(text)
