"""Which attribute a question asks for: "how high is A", "when was A founded", "the population of A", "A's area"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.answer.lexicon.forms import stem, tokens_of
from clew.answer.values.attributes import Attribute
from clew.answer.values.passage import HELPING, NAME, Passage, plain

__all__ = ["AGGREGATES", "Asking", "find_asked"]

AGGREGATES = {"average": "avg", "mean": "avg", "total": "sum", "combined": "sum", "overall": "sum", "summed": "sum"}
SAID_OF_VALUES = r"(?:\w+-\w+|official|exact|full|current|precise|actual|listed|registered)"
WHEN = re.compile(
    r"\b(?:(?:in|on|during|from|of)\s+)?(?:what|which)\s+(?:exact\s+)?(?:year|date|day)\b|\b(?:since\s+)?when\b"
)
CALLED = r"(?:called|call|known(?:\s+as)?|named|referred\s+to(?:\s+as)?|termed)"
OTHER_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<lead>\b(?:what|how)\s+else\s+(?:is|are|was|were|can|could|may|might|do|would)\b(?:\s+(?:you|people|they|one)\b)?)"
        rf".*?(?P<verb>\b(?:be\s+)?(?:{CALLED}|go\s+by)\b)",
        rf"(?P<lead>\b(?:what|how)\s+(?:is|are))\b.*?(?P<verb>\b(?:also|otherwise|alternatively)\s+{CALLED}\b)",
        rf"(?P<lead>\b(?:by|under)\s+(?:what|which)\s+(?:other|alternative)\s+names?\s+(?:is|are|was|does|do))\b.*?(?P<verb>\b(?:{CALLED}|go)\b)",
        r"(?P<lead>\bwhat\s+(?:other|alternative|alternate)\s+(?:names?|terms?)\s+(?:does|do|is|are))\b.*?"
        r"(?P<verb>\b(?:have|go\s+by|used|known\s+by)\b)",
    )
)


@dataclass(frozen=True, slots=True)
class Asking:
    """The attributes that may be asked for, how they are aggregated, and the unit that is wanted."""

    options: tuple[Attribute, ...] = ()
    aggregate: str = ""
    unit: str | None = None
    unsure: bool = False


def find_asked(passage: Passage) -> Asking:
    """The attribute that a question asks for; the stretches that say so are taken."""
    for find in (_how, _how_much, _how_many, _when, _other_names, _noun):
        found = find(passage)
        if found.options:
            return found
    return Asking()


def _how(passage: Passage) -> Asking:
    """ "How high does A lie", "how many minutes long is A", "how many people live in A"."""
    words, text = passage.words, passage.text
    unit = rf"(?:\s*,?\s*\(?(?:measured\s+)?in\s+(?P<unit>{words.unit})\)?\s*,?)?"
    found = re.search(
        rf"\b(?:at\s+)?how\s+(?P<adjective>{words.adjective})(?:\s+(?:an?|of\s+an?)\s+(?P<noun>{words.noun}))?\b{unit}{HELPING}",
        text,
    ) or re.search(
        rf"\bhow\s+(?:many|much)\s+(?:(?P<counted>{words.count})|(?P<unit>{words.unit})"
        rf"(?:\s+(?P<adjective>{words.adjective}))?)\b{HELPING}",
        text,
    )
    if found is None:
        return Asking()
    groups = found.groupdict()
    named = words.unit_named(groups.get("unit"))
    old = groups.get("adjective") in ("old", "young")
    options = _measured(passage, groups, named, old=old)
    ages = [each for each in options if "age" in each.dimensions]
    options = ages or options
    said = bool(groups.get("adjective") or groups.get("noun"))
    if not options or not (said or _asks_for_value(passage, found, options)):
        return Asking()
    passage.take(*found.span())
    _take_verbs(passage, options)
    return Asking(tuple(options), unit=named, unsure=old and not ages)


def _measured(passage: Passage, groups: dict[str, str | None], unit: str | None, *, old: bool) -> list[Attribute]:
    words = passage.words
    if groups.get("noun"):
        options = list(words.nouns[plain(groups["noun"])])
    elif groups.get("counted"):
        options = list(words.counted[plain(groups["counted"])])
    elif groups.get("adjective"):
        options = [each.attribute for each in words.plain[plain(groups["adjective"])]]
    else:
        options = list(words.attributes)
    options = [each for each in options if each.kind == "number" or (old and each.kind == "time")]
    if unit is None:
        return options
    measured = [each for each in options if each.measures == words.units[unit].measures]
    return measured or [each for each in options if not each.measures and groups.get("adjective")]


def _asks_for_value(passage: Passage, found: re.Match[str], options: Sequence[Attribute]) -> bool:
    """Whether "how many people" asks for a value: a verb says so ("live in"), or what has them ("does A have")."""
    rest = passage.text[found.end() :]
    verbs = any(re.search(passage.words.verbs_of(each), rest) for each in options)
    having = re.search(r"\b(?:there\s+(?:in|on|at)|have|has|got|win|won|score[ds]?|get)\b", rest)
    return verbs or having is not None or found.group().split()[-1] in ("does", "do", "did", "has", "have")


def _take_verbs(passage: Passage, options: Sequence[Attribute]) -> None:
    for each in options:
        for found in re.finditer(passage.words.verbs_of(each), passage.text):
            passage.take(*found.span())


def _how_much(passage: Passage) -> Asking:
    """ "How much does A weigh", "how many people can A seat": the verb says what is measured."""
    asking = re.search(
        r"\bhow\s+(?:much(?:\s+money)?|many(?:\s+\w+)?)\s+(?:is|are|was|were|does|do|did|will|would|can|could)\b",
        passage.text,
    )
    if asking is None:
        return Asking()
    for found in re.finditer(rf"\b{passage.words.verb}\b", passage.text[asking.end() :]):
        options = [each for each in passage.words.verbs[plain(found.group())] if each.kind == "number"]
        if options and passage.take(*asking.span()):
            passage.take(asking.end() + found.start(), asking.end() + found.end())
            return Asking(tuple(options))
    return Asking()


def _how_many(passage: Passage) -> Asking:
    """ "How many Oscars did A win", of an attribute that is called oscar_wins."""
    asking = re.search(r"\bhow\s+many\s+(?P<noun>[\w-]+)", passage.text)
    if asking is None:
        return Asking()
    behind = {stem(token.text): token for token in tokens_of(passage.text[asking.end() :])}
    for each in passage.words.attributes:
        first, *rest = map(stem, each.title.split())
        meant = [stem(word) for word in rest] if each.kind == "number" else []
        if first == stem(asking["noun"]) and meant and all(word in behind for word in meant):
            passage.take(*asking.span())
            for word in meant:
                passage.take(asking.end() + behind[word].start, asking.end() + behind[word].end)
            return Asking((each,))
    return Asking()


def _when(passage: Passage) -> Asking:
    """ "When was A founded", "in what year did A come out"."""
    asking = WHEN.search(passage.text)
    if asking is None:
        return Asking()
    for found in re.finditer(rf"\b{passage.words.verb}\b", passage.text):
        options = [each for each in passage.words.verbs[plain(found.group())] if each.kind == "time"]
        if options and passage.take(*found.span()):
            passage.take(*asking.span())
            return Asking(tuple(options))
    return Asking()


def _other_names(passage: Passage) -> Asking:
    """ "What else is A called", "what is A also known as"."""
    names = tuple(each for each in passage.words.attributes if each.key == "synonyms")
    for pattern in OTHER_NAMES if names else ():
        found = pattern.search(passage.text)
        if found is not None and passage.take(*found.span("verb")):
            passage.take(*found.span("lead"))
            return Asking(names)
    return Asking()


def _noun(passage: Passage) -> Asking:
    """ "The population of A", "A's population", "what population does A have", "A population"."""
    words = passage.words
    unit = rf"(?:\s*,?\s*\(?in\s+(?P<unit>{words.unit})\)?\s*,?)?"
    aggregate = rf"(?:(?P<aggregate>{'|'.join(AGGREGATES)})\s+)?"
    for pattern in (
        rf"(?P<said>(?:\bthe\s+|\bits\s+)?(?:{SAID_OF_VALUES}\s+)?{aggregate}\b(?P<noun>{words.noun})\b{unit}\s+(?:of|for|at)\b)"
        r"(?!\s+(?:which|what)\b)",
        rf"{NAME}\s*(?P<said>'s?\s+{aggregate}(?P<noun>{words.noun})\b{unit})",
        rf"(?P<said>\b(?:what|which)\s+{aggregate}(?P<noun>{words.noun})\b{unit})(?=\s+(?:does|do|did|is|has|have|are|was))",
        rf"{NAME}(?:\s+[\w-]+){{0,2}}?\s+(?P<said>(?P<noun>{words.noun}))\s*\??$",
        rf"^\s*(?P<said>(?P<noun>{words.noun}))\s+(?={NAME})",
    ):
        for found in re.finditer(pattern, passage.text):
            if passage.take(*found.span("said")):
                groups = found.groupdict()
                kind = AGGREGATES.get(groups.get("aggregate") or "", "")
                return Asking(tuple(words.nouns[plain(found["noun"])]), kind, words.unit_named(groups.get("unit")))
    return Asking()
