"""What a question says of any plan: which end of a step is which, what holds now, how many are wanted.

In SUPERVISES the subject is the boss: a query for "A's boss" that asks for the object means the subject.
In: a plan that a model wrote, and its question. Out: the plan as the question says it.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from clew.answer.grammar.clauses import Clause, Sentence, find_clauses
from clew.answer.lexicon.words import Words
from clew.answer.models.repairs.present import lasting
from clew.answer.plans.plan import Plan, Step
from clew.answer.quantities.limits import limited
from clew.answer.reading.question import ParsedQuestion
from clew.answer.statements.said_of import with_statements

__all__ = ["as_said"]


def as_said(plan: Plan, question: ParsedQuestion, words: Words) -> Plan:
    """The plan with each step between what is asked for and a name as most parse trees have it, what the question says
    of statements, and its limit."""
    asked = plan.asked[0].of if plan.asked else plan.measure.of if plan.measure is not None else None
    named = {condition.of for part in plan.parts for condition in part.conditions if condition.key == "id"}
    typed = {question.tokens[at].start for word in question.type_words for at in range(word.first, word.last)}

    def turned(step: Step) -> Step:
        if asked not in step.ends or named.isdisjoint({*step.ends} - {asked}) or not _may_be_turned(step, words):
            return step
        sentences = map(find_clauses, question.trees)
        votes = [vote for each in sentences for vote in _votes(step.relations[0], each, typed, words)]
        wrong = sum(vote != (step.subject == asked) for vote in votes)
        return replace(step, subject=step.object, object=step.subject) if 2 * wrong > len(votes) else step

    parts = tuple(replace(part, steps=tuple(map(turned, part.steps))) for part in plan.parts)
    told = with_statements(replace(plan, parts=parts), question, words.schema)
    return limited(lasting(told, question), question)


def _may_be_turned(step: Step, words: Words) -> bool:
    """Whether only words say which end of a step is which."""
    if len(step.relations) != 1 or step.either_way:
        return False
    known = words.schema.relationship(step.relations[0])
    return not known.symmetric and all(ends.subject == ends.object for ends in known.ends)


def _votes(relation: str, sentence: Sentence, typed: Collection[int], words: Words) -> Iterator[bool]:
    """For each clause that joins what is asked for with a name: whether what is asked for is the relation's subject."""
    tree = sentence.tree
    for clause in sentence.clauses:
        if sentence.asked is None or sentence.asked not in (clause.left, clause.right):
            continue
        if tree.words[clause.right if clause.left == sentence.asked else clause.left].anchor is None:
            continue
        noun = tree.words[sentence.asked]
        by_noun = noun.kind == "NOUN" and noun.start not in typed  # the noun of a type says nothing of its part
        vote = _vote(relation, clause, sentence, by_noun=by_noun, words=words)
        if vote is not None:
            yield vote


def _vote(relation: str, clause: Clause, sentence: Sentence, *, by_noun: bool, words: Words) -> bool | None:
    """By the noun that is asked for ("the boss of A"), or by the verb ("who reports to A"); None if neither tells."""
    tree, asked = sentence.tree, sentence.asked
    assert asked is not None
    said = [tree.words[at] for at in clause.words]
    known = words.role_is_subject(relation, tree.words[asked].text) if by_noun else None
    if known is not None or {word.kind for word in said} & {"VERB", "NOUN"} != {"VERB"}:
        return known
    does = words.deed_is_subject(relation, [word.text for word in said], passive=clause.passive)
    return None if does is None else does == (clause.left == asked)
