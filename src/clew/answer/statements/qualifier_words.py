"""What a question says of statements themselves: how often, in whom, by which evidence; or asks for it.

"seen in more than half of patients" and "only in women" become conditions on qualifiers of statements, "how often is A
seen in B" asks for one. Only what the graph's statements have is recognised. The words are in qualifiers.json.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clew.answer.lexicon.numbers import COMPARISON, OPERATORS
from clew.answer.plans.assertions.filters import Qualifier
from clew.answer.statements.column_words import find_column, is_end, is_time
from clew.answer.statements.past_words import PAST
from clew.store.layout import StoreSchema

__all__ = ["StatementWords", "find_qualifiers"]

LED_TO = r"\b(?P<only>only\s+|exclusively\s+|solely\s+)?(?:in|among|affecting|from|by|affects?|of)\s+(?P<also>only\s+)?"
YEAR_BOUNDS = {
    "since": ((">=", "first"),),
    "after": ((">", "last"),),
    "later than": ((">", "last"),),
    "before": (("<", "first"),),
    "prior to": (("<", "first"),),
    "earlier than": (("<", "first"),),
    "until": (("<=", "last"),),
    "published in": ((">=", "first"), ("<=", "last")),
    "reported in": ((">=", "first"), ("<=", "last")),
    "in": ((">=", "first"), ("<=", "last")),
    "during": ((">=", "first"), ("<=", "last")),
}
WITHIN = ("in", "during")  # said of the time of a statement, if it has one, else of something else
LED_TO_YEARS = "|".join(each.replace(" ", r"\s+") for each in YEAR_BOUNDS)
YEARS = re.compile(
    rf"\b(?P<how>{LED_TO_YEARS})\s+(?:the\s+year\s+)?(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


PRESENT = re.compile(
    r"\b(?:at\s+(?:present|the\s+moment)|as\s+of\s+(?:now|today)|currently|presently|nowadays|(?:right\s+)?now|today|"
    r"these\s+days|current|still)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatementWords:
    """Conditions on the qualifiers of statements, the column that is asked for, and where all that is said.

    `unmet` are words that ask for what no statement of the graph has, such as a date.
    """

    qualifiers: tuple[Qualifier, ...] = ()
    column: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    unmet: tuple[str, ...] = ()
    values: tuple[tuple[int, int, str], ...] = ()  # words that are values of a column, which say something else as well


def find_qualifiers(
    text: str,
    schema: StoreSchema,
    *,
    is_type: Callable[[str], bool] = lambda word: False,
    values: Mapping[str, Sequence[str]] | None = None,
    is_word: Callable[[str, Collection[str]], bool] = lambda word, relations: False,
    in_name: Callable[[int, int], bool] = lambda start, end: False,
) -> StatementWords:
    """What a question says of, or asks about, the statements of a graph; `is_type` tells words that name a type.

    `values` are the words that columns hold, `is_word` whether one of them is a word of a relation itself or a name,
    `in_name` whether a stretch is part of a longer name, and so says nothing else.
    """
    finder = _Finder(text, _relations_by_key(schema), is_type, in_name)
    finder.find(values or {}, is_word)
    return StatementWords(
        tuple(finder.qualifiers), finder.column, tuple(sorted(finder.spans)), tuple(finder.unmet), tuple(finder.values)
    )


def _relations_by_key(schema: StoreSchema) -> dict[str, frozenset[str]]:
    """For each column of assertions by its name in queries, the relationships whose statements have it."""
    found: dict[str, set[str]] = {}
    for relationship in schema.relationships:
        for each in relationship.properties:
            found.setdefault(each.name, set()).add(relationship.name)
    return {key: frozenset(names) for key, names in found.items()}


class _Finder:
    def __init__(
        self,
        text: str,
        having: Mapping[str, frozenset[str]],
        is_type: Callable[[str], bool],
        in_name: Callable[[int, int], bool],
    ) -> None:
        self.text, self.having, self.is_type, self.in_name = text, having, is_type, in_name
        self.qualifiers: list[Qualifier] = []
        self.column: str | None = None
        self.spans: list[tuple[int, int]] = []
        self.unmet: list[str] = []
        self.values: list[tuple[int, int, str]] = []

    def find(self, values: Mapping[str, Sequence[str]], is_word: Callable[[str, Collection[str]], bool]) -> None:
        self._find_column()
        if "q_frequency" in self.having:
            self._find_shares()
        self._find_values()
        self._find_own_values(values, is_word)
        self._find_years()
        self._find_present()

    def _find_present(self) -> None:
        """What holds now has no end, and what held formerly has one, where statements say until when they hold."""
        ends = [key for key in self.having if is_time(key) and is_end(key)]
        for pattern, operator in ((PRESENT, "IS NULL"), (PAST, "IS NOT NULL")):
            for found in pattern.finditer(self.text) if ends else ():
                for key in ends if not self.in_name(*found.span()) else ():
                    self.values.append((*found.span(), key))
                    self.qualifiers.append(Qualifier(key, operator, "", relations=self.having[key], optional=True))

    def _find_years(self) -> None:
        """When a statement holds, or since or until when; where no statement has a day, nobody can tell."""
        for number, found in enumerate(YEARS.finditer(self.text), start=1):
            how = " ".join(found["how"].lower().split())
            timed = [] if "valid_from" in self.having else list(self._timed(how))
            if "valid_from" in self.having and how not in WITHIN and self._take(found):
                first, last = f"{found['year']}-01-01", f"{found['year']}-12-31"
                for operator, day in YEAR_BOUNDS[how]:
                    self._add("valid_from", operator, first if day == "first" else last)
            elif timed and self._take(found):
                for key, relations in timed:
                    for operator, day in YEAR_BOUNDS["in" if is_end(key) else how]:
                        self.qualifiers.append(_in_year(key, operator, int(found["year"]), day, relations, number))
            elif how not in WITHIN and "valid_from" not in self.having:
                self.unmet.append(found.group())

    def _timed(self, how: str) -> Iterator[tuple[str, frozenset[str]]]:
        """The columns that say when statements begin; of what has an end too, "in 2015" says neither, and "until 2015"
        when they end."""
        ends = {name for key in self.having if is_time(key) and is_end(key) for name in self.having[key]}
        for key, relations in self.having.items():
            if is_time(key) and is_end(key) and how == "until":
                yield key, relations
            elif is_time(key) and not is_end(key):
                left = relations - ends if how in (*WITHIN, "until") else relations
                if left:
                    yield key, left

    def _find_own_values(
        self, values: Mapping[str, Sequence[str]], is_word: Callable[[str, Collection[str]], bool]
    ) -> None:
        """Words that a column of statements holds: "the *charge nurse* of A", "an *expert* in B"."""
        for key in (
            each for each in values if each != self.column and each.removeprefix("q_") not in _words()["values"]
        ):
            for value in sorted(values[key], key=len, reverse=True):
                said = value.replace("_", " ").lower()
                if is_word(said, self.having[key]) or (" " not in said and self.is_type(said)):
                    continue
                for found in re.finditer(rf"(?<![\w-]){re.escape(said)}(?:s|es)?(?![\w-])", self.text.lower()):
                    taken = any(start < found.end() and found.start() < end for start, end in self.spans)
                    if not taken and not self.in_name(*found.span()):
                        self.values.append((*found.span(), key))
                        self.qualifiers.append(Qualifier(key, "=", value, relations=self.having[key], optional=True))
                        break

    def _find_column(self) -> None:
        column, spans = find_column(self.text, self.having, is_type=self.is_type)
        if column is not None:
            self.column = column
            self.spans += spans

    def _find_shares(self) -> None:
        for found in _share_pattern().finditer(self.text):
            share = _share(found)
            if share is not None and share <= 1 and self._take(found):
                self._add(
                    "q_frequency",
                    OPERATORS[" ".join(found["how"].lower().split())] if found["how"] else ">=",
                    share,
                    shared=True,
                )
        for phrase, operator, share in sorted(_words()["shares"], key=lambda each: -len(each[0])):
            whole = rf"\b{re.escape(phrase)}\b(?!\s+(?:to|between|among)\b)"  # "common to A and B" is no frequency
            for found in re.finditer(whole, self.text, re.IGNORECASE):
                if self._take(found):
                    self._add("q_frequency", operator, share, shared=True)

    def _find_values(self) -> None:
        """Values that people call by other words: "in women" leaves out what is stated of men alone.

        How often something is seen in women is stated of them alone.
        """
        for name, values in _words()["values"].items():
            key = f"q_{name}"
            if key not in self.having:
                continue
            for value, phrases in values.items():
                for found in re.finditer(rf"{LED_TO}{_either(phrases)}\b", self.text):  # MEN is no word for men
                    if self._take(found):
                        only = bool(found["only"] or found["also"] or self.column) or name != "sex"
                        self._add(key, "=" if only else "IN", value if only else (value, None))

    def _add(self, key: str, operator: str, value: Any, *, shared: bool = False) -> None:
        self.qualifiers.append(Qualifier(key, operator, value, shared=shared, relations=self.having[key]))

    def _take(self, found: re.Match[str]) -> bool:
        """Whether no other words have been found there."""
        start, end = found.span()
        if any(start < other_end and other_start < end for other_start, other_end in self.spans):
            return False
        self.spans.append((start, end))
        return True


def _in_year(key: str, operator: str, year: int, day: str, relations: frozenset[str], number: int) -> Qualifier:
    """A bound on a column whose values begin with a year, be they years or days: texts that are compared as such."""
    if day == "last":  # the next year has not begun
        operator, year = {"<=": "<", ">": ">="}[operator], year + 1
    return Qualifier(key, operator, str(year), relations=relations, either=number)


@cache
def _words() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("clew.answer.lexicon").joinpath("qualifiers.json").read_text("utf-8"))
    return found


def _either(phrases: list[str] | Mapping[str, Any]) -> str:
    return f"(?:{'|'.join(re.escape(each) for each in sorted(phrases, key=len, reverse=True))})"


@cache
def _share_pattern() -> re.Pattern[str]:
    """ "in more than half of the patients", "in at least 3 of 10 cases", "in over 80 % of those"."""
    words = _words()
    amount = (
        rf"(?P<part>{_either(words['parts'])})|(?P<number>\d+(?:\.\d+)?)\s*(?:%|percent|per cent)|"
        r"(?P<some>\d+)\s+(?:out of|of|in)\s+(?P<all>\d+)"
    )
    return re.compile(
        r"\b(?:in|of|by|with a frequency of|with a frequency|a frequency of)?\s*"
        rf"(?P<how>{COMPARISON})?\s*(?:{amount})"
        rf"(?:\s+of)?(?:\s+(?:the\s+|all\s+)?{_either(words['people'])}\b)?(?:\s+of(?=\s+patients))?",
        re.IGNORECASE,
    )


def _share(found: re.Match[str]) -> float | None:
    """The share that was said; None where nothing marks it as one: a number alone is none."""
    if found["part"]:
        said = found.group().lower()
        marked = found["how"] or any(re.search(rf"\b{re.escape(each)}\b", said) for each in _words()["people"])
        return float(_words()["parts"][found["part"].lower()]) if marked else None
    if found["number"]:
        return float(found["number"]) / 100
    return int(found["some"]) / int(found["all"]) if int(found["all"]) else None
