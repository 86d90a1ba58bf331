"""What a sentence says about its own statement: that it is denied, that it is a guess, or that it is about animals.

Negation and speculation are phrases of `sentence_cues.tsv`, found by the same matcher that marks mentions
(`clew.link.context`); animals are words, unless the sentence mentions people too.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from clew.extract.corpus.word_lists import word_list
from clew.link.context import Rules, mark

__all__ = ["CUES", "FLAGS", "Flags", "flag_sentence", "is_about_animals", "mentions_people"]

FLAGS = ("negated", "speculative", "animal")
CUES = Rules(Path(__file__).with_name("sentence_cues.tsv"))
ONE_SENTENCE = str.maketrans(".!?\n", ",,, ")  # so that the matcher does not split what has been split already

NITRIC_OXIDE = re.compile(r"\bNO\b")  # which denies nothing
WORD = re.compile(r"[a-z]+")
ANIMALS, PEOPLE = word_list("animals"), word_list("people")


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags of one sentence."""

    negated: bool
    speculative: bool
    animal: bool


def flag_sentence(sentence: str) -> Flags:
    """The flags of a sentence on its own.

    >>> flag_sentence("Aspirin did not prevent stroke in rats.")
    Flags(negated=True, speculative=False, animal=True)
    """
    read = sentence if sentence.isupper() else NITRIC_OXIDE.sub("N0", sentence)
    marks = mark(read.translate(ONE_SENTENCE), [(len(sentence), len(sentence))], rules=CUES)[0]
    guess = marks.uncertain or sentence.endswith("?")
    return Flags(marks.negated, guess, is_about_animals(sentence) and not mentions_people(sentence))


def is_about_animals(text: str) -> bool:
    """Whether a text names laboratory or farm animals."""
    return not ANIMALS.isdisjoint(WORD.findall(text.lower()))


def mentions_people(text: str) -> bool:
    """Whether a text names people."""
    return not PEOPLE.isdisjoint(WORD.findall(text.lower()))
