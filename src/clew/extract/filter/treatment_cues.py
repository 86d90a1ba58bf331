"""Treatment or harm: triples of the one whose sentence has cues of the other only.

A model knows better that a drug and a disease are related than how; a few words of the sentence tell. Cues are
beginnings of words, and decide only if the sentence has no cue of the other sort.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["HARM", "HELP", "agree_with_cues"]

HARM = frozenset(("induces", "causes", "exacerbates"))
HELP = frozenset(("treats", "palliates", "prevents"))


def _begin(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})", re.IGNORECASE)


PLAIN_HARM = "induc caus provok toxic adverse complicat poison exacerbat"
PERHAPS_HARM = "produc develop due after follow side relat secondary result associat risk overdos worsen withdraw"
OF_PLAIN_HARM, OF_ANY_HARM = _begin(PLAIN_HARM), _begin(f"{PLAIN_HARM} {PERHAPS_HARM}")
OF_HELP = _begin("treat therap prevent prophyla effic effective reliev manag cure")
OF_PATIENTS = _begin("patient")  # a drug that patients have is mostly given for what they have


def agree_with_cues(relations: Sequence[str], sentences: Sequence[str]) -> NDArray[np.bool_]:
    """Which relations agree with their sentences: no harm in a sentence about treatment only, and the reverse.

    >>> sentence = "Treatment of keratitis with moxifloxacin."
    >>> agree_with_cues(["induces", "treats"], [sentence, sentence]).tolist()
    [False, True]
    """
    return np.fromiter(map(_agrees_with_cues, relations, sentences), bool, len(relations))


def _agrees_with_cues(relation: str, sentence: str) -> bool:
    if relation in HARM:
        return not OF_HELP.search(sentence) or bool(OF_ANY_HARM.search(sentence))
    if relation in HELP:
        return not OF_PLAIN_HARM.search(sentence) or bool(OF_HELP.search(sentence) or OF_PATIENTS.search(sentence))
    return True
