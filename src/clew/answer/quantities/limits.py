"""How many of what is found are wanted: "which 3 films", "any two drugs", "name five genes", "… List the top 3".

In: a question, and a plan for it. Out: the plan with that limit.
"""

import re
from dataclasses import replace

from clew.answer.lexicon.numbers import NUMBER, read_number
from clew.answer.plans.plan import Plan
from clew.answer.reading.intent import LISTING
from clew.answer.reading.question import ParsedQuestion

__all__ = ["limited"]

TOP = r"(?:(?:the|any|some|me|us|just|only|up\s+to)\s+)*(?:top|first)"
LISTED = re.compile(  # "List the top 3." is about what the sentence before it asks for
    rf"[.?!;]\s*(?:(?:please|only|just)\s+)*(?:{'|'.join(sorted(LISTING))}|present|limit)\b[^.?!;]*?\b{TOP}\s+"
    rf"(?P<number>{NUMBER})(?:\s+\w+)?\s*[.?!]?\s*$",
    re.IGNORECASE,
)
ASKING = re.compile(
    rf"\b(?:which|what|any|{'|'.join(sorted(LISTING))})(?:\s+(?:me|us|any|just|only))*\s*$", re.IGNORECASE
)


def limited(plan: Plan, question: ParsedQuestion) -> Plan:
    """The plan with the limit that the question states; "the two films that …" are all there are, and not limited."""
    number = _number_wanted(question)
    rows = plan.kind == "rows" and bool(plan.asked) and not plan.skip
    return plan if number is None or not rows or plan.limit not in (None, 1) else replace(plan, limit=number)


def _number_wanted(question: ParsedQuestion) -> int | None:
    """The number before the noun that is asked for, behind a question word or a verb such as "list"."""
    listed = LISTED.search(question.text)
    if listed is not None:
        return _whole(listed["number"])
    for word in question.type_words:
        at = word.first - 1
        if at < 0 or not set(word.labels) & set(question.asked):
            continue
        number = question.tokens[at]
        if ASKING.search(question.text[: number.start]):
            return _whole(number.text)
    return None


def _whole(text: str) -> int | None:
    number = read_number(text)
    return number if isinstance(number, int) and number > 0 else None
