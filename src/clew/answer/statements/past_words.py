"""What has ended, said by a negation ("is no longer in", "not … any more"), by a verb ("used to chair"), by "past".

Such words deny nothing of the past: they are read as "formerly", which only a statement that has ended, or a relation
that says so (*former_party*), can meet. "Drugs used to treat A" are in use.
"""

import re
from collections.abc import Callable

from clew.answer.lexicon.forms import is_irregular, plain_name
from clew.answer.lexicon.phrases import VERB_PARTICLES

__all__ = ["PAST", "as_former", "is_former", "is_past", "says_past"]

PAST = re.compile(r"\b(?:formerly|former|previously|previous|no\s+longer)\b|\bex-", re.IGNORECASE)
FORMERLY = "formerly"
ENDED = re.compile(
    r"\b(?P<over>no\s+longer\b(?!\s+than\b)|in\s+the\s+past\b(?!\s+(?:\w+\s+)?(?:years?|months?|weeks?|decades?)\b))|"
    r"(?P<not>\bnot\b|(?<=\w)n['’]t\b)(?P<between>[^,;.?!]*?)\b(?P<more>any\s*more|any\s+longer)"
    r"(?=\s*(?:[,;.?!]|$)|\s+(?:in|at|on|for|with|by|and|but|or)\b)|"
    r"(?P<before>\b\w+\s+)(?P<used>used\s+to)(?=\s+\w)",
    re.IGNORECASE,
)
OVER = ("former", "previous", "past", "ex", "once", "earlier", "left")
SOMEBODY = frozenset({"who", "that", "which", "he", "she", "they", "it"})


def as_former(text: str, *, is_person: Callable[[str], bool], in_name: Callable[[int, int], bool]) -> str:
    """A text that says "formerly" of what has ended; `is_person` tells nouns of those who used to do something.

    >>> as_former("Who is no longer in the club?", is_person=lambda noun: False, in_name=lambda start, end: False)
    'Who is formerly  in the club?'
    """
    found = ENDED.search(text)
    if found is None or in_name(*found.span("over" if found["over"] else "more" if found["more"] else "used")):
        return text
    if found["over"]:
        return _with(text, found.span("over"), FORMERLY)
    if found["more"]:  # where the verb is, so that it says more of it
        denial = f" {FORMERLY}" if found["not"].lower() != "not" else FORMERLY
        return _with(_with(text, found.span("more"), ""), found.span("not"), denial)
    noun = found["before"].strip().lower()
    return _with(text, found.span("used"), FORMERLY) if noun in SOMEBODY or is_person(noun) else text


def _with(text: str, span: tuple[int, int], written: str) -> str:
    """The text with something else in a place, and spaces behind it where it is shorter."""
    start, end = span
    return f"{text[:start]}{written.ljust(end - start)}{text[end:]}"


def is_past(word: str) -> bool:
    """Whether a word says that something has ended."""
    return PAST.fullmatch(word) is not None


def is_former(relation: str) -> bool:
    """Whether a relation's name says that what it states has ended.

    >>> [is_former(each) for each in ("member.party.former", "formerlyEmployedBy", "borrowed")]
    [True, True, False]
    """
    return any(part.startswith(OVER) for part in _parts(relation))


def says_past(relation: str) -> bool:
    """Whether a relation states what has ended, or is a verb in the past; not a state: located_in.

    >>> [says_past(each) for each in ("member.party.former", "borrowed", "works_at", "located_in")]
    [True, True, False, False]
    """
    parts = _parts(relation)
    past = any(part.endswith("ed") or is_irregular(part) for part in parts[:1])
    return is_former(relation) or (past and VERB_PARTICLES.isdisjoint(parts))


def _parts(relation: str) -> list[str]:
    return plain_name(relation.replace(".", "_")).split()
