"""Filters that a question says in words: "according to curated sources", "as of 2015", "not from text mining".

Only what the graph can tell apart is recognised: a source that it names, days if it has any, and so on.
"""

import re
from calendar import monthrange
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from weakref import WeakKeyDictionary

import pyarrow as pa
import pyarrow.compute as pc

from clew.answer.lexicon.times import MONTHS
from clew.answer.plans.assertions.filters import Filters
from clew.errors import UnknownName
from clew.graph import GraphContents
from clew.graph.assertions import EXTRACTED_AGENT
from clew.store.layout import StoreSchema

__all__ = ["Provenance", "Spoken", "find_filters", "provenance_of"]

LISTED = 12  # known names in an error
MOST_TRIPLES = 2_000_000  # of graphs whose qualifiers are looked through
FEW_VALUES, MANY_VALUES = 60, 2000  # of a qualifier that is words, and of one whose values are names
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
WORDS = re.compile(r"[^\W\d_]{3,}(?:[ _-][^\W\d_]+){0,3}")
DISTINCT = ("source", "license", "agent_type")  # columns whose values are known by name

SURELY_FROM = (
    r"(?:according to|based on|relying on|going by|supported by|cited (?:by|in)|citing|reported (?:by|in)|sourced from"
    r"|as (?:given|stated|reported) (?:by|in))\s+(?:only\s+)?(?:the\s+)?"
)
PERHAPS_FROM = r"(?:from|using|with|per|by|in)\s+(?:only\s+)?(?:the\s+)?"
FROM = rf"(?:{SURELY_FROM}|{PERHAPS_FROM})"
LEAVING_OUT = (
    r"(?:but |and )?(?:not|no|excluding|except(?: for)?|without|ignoring|other than|leaving out)\s+(?:those\s+)?"
)
STATEMENTS = r"(?:\s+(?:sources?|data|databases?|evidence|knowledge|annotations?|assertions?|statements?|facts?|only))*"
DAY = (
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?"
    rf"|(?:(?P<date>\d\d?)\s+)?(?P<name>{'|'.join(MONTHS)}),?\s+(?P<of>\d{{4}})"
)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CURATED = _compiled(rf"(?:\b{FROM})?\b(?:(?:manually|expert|human|hand)[- ])?curated\b{STATEMENTS}")
MINED = _compiled(
    rf"\b{LEAVING_OUT}(?:{FROM})?"
    rf"(?:text[- ]?min(?:ed|ing)|literature mining|automatic(?:ally)? extract(?:ed|ion))\b{STATEMENTS}"
)
AS_OF = _compiled(rf"\b(?:as (?:of|at|known (?:in|on|by))|valid (?:in|on|at))\s+(?:{DAY})\b")
CONFIDENCE = _compiled(
    r"\b(?:with\s+)?(?:a\s+)?(?:confidence|score)\s*(?:of\s+)?"
    r"(?:at least|above|over|from|greater than|more than|>=?|≥)\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<percent>%|percent)?"
)
CITED = _compiled(rf"\b{FROM}(?:paper\s+|article\s+|publication\s+)?(?P<kind>PMID|DOI)[:\s]*(?P<number>\d[\d./a-z-]*)")
LICENSED = r"\b(?:licen[sc]ed\s+)?under\s+(?:the\s+)?(?:licen[sc]e\s+)?"


@dataclass(frozen=True, slots=True)
class Spoken:
    """Filters, and where in the question they are said."""

    filters: Filters
    spans: tuple[tuple[int, int], ...] = ()


def find_filters(text: str, contents: GraphContents, schema: StoreSchema) -> Spoken:
    """The filters a question mentions, as far as the graph can keep to them."""
    known = provenance_of(contents, schema)
    filters = Filters()
    spans: list[tuple[int, int]] = []
    for found, (start, end) in known.find(text):
        if all(end <= other_start or start >= other_end for other_start, other_end in spans):
            filters = filters.also(found)
            spans.append((start, end))
    return Spoken(filters, tuple(sorted(spans)))


def provenance_of(contents: GraphContents, schema: StoreSchema) -> "Provenance":
    """What a graph's assertions state, worked out once for each graph."""
    known = _known.get(contents)
    if known is None:
        known = _known[contents] = Provenance(contents, schema)
    return known


class Provenance:
    """What the assertions of a graph can be told apart by."""

    def __init__(self, contents: GraphContents, schema: StoreSchema) -> None:
        properties = [each for relationship in schema.relationships for each in relationship.properties]
        self._keys = {each.column: each.name for each in properties if each.name.startswith("q_")}
        self._valued: dict[int, dict[str, tuple[str, ...]]] = {}  # by how many a column may have
        self._seen: dict[str, tuple[str, ...]] | None = None
        self._holding: dict[str, frozenset[str]] | None = None
        self._curated = any(source.curated for source in contents.snapshot.sources)
        self._columns = {each.column for relationship in schema.relationships for each in relationship.properties}
        self._distinct = _distinct(contents, [each for each in DISTINCT if each in self._columns])

    def spoken_values(self, contents: GraphContents) -> dict[str, tuple[str, ...]]:
        """The values of qualifiers that are words, by the names of their columns in queries, where these are few."""
        return self._values_up_to(FEW_VALUES, contents)

    def named_values(self, contents: GraphContents) -> dict[str, tuple[str, ...]]:
        """The same, where there may be more of them: parts that somebody played."""
        return self._values_up_to(MANY_VALUES, contents)

    def numeric(self, contents: GraphContents) -> frozenset[str]:
        """The keys of qualifiers that hold nothing but numbers."""
        valued = self._qualifiers(contents).items()
        return frozenset(self._keys[column] for column, own in valued if own and all(map(NUMBER.fullmatch, own)))

    def holding(self, contents: GraphContents, ids: Collection[str]) -> dict[str, frozenset[str]]:
        """The keys of the qualifiers that have some entities among their values: Congenital onset is an onset."""
        if self._holding is None:
            valued = self._qualifiers(contents).items()
            self._holding = {self._keys[column]: frozenset(own) for column, own in valued}
        found = {id: frozenset(key for key, own in self._holding.items() if id in own) for id in ids}
        return {id: keys for id, keys in found.items() if keys}

    def _values_up_to(self, most: int, contents: GraphContents) -> dict[str, tuple[str, ...]]:
        if most not in self._valued:
            self._valued[most] = {
                self._keys[column]: tuple(filter(WORDS.fullmatch, own))
                for column, own in self._qualifiers(contents).items()
                if len(own) <= most
            }
        return self._valued[most]

    def _qualifiers(self, contents: GraphContents) -> dict[str, tuple[str, ...]]:
        """The distinct values of all qualifiers, looked through once; none in graphs that are too large for it."""
        if self._seen is None:
            few = contents.counts["triples"] <= MOST_TRIPLES
            self._seen = _distinct(contents, list(self._keys)) if few and self._keys else {}
        return self._seen

    def check(self, filters: Filters) -> None:
        """Refuse sources and licences that no assertion of the graph has."""
        for what, column, given in (("source", "source", filters.sources), ("licence", "license", filters.licences)):
            known = self._values(column)
            for name in given:
                if name not in known:
                    close = tuple(get_close_matches(name, known, n=3, cutoff=0.5))
                    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
                    listed = ", ".join(known[:LISTED]) or "none"
                    raise UnknownName(
                        f"no statement of this graph has the {what} {name!r}: {hint}known: {listed}", close=close
                    )

    def find(self, text: str) -> Iterator[tuple[Filters, tuple[int, int]]]:
        if self._has("evidence"):
            for found in CITED.finditer(text):
                yield Filters(cites=(f"{found['kind'].upper()}:{found['number'].rstrip('.-')}",)), found.span()
        if self._has("agent_type"):
            layer = "no-extracted" if EXTRACTED_AGENT in self._values("agent_type") else "all"
            for found in MINED.finditer(text):
                yield Filters(layer=layer), found.span()
        if self._has("agent_type") or self._curated:
            for found in CURATED.finditer(text):
                yield Filters(layer="curated"), found.span()
        if self._has("valid_from") or self._has("valid_to"):
            for found in AS_OF.finditer(text):
                if (day := _day(found)) is not None:
                    yield Filters(as_of=day), found.span()
        if self._has("confidence"):
            for found in CONFIDENCE.finditer(text):
                number = float(found["number"]) / (100 if found["percent"] else 1)
                yield Filters(min_confidence=number), found.span()
        yield from self._find_sources(text)
        yield from self._find_licences(text)

    def _find_sources(self, text: str) -> Iterator[tuple[Filters, tuple[int, int]]]:
        names = {_spoken(name): name for name in self._values("source")}
        if not names:
            return
        one = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        several = rf"(?:source\s+)?(?:{one})(?:\s*(?:,|/|\band\b|\bor\b)\s*(?:{one}))*(?![\w-]){STATEMENTS}"
        pattern = rf"\b(?:(?P<not>{LEAVING_OUT})(?:{FROM})?|(?P<surely>{SURELY_FROM})|{PERHAPS_FROM}){several}"
        for found in re.finditer(pattern, text, re.IGNORECASE):
            if not found["surely"] and not any(_written(name) in found.group() for name in names.values()):
                continue  # "in diseases" is no word about the source DISEASES
            said = [names[each.lower()] for each in re.findall(one, found.group(), re.IGNORECASE)]
            chosen = tuple(dict.fromkeys(said))
            if found["not"]:
                chosen = tuple(name for name in self._values("source") if name not in chosen)
            if chosen:  # where that is every source there is, nothing is left out
                yield Filters(sources=chosen if len(chosen) < len(names) else ()), found.span()

    def _find_licences(self, text: str) -> Iterator[tuple[Filters, tuple[int, int]]]:
        for licence in self._values("license"):
            found = re.search(LICENSED + re.escape(licence), text, re.IGNORECASE)
            if found is not None:
                yield Filters(licences=(licence,)), found.span()

    def _has(self, column: str) -> bool:
        return column in self._columns

    def _values(self, column: str) -> tuple[str, ...]:
        return self._distinct.get(column, ())


def _distinct(contents: GraphContents, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The distinct values of some columns of assertions."""
    found: dict[str, set[str]] = {column: set() for column in columns}
    for block in contents.scan_triples(assertions=columns) if columns else ():
        for column in columns:
            found[column].update(filter(None, pc.unique(block[column]).cast(pa.string()).to_pylist()))
    return {column: tuple(sorted(values)) for column, values in found.items()}


_known: "WeakKeyDictionary[GraphContents, Provenance]" = WeakKeyDictionary()


def _written(source: str) -> str:
    """What people call a source: without the "infores:" before it."""
    return source.rsplit(":", 1)[-1]


def _spoken(source: str) -> str:
    return _written(source).lower()


def _day(found: re.Match[str]) -> str | None:
    """The last day of what was said: "as of 2015" is the end of that year."""
    year = int(found["year"] or found["of"])
    month = int(found["month"] or 0) or (MONTHS.index(found["name"].lower()) + 1 if found["name"] else 12)
    if not 1 <= month <= 12 or year < 1:
        return None
    last = monthrange(year, month)[1]
    day = int(found["day"] or found["date"] or last)
    return f"{year:04d}-{month:02d}-{day:02d}" if 1 <= day <= last else None
