"""What a name in a question may mean: `Anchor` is the mention, `Meaning` all entities of one type that fit it alike."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from clew.answer.lexicon.forms import Token, tokens_of
from clew.answer.lexicon.words import Words
from clew.graph import GraphContents
from clew.link import Candidate

__all__ = ["Anchor", "Meaning", "either", "inside", "meanings_of", "one_of", "settled", "with_longer_names"]

ALIKE = 0.02  # candidates that differ by less are one meaning
OTHER_TYPE = 0.12  # how much worse an entity of another type may fit
ID_BEHIND = re.compile(r"\s*[(\[,]?\s*(?P<id>[A-Za-z][\w.]*:[\w.-]*\w)\s*[)\]]?")
EITHER = re.compile(r"\s*,?\s*or\s+(?:an?\s+|the\s+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a mention may mean: all entities of one type that it names equally well."""

    type: str
    ids: tuple[str, ...]
    name: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """A mention in the question with its meanings, best first."""

    start: int
    end: int
    text: str
    meanings: tuple[Meaning, ...]
    negated: bool = False
    beside: tuple[str, ...] = ()  # relationships that the words beside it mention


def inside(token: Token, anchors: Iterable[Anchor]) -> bool:
    """Whether a word belongs to a name."""
    return any(anchor.start <= token.start < anchor.end for anchor in anchors)


def meanings_of(candidates: Iterable[Candidate], best: Candidate) -> tuple[Meaning, ...]:
    """Candidates of one type and nearly the best score are one meaning: the question cannot tell them apart."""
    by_type: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_type.setdefault(candidate.type, []).append(candidate)
    meanings = []
    for type, found in by_type.items():
        top = max(found, key=lambda each: each.score)
        alike = [each for each in found if top.score - each.score <= ALIKE and _may_be_one(each, top)]
        if best.score - top.score <= OTHER_TYPE:
            meanings.append(Meaning(type, tuple(sorted(each.id for each in alike)), top.name, top.score, top.reason))
    return tuple(sorted(meanings, key=lambda each: (-each.score, each.type != best.type, each.type)))


def _may_be_one(candidate: Candidate, best: Candidate) -> bool:
    """What only means about the same is another thing, unless it has the same name."""
    return best.stage != "embedding" or candidate.name.casefold() == best.name.casefold()


def with_longer_names(anchors: Iterable[Anchor], contents: GraphContents) -> tuple[Anchor, ...]:
    """Names that may also mean entities of other types whose names begin with them: "epilepsy", epilepsy syndrome."""
    return tuple(_also_longer(anchor, contents) for anchor in anchors)


def _also_longer(anchor: Anchor, contents: GraphContents) -> Anchor:
    known = {meaning.type for meaning in anchor.meanings}
    longer: dict[str, Meaning] = {}
    for found in contents.find(anchor.text):
        if found.how == "prefix" and found.type not in known:
            longer.setdefault(found.type, Meaning(found.type, (found.id,), found.name, found.score, "begins with it"))
    return replace(anchor, meanings=(*anchor.meanings, *longer.values()))


def settled(anchors: Iterable[Anchor], text: str, words: Words) -> list[Anchor]:
    """The names of a question in its order: each once, of the type it says itself."""
    named = [_of_its_type(anchor, words) for anchor in _each_once(_with_ids(anchors, text))]
    return sorted(named, key=lambda anchor: anchor.start)


def either(anchors: Sequence[Anchor], text: str) -> list[Anchor]:
    """Names of one type with "or" between them as one: any of them is meant."""
    joined: list[Anchor] = []
    for anchor in anchors:
        last = joined[-1] if joined else None
        if last is not None and EITHER.fullmatch(text[last.end : anchor.start]):
            types = {meaning.type: meaning for meaning in anchor.meanings}
            both = tuple(_one_of(each, types[each.type]) for each in last.meanings if each.type in types)
            if both:
                joined[-1] = Anchor(last.start, anchor.end, text[last.start : anchor.end], both)
                continue
        joined.append(anchor)
    return joined


def one_of(anchors: Sequence[Anchor]) -> Anchor | None:
    """Several names as one that means any of them; None where no type is common to all."""
    first, *others = anchors
    meanings = first.meanings
    for anchor in others:
        types = {meaning.type: meaning for meaning in anchor.meanings}
        meanings = tuple(_one_of(each, types[each.type]) for each in meanings if each.type in types)
    text = " or ".join(anchor.text for anchor in anchors)
    return replace(first, end=anchors[-1].end, text=text, meanings=meanings) if meanings else None


def _one_of(one: Meaning, other: Meaning) -> Meaning:
    ids = tuple(sorted({*one.ids, *other.ids}))
    return Meaning(one.type, ids, f"{one.name} or {other.name}", min(one.score, other.score), one.reason)


def _of_its_type(anchor: Anchor, words: Words) -> Anchor:
    """Restricted to the type that the name itself says: "Hirschsprung disease" is a disease, though a phenotype too."""
    said = {words.schema.type_of(label) for word in words.find_types(tokens_of(anchor.text)) for label in word.labels}
    fitting = tuple(meaning for meaning in anchor.meanings if meaning.type in said)
    if not fitting or anchor.meanings[0].score - fitting[0].score > ALIKE:
        return anchor
    return replace(anchor, meanings=fitting)


def _with_ids(anchors: Iterable[Anchor], text: str) -> list[Anchor]:
    """Names with their id behind them as one, which means that entity alone: "Marfan syndrome (OMIM:154700)"."""
    found: list[Anchor] = []
    for anchor in sorted(anchors, key=lambda each: each.start):
        if found and anchor.start < found[-1].end:
            continue  # a part of such an id
        behind = ID_BEHIND.match(text, anchor.end)
        own = [
            replace(meaning, ids=(id,))
            for meaning in anchor.meanings
            for id in meaning.ids
            if behind is not None and id.casefold() == behind["id"].casefold()
        ]
        if behind is not None and own:
            anchor = Anchor(anchor.start, behind.end(), text[anchor.start : behind.end()], (own[0],))
        found.append(anchor)
    return found


def _each_once(anchors: Iterable[Anchor]) -> list[Anchor]:
    """Without names that say again what a surer one has said: "bluish whites of the eyes (blue sclera)"."""
    kept: list[Anchor] = []
    for anchor in sorted(anchors, key=lambda each: -each.meanings[0].score):
        if all(anchor.meanings[0].ids != other.meanings[0].ids for other in kept):
            kept.append(anchor)
    return kept
