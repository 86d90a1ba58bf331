"""Plans that contradict their question: such an answer is doubtful at best.

What unbound words do not reveal is checked: who does what to whom ("which planets orbit Titan"), a yes or no that is
answered by a list, an exception ("other than those …") that the plan does not exclude, a verb that is denied ("never
painted") where the plan denies something further away, what is done to one thing ("makes cameras") where the plan has
it done to another that no word mentions (the makers of vehicles that carry cameras), a name of which only one word is
meant ("Ada Moor", of Ada Hill), and whatever `stated.py` finds.
"""

import re

from clew.answer.certainty.deeds import find_misplaced, tells_no_direction, unites_types
from clew.answer.certainty.stated import Owners, departures
from clew.answer.grammar.clauses import Clause, Sentence, find_clauses
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT, Step
from clew.answer.reading.intent import YES_NO
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.question import ParsedQuestion
from clew.answer.statements.said_of import is_unclear

__all__ = ["contradictions"]

EXCEPT = re.compile(r"\b(?:other than|except(?:ing)?|excluding|apart from|aside from|besides|unless)\b", re.IGNORECASE)
DENIED = re.compile(  # "which artists never", "which diseases do not": the verb of what is asked for
    r"\W*(?:which|what|who)\s+(?:\w+\s+){0,2}?(?:(?:have|has|do|does|did|are|is|were|was)\s*)?(?:never\b|not\b|n't\b)",
    re.IGNORECASE,
)
CHOOSING = frozenset({"which", "what", "who", "whom", "whose", "list", "show", "name", "tell", "give", "you", "there"})


def contradictions(interpretation: Interpretation, words: Words, owners: Owners) -> int:
    """In how many ways a plan contradicts its question; `owners` are the labels with each property."""
    return departures(interpretation, words, owners) + sum(
        (
            find_misplaced(interpretation, words) is not None,
            unites_types(interpretation, words),
            tells_no_direction(interpretation, words),
            _lists_for_yes(interpretation),
            _excludes_nothing(interpretation),
            _denies_elsewhere(interpretation),
            _is_done_to_another(interpretation, words),
            _splits_a_name(interpretation.question),
            is_unclear(interpretation.candidate.plan, interpretation.question, words.schema),
        )
    )


def _splits_a_name(question: ParsedQuestion) -> bool:
    """Whether a name of the graph that is not spelt out has another word beside it in the question: "Ada Moor" is not
    Ada Hill."""
    text, capitals = question.text, sum(token.text[0].isupper() for token in question.tokens)
    if 2 * capitals > len(question.tokens):
        return False  # a headline
    for anchor in question.anchors:
        own = {word.lower() for meant in anchor.meanings for word in meant.name.split()}
        spelt = any(set(meant.name.lower().split()) <= set(anchor.text.lower().split()) for meant in anchor.meanings)
        for token in question.tokens:
            beside = text[anchor.end : token.start] == " " or (token.start and text[token.end : anchor.start] == " ")
            if beside and not spelt and token.text[0].isupper() and token.text.lower() not in own:
                return True
    return False


def _is_done_to_another(interpretation: Interpretation, words: Words) -> bool:
    """Whether in most parse trees a verb has a name as its object that the plan reaches by something unmentioned."""
    trees = interpretation.question.trees
    found = sum(
        any(_passes_by(clause, sentence, interpretation, words) for clause in sentence.clauses)
        for sentence in map(find_clauses, trees)
    )
    return 2 * found > len(trees)


def _passes_by(clause: Clause, sentence: Sentence, interpretation: Interpretation, words: Words) -> bool:
    """Whether the relation of a verb leads from what is asked for to a slot that only an unsaid relation joins with
    the name that is the object of the verb."""
    plan, tree = interpretation.candidate.plan, sentence.tree
    said = [tree.words[at] for at in clause.words]
    verbs = [word.text for word in said if word.kind == "VERB"]
    if not plan.asked or clause.left != sentence.asked or clause.passive or len(verbs) != len(said):
        return False
    if tree.words[clause.right].anchor is None:
        return False
    named = {condition.of for part in plan.parts for condition in part.conditions if condition.key == "id"}
    held = {condition.of for part in plan.parts for condition in part.conditions} | {each.of for each in plan.asked}
    spoken = {label for word in interpretation.question.type_words for label in word.labels}
    steps = [step for part in plan.parts for step in part.steps if not step.repeated]
    for step in steps:
        between = set(step.ends) - held
        mentioned = any(words.binds(name, verb) for name in step.relations for verb in verbs)
        if plan.asked[0].of not in step.ends or not between or not mentioned:
            continue
        (slot,) = between
        onward = [each for each in steps if slot in each.ends and named & set(each.ends)]
        if spoken.isdisjoint(plan.slot(slot).types) and any(
            not _is_said(each, interpretation, words) for each in onward
        ):
            return True
    return False


def _is_said(step: Step, interpretation: Interpretation, words: Words) -> bool:
    tokens = interpretation.question.tokens
    return any(
        words.binds(name, token.text) or words.says(name, [each.stem for each in tokens]) > 0
        for name in step.relations
        for token in tokens
    )


def _lists_for_yes(interpretation: Interpretation) -> bool:
    """Whether a list answers a question that asks for yes or no: "Are all countries in Europe?"."""
    said = re.findall(r"\w+", interpretation.question.text.lower())
    plan = interpretation.candidate.plan
    asks = bool(said) and said[0] in YES_NO and not CHOOSING & set(said)
    return asks and plan.kind == "rows" and bool(plan.asked) and not interpretation.question.judged


def _excludes_nothing(interpretation: Interpretation) -> bool:
    """Whether an exception leaves no trace in the plan."""
    candidate = interpretation.candidate
    taken_away = (
        bool(candidate.aside)
        or candidate.plan.kind == "lacks"
        or any(part.kind == ABSENT for part in candidate.plan.parts)
        or any(condition.negated for part in candidate.plan.parts for condition in part.conditions)
        or any(condition.operator == "<>" for part in candidate.plan.parts for condition in part.conditions)
    )
    return EXCEPT.search(interpretation.question.text) is not None and not taken_away


def _denies_elsewhere(interpretation: Interpretation) -> bool:
    """Whether the main verb is denied, but what must be absent concerns entities other than those asked for."""
    plan = interpretation.candidate.plan
    absent = [part for part in plan.parts if part.kind == ABSENT and not part.inside]
    asked = {column.of for column in plan.asked} | ({plan.measure.of} if plan.measure is not None else set())
    near = any(asked & {step.subject, step.object} for part in absent for step in part.steps)
    return bool(absent and asked) and not near and DENIED.match(interpretation.question.text) is not None
