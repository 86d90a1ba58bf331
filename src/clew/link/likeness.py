"""How alike two normalised names are: how many letters must be edited, and whether that can be a slip of the pen.

It cannot where a number differs ("type 1", "type 2"), or where the word that differs is a word of other names too
("hearing impairment", "learning impairment") and not by far the rarer: such a pair keeps a lower score.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Count", "Likeness", "likeness", "most_alike", "unknown"]

NUMBERS = re.compile(r"\d+")
TURNED = 0.97  # what is left of a likeness that needs the words in another order
NUMBERS_DIFFER = 0.75
NO_SLIP = 0.85
RARER = 20  # so many times rarer than the right word, a word of other names is a slip in those as well


Count = Callable[[str], int]


def unknown(word: str) -> int:
    """The count of a word where no names are known."""
    return 0


@dataclass(frozen=True, slots=True)
class Likeness:
    """A score from 0 to 1, and what it comes from."""

    score: float
    edits: int
    letters: int
    turned: bool
    numbers_differ: bool
    no_slip: bool

    def explain(self, matched: str) -> str:
        """The score as a fragment of a sentence.

        >>> likeness("arachnodactly", "arachnodactyly").explain("Arachnodactyly")
        "1 of 14 letters differs from 'Arachnodactyly'"
        """
        differ = "differs" if self.edits == 1 else "differ"
        order = "with the words in another order, " if self.turned else ""
        doubt = ", a number among them" if self.numbers_differ else ", hardly by mistake" if self.no_slip else ""
        return f"{order}{self.edits} of {self.letters} letters {differ} from '{matched}'{doubt}"


def likeness(one: str, other: str, *, count: Count = unknown) -> Likeness:
    """Compare two keys by optimal string alignment: insertions, deletions, substitutions and swaps count one each.

    `count` says how often names hold a word.
    """
    from rapidfuzz.distance import OSA

    letters = max(len(one), len(other), 1)
    edits, turned = OSA.distance(one, other), False
    score = 1 - edits / letters
    if " " in one or " " in other:
        turned_edits = OSA.distance(" ".join(sorted(one.split())), " ".join(sorted(other.split())))
        if (1 - turned_edits / letters) * TURNED > score:
            edits, turned, score = turned_edits, True, (1 - turned_edits / letters) * TURNED
    differ = sorted(NUMBERS.findall(one)) != sorted(NUMBERS.findall(other))
    ours, theirs = set(one.split()) - set(other.split()), set(other.split()) - set(one.split())
    commonest = max(map(count, theirs), default=0)
    no_slip = (
        any(0 < commonest < RARER * count(word) or count(word) > commonest for word in ours) if ours else bool(theirs)
    )
    factor = NUMBERS_DIFFER if differ else NO_SLIP if no_slip else 1.0
    return Likeness(score * factor, edits, letters, turned, differ, no_slip)


def most_alike(
    one: str, others: Sequence[str], *, count: Count, floor: float, limit: int
) -> list[tuple[int, Likeness]]:
    """The positions of the most alike of many keys, best first; the first sifting is done in one call."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    similar = OSA.normalized_similarity
    sifted = {at for _, _, at in process.extract(one, others, scorer=similar, limit=limit, score_cutoff=floor)}
    if " " in one:
        turned, listed = " ".join(sorted(one.split())), [" ".join(sorted(other.split())) for other in others]
        more = process.extract(turned, listed, scorer=similar, limit=limit, score_cutoff=floor)
        sifted.update(at for _, _, at in more)
    alike = [(at, likeness(one, others[at], count=count)) for at in sifted]
    alike.sort(key=lambda each: (-each[1].score, each[0]))
    return [each for each in alike[:limit] if each[1].score >= floor]
