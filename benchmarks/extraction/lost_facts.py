"""Abstracts whose facts are listed: how many are found, how many statements are right, and at which stage each of the
others is lost.

An abstract is a JSON object with id, title, abstract, entities (type and names by key) and facts (subject and object by
key, relation). An entity of the model is right if a text of it is among the names.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clew.extract.corpus.document import Document, lay_out
from clew.extract.facts.finding import ELSEWHERE, Fact, FactFinder
from clew.extract.facts.status import STATED
from clew.extract.mentions.heads import Head
from clew.extract.statements.prediction import Statement
from clew.extract.statements.relations import STATED as RELATIONS

__all__ = ["STAGES", "Outcome", "read_abstract"]

SYMMETRIC = frozenset(each.name for each in RELATIONS if each.symmetric)
(
    FOUND,
    UNNAMED,
    LEFT_OUT,
    OTHER_TYPE,
    SWITCHED_OFF,
    APART,
    BELOW,
    OTHER_RELATION,
    MARKED,
) = STAGES = (
    "found",
    "a name is not found",
    "a name is left out",
    "a name has another type",
    "the relation is off by default",
    "no sentence names both",
    "below the threshold",
    "another relation is likelier",
    "marked given, denied or speculative",
)
Listed = tuple[str, str, str]
Names = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The stage of each listed fact, by relation, and the statements that are right or wrong, by relation."""

    stages: Mapping[str, Counter[str]]
    right: Counter[str]
    wrong: Counter[str]


def read_abstract(finder: FactFinder, abstract: Mapping[str, Any], *, confidence: float | None = None) -> Outcome:
    """What becomes of the facts of one abstract, at the defaults or from a confidence on."""
    document = Document(abstract["id"], abstract["title"], (abstract["abstract"],), "", "", "")
    text = lay_out(document).text
    named = finder.mentions(text)
    judged = finder.judge(text, named)
    facts = finder.describe(text, named, judged)
    kept = {
        (each.subject, each.relation, each.object)
        for each in judged
        if (each.stated if confidence is None else each.probability >= confidence)
    }
    names: Names = {key: frozenset(map(str.casefold, each["names"])) for key, each in abstract["entities"].items()}
    listed = {(each["subject"], each["relation"], each["object"]) for each in abstract["facts"]}
    right, wrong, hits = Counter[str](), Counter[str](), set[Listed]()
    spelled = _spelled(named)
    for fact in (each for each in facts if each.status == STATED and _key(each) in kept):
        matches = {each for each in listed if _is_meant(fact, each, spelled, names)}
        hits |= matches
        wrong[fact.relation] += not matches
    for _, relation, _ in hits:
        right[relation] += 1
    stages: dict[str, Counter[str]] = defaultdict(Counter)
    for each in listed:
        about = [fact for fact in facts if _is_meant(fact, each, spelled, names)]
        found = (
            FOUND
            if each in hits
            else _lost(finder, abstract, each, names, text, named) or _unstated(finder, about, judged, kept, confidence)
        )
        stages[each[1]][found] += 1
    return Outcome(stages, right, wrong)


def _lost(
    finder: FactFinder,
    abstract: Mapping[str, Any],
    fact: Listed,
    names: Names,
    text: str,
    named: Sequence[tuple[Head, str]],
) -> str | None:
    """Where a name of a fact is lost, or nothing if both are judged."""
    known = {head.text.casefold() for head in finder.names(text)}
    for key in (fact[0], fact[2]):
        types = {type_ for head, type_ in named if head.text.casefold() in names[key]}
        if not names[key] & known:
            return UNNAMED
        if not types:
            return LEFT_OUT
        if abstract["entities"][key]["type"] not in types:
            return OTHER_TYPE
    return None


def _unstated(
    finder: FactFinder,
    about: Sequence[Fact],
    judged: Sequence[Statement],
    kept: set[Listed],
    confidence: float | None,
) -> str:
    """Why a judged pair is no fact."""
    if not about:
        return LEFT_OUT  # both names, but of one entity, or beyond the length that the model reads
    best = max(about, key=lambda each: each.confidence)
    least = finder.model.thresholds[best.relation].default if confidence is None else confidence
    if least >= 1:
        return SWITCHED_OFF
    if confidence is None and ELSEWHERE in best.sentence:
        return APART
    if best.confidence < least:
        return BELOW
    return MARKED if _key(best) in kept else OTHER_RELATION


def _spelled(named: Iterable[tuple[Head, str]]) -> Mapping[str, set[str]]:
    """The texts by which each entity is named."""
    texts: dict[str, set[str]] = defaultdict(set)
    for head, _ in named:
        texts[head.entity or ""].add(head.text.casefold())
    return texts


def _is_meant(fact: Fact, listed: Listed, spelled: Mapping[str, set[str]], names: Names) -> bool:
    one, relation, other = listed
    subject, object_ = spelled[fact.subject], spelled[fact.object]
    straight = subject & names[one] and object_ & names[other]
    turned = relation in SYMMETRIC and subject & names[other] and object_ & names[one]
    return relation == fact.relation and bool(straight or turned)


def _key(fact: Fact) -> Listed:
    return fact.subject, fact.relation, fact.object
