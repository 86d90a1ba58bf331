"""Small words that change an answer: another, else, both, either, the same, different, again, just one, between them.

In: a question, its words and a plan. Out: what such a word does in the sentence if nothing in the plan stands for it,
so that no plan passes over it: "which ensembles play a work that *another* ensemble ordered".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from clew.answer.lexicon.forms import Token
from clew.answer.plans.condition import Asked
from clew.answer.plans.plan import ABSENT, Step
from clew.answer.quantities.quantifier_words import padded
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.contrasts import contrasts, is_set_apart, likens_sets
from clew.answer.reading.question import ParsedQuestion
from clew.answer.statements.past_words import is_former, is_past

__all__ = ["SmallWords", "is_bound_to_two", "is_small"]

SAME = "same"
OTHERS = frozenset({"another", "other", "others", "else"})
BOTH = frozenset({"both", "either"})
AGAIN = frozenset({"again", "instead"})
SHARING = frozenset({"share", "shares", "sharing"})
HABITS = frozenset({"use"})  # "what did A use to own": no longer
UNITED = re.compile(  # all that is named counts as one: "in A and B between them"
    r"\bbetween\s+(?:them|the\s+\w+)(?=\s*[?.!]|$)|\b(?:put|taken|counted)\s+together\b|\b(?:combined|altogether)\b|"
    r"\bin\s+(?:total|all)(?=\s*[,?.!]|$)",
    re.IGNORECASE,
)
OWN, OWNERS = "own", frozenset({"their", "his", "her", "its", "my", "your", "our", "whose"})
ONE, EXACTLY = frozenset({"one", "single"}), frozenset({"just", "only", "exactly", "precisely", "a"})
UNEQUAL = ("<>", "DIFFERS")
PAIR = 2


class SmallWords:
    """The small words of one question, and what one plan makes of them."""

    def __init__(self, question: ParsedQuestion, candidate: Candidate, tokens: Sequence[Token]) -> None:
        self._question, self._candidate, self._tokens = question, candidate, tokens
        self._plan = candidate.plan
        self._low = [token.text.lower() for token in tokens]
        self._steps = [step for part in self._plan.parts for step in part.steps]
        self._conditions = [each for part in self._plan.parts for each in part.conditions]

    @cached_property
    def _masked(self) -> str:
        """The text with each name as one mark: few words ask for it."""
        return padded(self._question.text, self._question.anchors)

    def is_set_apart(self, at: int) -> bool:
        """Whether a word says that one thing is not another: "a different ward than"."""
        return is_set_apart(self._masked, self._tokens, at)

    def is_one(self, at: int) -> bool:
        """Whether a word is an amount: "in just one patient", "a single gene"; not "which one", "every single".

        "Not a single one" is none, and "the most in a single year" is of each year.
        """
        before = self._low[at - 1] if at else ""
        if self._low[at] not in ONE or before not in EXACTLY or (self._low[at] == "one" and before == "a"):
            return False
        return before != "a" or not (self._plan.sort or self._sets_apart() or self._plan.measure is not None)

    def is_held(self, at: int) -> bool:
        """Whether a plan has what "their own" says: a circle of steps, or values compared."""
        return self._low[at] == OWN and not OWNERS.isdisjoint(self._low[at - 1 : at]) and self._returns()

    def is_neglected(self, at: int) -> bool:
        """Whether a word says something that the plan does not."""
        tests: Mapping[frozenset[str], Callable[[], bool]] = {
            OTHERS: lambda: self._low[at - 1 : at] != ["each"] and not self._sets_apart(),
            BOTH: lambda: not self._holds_two(),
            AGAIN: lambda: True,
            frozenset({SAME}): lambda: self._likens_less(at) or not self._holds_sameness(),
            SHARING: lambda: len(self._question.anchors) < PAIR and not self._holds_sameness(),
            HABITS: lambda: self._low[at + 1 : at + 2] == ["to"] and "did" in self._low[:at] and not self._is_over(),
            frozenset({OWN}): lambda: not OWNERS.isdisjoint(self._low[at - 1 : at]) and not self._returns(),
        }
        for said, neglects in tests.items():
            if self._low[at] in said:
                return neglects()
        if self._is_united(at):
            return self._names_meet()
        return contrasts(self._tokens, at, self._question.trees) and not self._tells_apart()

    def _sets_apart(self) -> bool:
        """Whether a plan excludes anything, or leaves a thing by the relation by which it came, for another one."""
        excludes = bool(self._candidate.aside) or any(each.negated for each in self._conditions)
        excludes = excludes or any(each.operator in UNEQUAL for each in self._conditions)
        excludes = excludes or self._plan.kind in ("lacks", "path") or any(p.kind == ABSENT for p in self._plan.parts)
        return excludes or any(
            one is not other and one.relations == other.relations and _meet(one, other)
            for one in self._steps
            for other in self._steps
        )

    def _holds_two(self) -> bool:
        """Whether a plan is about several names, relations, values or counted things."""
        names = self._question.anchors
        relations = {step.relations for step in self._steps}
        several = len(names) > 1 or any(len(each) > 1 for each in relations)
        return several or len(relations) > 1 or len(self._question.values.spans) > 1 or self._plan.measure is not None

    def _likens_less(self, at: int) -> bool:
        """Whether "the same medicines as Elsie" are all of hers, and the plan has one of them."""
        likened = likens_sets(self._masked, self._tokens, at, self._question.trees)
        return likened and self._plan.measure is None

    def _holds_sameness(self) -> bool:
        """Whether a plan has two things in common: a circle of steps, one relation twice, or values compared."""
        return self._returns() or len({step.relations for step in self._steps}) < len(self._steps)

    def _returns(self) -> bool:
        """Whether the steps of a plan make a circle, or values are compared or measured."""
        if any(isinstance(each.value, Asked) for each in self._conditions):
            return True
        ends = {end for step in self._steps for end in step.ends}
        return len(self._steps) >= len(ends) or self._plan.measure is not None

    def _is_over(self) -> bool:
        """Whether a plan is about what has ended."""
        known = (self._question.text[start:end].lower() for start, end, _ in self._question.column_values)
        return any(map(is_past, known)) or any(is_former(name) for step in self._steps for name in step.relations)

    def _is_united(self, at: int) -> bool:
        """Whether a word is the last that says that all that is named counts as one."""
        end = self._tokens[at].end
        return any(found.end() == end for found in UNITED.finditer(self._question.text))

    def _names_meet(self) -> bool:
        """Whether a plan asks for what every one of several names has."""
        return len({each.of for each in self._conditions if each.key == "id"}) > 1

    def _tells_apart(self) -> bool:
        """Whether a plan counts different things, or says of two that they are not the same."""
        counts = any(part.count is not None for part in self._plan.parts)
        return counts or self._plan.measure is not None or any(each.operator == "DIFFERS" for each in self._conditions)


def is_bound_to_two(word: str) -> bool:
    """Whether a word says something of two things at once, which no other word can: both, the same, their own."""
    return word.lower() in {*BOTH, SAME, OWN}


def is_small(word: str) -> bool:
    """Whether a word is one of those that this module judges wherever they stand."""
    return word.lower() in {*OTHERS, *BOTH, *AGAIN, SAME, OWN}


def _meet(one: Step, other: Step) -> bool:
    """Whether two steps lead to the same thing, or from the same thing, in the same direction."""
    return one.subject == other.subject or one.object == other.object
