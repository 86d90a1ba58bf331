"""Whether a sentence states the relation of two names in it, denies it, or only asks, plans or guesses it.

A cue counts up to the end of the later name, and negation also right behind it: "aspirin relieved pain, which statins
did not" states the first and denies the second.
"""

import re
from pathlib import Path

from clew.link.context import Rules, mark

__all__ = ["DENIED", "SPECULATIVE", "STATED", "status_of"]

STATED, DENIED, SPECULATIVE = "stated", "denied", "speculative"
JOINED = re.compile(r"[-\s]*(?:induced|associated|related|mediated|evoked|provoked)\s*")
DENIED_AFTER = re.compile(
    r"\s(?:did|does|do|had|has|have|was|were|made|carried|brought|showed)\s(?:\w+\s){0,2}(?:no|not)\b(?! only| always)"
    r"|[^,;:.]{0,30}\b(?:unchanged|unaffected|awaited)\b"
)
CUES = Rules(Path(__file__).with_name("statement_cues.tsv"))
Span = tuple[int, int]
ONE_SENTENCE = str.maketrans(".!?\n", ",,, ")  # so that the matcher does not split what has been split already


def status_of(sentence: str, first: Span, second: Span) -> str:
    """The status of the relation of two names, given by their characters.

    >>> status_of("Aspirin did not prevent stroke.", (0, 7), (24, 30))
    'denied'
    >>> status_of("We asked whether aspirin prevents stroke.", (17, 24), (34, 40))
    'speculative'
    >>> status_of("Aspirin prevented stroke, which statins did not.", (0, 7), (18, 24))
    'stated'
    """
    (_, end), (start, until) = sorted((first, second))
    if JOINED.fullmatch(sentence[end:start]):
        return STATED
    read = sentence[:until].translate(ONE_SENTENCE)
    if sentence.rstrip().endswith("?"):
        return SPECULATIVE
    if DENIED_AFTER.match(sentence, until):
        return DENIED
    marks = mark(read, [(len(read), len(read))], rules=CUES)[0]
    return SPECULATIVE if marks.uncertain else DENIED if marks.negated else STATED
