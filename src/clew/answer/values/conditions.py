"""Conditions on values in a question: "more than 10 million people", "taller than 6 feet", "released before 1970"."""

import re
from collections.abc import Iterator

from clew.answer.lexicon.forms import root
from clew.answer.lexicon.numbers import COMPARISON, NUMBER, OPERATORS, read_number
from clew.answer.lexicon.times import TIME, Span, read_time
from clew.answer.values.attributes import Attribute
from clew.answer.values.passage import ARTICLE, NAME, Passage, plain
from clew.answer.values.said import ValueCondition
from clew.answer.values.vocabulary import either

__all__ = ["find_conditions"]

LEAD = (
    r"(?:\b(?:and|but)\s+)?(?:\b(?:that|which|who|whose|where)\s+)?(?:\b(?:with|having|have|has|had|of|is|are|was|were|"
    r"be|being|do|does|did|at|for)\s+)*"
)
ONE_OF = r"(?:half\s+)?an?(?=\s+(?:hour|minute|second|day|week|month|year|kilo|metre|meter|mile|tonne|ton|kilometre)\b)"
AMOUNT = rf"[$€£]?\s*(?P<number>{NUMBER}|{ONE_OF})"
OTHER = rf"(?:\s+(?:and|to)\s+[$€£]?\s*(?P<other>{NUMBER}))?"
SIGNS = {"exceeds": ">", "exceed": ">", "exceeding": ">", ">": ">", ">=": ">=", "<": "<", "<=": "<=", "≥": ">=",
         "≤": "<=", "=": "="}  # fmt: skip
TAILS = {"more": ">=", "over": ">=", "above": ">=", "higher": ">=", "greater": ">=", "longer": ">=", "taller": ">=",
         "less": "<=", "fewer": "<=", "under": "<=", "below": "<=", "lower": "<=", "shorter": "<="}  # fmt: skip
SCALE = re.compile(r"(?:thousand|million|billion|trillion|k|m|mn|bn)$")
TAIL = rf"(?:\s+(?:or|and)\s+(?P<tail>{'|'.join(TAILS)})\b)?"
BEFORE = ("before", "prior to", "earlier than")
AFTER = ("after", "later than")
SINCE = ("since", "not before", "no earlier than")
UNTIL = ("until", "till", "up to", "by", "no later than")
WITHIN = ("in", "during", "on", "of", "between", "from")
WHEN = "|".join(r"\s+".join(each.split()) for each in (*BEFORE, *AFTER, *SINCE, *UNTIL, *WITHIN))


def find_conditions(passage: Passage) -> list[ValueCondition]:
    """Every condition on a value; the stretches that say them are taken."""
    return [*_named(passage), *_numbers(passage), *_times(passage), *_classes(passage)]


def _classes(passage: Passage) -> Iterator[ValueCondition]:
    """ "Which strikers", "books that are not available", "with the status approved"."""
    words = passage.words
    lead = r"(?:\b(?:that|which|who)\s+)?(?:\b(?:is|are|was|were|with|having|has|have|whose|as)\s+)*"
    called = either(each.title for listed in words.classes.values() for each, _ in listed)
    pattern = (
        rf"{lead}(?P<no>\b(?:not|(?:is|are|was|were)n't)\s+)?{ARTICLE}(?:\b{called}\s+(?:(?:is|of|as|are|was|=)\s+)*(?:the\s+)?)?"
        rf"(?P<no2>\bnot\s+)?\b(?P<value>{words.class_})\b(?:\s+{called}\b|-(?P<so>[a-z]+ed)\b)?"
    )
    for found in re.finditer(pattern, passage.text):
        meant = words.classes[plain(found["value"])]
        if found["so"] and not any(root(found["so"]) == root(each.title) for each, _ in meant):  # hybrid-powered
            continue
        value = meant[0][1]
        options = tuple(attribute for attribute, each in meant if each == value)
        if passage.take_condition(*found.span()):
            yield ValueCondition(options, "<>" if found["no"] or found["no2"] else "=", value, start=found.start())


def _named(passage: Passage) -> Iterator[ValueCondition]:
    """ "Larger than France", "more people than in France"."""
    words = passage.words
    pattern = (
        rf"{LEAD}(?:\b(?P<verb>{words.verb})(?:s|es|d|ed|ing)?\s+)?{ARTICLE}\b(?P<more>{words.more})"
        rf"(?:\s+(?:(?P<noun>{words.noun})|(?P<counted>{words.count})))?"
        rf"\s+than\s+(?:(?:that|those|the\s+one)\s+of\s+|in\s+|of\s+)?(?:the\s+)?(?P<name>{NAME})\s*"
        rf"(?:'s?\s+(?:{words.noun})|'s|\b(?:has|have|does|do|is|are|did)\b)?"
    )
    for found in re.finditer(pattern, passage.text):
        name = next((each for each in passage.names if each.start == found.start("name")), None)
        graded = passage.graded(found.groupdict())
        much = graded[0].much if graded else True
        options = tuple(each.attribute for each in graded if each.much == much)
        if name is not None and options and passage.take_condition(*found.span()):
            yield ValueCondition(options, ">" if much else "<", None, than=name, start=found.start())


def _numbers(passage: Passage) -> Iterator[ValueCondition]:
    words = passage.words
    unit = rf"(?:\s*(?P<unit>{words.unit})\b)?"
    compared = rf"(?:(?P<how>{COMPARISON}|exceeds?|exceeding|between|[<>]=?|[≥≤=])\s*)?"
    did = rf"(?:\b(?P<verb>{words.verb})(?:s|es|d|ed|ing)?\s+)"
    patterns = (
        rf"{LEAD}{ARTICLE}\b(?P<noun>{words.noun})\s+(?:(?:of|is|are|was|were|being|at|that|which|:)\s+)*"
        rf"{compared}{AMOUNT}\b{OTHER}{unit}{TAIL}",
        rf"(?:\bthe\s+)?\b(?P<noun>{words.noun})\s+(?:of|for|in)\s+(?:the\s+)?(?P<name>{NAME})\s+(?:(?:is|are|was|were)\s+)?"
        rf"(?P<how>{COMPARISON}|exceeds?|exceeding|between|[<>]=?|[≥≤=])\s*{AMOUNT}\b{OTHER}{unit}",
        rf"{LEAD}{did}?\b(?P<how>{COMPARISON}|between)\s+{AMOUNT}{OTHER}\s*(?:(?P<counted>{words.count})\b|(?P<unit>{words.unit})\b"
        rf"(?:\s+(?:of|in|for)\s+(?P<noun>{words.noun})\b|\s+(?P<adjective>{words.adjective})\b)?){TAIL}",
        rf"{LEAD}{did}?{AMOUNT}\s+(?:or|and)\s+(?P<tail>{'|'.join(TAILS)})\s+"
        rf"(?:(?P<counted>{words.count})|(?P<unit>{words.unit}))\b",
        rf"{LEAD}{did}(?P<how>{COMPARISON}|between)\s+{AMOUNT}\b{OTHER}{unit}",
        rf"{LEAD}{did}?(?P<no>\bno\s+|\bnot\s+)?\b(?P<more>{words.more})\s+than\s+{AMOUNT}\b{unit}(?:\s+old)?",
    )
    for pattern in patterns:
        for found in re.finditer(pattern, passage.open):
            made = list(_compared(passage, found))
            name = found.start("name") if found.groupdict().get("name") else None
            if made and passage.take_condition(found.start(), found.end() if name is None else name):
                yield from made
                behind = [each.end for each in passage.names if each.start == name]
                if behind:
                    passage.take(behind[0], found.end())


def _compared(passage: Passage, found: re.Match[str]) -> Iterator[ValueCondition]:
    groups = found.groupdict()
    unit = passage.words.unit_named(groups.get("unit"))
    options, much = _options(passage, groups, unit)
    number, operator = _number(groups["number"]), _operator(groups)
    if groups["number"].endswith("m") and any(each.measures == "length" for each in options):  # 300m high
        number, unit = read_number(groups["number"][:-1].strip()), "m"
    if groups.get("more"):
        operator = ("<=" if much else ">=") if groups.get("no") else ">" if much else "<"
    between, other = groups.get("how") == "between", read_number(groups.get("other") or "")
    if (
        between
        and other is not None
        and (scale := SCALE.search(str(groups["other"])))
        and not SCALE.search(groups["number"])
    ):
        number = read_number(f"{groups['number']} {scale.group()}")  # between 5 and 12 million
    if number is None or not options or operator is None or between != (other is not None):
        return
    yield ValueCondition(options, operator, number, unit, start=found.start())
    if between:
        yield ValueCondition(options, "<=", other, unit, start=found.start())


def _number(text: str) -> int | float | None:
    """A number, or the one of "an hour" and the half of "half an hour"."""
    words = text.split()
    return 0.5 if words[:1] == ["half"] else 1 if words[-1] in ("a", "an") else read_number(text)


def _operator(groups: dict[str, str | None]) -> str | None:
    if groups.get("tail"):
        return TAILS[str(groups["tail"])]
    how = plain(groups.get("how")) or "="
    return ">=" if how == "between" else OPERATORS.get(how) or SIGNS.get(how)


def _options(passage: Passage, groups: dict[str, str | None], unit: str | None) -> tuple[tuple[Attribute, ...], bool]:
    """The attributes that the words of a condition may mean, and whether an adjective means much of them."""
    words, much, named = passage.words, True, True
    if groups.get("noun"):
        options = words.nouns[plain(groups["noun"])]
    elif groups.get("counted"):
        options = words.counted[plain(groups["counted"])]
    elif groups.get("adjective"):
        options = [each.attribute for each in words.plain[plain(groups["adjective"])]]
    elif groups.get("more"):
        graded = words.graded(plain(groups["more"]))
        much = graded[0].much if graded else True
        options = [each.attribute for each in graded if each.much == much]
    elif groups.get("verb"):
        options = words.verbs[plain(groups["verb"])]
    else:
        options, named = list(words.attributes), False
    numbers = [each for each in options if each.kind == "number"]
    if not unit:
        return tuple(numbers), much
    fitting = [each for each in numbers if each.measures == words.units[unit].measures]
    if named and not fitting:
        fitting = [each for each in numbers if not each.measures]  # of a column that states no unit
    return tuple(fitting), much


def _times(passage: Passage) -> Iterator[ValueCondition]:
    words = passage.words
    pattern = (
        rf"{LEAD}{ARTICLE}(?:\b(?P<noun>{words.noun})\s+(?:(?:is|was|of|are|were|lies|falls)\s+)*"
        rf"|\b(?P<verb>{words.verb})\s+)?\b(?P<how>{WHEN})\s+(?:the\s+)?(?:years?\s+)?(?P<time>{TIME})"
        rf"(?:\s*(?:and|to|until|till|through|-|–)\s*(?:the\s+)?(?P<other>{TIME}))?"
        r"(?P<tail>\s+(?:onwards?|or\s+(?:later|after|earlier|before)))?"
    )
    for found in re.finditer(pattern, passage.open):
        options = _timed(passage, found)
        first, other = read_time(found["time"]), read_time(found["other"] or "")
        if not options or first is None or (found["other"] and other is None):
            continue
        made = list(_bounds(options, found, first if other is None else first.until(other)))
        if made and passage.take_condition(*found.span()):
            yield from made


def _timed(passage: Passage, found: re.Match[str]) -> tuple[Attribute, ...]:
    words = passage.words
    if found["noun"]:
        options = words.nouns[plain(found["noun"])]
    elif found["verb"]:
        options = words.verbs[plain(found["verb"])]
    else:
        before = len(passage.open[: found.start("how")].rstrip())
        if before not in passage.types and not passage.text[:before].rstrip().endswith(NAME):
            return ()  # "who won in 1990" is about the winning
        options = list(words.attributes)
        if passage.dated:  # "who ran A in 1990" is about the running too
            options = [each for each in options if each.label in passage.types.get(before, ())]
    return tuple(each for each in options if each.kind == "time")


def _bounds(options: tuple[Attribute, ...], found: re.Match[str], span: Span) -> Iterator[ValueCondition]:
    how, tail = plain(found["how"]), found["tail"] or ""
    options = options if span.whole else tuple(each for each in options if not each.years)
    if not options or (how == "between" and not found["other"]):
        return
    if how in BEFORE:
        bounds = [("<", span.first)]
    elif how in AFTER:
        bounds = [(">=", span.next)]
    elif how in SINCE or any(each in tail for each in ("onward", "later", "after")):
        bounds = [(">=", span.first)]
    elif how in UNTIL or "earlier" in tail or "before" in tail:
        bounds = [("<", span.next)]
    else:
        bounds = [(">=", span.first), ("<", span.next)]
    for operator, day in bounds:
        yield ValueCondition(options, operator, day, start=found.start())
