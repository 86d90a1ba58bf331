"""A judge without a language model: does a sentence name both ends with a word of the relation between them?

It reads no meaning; it is there so that judges that do can be compared with something that costs nothing. The
probability of yes grows with keywords of the relation between the ends, and falls with keywords of its opposite and
with every word between them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, log1p

from clew.evaluate.extraction.judge.model_judge import EVEN, Verdict
from clew.evaluate.extraction.judge.wordings import Question, Statement
from clew.extract.corpus.sentences import split_passage

__all__ = ["KEYWORDS", "KeywordJudge"]

HARM = "induc caus produc provok develop due after follow toxic side adverse complicat relat secondary result associat"
HELP = "treat therap prevent reduc protect attenuat effic effective antagoni inhibit revers improv reliev manag control"
SIGNS = "with present charact show feature sign symptom associat includ manifest have has"
AGAINST = "no not without"  # whatever the relation
KEYWORDS: dict[str, tuple[str, str]] = {  # relation: stems of words for it, and against it
    "induces": (HARM, HELP),
    "treats": (HELP, HARM),
    "palliates": (HELP, HARM),
    "has_phenotype": (SIGNS, AGAINST),
    "presents": (SIGNS, AGAINST),
    "is_a": ("is are was were such other includ called type form kind class", AGAINST),
    "has_role": ("is are was were as act agent antagonist inhibitor agonist", AGAINST),
    "associated_with": ("associat mutation gene caus link relat variant polymorphism in", AGAINST),
    "binds": ("bind bound affinity receptor inhibit antagoni agoni block target ligand", AGAINST),
    "localizes_to": ("of in affect involv invad metasta within from", AGAINST),
    "part_of": ("of in part within contain consist component", AGAINST),
}
OTHERWISE = ("", AGAINST)
DISTANCE = 0.5  # weight of the logarithm of the words between


@dataclass(frozen=True, slots=True)
class KeywordJudge:
    """Keywords between two names of one sentence; says maybe where no sentence names both, or validity is asked."""

    threshold: float = EVEN

    @property
    def name(self) -> str:
        return "keywords in one sentence, no language model"

    def with_threshold(self, threshold: float) -> "KeywordJudge":
        """The same judge with another threshold."""
        return replace(self, threshold=threshold)

    def judge(self, statement: Statement, question: Question) -> Verdict:
        found = [_likely(statement.relation, between) for between in _between(statement)]
        if question == "validity" or not found:
            return Verdict("maybe")
        yes = max(found)
        return Verdict("yes" if yes >= self.threshold else "no", yes)


def _between(statement: Statement) -> Iterator[str]:
    """What stands between the two names, for every pair of places in one sentence."""
    subject, object_ = statement.subject.lower(), statement.object.lower()
    if not subject or not object_:
        return
    for start, end in split_passage(statement.text):
        sentence = statement.text[start:end].lower()
        for one in re.finditer(re.escape(subject), sentence):
            for other in re.finditer(re.escape(object_), sentence):
                first, second = sorted((one.span(), other.span()))
                yield sentence[first[1] : max(first[1], second[0])]


def _likely(relation: str, between: str) -> float:
    keywords, against = _patterns(relation)
    said = bool(keywords.search(between)) if keywords else False
    weight = said - bool(against.search(between)) - DISTANCE * log1p(len(between.split()))
    return 1 / (1 + exp(-weight))


@lru_cache(maxsize=256)
def _patterns(relation: str) -> tuple[re.Pattern[str] | None, re.Pattern[str]]:
    keywords, against = KEYWORDS.get(relation, OTHERWISE)
    return (_begins(keywords) if keywords else None), _begins(f"{against} {AGAINST}")


def _begins(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})")
