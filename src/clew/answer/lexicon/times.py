"""Times as people write them: 1980, the 1980s, the 19th century, May 1980, 23 May 1980, 1980-05-23."""

import re
from calendar import monthrange
from dataclasses import dataclass

__all__ = ["MONTHS", "TIME", "Span", "is_in_rate", "read_time"]

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
           "eighties": 80, "nineties": 90}  # fmt: skip
_MONTH = "|".join((*MONTHS, *(f"{month[:3]}\\.?" for month in MONTHS if month != "may")))
_YEAR = r"(?:1\d|20)\d\d"
TIME = (
    rf"(?:{_YEAR}-\d\d(?:-\d\d)?|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})\s*,?\s+{_YEAR}|"
    rf"(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\s*,\s*{_YEAR}|(?:{_MONTH})\s+{_YEAR}|"
    rf"(?:early\s+|late\s+|mid-?\s*)?(?:{_YEAR[:-2]}0s|['’]?\d0s|{'|'.join(DECADES)})|"
    rf"\d{{1,2}}(?:st|nd|rd|th)\s+century|{_YEAR})\b"
)

_RATE = re.compile(r"\b(?:per|each|every|an?)\s+(?:hour|day|week|fortnight|month|quarter|season|year)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """From its first moment to before `next`, both as the beginning of an ISO date; `whole` if these are years."""

    first: str
    next: str

    @property
    def whole(self) -> bool:
        return len(self.first) == len(self.next) == 4

    def until(self, other: "Span") -> "Span":
        """From the beginning of this to the end of another."""
        return Span(self.first, other.next)


def is_in_rate(text: str, at: int) -> bool:
    """Whether the word at this place says how much at a time something is: "open the longest *each week*".

    >>> is_in_rate("Which centre is open the longest each week?", 38), is_in_rate("Who was there in each week?", 23)
    (True, True)
    """
    return any(found.start() <= at < found.end() for found in _RATE.finditer(text))


def read_time(text: str) -> Span | None:
    """What a text says of a time; None for one that is none, or one that is vague ("the early 1980s").

    >>> read_time("1980"), read_time("the 1980s"), read_time("May 1980")
    (Span(first='1980', next='1981'), Span(first='1980', next='1990'), Span(first='1980-05', next='1980-06'))
    """
    said = re.sub(r"[,.]|\b(?:the|of|year)\b|(?<=\d)(?:st|nd|rd|th)(?=\s)", " ", text.lower()).split()
    match said:
        case [word] if re.fullmatch(_YEAR, word):
            return _years(int(word), 1)
        case [word] if re.fullmatch(r"\d{3}0s", word):
            return _years(int(word[:-1]), 10)
        case [word] if re.fullmatch(r"['’]?\d0s", word):
            return _years(1900 + int(word.strip("'’s")), 10)
        case [word] if word in DECADES:
            return _years(1900 + DECADES[word], 10)
        case [number, "century"] if number.isdigit():
            return _years((int(number) - 1) * 100, 100)
        case [word] if found := re.fullmatch(r"(\d{4})-(\d\d)(?:-(\d\d))?", word):
            return _day(int(found[1]), int(found[2]), int(found[3] or 0))
        case [month, year] if year.isdigit() and _month(month):
            return _day(int(year), _month(month), 0)
        case [day, month, year] if day.isdigit() and year.isdigit() and _month(month):
            return _day(int(year), _month(month), int(day))
        case [month, day, year] if day.isdigit() and year.isdigit() and _month(month):
            return _day(int(year), _month(month), int(day))
    return None


def _years(first: int, number: int) -> Span:
    return Span(f"{first:04d}", f"{first + number:04d}")


def _month(word: str) -> int:
    return next((number for number, name in enumerate(MONTHS, start=1) if word in (name, name[:3])), 0)


def _day(year: int, month: int, day: int) -> Span | None:
    if not 1 <= month <= 12 or day > monthrange(year, month)[1]:
        return None
    if day:
        last = day == monthrange(year, month)[1]
        after = _day(year + month // 12, month % 12 + 1, 0) if last else None
        end = f"{after.first}-01" if after else f"{year:04d}-{month:02d}-{day + 1:02d}"
        return Span(f"{year:04d}-{month:02d}-{day:02d}", end)
    return Span(f"{year:04d}-{month:02d}", f"{year + month // 12:04d}-{month % 12 + 1:02d}")
