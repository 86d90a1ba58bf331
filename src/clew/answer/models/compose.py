"""Cypher that a model writes by itself, under a grammar made from the graph: read into a plan and checked, or refused.

In: a parsed question. Out: at most two candidate plans, the second only if the first fails; none where the model says
that the graph has no answer. What it writes is never run as text.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp

from clew.answer.lexicon.words import Words
from clew.answer.models.repairs.described import told_apart
from clew.answer.models.repairs.fitting import fitting_relations
from clew.answer.models.repairs.joining import (
    bridge_names,
    columns_own_steps,
    join_variables,
    known_parameters,
    one_of_several,
    with_columns,
    without_columns,
)
from clew.answer.models.repairs.labels import ImpliedLabels
from clew.answer.models.repairs.names import alike_properties, joined_by_or, said_twice, two_by_one_variable
from clew.answer.models.repairs.places import inside_places, relations_of_places
from clew.answer.models.repairs.values import with_known_values
from clew.answer.models.schema_grammar import NONE, Placeholder, query_grammar
from clew.answer.models.shown_schema import ShownSchema
from clew.answer.plans.assertions.filters import with_filters
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.plan import Plan
from clew.answer.plans.schema.check import Checked, check_plan
from clew.answer.plans.schema.containment import containing, either_way, within_places
from clew.answer.plans.schema.ground import names_to_ids
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import Anchor, Meaning, ParsedQuestion
from clew.answer.reading.simplify import is_sure
from clew.errors import InputError, ModelError, QueryError, Timeout
from clew.graph.encode import UNTYPED
from clew.lm import Completion, LanguageModel, Message, Request, Unreachable, load_prompt, strip
from clew.store.cypher import parse
from clew.store.cypher.syntax import Statement
from clew.store.layout import StoreSchema
from clew.traverse import GraphEngine

__all__ = ["Composed", "Composer", "with_first_column"]

log = logging.getLogger(__name__)
MOST_TOKENS = 150
MOST_MEANINGS = 3
ALTERNATIVES = 5  # tokens whose probabilities are reported
MOST_CALLED = 50  # entities whose names begin with what is written
OVERRULED = -5.0  # log-probability of a token below which the grammar chose it, not the model
RELUCTANT = 0.2  # probability of a query at which NONE is no longer accepted
REPAIRS = (
    alike_properties,
    two_by_one_variable,
    bridge_names,
    join_variables,
    with_columns,
    without_columns,
    columns_own_steps,
)


@dataclass(frozen=True, slots=True)
class Composed:
    """A plan that a model wrote, with the names it mentions and what had to be repaired."""

    question: ParsedQuestion  # without the names that the model did not use as names
    candidate: Candidate
    repairs: tuple[str, ...]


class Composer:
    """Lets models write queries for one graph; all its prompts have the same long beginning.

    `mutual` are relationships that hold both ways but are stated one way.
    """

    def __init__(
        self,
        engine: GraphEngine,
        schema: StoreSchema,
        shown: ShownSchema,
        words: Words,
        *,
        mutual: frozenset[str] = frozenset(),
    ) -> None:
        self.engine = engine
        self.schema = schema
        self.shown = shown
        self.words = words
        self.mutual = mutual
        self.nested = containing(schema)
        self.lying = relations_of_places(schema)
        self._labels = ImpliedLabels(schema, shown, words)

    def compose(self, question: ParsedQuestion, model: LanguageModel) -> Iterator[Composed]:
        """The plans that a model writes for a question; asking for the second means that the first failed."""
        held = self.placeholders(question)
        messages = [*self.beginning, self._turn(question.text, list(held))]
        before = ""
        for _ in range(2):
            text = self._write(model, messages, question.text, list(held))
            if text is None or text in (NONE, before):
                return
            log.debug("%s wrote %s", model.name, text)
            try:
                composed = self.read(text, question, held)
            except InputError as error:
                problem = f"cannot be used: {error}"
            else:
                yield composed
                problem = "finds nothing in this graph"
            before = text
            messages += [
                Message("assistant", text),
                Message("user", load_prompt("clew.answer", "compose_again.txt").format(problem=problem)),
            ]

    def placeholders(self, question: ParsedQuestion) -> dict[Placeholder, Meaning]:
        """A placeholder for each meaning of each name in the question: $disease1, $phenotype1."""
        return {each: meaning for own in self.named(question).values() for each, meaning in own.items()}

    def named(self, question: ParsedQuestion) -> dict[Anchor, dict[Placeholder, Meaning]]:
        """The placeholders of each name."""
        counts: dict[str, int] = {}
        found: dict[Anchor, dict[Placeholder, Meaning]] = {}
        types = {label.type: label.name for label in self.schema.labels}
        for anchor in question.anchors:
            own = found[anchor] = dict[Placeholder, Meaning]()
            for meaning in anchor.meanings[:MOST_MEANINGS]:
                if meaning.type not in types:
                    continue
                label = types[meaning.type]
                variable = self.shown.variables[label]
                counts[variable] = counts.get(variable, 0) + 1
                typed = meaning.type != UNTYPED
                placeholder = Placeholder(
                    f"{variable}{counts[variable]}", (label,) if typed else (), anchor.text, variable if typed else ""
                )
                own[placeholder] = meaning
        return found

    def read(self, text: str, question: ParsedQuestion, held: Mapping[Placeholder, Meaning]) -> Composed:
        """The plan of a written query, fitted to the graph; raises `QueryError` with what is wrong with it."""
        given = {placeholder.name: meaning.ids for placeholder, meaning in held.items()}
        statement, done = known_parameters(parse(one_of_several(text)), list(given))
        statement, twice = said_twice(statement, list(held))
        for name, others in joined_by_or(statement, self.named(question), question.text).items():
            given[name] = tuple(dict.fromkeys((*given[name], *(id for each in others for id in given[each]))))
        joined = [*done, *twice]
        for repair in REPAIRS:
            statement, done = repair(statement, self.shown)
            joined += done
        try:
            checked = self._checked(statement, given, question)
        except QueryError:
            statement, done = fitting_relations(statement, self.shown)
            if not done:
                raise
            joined += done
            checked = self._checked(statement, given, question)
        plan = _listed(names_to_ids(self._called(checked.plan), self.engine, self.schema))
        plan = with_first_column(plan)
        _refuse_nobody(plan)
        meanings = {anchor: used for anchor in question.anchors if (used := _used(anchor, plan)) is not None}
        unused = [anchor for anchor in question.anchors if anchor not in meanings]
        plan, left = told_apart(plan, question.text, meanings, unused, self.engine)
        missing = [anchor.text for anchor in left if is_sure(anchor)]
        if missing:
            raise QueryError(f"it does not mention {', '.join(missing)}")
        question = replace(question, anchors=tuple(meanings))
        said = {id: anchor.text for anchor, meaning in meanings.items() for id in meaning.ids}
        plan = either_way(with_known_values(plan, self.shown, self.engine, said), self.mutual)
        plan = within_places(plan, self.schema, self.nested)
        plan = inside_places(plan, self.engine, self.schema, self.lying)
        plan = with_filters(plan, question.filters)
        return Composed(question, _candidate(plan, tuple(meanings.values())), (*joined, *checked.repairs))

    def _checked(self, statement: Statement, given: Mapping[str, tuple[str, ...]], question: ParsedQuestion) -> Checked:
        """The plan of a statement, with the labels it implies, fitted to the schema."""
        plan = self._labels.typed(_listed(read_plan(statement, given)), question)
        return check_plan(plan, self.schema, other_names={**self.words.types, **self.words.relations})

    # what the model is shown ----------------------------------------------------------------------------------------

    @cached_property
    def beginning(self) -> list[Message]:
        """The part of the conversation that every question shares, so that a model need read it only once.

        Worked examples over another graph come first: they are the same for every graph.
        """
        shown, *examples = load_prompt("clew.answer", "compose_examples.txt").split("\n\n")
        messages = [Message("system", load_prompt("clew.answer", "compose.txt"))]
        for number, example in enumerate(examples):
            asked, query = example.rsplit("\n", 1)
            messages += [Message("user", asked if number else f"{shown}\n\n{asked}"), Message("assistant", query)]
        return messages

    def _turn(self, question: str, placeholders: Sequence[Placeholder]) -> Message:
        names = "\n".join(map(str, placeholders))
        asked = f"Question: {' '.join(question.split())}{chr(10) if names else ''}{names}"
        return Message("user", f"Another graph:\n{self.shown}\n\n{asked}")

    def _write(
        self, model: LanguageModel, messages: Sequence[Message], question: str, held: Sequence[Placeholder]
    ) -> str | None:
        """What the model writes; None where it fails. After a NONE without conviction it has to write a query.

        Log-probabilities are those before the grammar restricts the choice.
        """
        said = self._complete(model, messages, query_grammar(self.shown, held, question))
        if said is not None and strip(said.text) == NONE and _chance_of_a_query(said) >= RELUCTANT:
            said = self._complete(model, messages, query_grammar(self.shown, held, question, none=False)) or said
        if said is None or any(token.logprob < OVERRULED for token in said.logprobs):
            return None  # the grammar chose a token: the query is not what the model means
        return strip(said.text)

    def _complete(self, model: LanguageModel, messages: Sequence[Message], grammar: str) -> Completion | None:
        """A completion; None where the model fails. Servers without grammars are asked without one."""
        for wanted in (grammar, None):
            try:
                return model.complete(Request(messages, max_tokens=MOST_TOKENS, grammar=wanted, logprobs=ALTERNATIVES))
            except (Unreachable, Timeout) as error:
                log.info("no query was written: %s", error)
                return None
            except ModelError as error:
                log.info("no query was written%s: %s", " under a grammar" if wanted else "", error)
        return None

    def _called(self, plan: Plan) -> Plan:
        """The plan with ids where the model wrote a name in place of an id."""
        types = {slot.name: {self.schema.type_of(label) for label in slot.types} for slot in plan.slots}

        def called(condition: Condition) -> Condition:
            value = condition.value
            if condition.key != "id" or condition.operator != "=" or not isinstance(value, str):
                return condition
            if self.engine.lookup([value])[0] >= 0:
                return condition
            return replace(condition, operator="IN", value=self._ids(value, types[condition.of]))

        parts = tuple(replace(part, conditions=tuple(map(called, part.conditions))) for part in plan.parts)
        return replace(plan, parts=parts)

    def _ids(self, name: str, types: Collection[str]) -> tuple[str, ...]:
        """The entities of a name, or else those of whose names it is the beginning: all the races called so."""
        whole = self.engine.find(name, whole=True)
        begun = (each for each in self.engine.find(name, limit=MOST_CALLED) if _begins(each.name, name))
        named = (tuple(each.id for each in found if not types or each.type in types) for found in (whole, begun))
        return next(filter(None, named), ())


def _begins(name: str, text: str) -> bool:
    words = text.casefold().split()
    return name.casefold().split()[: len(words)] == words


def _chance_of_a_query(said: Completion) -> float:
    """The probability that the model would have begun a query, if it reports it."""
    first = said.logprobs[0].alternatives if said.logprobs else ()
    return sum(exp(logprob) for token, logprob in first if token.strip() == "MATCH")


def with_first_column(plan: Plan) -> Plan:
    """The plan with the entity that its answer lists as its first column, else a value; the other columns follow.

    Raises `QueryError` if it asks for a number for each of several, or for statements themselves.
    """
    if plan.kind != "rows" or not plan.asked:
        return plan
    slots = {slot.name for slot in plan.slots}
    columns = list(dict.fromkeys(Asked(each.of) if _is_entity(each, slots) else each for each in plan.asked))
    if plan.measure is not None:
        columns = list(dict.fromkeys(Asked(each.of) for each in plan.asked))
    if any(each.key is None and each.of not in slots for each in columns) or (plan.measure and len(columns) > 1):
        raise QueryError("an answer lists entities or values: return variables of the pattern, or properties of them")
    itself = next((each for each in plan.asked if each.key is None), None)  # rather than by its id or name
    first = itself or next((each for each in columns if each.key is None), columns[0])
    return replace(plan, asked=(first, *(each for each in columns if each != first)))


def _is_entity(column: Asked, slots: set[str]) -> bool:
    return column.of in slots and column.key in (None, "id", "name") and not (column.sized or column.numeric)


def _listed(plan: Plan) -> Plan:
    """The plan in which equality with a list of ids means membership in it, and a list of such lists is one list."""

    def listed(condition: Condition) -> Condition:
        if condition.operator not in ("=", "<>", "IN") or not isinstance(condition.value, tuple):
            return condition
        values = tuple(each for one in condition.value for each in (one if isinstance(one, tuple) else (one,)))
        if condition.operator == "IN":
            return replace(condition, value=values)
        if len(values) == 1:
            return replace(condition, value=values[0])
        return replace(
            condition, operator="IN", value=values, negated=condition.negated != (condition.operator == "<>")
        )

    parts = tuple(replace(part, conditions=tuple(map(listed, part.conditions))) for part in plan.parts)
    return replace(plan, parts=parts)


def _refuse_nobody(plan: Plan) -> None:
    for part in plan.parts:
        for condition in part.conditions:
            if condition.key == "id" and condition.value == ():
                label = " or ".join(plan.slot(condition.of).types) or "entity"
                raise QueryError(f"the graph has no {label} of the name that is written: use the parameters")


def _used(anchor: Anchor, plan: Plan) -> Meaning | None:
    """The meaning of a name that a plan mentions, by its ids or as a value."""
    mentioned = {
        each.casefold() if isinstance(each, str) and condition.key != "id" else each
        for part in plan.parts
        for condition in part.conditions
        for each in condition.values
    }

    def said(meaning: Meaning) -> set[str]:
        return {*meaning.ids, *(id.casefold() for id in meaning.ids), meaning.name.casefold()}

    return next((meaning for meaning in anchor.meanings if not mentioned.isdisjoint(said(meaning))), None)


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
