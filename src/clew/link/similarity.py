"""Spelling similarity of two normalised names: the edit distance, and whether the difference can be a typo.

It cannot if a number differs ("type 1", "type 2"), or if the word that differs occurs in other names as well
("hearing impairment", "learning impairment") and is not much rarer: such a pair gets a lower score.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Count", "Similarity", "most_similar", "similarity", "unknown"]

NUMBERS = re.compile(r"\d+")
REORDERED = 0.97  # factor for a match with the words in another order
NUMBERS_DIFFER = 0.75
NOT_A_TYPO = 0.85
RARER_BY = 20  # a word this many times rarer than the other is a typo in those names as well


Count = Callable[[str], int]


def unknown(word: str) -> int:
    """The count of a word if no names are known."""
    return 0


@dataclass(frozen=True, slots=True)
class Similarity:
    """A score from 0 to 1 and its components."""

    score: float
    edits: int
    letters: int
    reordered: bool
    numbers_differ: bool
    not_a_typo: bool

    def explain(self, matched: str) -> str:
        """The score as a phrase.

        >>> similarity("arachnodactly", "arachnodactyly").explain("Arachnodactyly")
        "1 of 14 letters differs from 'Arachnodactyly'"
        """
        differ = "differs" if self.edits == 1 else "differ"
        order = "words reordered, " if self.reordered else ""
        doubt = ", including a number" if self.numbers_differ else ", unlikely to be a typo" if self.not_a_typo else ""
        return f"{order}{self.edits} of {self.letters} letters {differ} from '{matched}'{doubt}"


def similarity(one: str, other: str, *, count: Count = unknown) -> Similarity:
    """Compare two keys by optimal string alignment: insertions, deletions, substitutions and swaps count one each.

    `count` gives the number of names that contain a word.
    """
    from rapidfuzz.distance import OSA

    letters = max(len(one), len(other), 1)
    edits, reordered = OSA.distance(one, other), False
    score = 1 - edits / letters
    if " " in one or " " in other:
        reordered_edits = OSA.distance(" ".join(sorted(one.split())), " ".join(sorted(other.split())))
        if (1 - reordered_edits / letters) * REORDERED > score:
            edits, reordered, score = reordered_edits, True, (1 - reordered_edits / letters) * REORDERED
    differ = sorted(NUMBERS.findall(one)) != sorted(NUMBERS.findall(other))
    ours, theirs = set(one.split()) - set(other.split()), set(other.split()) - set(one.split())
    commonest = max(map(count, theirs), default=0)
    not_a_typo = (
        any(0 < commonest < RARER_BY * count(word) or count(word) > commonest for word in ours)
        if ours
        else bool(theirs)
    )
    factor = NUMBERS_DIFFER if differ else NOT_A_TYPO if not_a_typo else 1.0
    return Similarity(score * factor, edits, letters, reordered, differ, not_a_typo)


def most_similar(
    one: str, others: Sequence[str], *, count: Count, floor: float, limit: int
) -> list[tuple[int, Similarity]]:
    """The positions of the most similar of many keys, best first; one vectorised call preselects them."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    similar = OSA.normalized_similarity
    preselected = {at for _, _, at in process.extract(one, others, scorer=similar, limit=limit, score_cutoff=floor)}
    if " " in one:
        reordered, listed = " ".join(sorted(one.split())), [" ".join(sorted(other.split())) for other in others]
        more = process.extract(reordered, listed, scorer=similar, limit=limit, score_cutoff=floor)
        preselected.update(at for _, _, at in more)
    similar_keys = [(at, similarity(one, others[at], count=count)) for at in preselected]
    similar_keys.sort(key=lambda each: (-each[1].score, each[0]))
    return [each for each in similar_keys[:limit] if each[1].score >= floor]
