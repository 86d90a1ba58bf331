"""Names spelt as in the graph, or nearly: ids, exact names, titles, adjectives of places, parts of names, misspellings.

Each function is one stage: it adds what it finds to the search.
"""

from bisect import bisect_left
from dataclasses import replace

from clew.answer.lexicon.forms import is_irregular, tokens_of
from clew.answer.names.adjectives import is_direction, part_of_place, places_of
from clew.answer.names.identifiers import ids_in
from clew.answer.names.likeness import is_symbol, joins, resembles
from clew.answer.names.meanings import Anchor, meanings_of
from clew.answer.names.name_search import NameSearch
from clew.answer.names.numbered import numbered
from clew.answer.names.shortened import shortened
from clew.answer.names.titles import titled

__all__ = [
    "find_adjectives",
    "find_directions",
    "find_ids",
    "find_misspelt",
    "find_numbered",
    "find_shared_heads",
    "find_shortened",
    "find_titled",
    "find_written",
    "widen",
]

ARTICLES = frozenset({"a", "an", "the"})


def find_ids(search: NameSearch) -> None:
    """Ids of entities: "HP:0001250"."""
    for anchor in ids_in(search.text, search.linker):
        search.add(anchor)


def find_written(search: NameSearch) -> None:
    """Names written as in the graph, unless they ask, name a type or are a verb."""
    for mention in search.linker.detect(search.text, marks=False):
        if any(mention.start < each.end and each.start < mention.end for each in search.anchors):
            continue
        tokens = tokens_of(mention.text)
        spoken = search.words.find_types(tokens)
        whole = any(word.first == 0 and word.last == len(tokens) for word in spoken)
        asking = len(tokens) == 1 and search.words.is_asking(tokens[0].stem) and not mention.text.isupper()
        best = mention.linked.best
        if best is not None and not whole and not asking and not _is_no_name(search, mention.start, mention.text):
            meanings = meanings_of(mention.linked.candidates, best)
            search.add(Anchor(mention.start, mention.end, mention.text, meanings))


def _is_no_name(search: NameSearch, start: int, written: str) -> bool:
    """Whether words only look like a name: a cue, or a verb with an object behind it, as in "who won the cup"."""
    at = bisect_left(search.starts, start) + 1
    verb = written.islower() and is_irregular(written) and at < len(search.tokens)
    return search.is_cue(written) or (verb and search.tokens[at].text.lower() in ARTICLES)


def find_numbered(search: NameSearch) -> None:
    """Names said by noun and number: "the sixth series of Bake Off"."""
    known = (search.anchors, search.linker, search.words)
    search.replace(numbered(search.text, search.tokens, *known, typed=search.typed, check_time=search.check_time))


def find_titled(search: NameSearch) -> None:
    """Titles belong to the names of people behind them, also to a surname: "Dr Okafor"."""
    search.replace(titled(search.anchors, search.text, search.linker, search.words))


def widen(search: NameSearch) -> None:
    """Widen names that are part of a misspelt longer one: "glanzman thrombasthenia"."""
    for at, anchor in enumerate(search.anchors):
        search.check_time()
        free = [search.tokens[place] for place in search.free]
        before = [token for token in free if token.end == anchor.start - 1]
        behind = [token for token in free if token.start == anchor.end + 1]
        for start, end in (
            (before[0].start if before else anchor.start, behind[0].end if behind else anchor.end),
            (before[0].start if before else anchor.start, anchor.end),
            (anchor.start, behind[0].end if behind else anchor.end),
        ):
            wider = _misspelt(search, start, end, within=anchor) if end - start > len(anchor.text) else None
            if wider is not None:
                search.anchors[at] = wider
                search.cover(wider)
                break


def find_adjectives(search: NameSearch) -> None:
    """Adjectives of places before a type ("African countries"); one that is a name too may mean either."""
    for word in search.spoken:
        at = word.first - 1
        if word.implied or at < 0 or search.broken[at]:
            continue
        own = next((n for n, each in enumerate(search.anchors) if each.end == search.tokens[at].end), None)
        if own is None and at not in search.free:
            continue
        first, found = places_of(search.tokens, at, search.linker)
        start, end = search.tokens[first].start, search.tokens[at].end
        if not found:
            continue
        if own is None:
            search.anchors = [each for each in search.anchors if each.end <= start or each.start >= end]
            search.add(Anchor(start, end, search.text[start:end], found))
        elif search.anchors[own].start == start:
            known = {meaning.type for meaning in search.anchors[own].meanings}
            more = tuple(meaning for meaning in found if meaning.type not in known)
            search.anchors[own] = replace(search.anchors[own], meanings=(*search.anchors[own].meanings, *more))


def find_directions(search: NameSearch) -> None:
    """Places with a direction before them that the graph calls a little otherwise: "south Asia"."""
    for number, anchor in enumerate(search.anchors):
        at = bisect_left(search.starts, anchor.start) - 1
        if at >= 0 and anchor.start - search.tokens[at].end == 1 and is_direction(search.tokens[at].text):
            written = search.text[search.tokens[at].start : anchor.end]
            found = part_of_place(written, search.linker)
            if found:
                search.anchors[number] = Anchor(search.tokens[at].start, anchor.end, written, found)
                search.cover(search.anchors[number])


def find_shortened(search: NameSearch) -> None:
    """Parts of names that no other name has: "Fellside"."""
    for first, last in list(search.runs()):
        found = shortened(search.text, search.tokens[first].start, search.tokens[last - 1].end, search.linker)
        if found is not None:
            search.add(found)


def find_misspelt(search: NameSearch) -> None:
    """Names that the remaining words resemble."""
    for first, last in search.windows():
        search.check_time()
        if search.is_open(first, last):
            found = _misspelt(search, search.tokens[first].start, search.tokens[last - 1].end)
            if found is not None:
                search.add(found)


def _misspelt(search: NameSearch, start: int, end: int, *, within: Anchor | None = None) -> Anchor | None:
    """The name a misspelt text resembles; around the name `within`, each further word must resemble one of its."""
    written = search.text[start:end]
    linked = search.linker.link(written, last_stage="fuzzy")
    if linked.best is None or search.is_cue(written) or is_symbol(linked.best.matched, written):
        return None
    if within is not None and not resembles(written, within.text, linked.best.matched):
        return None
    return Anchor(start, end, written, meanings_of(linked.candidates, linked.best))


def find_shared_heads(search: NameSearch) -> None:
    """Names that share a head or modifier with the next one: "Angelman, Rett and Pitt-Hopkins syndrome"."""
    waiting = [(anchor.start, anchor.end, anchor.text) for anchor in search.anchors]
    while waiting:
        search.check_time()
        start, end, whole = waiting.pop()
        for first, last in list(search.runs()):
            here, there = search.tokens[first].start, search.tokens[last - 1].end
            run, own = search.text[here:there], whole.split()
            wholes = [f"{run} {' '.join(own[at:])}" for at in range(1, len(own))]
            if not joins(search.text[there:start]):
                wholes = []
            if joins(search.text[end:here]):
                wholes = [f"{' '.join(own[:-at])} {run}" for at in range(1, len(own))]
            found = next((each for each in wholes if search.linker.link(each, last_stage="fuzzy").best), None)
            if found is not None and search.is_open(first, last):
                linked = search.linker.link(found, last_stage="fuzzy")
                assert linked.best is not None
                search.add(Anchor(here, there, run, meanings_of(linked.candidates, linked.best)))
                waiting.append((here, there, found))
