"""What the answer is sorted by: "the longest film", "the five most populous", "top 5 by area", "which is older"."""

import re

from clew.answer.lexicon.numbers import NUMBER, read_number
from clew.answer.values.attributes import Attribute
from clew.answer.values.passage import ARTICLE, Passage, plain
from clew.answer.values.said import ValueOrder
from clew.answer.values.vocabulary import AMOUNTS, Graded

__all__ = ["find_order"]

DEFAULT_TOP = 10
ORDINALS = {"second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4, "5th": 4}
BY = r"(?:(?:ranked|sorted|ordered|measured|judged|going)\s+)?(?:by|in\s+order\s+of|in\s+terms\s+of)"
COUNTED = r"(?!\s+(?:number|amount|count|share|total)\b)"  # "the largest number of" counts
A_TIME = re.compile(r"\s+(?:year|week|month|day|time|name)s?\b")  # "last year" is no superlative


def find_order(passage: Passage) -> ValueOrder | None:
    """The order that a question wants; the stretch that says it is taken."""
    return _superlative(passage) or _ranking(passage) or (_comparative(passage) if passage.has_alternatives else None)


def _superlative(passage: Passage) -> ValueOrder | None:
    words, text = passage.words, passage.text
    helping = r"\b(?:with|having|have|has|had|is|are|was|were|at)"
    lead = rf"(?:(?:{helping}|\b(?P<verb>{words.verb})(?:s|es|d|ed|ing)?)\s+)?(?:the\s+|its\s+)?"
    number = rf"(?:(?:(?:top|first)\s+)?(?P<number>{NUMBER})\s+)?(?:(?P<ordinal>{'|'.join(ORDINALS)})[\s-]+)?"
    nouns = rf"\s+(?:(?P<noun>{words.noun})|(?P<counted>{words.count}))\b"
    for behind in (nouns, rf"\b{COUNTED}"):
        most = rf"(?<!\bat\s)(?P<most>{words.most})(?!-|\s+{NUMBER}\s+{words.most})"  # of "the first 5 oldest": oldest
        for found in re.finditer(rf"{lead}\b{number}{most}{behind}", text):
            graded = passage.graded(found.groupdict()) or _generic_by(passage, found.groupdict())
            if graded and A_TIME.match(text[found.end() :]) is None and passage.take(*found.span()):
                graded = _named_by(passage, graded)
                skip = ORDINALS[found["ordinal"]] if found["ordinal"] else 0
                wanted = 1 if skip else _how_many(passage, found)
                return ValueOrder(tuple(graded), wanted, skip, passage.has_alternatives, end=found.end())
    return None


def _named_by(passage: Passage, graded: list[Graded]) -> list[Graded]:
    """The attributes to sort by: those named after "by" ("the largest … by population"), else the ones implied."""
    found = _by(passage)
    named = [Graded(each, graded[0].much) for each in _measured(passage, found)]
    return named if found is not None and named and passage.take(*found.span()) else graded


def _generic_by(passage: Passage, groups: dict[str, str | None]) -> list[Graded]:
    """What an adjective that any number may have is about where that is named: "the smallest … by beds"."""
    form = plain(groups["most"])
    much = passage.words.generic.get(form)
    if much is None or form in AMOUNTS or groups.get("noun") or groups.get("counted"):
        return []
    return [Graded(each, much) for each in _measured(passage, _by(passage))]


def _by(passage: Passage) -> re.Match[str] | None:
    return re.search(rf"\b{BY}\s+{ARTICLE}(?P<noun>{passage.words.noun}|{passage.words.count})\b", passage.text)


def _measured(passage: Passage, by: re.Match[str] | None) -> list[Attribute]:
    """The attributes that are named after "by"."""
    noun = plain(by["noun"]) if by is not None else ""
    meant = (*passage.words.nouns.get(noun, ()), *passage.words.counted.get(noun, ()))
    return [each for each in dict.fromkeys(meant) if each.kind != "text"]


def _how_many(passage: Passage, found: re.Match[str]) -> int:
    """One unless the noun that the superlative belongs to is in the plural."""
    if found["number"]:
        return int(read_number(found["number"]) or 1)
    text, lead = passage.text, passage.text[found.start() : found.start("most")].split()
    if passage.has_alternatives or {"has", "is", "was"} & set(lead):
        return 1
    if "with" in lead or "having" in lead:
        before = re.findall(r"[a-z-]+", text[: found.start()])
        return DEFAULT_TOP if before and _is_plural(before[-1]) else 1
    asked = re.search(r"\b(?:which|what)\s+(?:of\s+the\s+)?(?:§\s*)?([a-z-]+)", text)
    following = re.match(r"\s*([a-z-]+)", text[found.end() :])
    noun = asked if {"have", "are", "were"} & set(lead) else following
    return DEFAULT_TOP if noun is not None and _is_plural(noun[1]) else 1


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss") and word not in ("has", "is", "was")


def _ranking(passage: Passage) -> ValueOrder | None:
    """ "The top five countries by population", "ranked by age"."""
    words, text = passage.words, passage.text
    by = re.search(
        rf"\b{BY}\s+{ARTICLE}(?:(?:total|overall)\s+)?(?P<noun>{words.noun}|{words.count})\b(?P<up>\s+ascending)?"
        r"(?:\s+descending)?",
        text,
    )
    top = re.search(rf"\b(?:the\s+)?(?P<way>top|bottom|first|last)\s+(?P<number>{NUMBER})\b", text)
    ranked = re.search(r"\b(?:rank|ranked|sort|sorted|order|ordered)\b", text)
    last = by is not None and re.fullmatch(r"\s*[?.!]?\s*", text[by.end() :]) is not None
    if by is None or (top is None and ranked is None and not last):
        return None
    noun = plain(by["noun"])
    options = [each for each in (*words.nouns.get(noun, ()), *words.counted.get(noun, ())) if each.kind != "text"]
    if not options or not passage.take(*by.span()):
        return None
    number = None
    if top is not None and passage.take(*top.span()):
        number = int(read_number(top["number"]) or 1)
    elif ranked is not None:
        passage.take(*ranked.span())
    falling = not by["up"] and (top is None or top["way"] in ("top", "first"))
    return ValueOrder(tuple(Graded(each, falling) for each in dict.fromkeys(options)), number)


def _comparative(passage: Passage) -> ValueOrder | None:
    """ "Does A or B cover the larger area?", "Who is older, A or B?"."""
    words = passage.words
    pattern = (
        rf"(?:\b(?:is|are|was|were|has|have|had|does|do)\s+)?(?:\b(?P<verb>{words.verb})(?:s|es|d|ed)?\s+)?{ARTICLE}"
        rf"\b(?P<more>{words.more})\b(?:\s+(?:(?P<noun>{words.noun})|(?P<counted>{words.count}))\b)?"
        r"(?!\s+than)(?:\s+of\s+the\s+two)?"
    )
    for found in re.finditer(pattern, passage.text):
        graded = passage.graded(found.groupdict())
        if graded and passage.take(*found.span()):
            return ValueOrder(tuple(graded), 1, chosen=True)
    return None
