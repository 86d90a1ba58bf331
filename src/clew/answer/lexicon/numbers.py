"""Numbers as people write them (10,000, ten million, 1.5m, third, IV), and the words that compare with them."""

import re
from collections.abc import Collection, Iterator

__all__ = [
    "COMPARISON",
    "NUMBER",
    "NUMBERS",
    "OFTEN",
    "OPERATORS",
    "ROMAN",
    "as_number",
    "find_numbers",
    "read_number",
    "read_ordinal",
    "spellings",
]

NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90, "hundred": 100,
}  # fmt: skip
IRREGULAR = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
ORDINALS = {IRREGULAR.get(word, re.sub("y$", "ie", word) + "th"): number for word, number in NUMBERS.items()}
_DIGITS_OF_ROMANS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
ROMAN = {"X" * (number // 10) + _DIGITS_OF_ROMANS[number % 10]: number for number in range(1, 40)}
OFTEN = {"once": 1, "twice": 2, "thrice": 3}
SCALES = {
    "hundred": 100, "thousand": 1_000, "k": 1_000, "million": 10**6, "mn": 10**6, "m": 10**6, "billion": 10**9,
    "bn": 10**9, "trillion": 10**12, "dozen": 12,
}  # fmt: skip
OPERATORS = {
    "more than": ">", "over": ">", "above": ">", "greater than": ">", "higher than": ">", "exceeding": ">",
    "upwards of": ">", "at least": ">=", "no fewer than": ">=", "no less than": ">=", "not less than": ">=",
    "not fewer than": ">=", "a minimum of": ">=", "fewer than": "<", "less than": "<", "under": "<", "below": "<",
    "lower than": "<", "smaller than": "<", "at most": "<=", "no more than": "<=", "not more than": "<=", "up to": "<=",
    "a maximum of": "<=", "exactly": "=", "precisely": "=",
}  # fmt: skip
_LONGEST_FIRST = sorted(OPERATORS, key=len, reverse=True)
COMPARISON = rf"(?:{'|'.join(each.replace(' ', chr(92) + 's+') for each in _LONGEST_FIRST)})"
_SCALE = rf"(?:{'|'.join(sorted(SCALES, key=len, reverse=True))})"
_WORD = rf"(?:{'|'.join(sorted({*NUMBERS, *SCALES} - {'k', 'm', 'mn', 'bn'}, key=len, reverse=True))})"
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
NUMBER = (
    rf"(?:(?:{_DIGITS})(?:\s*{_SCALE}\b)*|(?:half\s+)?an?\s+(?:hundred|thousand|million|billion|trillion|dozen)\b"
    rf"|\b{_WORD}(?:(?:\s+and\s+|[\s-]+){_WORD})*\b)"
)


def read_number(text: str) -> int | float | None:
    """The number that a text is; None for one that is none.

    >>> [read_number(each) for each in ("10,000", "ten million", "1.5m", "two hundred and fifty", "half a million")]
    [10000, 10000000, 1500000, 250, 500000]
    >>> read_number("many"), read_number("twenty-one"), read_number("0.5")
    (None, 21, 0.5)
    """
    if re.fullmatch(NUMBER, text.strip(), re.IGNORECASE) is None:
        return None
    total, part = 0.0, 0.0
    words = re.findall(rf"{_DIGITS}|[a-z]+", text.lower())
    for word in words:
        if word == "half":
            part = 0.5
        elif word in ("a", "an", "and"):
            part = part or (0.0 if word == "and" else 1.0)
        elif word in SCALES:
            part = (part or 1.0) * SCALES[word]
            if SCALES[word] >= 1_000:
                total, part = total + part, 0.0
        else:
            part += NUMBERS[word] if word in NUMBERS else float(word.replace(",", ""))
    whole = total + part
    return int(whole) if whole.is_integer() else whole


def find_numbers(text: str, wanted: Collection[object]) -> Iterator[tuple[int, int]]:
    """Where a text has one of some numbers, as they are written or said.

    >>> list(find_numbers("over 60,000 or 2.5 million in 3 years", (60000, 2500000)))
    [(5, 11), (15, 26)]
    """
    for found in re.finditer(NUMBER, text, re.IGNORECASE):
        number = read_number(found[0])
        if number is not None and number in wanted:
            yield found.span()


def read_ordinal(text: str) -> int | None:
    """The place that an ordinal says.

    >>> [read_ordinal(each) for each in ("third", "3rd", "twentieth", "Twenty-first", "three", "thth")]
    [3, 3, 20, 21, None, None]
    """
    tens, _, last = text.lower().rpartition("-")
    digits = re.fullmatch(r"(\d{1,9})(?:st|nd|rd|th)", last)
    place = int(digits[1]) if digits else ORDINALS.get(last)
    return None if place is None or (tens and tens not in NUMBERS) else place + NUMBERS.get(tens, 0)


def spellings(number: int) -> list[str]:
    """How names may spell a number in one word, in small letters.

    >>> spellings(4)
    ['4', '04', '004', '4st', '4nd', '4rd', '4th', 'four', 'fourth', 'iv']
    """
    digits = [str(number).zfill(width) for width in (1, 2, 3)]
    ordinals = [f"{number}{ending}" for ending in ("st", "nd", "rd", "th")]
    words = [word for table in (NUMBERS, ORDINALS, ROMAN) for word, meant in table.items() if meant == number]
    return list(dict.fromkeys([*digits, *ordinals, *map(str.lower, words)]))


def as_number(value: object) -> int | float | None:
    """The number that a value states.

    >>> as_number("13,355"), as_number("0.5"), as_number("1980-05-23"), as_number(None)
    (13355, 0.5, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value.replace(",", "")) if isinstance(value, str) else value
    except ValueError:
        return None
    return int(number) if float(number).is_integer() else number
