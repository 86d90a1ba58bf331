"""Cypher that a model writes by itself: under a grammar of the graph's own, read into a plan, checked, or refused.

In: an understood question. Out: at most two candidate plans, the second only if the first is no good: after a mistake
the model is told of it, after a query without rows it writes one of single steps. What it writes is never run as text.
"""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from clew.answer.lexicon.words import Words
from clew.answer.models.examples import make_examples
from clew.answer.models.schema_grammar import HOPS, Placeholder, query_grammar, vocabulary_of
from clew.answer.plans.check import check_plan
from clew.answer.plans.filters import with_filters
from clew.answer.plans.ground import names_to_ids
from clew.answer.plans.plan import Asked, Condition, Plan, Slot
from clew.answer.plans.read import read_plan
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import Anchor, Meaning, ParsedQuestion
from clew.answer.reading.simplify import is_sure
from clew.errors import InputError, ModelError, QueryError, Timeout
from clew.lm import LanguageModel, Message, Request, Unreachable, load_prompt, strip
from clew.store.cypher import parse
from clew.store.layout import StoreSchema
from clew.traverse import GraphEngine

__all__ = ["Composed", "Composer", "one_column"]

log = logging.getLogger(__name__)
MOST_TOKENS = 200
PROMPTED = 12  # joins that the prompt lists; the grammar has all of them
EVERYDAY = 4  # other words for a name
MOST_MEANINGS = 3
QUOTED = re.compile(r"[\"“]([^\"“”]{2,60})[\"”]")
NUMBER = re.compile(r"\b\d{1,6}\b")


@dataclass(frozen=True, slots=True)
class Composed:
    """A plan that a model wrote, with the names it mentions and what had to be repaired."""

    question: ParsedQuestion  # without names that the model did not take for names
    candidate: Candidate
    repairs: tuple[str, ...]


class Composer:
    """Lets models write queries for one graph; the long beginning of its prompts is the same for every question."""

    def __init__(self, engine: GraphEngine, schema: StoreSchema, words: Words) -> None:
        self.engine = engine
        self.schema = schema
        self.words = words
        self.vocabulary = vocabulary_of(schema)

    def compose(self, question: ParsedQuestion, model: LanguageModel) -> Iterator[Composed]:
        """What the model makes of a question; asking for the second says that the first was no good."""
        held = self.placeholders(question)
        messages = [*self.beginning, _turn(question.text, list(held))]
        hops, before = HOPS, ""
        for _ in range(2):
            text = self._write(model, messages, self.grammar(question, hops=hops))
            if text is None or text == before:
                return
            log.debug("%s wrote %s", model.name, text)
            try:
                composed = self.read(text, question, held)
            except InputError as error:
                problem = f"cannot be used: {error}"
            else:
                yield composed
                problem, hops = "finds nothing in this graph", 1
            before = text
            messages += [
                Message("assistant", text),
                Message("user", load_prompt("clew.answer", "compose_again.txt").format(problem=problem)),
            ]

    def placeholders(self, question: ParsedQuestion) -> dict[Placeholder, Meaning]:
        """What the question names, each meaning with a name of its own: $disease1, $phenotype1."""
        counts: dict[str, int] = {}
        found = {}
        types = {label.type: label.name for label in self.schema.labels}
        for anchor in question.anchors:
            for meaning in anchor.meanings[:MOST_MEANINGS]:
                if meaning.type not in types:
                    continue
                variable = self.vocabulary.variables[types[meaning.type]]
                counts[variable] = counts.get(variable, 0) + 1
                placeholder = Placeholder(f"{variable}{counts[variable]}", types[meaning.type], anchor.text)
                found[placeholder] = meaning
        return found

    def grammar(self, question: ParsedQuestion, *, hops: int = HOPS) -> str:
        """The grammar for one question: with its placeholders, its numbers and what it puts in quotes.

        A question without an operation is read as a plain list, so a list leaves every operation open.
        """
        return query_grammar(
            self.vocabulary,
            list(self.placeholders(question)),
            hops=hops,
            values=[*QUOTED.findall(question.text), *NUMBER.findall(question.text)],
            operation=None if question.operation == "list" else question.operation,
            asked=[label for label in question.asked if label in self.vocabulary.variables],
            denying=question.denied or any(anchor.negated for anchor in question.anchors),
        )

    def read(self, text: str, question: ParsedQuestion, held: Mapping[Placeholder, Meaning]) -> Composed:
        """The plan of a text, fitted to the graph; raises `QueryError` with what is wrong with it."""
        given = {placeholder.name: meaning.ids for placeholder, meaning in held.items()}
        plan = self._typed(_listed(read_plan(parse(text), given)))
        checked = check_plan(plan, self.schema, other_names={**self.words.types, **self.words.relations})
        plan = one_column(_listed(names_to_ids(checked.plan, self.engine, self.schema)))
        _refuse_nobody(plan)
        meanings = {anchor: used for anchor in question.anchors if (used := _used(anchor, plan)) is not None}
        missing = [anchor.text for anchor in question.anchors if anchor not in meanings and is_sure(anchor)]
        if missing:
            raise QueryError(f"it does not mention {', '.join(missing)}")
        question = replace(question, anchors=tuple(meanings))
        plan = with_filters(plan, question.filters)
        return Composed(question, _candidate(plan, tuple(meanings.values())), checked.repairs)

    # what the model is shown ----------------------------------------------------------------------------------------

    @cached_property
    def beginning(self) -> list[Message]:
        """The part of the conversation that every question shares, so that a model need read it only once."""
        joins = self.vocabulary.joins[:PROMPTED]
        system = load_prompt("clew.answer", "compose.txt").format(
            joins="\n".join(map(str, joins)), words=self._everyday_names()
        )
        messages = [Message("system", system)]
        for example in make_examples(self.engine, self.schema, self.vocabulary, self.words):
            messages += [_turn(example.question, example.placeholders), Message("assistant", example.query)]
        return messages

    def _everyday_names(self) -> str:
        joins = self.vocabulary.joins[:PROMPTED]
        labels = dict.fromkeys(label for join in joins for label in (join.subject, join.object))
        relationships = dict.fromkeys(join.relationship for join in joins)
        named = [*((label, self.words.types[label]) for label in labels)]
        named += [(name, self.words.relations[name]) for name in relationships]
        return "\n".join(f"{name}: {', '.join(others[:EVERYDAY])}" for name, others in named if len(others) > 1)

    def _write(self, model: LanguageModel, messages: Sequence[Message], grammar: str) -> str | None:
        """What the model writes; None where it fails. Servers without grammars are asked without one."""
        for wanted in (grammar, None):
            try:
                completion = model.complete(Request(messages, max_tokens=MOST_TOKENS, grammar=wanted))
            except (Unreachable, Timeout) as error:
                log.info("no query was written: %s", error)
                return None
            except ModelError as error:
                log.info("no query was written%s: %s", " under a grammar" if wanted else "", error)
                continue
            return strip(completion.text)
        return None

    def _typed(self, plan: Plan) -> Plan:
        """With the labels implied by the names of variables, where no label was written."""

        def typed(slot: Slot) -> Slot:
            label = self.vocabulary.label_of(slot.name)
            return slot if slot.types or label is None else replace(slot, types=(label,))

        return replace(plan, slots=tuple(map(typed, plan.slots)))


def one_column(plan: Plan) -> Plan:
    """The plan with entities, or values of one property, as its answer; raises `QueryError` where it asks for more."""
    if plan.kind != "rows" or not plan.asked or plan.attribute is not None:
        return plan
    asked = {column.of for column in plan.asked}
    if len(asked) > 1 or not any(slot.name in asked for slot in plan.slots):
        raise QueryError("an answer is one column of entities: return one variable of the pattern")
    return replace(plan, asked=(Asked(plan.asked[0].of),))


def _listed(plan: Plan) -> Plan:
    """Being equal to a list of ids means being one of them."""

    def listed(condition: Condition) -> Condition:
        value = condition.value
        if condition.operator != "=" or not isinstance(value, tuple):
            return condition
        return replace(condition, operator="IN") if len(value) != 1 else replace(condition, value=value[0])

    parts = tuple(replace(part, conditions=tuple(map(listed, part.conditions))) for part in plan.parts)
    return replace(plan, parts=parts)


def _refuse_nobody(plan: Plan) -> None:
    for part in plan.parts:
        for condition in part.conditions:
            if condition.key == "id" and condition.value == ():
                label = " or ".join(plan.slot(condition.of).types) or "entity"
                raise QueryError(f"the graph has no {label} of the name that is written: use the parameters")


def _used(anchor: Anchor, plan: Plan) -> Meaning | None:
    """The meaning of a name that a plan mentions."""
    mentioned = set()
    for part in plan.parts:
        for condition in part.conditions:
            if condition.key == "id":
                mentioned |= set(condition.value if isinstance(condition.value, tuple) else (condition.value,))
    return next((meaning for meaning in anchor.meanings if not mentioned.isdisjoint(meaning.ids)), None)


def _candidate(plan: Plan, meanings: tuple[Meaning, ...]) -> Candidate:
    of = plan.asked[0].of if plan.asked else plan.measure.of if plan.measure else None
    labels = [label for slot in plan.slots if slot.name == of for label in slot.types]
    return Candidate(
        plan,
        labels[0] if labels and plan.kind == "rows" else None,
        meanings,
        tuple(name for part in plan.parts for step in part.steps for name in step.relations),
        tuple(label for slot in plan.slots for label in slot.types),
    )


def _turn(question: str, held: Sequence[Placeholder]) -> Message:
    names = "\n".join(map(str, held))
    return Message("user", f"{question}\n{names}" if names else question)
