"""How a question was read, how sure that is, what else it could have meant; or why there is no answer to it."""

from collections.abc import Iterator, Sequence

from clew.answer.answer import Alternative, Ambiguity
from clew.answer.certainty.signs import Competitor
from clew.answer.grammar.roles import ASKED, COMPARISON, STRUCTURE, WH
from clew.answer.lexicon.words import Words
from clew.answer.plans.assertions.filters import Filters
from clew.answer.plans.assertions.show import shown_query
from clew.answer.reading.account import Unbound
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import ParsedQuestion
from clew.answer.reading.rank import Ranked, in_words, names_in
from clew.answer.values.vocabulary import Vocabulary
from clew.answer.wording.amounts import plain_list, value_phrase
from clew.answer.wording.plan_phrases import question_phrase
from clew.answer.wording.recorded import recorded_as
from clew.answer.wording.value_words import type_name
from clew.plurals import plural
from clew.store.layout import Relationship

__all__ = ["SHOWN_ALTERNATIVES", "alternatives_of", "describe", "verbalised", "why_impossible", "why_not", "why_unmet"]

SHOWN_ALTERNATIVES = 3
DOING = {"list": "a list", "count": "the number", "top": "a ranking", "exists": "a yes or no", "path": "a connection"}


def describe(candidate: Candidate, filters: Filters, words: Words) -> list[str]:
    """How the question was interpreted, which assertions it uses, and which entities its names were linked to."""
    said = [f"interpreted as: {verbalised(candidate, words)}", *([str(filters)] if filters else [])]
    shown = candidate.values.shown if candidate.values is not None else None
    if shown is not None and not shown.relation:
        said.append(f"{shown.title}: the column {shown.key} of the entity table")
    for meaning in candidate.meanings:
        several = "any of these entities" if " or " in meaning.name else f"{len(meaning.ids)} entities of this name"
        number = f"{several}: " if len(meaning.ids) > 1 else ""
        said.append(f"{meaning.name} ({meaning.type}): {number}{', '.join(meaning.ids)}")
    return said


def verbalised(candidate: Candidate, words: Words) -> str:
    """A plan in plain English, or where there is no plain phrase, step by step."""
    plan = candidate.plan
    some = f" (any {plan.limit} of them)" if plan.limit is not None and not plan.sort and plan.asked else ""
    if candidate.values is None:
        said = question_phrase(plan, names_in(candidate), words) or in_words(candidate, words, names=True)
        return f"{said}{some}"
    base = question_phrase(candidate.values.base, names_in(candidate), words) or in_words(candidate, words, names=True)
    return f"{value_phrase(candidate, base)}{some}"


def alternatives_of(
    interpretation: Interpretation, competitors: Sequence[Competitor], words: Words
) -> tuple[Alternative, ...]:
    """The next likely ways to read the question, each once: those that answer otherwise, then any that leave words out.

    One that finds something comes before one that finds nothing.
    """
    contested = [
        each.ranked for each in sorted(competitors, key=lambda competitor: not competitor.finds) if each.differs
    ]
    known = {id(each.ranked) for each in competitors}
    rest = [
        each
        for each in interpretation.ranked
        if id(each) not in known and each.candidate is not interpretation.candidate
    ]
    said: dict[str, Ranked] = {}
    for each in (*contested, *rest):
        if len(said) < SHOWN_ALTERNATIVES:
            said.setdefault(verbalised(each.candidate, words), each)
    said.pop(verbalised(interpretation.candidate, words), None)
    return tuple(
        Alternative(shown_query(each.candidate.plan, words.schema), round(each.score, 3), text)
        for text, each in said.items()
    )


def why_not(question: ParsedQuestion, words: Words, close: Sequence[Ambiguity] = ()) -> str:
    """Why there is no answer: what was understood of the question, and what is missing."""
    if question.unmet:
        return f"No statement of this graph has a date: {', '.join(map(repr, question.unmet))} cannot be checked."
    if question.anchors:
        named = [f"{each.text!r} as {each.meanings[0].name} ({each.meanings[0].type})" for each in question.anchors]
        said = [
            f"Recognised {plain_list(named, len(named))}, but nothing in this graph's schema connects them as asked."
        ]
    else:
        said = ["No entity of this graph was recognised in the question."]
    wanted = " or ".join(plural(type_name(label)) for label in question.asked)
    if wanted or question.operation != "list":
        said.append(
            f"Asked for: {DOING.get(question.operation, question.operation)}{f' of {wanted}' if wanted else ''}."
        )
    if question.unrecognised:
        said.append(f"Not recognised: {', '.join(question.unrecognised)}.")
    for each in close:
        said.append(f"{each.text!r} resembles {plain_list([str(one) for one in each.others], len(each.others))}.")
    return " ".join(said)


UNMET = {
    "asked": "this graph records nothing called {}",
    "name": "this graph has no entity called {}",
    "structure": "no relation of this graph means {}",
    "quantifier": "{} cannot be expressed in this graph",
    "comparison": "this graph holds nothing to compare by {}",
    "negation": "what {} denies is not clear",
    "said": "this graph does not say {}",
    "past": "no statement of this graph says that it has ended, as {} does",
    "modal": "this graph states what is, and {} asks for what may, should or will be",
}
CALLED = (ASKED, STRUCTURE, COMPARISON)  # roles of words that may name what is recorded
RECORDED = "how {} is meant is not clear, though this graph records {}"
SHOWN_RECORDED = 3


def why_unmet(interpretation: Interpretation, words: Words, vocabulary: Vocabulary) -> str:
    """Why a question is declined: the words that no plan accounts for, and what the graph could offer instead."""
    by_role: dict[str, list[str]] = {}
    recorded: list[str] = []
    for role, text in _unmet(interpretation.account.missing):
        known = recorded_as(text, words, vocabulary) if role in CALLED else []
        if known:
            recorded.append(RECORDED.format(repr(text), plain_list(known[:SHOWN_RECORDED], len(known))))
        else:
            by_role.setdefault(role, []).append(repr(text))
    unmet = [UNMET[role].format(plain_list(texts, len(texts))) for role, texts in by_role.items()]
    said = "; ".join([*recorded, *unmet])
    offers = [
        f"About {meaning.name} ({meaning.type}) it records: {', '.join(known)}."
        for meaning in dict.fromkeys(interpretation.candidate.meanings)
        if (known := _recorded_of(meaning.type, words))
    ]
    return " ".join([f"{said[:1].upper()}{said[1:]}.", *offers[:2]])


def _unmet(missing: Sequence[Unbound]) -> Iterator[tuple[str, str]]:
    """Words that nothing stands for, and why each is missed.

    A word that asks is said with what it asks (how old), and one that compares with what it compares (highest dose).
    """
    words = list(missing)
    while words:
        first = words.pop(0)
        follows = bool(words) and words[0].start == first.end + 1
        if first.role == COMPARISON and follows and words[0].role in (ASKED, STRUCTURE):
            second = words.pop(0)
            yield second.role, f"{first.text} {second.text}"
        elif first.text.lower() not in WH:
            yield first.role, first.text
        elif follows:
            yield "said", f"{first.text.lower()} {words.pop(0).text}"
        else:
            yield "said", first.text.lower()


def why_impossible(relation: Relationship) -> str:
    """Why neither yes nor no is said: which entities a relation links, and which way."""
    ends = " or ".join(
        f"from {plural(type_name(each.subject))} to {plural(type_name(each.object))}" for each in relation.ends
    )
    return f"No statement of this graph can say so: {relation.called} leads {ends}."


def _recorded_of(type: str, words: Words) -> list[str]:
    """What relations connect with entities of a type."""
    label = words.schema.label_of(type)
    return [
        each.relation
        for each in words.schema.relationships
        if any(label in (ends.subject, ends.object) for ends in each.ends)
    ]
