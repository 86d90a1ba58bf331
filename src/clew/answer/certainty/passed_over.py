"""What a written query passes over in its question: closed words, nothing else, what is now, a passive, help or harm.

A trained model may know what an unlisted noun or verb means; words of amount, comparison, negation, time and
possibility mean the same everywhere. In: a query of a model as it ran. Out: whether its answer can only be doubtful.
"""

import re
from collections.abc import Iterator, Mapping

from clew.answer.certainty.stated import keys_of
from clew.answer.grammar.modality import asks_what_will_be, is_modal
from clew.answer.grammar.parse import Tree
from clew.answer.grammar.roles import COMPARISON, MODAL, NEGATION, PAST, QUANTIFIER
from clew.answer.lexicon.dimensions import tells_direction
from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.numbers import read_number
from clew.answer.lexicon.polarity import HARM, NEITHER, is_of_that_kind, polarity_at
from clew.answer.lexicon.times import is_in_rate
from clew.answer.lexicon.words import Words
from clew.answer.plans.operators import BOUNDS
from clew.answer.plans.plan import ABSENT, COUNTED, Part, Plan
from clew.answer.plans.quantify import root_of
from clew.answer.quantities.small_words import is_bound_to_two
from clew.answer.reading.account import BY_LINKER, Unbound
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.opposed import polar_words
from clew.answer.statements.column_words import is_end

__all__ = ["passes_over"]

CLOSED = (QUANTIFIER, MODAL, PAST)
NOTHING_ELSE = re.compile(r"\b(?:nothing|nobody|no\s?one|none)\s+(?:else|but)\b|\bno\s+others?\b", re.IGNORECASE)
NONE_OF_IT = re.compile(r"\b(?:none|not one|not any|nothing) of (?:it|them|these|those|which|whom)\b", re.IGNORECASE)
NOT_ASKED = re.compile(
    r"\bnot (?:asking|after|interested in|looking for)\b|\bi (?:don't|do not) (?:mean|care|want)\b", re.IGNORECASE
)
GRADED = re.compile(r"\b(?P<than>\w+er)\s+than\b|\d\s*(?:\w+\s+)?or\s+(?P<or>\w+er)\b")
UNGRADED = frozenset({"after", "other", "over", "rather", "under"})  # before "than", or behind "or"
DEGREES = frozenset({"more", "less", "fewer", "most", "least"})
TOGETHER = frozenset({"all", "everything"})  # what a total is of
TODAY = frozenset({"current", "currently", "now", "nowadays", "present", "presently", "today"})
UNITS = frozenset({"percent", "percentage"})


def passes_over(interpretation: Interpretation, polarities: Mapping[str, str], words: Words) -> bool:
    """Whether the plan leaves out what no other word can say; `polarities` are those of the graph's relations."""
    return (
        any(_is_closed(each, interpretation) for each in interpretation.account.unbound)
        or asks_what_will_be(interpretation.question)
        or _denies_nothing(interpretation, polarities)
        or _lets_others_in(interpretation)
        or _takes_a_side(interpretation, words)
        or _denies_of_others(interpretation)
        or NOT_ASKED.search(interpretation.question.text) is not None
        or _helps_nobody(interpretation, polarities, words)
        or _turns_a_passive(interpretation, words)
        or _is_now_in_part(interpretation, words)
    )


def _is_closed(word: Unbound, interpretation: Interpretation) -> bool:
    """Whether a word means the same everywhere: *every*, *fondest*, *own*, *will*.

    Numbers may be stated otherwise, an "older play" is what another goes back to, and all are what a total is of, or
    the first of an order. What takes no room in the question is a value that the first reader guessed.
    """
    text, plan, before = word.text.lower(), interpretation.candidate.plan, interpretation.question.text[: word.start]
    if word.start == word.end or is_in_rate(interpretation.question.text, word.start):
        return False
    first = plan.limit is not None and before.lower().rstrip().endswith(" of")  # "the dearest of all"
    of_all = plan.measure is not None or first
    if read_number(text) is not None or text in UNITS or (text in TOGETHER and of_all):
        return False
    if word.role == COMPARISON:
        return text in DEGREES or text.endswith("est")
    return word.role in CLOSED or is_bound_to_two(text) or is_modal(text)


def _denies_nothing(interpretation: Interpretation, polarities: Mapping[str, str]) -> bool:
    """Whether a question denies something that a plan does not, by a part nor by a relation of harm."""
    denied = any(each.role == NEGATION for each in interpretation.account.unbound)
    return denied and all(polarities.get(name) != HARM for name in interpretation.candidate.relationships)


def _lets_others_in(interpretation: Interpretation) -> bool:
    """Whether "and nothing else" rules nothing out in the plan."""
    plan = interpretation.candidate.plan
    said = NOTHING_ELSE.search(interpretation.question.text) is not None
    return said and plan.kind != "lacks" and not any(part.kind in (ABSENT, COUNTED) for part in plan.parts)


def _takes_a_side(interpretation: Interpretation, words: Words) -> bool:
    """Whether a plan bounds something by a comparative that is in no list: "14 or *finer*" may be more or less."""
    conditions = (each for part in interpretation.candidate.plan.parts for each in part.conditions)
    if not any(each.operator in BOUNDS for each in conditions):
        return False
    found = (each["than"] or each["or"] for each in GRADED.finditer(interpretation.question.text.lower()))
    known = (tells_direction(each) or each in UNGRADED or words.is_class("comparison", each) for each in found)
    return not all(known)


def _denies_of_others(interpretation: Interpretation) -> bool:
    """Whether "none of it" is said of other things than *it*: of who owns gear and has none of it on loan that they
    borrow none. What is denied goes on from a thing of the plan, or repeats a step to such a thing."""
    plan = interpretation.candidate.plan
    if NONE_OF_IT.search(interpretation.question.text) is None:
        return False
    root = root_of(plan)
    stated = {step.relations for step in plan.required.steps}
    known = {end for step in plan.required.steps for end in step.ends} - {root}

    def goes_on(part: Part) -> bool:
        return any(step.relations in stated or not known.isdisjoint(step.ends) for step in part.steps)

    return any(part.kind == ABSENT and not goes_on(part) for part in plan.parts)


def _helps_nobody(interpretation: Interpretation, polarities: Mapping[str, str], words: Words) -> bool:
    """Whether a word of help or harm is met by relations that say neither ("genes that protect from A", *linked to*),
    or help or harm in other ways ("drugs that cure A", *relieves*)."""
    relations, plan = interpretation.candidate.relationships, interpretation.candidate.plan
    if any(polarities.get(name, NEITHER) != NEITHER for name in relations):
        stems = [token.stem for token in interpretation.question.tokens]
        for at, polarity in polarity_at(stems):
            alike = [words.schema.relationship(name) for name in relations if polarities.get(name) == polarity]
            if alike and not any(is_of_that_kind(stems[at], each) for each in alike):
                return True
        return False
    bound = [each for each in interpretation.account.bindings if each.part != BY_LINKER]
    stated = (each.value for part in plan.parts for each in part.conditions if each.key != "id")
    keys = " ".join([*keys_of(plan), *map(str, stated)]).lower()
    polar = dict(polar_words(interpretation.question))
    for token in interpretation.question.tokens:
        met = any(each.start <= token.start < each.end for each in bound) or token.stem in keys
        met = met or _is_noun(token, interpretation) or any(words.binds(name, token.text) for name in relations)
        if token.start in polar and not met:
            return True
    return False


def _is_noun(token: Token, interpretation: Interpretation) -> bool:
    """Whether a word names something: which *poison*, whose *therapy*."""
    for tree in interpretation.question.trees[:1]:
        at = tree.at(token.start)
        return at is not None and tree.words[at].kind == "NOUN"
    return False


def _is_now_in_part(interpretation: Interpretation, words: Words) -> bool:
    """Whether of several steps that may have ended only some must not have: "who now has horses with six trainers"."""
    if TODAY.isdisjoint(token.text.lower() for token in interpretation.question.tokens):
        return False
    parts = interpretation.candidate.plan.parts
    ended = {name for name in interpretation.candidate.relationships if _may_end(name, words)}
    steps = [step for part in parts for step in part.steps if not ended.isdisjoint(step.relations)]
    lasting = {each.of for part in parts for each in part.conditions if is_end(each.key)}
    return 0 < sum(step.name in lasting for step in steps) < len(steps)


def _may_end(relation: str, words: Words) -> bool:
    return any(is_end(each.name) for each in words.schema.relationship(relation).properties)


def _turns_a_passive(interpretation: Interpretation, words: Words) -> bool:
    """Whether in most trees something is said to be done to what does it in the plan: "has it been overruled?" asks
    for no more than that somebody did, who is the end of the step of which nothing else is said."""
    plan, trees = interpretation.candidate.plan, interpretation.question.trees
    dangling = set(_dangling(plan))
    steps = [step for part in plan.parts for step in part.steps if len(step.relations) == 1 and not step.either_way]
    steps = [step for step in steps if not step.repeated and len(dangling & set(step.ends)) == 1]

    def is_turned(tree: Tree) -> bool:
        for verb in _agentless(tree):
            for step in steps:
                (relation,) = step.relations
                one_type = plan.slot(step.subject).types == plan.slot(step.object).types
                if not one_type or not words.binds(relation, verb) or words.goes_both_ways(relation, verb):
                    continue
                if (step.subject in dangling) == words.verb_is_subject(relation, [verb], passive=True):
                    return True
        return False

    return bool(steps) and 2 * sum(map(is_turned, trees)) > len(trees)


def _agentless(tree: Tree) -> Iterator[str]:
    """Verbs in the passive without whoever does it."""
    for at, word in enumerate(tree.words):
        by = [tree.words[child].text.lower() for child in tree.children(at)]
        if word.kind == "VERB" and tree.child(at, "nsubjpass") is not None and "by" not in by:
            yield word.text


def _dangling(plan: Plan) -> Iterator[str]:
    """The slots of one step of which nothing else is said or asked."""
    ends = [end for part in plan.parts for step in part.steps for end in step.ends]
    said = {name for part in plan.parts for each in part.conditions for name in (each.of, *each.others)}
    said |= plan.wanted | {part.count.of for part in plan.parts if part.count is not None}
    return (slot.name for slot in plan.slots if ends.count(slot.name) == 1 and slot.name not in said)
