"""A word of help is never met by a relation of harm, nor the reverse: "what treats A" is not answered by what causes A.

Every name of a question takes the polarity of the words that lead to it; a plan that reaches the name by a relation of
the other polarity is opposed to the question.
"""

from collections.abc import Mapping, Sequence

from clew.answer.lexicon.polarity import HARM, HELP, NEITHER, polarity_at
from clew.answer.names.meanings import Anchor
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion

__all__ = ["is_met", "is_opposed", "is_polar", "polar_words"]

OPPOSITE = {HELP: HARM, HARM: HELP}
LEADING = frozenset({"of", "for", "against", "to", "in", "with"})


def is_polar(question: ParsedQuestion) -> bool:
    """Whether a question has a word of help or harm, without which no plan is opposed to it."""
    return bool(polar_words(question))


def is_opposed(question: ParsedQuestion, candidate: Candidate, relations: Mapping[str, str]) -> bool:
    """Whether a plan meets a word of help with a relation of harm, or the reverse; `relations` has their polarities."""
    words = polar_words(question)
    if not words:
        return False
    wanted = _wanted(question, words)
    plan = candidate.plan
    steps = [step for part in plan.parts for step in part.steps]
    if not question.anchors:
        opposites = _opposites({polarity for _, polarity in words})
        return any(relations.get(name) in opposites for step in steps for name in step.relations)
    held = {
        condition.values: condition.of
        for part in plan.parts
        for condition in part.conditions
        if condition.key == "id" and not condition.negated
    }
    for meaning, polarity in zip(candidate.meanings, wanted, strict=False):
        slot, opposite = held.get(meaning.ids), OPPOSITE.get(polarity)
        touching = (name for step in steps if slot in step.ends for name in step.relations)
        if opposite is not None and any(relations.get(name) == opposite for name in touching):
            return True
    return False


def is_met(question: ParsedQuestion, candidate: Candidate, relations: Mapping[str, str]) -> bool:
    """Whether a plan has a relation for every word of help or harm of the question."""
    has = {relations.get(name) for name in candidate.relationships}
    return {polarity for _, polarity in polar_words(question)} <= has


def polar_words(question: ParsedQuestion) -> list[tuple[int, str]]:
    """Where the question has words of help and harm; one that names a type counts only next to a name."""
    typed = {at for word in question.type_words for at in range(word.first, word.last)}
    found = polarity_at(question.stems)
    return [
        (question.tokens[at].start, polarity)
        for at, polarity in found
        if at not in typed or _is_next_to_a_name(at, question)
    ]


def _is_next_to_a_name(at: int, question: ParsedQuestion) -> bool:
    """Whether a type word leads to a name or follows it: "treatments of asthma", "asthma treatments"."""
    token = question.tokens[at]
    for anchor in question.anchors:
        between = [each.text.lower() for each in question.tokens if token.end <= each.start < anchor.start]
        if token.end <= anchor.start and len(between) == 1 and between[0] in LEADING:
            return True
        if token.start - anchor.end == 1:
            return True
    return False


def _wanted(question: ParsedQuestion, words: Sequence[tuple[int, str]]) -> list[str]:
    """The polarity that leads to each name: of the last such word before it or right behind, or of the name before."""
    found: list[str] = []
    nouns = _nouns_behind(question)
    all_said = {polarity for _, polarity in words}
    only = all_said.pop() if len(all_said) == 1 else NEITHER
    for number, anchor in enumerate(question.anchors):
        start = question.anchors[number - 1].end if number else 0
        before = [polarity for place, polarity in words if start <= place < anchor.start and place not in nouns]
        own = [*before, *(polarity for place, polarity in words if nouns.get(place) == number)]
        found.append(own[-1] if own else _from_others(anchor, found, only))
    return found


def _nouns_behind(question: ParsedQuestion) -> dict[int, int]:
    """Where words for types stand right behind a name, and which name: "asthma treatments"."""
    ends = {anchor.end + 1: number for number, anchor in enumerate(question.anchors)}
    starts = (question.tokens[word.first].start for word in question.type_words)
    return {start: ends[start] for start in starts if start in ends}


def _from_others(anchor: Anchor, before: Sequence[str], only: str) -> str:
    if anchor.beside:  # a relation of its own leads to it
        return NEITHER
    return before[-1] if before else only


def _opposites(polarities: set[str]) -> set[str]:
    return {OPPOSITE[each] for each in polarities} if len(polarities) == 1 else set()
