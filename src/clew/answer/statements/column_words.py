"""Which column of a statement a question asks for: "which papers support …", "according to which database …".

Documents and sources are asked for in many ways, which are patterns here; their words are in qualifiers.json. Any other
column is asked for by its own name: "with what affinity does A bind B".
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any

from clew.answer.lexicon.families import spelt_out
from clew.answer.lexicon.forms import word_table
from clew.plurals import plural

__all__ = ["find_column", "is_end", "is_time"]

Spans = tuple[tuple[int, int], ...]
HELPING = r"(?:(?:do|does|did|is|are|was|were|have|has|had|been|be|can|could|there|we|you|it|also)\s+)*"
TIMES = frozenset({"since", "year", "date", "start", "begin", "end", "from", "to", "until", "when"})
AMOUNTS = frozenset({"amount", "quantity", "dose", "dosage", "volume", "price", "cost", "fee"})
ENDS = frozenset({"end", "to", "until"})
WHEN = re.compile(
    r"\b(?:(?:since|until|till|from|in|on|as\s+of)\s+)?(?:(?:what|which)\s+(?:exact\s+)?(?:year|date|day)|when)\b",
    re.IGNORECASE,
)
BOUNDS = re.compile(
    r"\b(?:(?P<end>until|till|end(?:ed)?|stop(?:ped)?|finish(?:ed)?|expired?)|starte?d?|beg[iau]n|(?P<also>join(?:ed)?|left))\b",
    re.IGNORECASE,
)
NOT_ASKED = frozenset({"source", "evidence", "document", "negated", "license", "confidence", "valid_from", "valid_to"})


def find_column(text: str, keys: Collection[str], *, is_type: Callable[[str], bool]) -> tuple[str | None, Spans]:
    """The column that is asked for, of those that the statements of a graph have, and where that is said.

    A column that is called like a type of the graph (`is_type`) is not asked for by its name: the type is.
    """
    for name, phrases in _table()["asking"].items():
        key = next((each for each in (name, f"q_{name}") if each in keys), None)
        found = re.search(rf"\b{_either(phrases)}\b", text, re.IGNORECASE) if key is not None else None
        if found is not None:
            return key, (found.span(),)
    for name in ("source", "evidence"):  # a source database is a source
        if name in keys and (spans := _document(text, name)):
            return name, spans
    own = [key for key in keys if not is_type(key.removeprefix("q_").replace("_", " "))]
    key, spans = _own_name(text, own)
    return (key, spans) if key is not None else _time(text, own)


def _document(text: str, name: str) -> Spans:
    for pattern in _patterns(name):
        found = pattern.search(text)
        if found is not None:
            groups = [group for group in ("said", "behind") if group in found.groupdict() and found[group]]
            return tuple(found.span(group) for group in groups)
    return ()


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """Patterns that ask for documents or sources; their named groups are the words to remove from the statement."""
    table = _table()
    nouns = table["documents"][name]
    noun = (
        rf"(?:(?:scientific|published|primary|original|medical|underlying)\s+)?{_either([*nouns, *map(plural, nouns)])}"
    )
    stating = rf"(?:{_either(table['stating'])}(?:s|es|d|ed|ing)?|said|shown|found|held|backs?\s+up|cited|given|listed)"
    statement = rf"(?:the\s+|this\s+|an?\s+)?{_either([*table['statements'], *map(plural, table['statements'])])}"
    about = rf"(?:\s+(?:that|for|on|{statement})(?:\s+(?:that|between|of|from|linking|for|about|on))*)*"
    asked: tuple[str, ...] = (
        rf"(?P<said>\b(?:which|what|whose)\s+{noun}\s+(?:that\s+)?{HELPING}{stating}\b{about})",
        rf"(?P<said>\baccording\s+to\s+(?:which|what)\s+{noun}\b)",
        rf"(?P<said>\b(?:in|by|from|on)\s+(?:which|what)\s+{noun}\b(?:\s+(?:is|was)\s+it\s+{stating}\s+that\b)?)",
        rf"(?P<said>\b(?:which|what)\s+(?:is|are|was|were)\s+the\s+{noun}\s+(?:of|for|behind|{stating}|that\s+{stating})\b{about})",
        rf"(?P<said>\b(?:which|what)\s+{noun}\s+(?:is|are)\s+(?:there|cited|given|listed)\b{about})",
        rf"^(?P<said>\W*(?:(?:list|give|show|name|find)\s+)?(?:me\s+)?(?:the\s+|all\s+)*{noun}\s+"
        rf"(?:for|behind|{stating}|that\s+{stating})\b{about})",
    )
    if name == "source":
        asked += (
            r"(?P<said>\baccording\s+to\s+whom\b|\bwho\s+(?:says|claims|reports|states|reported|asserts)\b(?:\s+that\b)?)",
            rf"(?P<said>\bwhere\s+(?:does|do|did)\s+{statement}{about}).*?(?P<behind>\bcomes?\s+from\b)",
        )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in asked)


def _own_name(text: str, keys: Iterable[str]) -> tuple[str | None, Spans]:
    for key in keys:
        if key in NOT_ASKED or not key.startswith("q_") or _words_of(key) <= TIMES:
            continue
        words = [word for word in _spelt(key) if len(word) > 2]
        called = " ".join(words)
        forms = {called, plural(called), called.removesuffix("s")} - {""}
        much = r"|how\s+much(?:\s+of)?()" if AMOUNTS.intersection(words) else ""
        found = forms and re.search(
            rf"\b(?:(?:with|by|at|in|of|through|to|as)\s+)?(?:(?:what|which)\s+(?:(?:is|are|was|were)\s+)?(?:the\s+)?"
            rf"(?:(?:kind|type|sort)s?\s+of\s+)?|how\s+many\s+){_either(forms)}\b(?:\s+(?:of|for|between)\b)?{much}",
            text,
            re.IGNORECASE,
        )
        if found:
            return key, (found.span(),)
    return None, ()


def _time(text: str, keys: Iterable[str]) -> tuple[str | None, Spans]:
    """The column that says since or until when a statement holds: "since which year", "when did A join B"."""
    asking = WHEN.search(text)
    if asking is None:
        return None, ()
    verb = BOUNDS.search(text)
    ends = verb is not None and verb["end"] is not None
    said = set(text.lower().split())
    timed = sorted(
        (key for key in keys if is_time(key) and is_end(key) == ends),
        key=lambda key: (said.isdisjoint(_words_of(key)), _words_of(key) == {"year"}),
    )
    spans = [asking.span(), *([verb.span()] if verb is not None and verb["also"] is None else [])]
    return (timed[0], tuple(sorted(set(spans)))) if timed else (None, ())


def is_time(key: str) -> bool:
    """Whether a column of statements says when they hold."""
    return key.startswith("q_") and bool(TIMES & _words_of(key))


def is_end(key: str) -> bool:
    """Whether a column of statements says until when they hold."""
    return bool(ENDS & _words_of(key))


def _words_of(key: str) -> set[str]:
    return set(_spelt(key))


def _spelt(key: str) -> list[str]:
    """The words of a column's name, written out."""
    return spelt_out(key.removeprefix("q_"))


def _either(phrases: Iterable[str]) -> str:
    listed = sorted(dict.fromkeys(phrases), key=len, reverse=True)
    patterns = (r"\s+".join(map(re.escape, each.split())) for each in listed)
    return f"(?:{'|'.join(patterns)})" if listed else "(?!)"


def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = word_table("qualifiers.json")
    return table
