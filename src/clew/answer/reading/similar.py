"""Verbs that no lexicon has, met by relations that mean nearly the same: "penned" and *written_by*.

Only where every plan would be declined, and never without a warning: a word that is met so counts as a restriction that
was left out, so the answer is doubtful.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.answer.lexicon.words import Words
from clew.answer.reading.account import RESTRICTION, STRUCTURE, Account
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion

if TYPE_CHECKING:
    from clew.embed import Encoder

__all__ = ["eased"]

MEANS_THE_SAME = 0.6  # similarity of a verb to a relation's words
PREPOSITIONS = frozenset({"at", "by", "for", "from", "in", "into", "of", "on", "to", "with"})


def eased(
    accounts: Sequence[tuple[Candidate, Account]], question: ParsedQuestion, words: Words, encoder: "Encoder"
) -> list[Account]:
    """The accounts of some plans, in which verbs that mean nearly the same as a relation of the plan only restrict."""
    spoken = {each.start: _phrase(each.start, question) for _, own in accounts for each in own.missing}
    relations = dict.fromkeys(name for candidate, _ in accounts for name in candidate.relationships)
    said = {name: words.relations[name] for name in relations}
    texts = [*spoken.values(), *(phrase for listed in said.values() for phrase in listed)]
    if not spoken or not said:
        return [own for _, own in accounts]
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))

    def means(start: int, names: Sequence[str]) -> bool:
        own = vectors[spoken[start]]
        return any(float(own @ vectors[phrase]) >= MEANS_THE_SAME for name in names for phrase in said[name])

    return [
        replace(
            own,
            unbound=tuple(
                replace(each, role=RESTRICTION)
                if each.role == STRUCTURE and means(each.start, candidate.relationships)
                else each
                for each in own.unbound
            ),
        )
        for candidate, own in accounts
    ]


def _phrase(start: int, question: ParsedQuestion) -> str:
    """A word with the preposition behind it."""
    at = next(number for number, token in enumerate(question.tokens) if token.start == start)
    token, *rest = question.tokens[at : at + 2]
    behind = [each.text for each in rest if each.text.lower() in PREPOSITIONS]
    return " ".join((token.text.lower(), *behind))
