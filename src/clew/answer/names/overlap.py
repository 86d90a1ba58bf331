"""Which of a few entities shares most words with a phrase: "start in adulthood" and "Adult onset" share one.

Words of one family count as the same; those that many of the entities have, such as "onset", say nothing.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from clew.link import Candidate, Form, Linker
from clew.link.normalise import SMALL_WORDS, words_of

__all__ = ["most_overlapping"]

ENOUGH = 0.5  # of what tells a name apart
COMMON = 0.2  # words in more of the names than this say nothing
STEM = 5  # letters that two words of one family share
WHOLLY, PARTLY = 0.97, 0.85  # what a match is worth: of all that tells the name apart, or of some of it


def most_overlapping(phrase: str, types: Sequence[str], linker: Linker) -> list[Candidate]:
    """The entities of some types, all with one name, whose words a phrase says best; none where two do so alike."""
    numbers = [linker.engine.schema.type_number(name) for name in types]
    forms = linker.index.forms_of(np.flatnonzero(np.isin(linker.type_numbers, numbers)))
    telling = [_telling(form) for form in forms]
    counts = Counter(word for words in telling for word in words)
    said = set(words_of(phrase))
    scored: list[tuple[float, int, Form]] = []
    for form, words in zip(forms, telling, strict=True):
        rare = [word for word in words if counts[word] <= max(1, COMMON * len(forms))]
        held = [word for word in rare if any(_is_family(word, other) for other in said)]
        if held:
            scored.append((len(held) / len(rare), len(held), form))
    if not scored:
        return []
    best = max(score[:2] for score in scored)
    top = {form.entity: form for *score, form in scored if tuple(score) == best}
    if best[0] < ENOUGH or len(set(map(linker.name_of, top))) > 1:
        return []
    score = WHOLLY if best[0] == 1 else PARTLY
    return [
        linker.candidate(form, "normalised", score, f"shares its words with '{form.text}'") for form in top.values()
    ]


def _telling(form: Form) -> set[str]:
    return {word for word in words_of(form.text) if word not in SMALL_WORDS}


def _is_family(one: str, other: str) -> bool:
    """Whether two words are forms of one: equal, or alike in the beginning for all but an ending."""
    if one == other:
        return True
    return min(len(one), len(other)) >= STEM and one[:STEM] == other[:STEM]
