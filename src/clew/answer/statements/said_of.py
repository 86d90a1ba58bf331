"""Names that are said of a statement, not of what it is about: a cataract of congenital onset, severe scoliosis.

A graph may say twice when or how something is: of a disease by a relation of its own (a disease of congenital onset),
and of one of its features by a column of the statement, whose values are entities too (its cataract is congenital).
In: a plan, its question, and which columns hold which entities. Out: the plan with a condition on the statement where
most parse trees join such a name with another name, or with the verb that states it.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from enum import Enum

from clew.answer.grammar.clauses import Clause, Sentence, find_clauses
from clew.answer.names.meanings import Anchor
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import REQUIRED, Plan, Step
from clew.answer.reading.question import ParsedQuestion
from clew.store.layout import StoreSchema

__all__ = ["is_unclear", "with_statements"]

NOUNS = ("NOUN", "PROPN")


class Said(Enum):
    """What most parse trees say that a name is said of."""

    OF_STATEMENT = "statement"
    OF_THING = "thing"
    UNCLEAR = "unclear"


def with_statements(plan: Plan, question: ParsedQuestion, schema: StoreSchema) -> Plan:
    """The plan with the names that are said of statements as conditions on these."""
    for name in question.names:
        said, others = _said_of(name, question)
        if said is Said.OF_STATEMENT:
            plan = _moved(plan, name, others, question, schema) or plan
    return plan


def is_unclear(plan: Plan, question: ParsedQuestion, schema: StoreSchema) -> bool:
    """Whether a name of the plan may be said of a statement instead: parse trees differ."""
    told = ((name, *_said_of(name, question)) for name in question.names)
    return any(said is Said.UNCLEAR and _moved(plan, name, others, question, schema) for name, said, others in told)


def _said_of(name: Anchor, question: ParsedQuestion) -> tuple[Said, list[Anchor]]:
    """What a name is said of that a column of statements holds, and the other names whose statement that may be."""
    if not any(id in question.held for meaning in name.meanings for id in meaning.ids):
        return Said.OF_THING, []
    others: list[Anchor] = []
    of_statement = of_thing = 0
    for sentence in map(find_clauses, question.trees):
        joined = list(_joined(name, sentence))
        found = [each for clause in joined for each in _others(name, clause, sentence, question)]
        others += [each for each in found if each not in others]
        of_statement += bool(found)
        of_thing += not found and any(_is_noun(name, clause, sentence) for clause in joined)
    if of_statement > of_thing:
        return Said.OF_STATEMENT, others
    return (Said.UNCLEAR if of_statement else Said.OF_THING), others


def _joined(name: Anchor, sentence: Sentence) -> Iterator[Clause]:
    for clause in sentence.clauses:
        if any(sentence.tree.words[at].anchor is not None and _stands(name, at, sentence) for at in _ends(clause)):
            yield clause


def _others(name: Anchor, clause: Clause, sentence: Sentence, question: ParsedQuestion) -> Iterator[Anchor]:
    """The names that a clause joins a name with, by itself or by the verb that they are the object of."""
    far = next(at for at in _ends(clause) if not _stands(name, at, sentence))
    yield from (each for each in question.names if _stands(each, far, sentence))
    verbs = {at for at in clause.words if sentence.tree.words[at].kind == "VERB"}
    for other in sentence.clauses:
        more = set(other.words) < set(clause.words)  # "show seizures", "show with onset"; not "with onset and seizures"
        if more and other.left == clause.left and verbs.intersection(other.words):
            yield from (each for each in question.names if _stands(each, other.right, sentence))


def _is_noun(name: Anchor, clause: Clause, sentence: Sentence) -> bool:
    """Whether a clause joins a name with a noun, which "Which" alone is not."""
    far = next(at for at in _ends(clause) if not _stands(name, at, sentence))
    return bool(clause.words) or sentence.tree.words[far].kind in NOUNS


def _stands(name: Anchor, at: int, sentence: Sentence) -> bool:
    word = sentence.tree.words[at]
    return word.anchor is not None and word.start == name.start


def _ends(clause: Clause) -> tuple[int, int]:
    return clause.left, clause.right


def _moved(
    plan: Plan, name: Anchor, others: Collection[Anchor], question: ParsedQuestion, schema: StoreSchema
) -> Plan | None:
    """The plan with a name as a condition on a step to others; None if it has no such step, or needs the name."""
    held, beside = _held(plan, name), {found.of for other in others if (found := _held(plan, other)) is not None}
    own = [] if held is None else [(part, step) for part in plan.parts for step in part.steps if held.of in step.ends]
    if held is None or len(own) != 1 or held.negated or _is_needed(plan, held, own[0][1]):
        return None
    keys = {key for id in held.values for key in question.held.get(str(id), ())}
    around, leading = own[0]
    for part in plan.parts if around.kind == REQUIRED else [around]:
        for step in part.steps:
            key, (root,) = _key(step, keys, schema), {*leading.ends} - {held.of}
            if key is not None and any({*step.ends} == {root, other} for other in beside):
                twin = _twin(plan, root, step, leading)
                return _with_condition(plan, leading, held, step if twin is None else twin, key, idle=twin and step)
    return None


def _twin(plan: Plan, root: str, step: Step, leading: Step) -> Step | None:
    """Another step of the same sort to the same name, where what is at the other end of this one does nothing else.

    "Diseases with cataract of adult onset" are read as diseases with a cataract that others of adult onset have too.
    """
    steps = [each for part in plan.parts for each in part.steps]
    beyond = any(root in each.ends for each in steps if each not in (step, leading))
    if (
        beyond
        or root in plan.wanted
        or any(root in _mentioned(each) for part in plan.parts for each in part.conditions)
    ):
        return None
    (far,) = {*step.ends} - {root}
    alike = (each for each in steps if each != step and each.relations == step.relations and not each.repeated)
    return next((each for each in alike if far in each.ends and each.ends.index(far) == step.ends.index(far)), None)


def _with_condition(plan: Plan, leading: Step, held: Condition, step: Step, key: str, *, idle: Step | None) -> Plan:
    """The plan without the step to a name, and without an idle one, and with a condition on another step."""
    told = step if step.name else replace(step, name=_free_name(plan))
    gone = {leading, *([] if idle is None else [idle])}
    parts = tuple(
        replace(
            part,
            steps=tuple(told if each == step else each for each in part.steps if each not in gone),
            conditions=(
                *(each for each in part.conditions if each != held),
                *([replace(held, of=told.name, key=key)] if step in part.steps else []),
            ),
        )
        for part in plan.parts
    )
    joined = {end for part in parts for each in part.steps for end in each.ends} | plan.wanted
    return replace(plan, slots=tuple(slot for slot in plan.slots if slot.name in joined), parts=parts)


def _is_needed(plan: Plan, held: Condition, step: Step) -> bool:
    """Whether anything else of a plan is about a slot that is held to a name, or about the step to it."""
    conditions = [each for part in plan.parts for each in part.conditions if each != held]
    return held.of in plan.wanted or bool(step.name) or any(held.of in _mentioned(each) for each in conditions)


def _mentioned(condition: Condition) -> set[str]:
    return {condition.of, str(condition.value), *([condition.value.of] if isinstance(condition.value, Asked) else [])}


def _held(plan: Plan, name: Anchor) -> Condition | None:
    """The condition that holds a slot to a name."""
    ids = {id for meaning in name.meanings for id in meaning.ids}
    for part in plan.parts:
        for each in part.conditions:
            if each.key == "id" and each.operator in ("=", "IN") and ids.intersection(map(str, each.values)):
                return each
    return None


def _key(step: Step, keys: Collection[str], schema: StoreSchema) -> str | None:
    if step.repeated or len(step.relations) != 1:
        return None
    known = schema.relationship(step.relations[0])
    return next((each.name for each in known.properties if each.name in keys), None)


def _free_name(plan: Plan) -> str:
    taken = {step.name for part in plan.parts for step in part.steps} | {slot.name for slot in plan.slots}
    return next(name for number in range(1, len(taken) + 2) if (name := f"s{number}") not in taken)
