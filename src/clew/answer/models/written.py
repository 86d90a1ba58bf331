"""A query that a model wrote, as one more reading of a question: run, and checked against every word of it.

The words that a plan accounts for by itself are bound as for any other plan (`reading/account.py`). Of the rest, values
and amounts must be in the plan, and the schema linker, which knows nothing of the model, says what a verb or a noun
means: a plan with a word that neither accounts for answers another question.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.answer.certainty.contradicted import contradictions
from clew.answer.grammar.roles import ASKED, COMPARISON, NEGATION, QUANTIFIER, STRUCTURE
from clew.answer.hearing.linking import Meant
from clew.answer.kept import composer_of, link_of, owners_of, polarity_of, words_of
from clew.answer.lexicon.numbers import find_numbers, read_number
from clew.answer.models.compose import Composed
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.operators import BOUNDS
from clew.answer.plans.plan import ABSENT, COUNTED, Plan
from clew.answer.quantities.small_words import is_small
from clew.answer.reading.account import BY_LINKER, Account, Binding, Unbound, account_for
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.judged import Link
from clew.answer.reading.opposed import is_opposed
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.sketch.sketch import split_words
from clew.errors import ClewError, Timeout
from clew.lm import LanguageModel

__all__ = ["Written", "WrittenReader", "meets", "run_written", "written_reader_of"]

SHARES = {"half": (0.5, 50), "third": (33,), "quarter": (0.25, 25), "majority": (0.5, 50)}  # as columns state them
log = logging.getLogger(__name__)
MEANT = 0.3  # probability of meaning a part of the plan at which words are accounted for


@dataclass(frozen=True, slots=True)
class Written:
    """A plan that a model wrote, as it ran."""

    ran: Ran
    contradicted: bool  # by who does what to whom in the question, or by what it denies or excludes

    @property
    def is_complete(self) -> bool:
        """Whether every needed word is accounted for, and nothing contradicts the question."""
        return not self.ran.interpretation.account.missing and not self.contradicted


class WrittenReader:
    """Lets a model read questions about one graph."""

    def __init__(self, resources: Resources) -> None:
        self._resources, self._composer = resources, composer_of(resources)
        self._words, self._polarity = words_of(resources), polarity_of(resources)

    def read(self, question: ParsedQuestion, model: LanguageModel, runner: Runner) -> Written | None:
        """The first query of a model that finds something; None where it says that the graph has no answer."""
        for composed in self._composer.compose(question, model):
            if is_opposed(question, composed.candidate, self._polarity):
                return None
            ran = run_written(composed, question, model, self._resources, runner)
            if ran is not None and not ran.is_empty:
                told = replace(ran.interpretation, question=question)
                return Written(ran, contradicted=contradictions(told, self._words, owners_of(self._resources)) > 0)
        return None


def run_written(
    composed: Composed, question: ParsedQuestion, model: LanguageModel, resources: Resources, runner: Runner
) -> Ran | None:
    """A plan that a model wrote, run and with an account of the words of the question; None if it does not run."""
    interpretation = Interpretation(
        composed.question,
        composed.candidate,
        repairs=composed.repairs,
        decided=f"{model.name} wrote the query",
        written=True,
        account=_account(question, composed, resources, runner),
    )
    try:
        return runner.run(interpretation)
    except Timeout:
        raise
    except ClewError as error:
        log.info("the plan written by %s does not run: %s", model.name, error)
        return None


def _account(question: ParsedQuestion, composed: Composed, resources: Resources, runner: Runner) -> Account:
    """Which words of a question a plan accounts for: as for any plan, by its values, or according to the linker."""
    candidate, link = composed.candidate, link_of(resources)
    account = account_for(question, candidate, words_of(resources), next(iter(question.trees), None))
    met = {each.start for each in account.unbound if _is_in(each, candidate.plan)}
    spans = list(find_numbers(question.text, _numbers(candidate.plan)))
    met |= {each.start for each in account.unbound if any(start <= each.start < end for start, end in spans)}
    rest = [each for each in account.unbound if each.start not in met]
    met |= set(_meant(question, composed, rest, link, runner))
    bound = [Binding(each.start, each.end, BY_LINKER) for each in account.unbound if each.start in met]
    bindings = sorted([*account.bindings, *bound], key=lambda each: each.start)
    unbound = [each for each in account.unbound if each.start not in met]
    return Account(tuple(bindings), (*unbound, *_values_left(question, candidate.plan)))


def _meant(
    question: ParsedQuestion, composed: Composed, unbound: Sequence[Unbound], link: Link | None, runner: Runner
) -> Iterator[int]:
    """Where words begin that mean a part of the plan, according to the linker."""
    if link is None or not unbound:
        return
    anchors = sorted(question.anchors, key=lambda each: each.start)
    said = split_words(question.text, [(each.start, each.end) for each in anchors])
    linked = link(said, question, runner.deadline.check)
    for each in unbound:
        if is_small(each.text):
            continue
        own = [at for at, word in enumerate(said) if word.start < each.end and each.start < word.end]
        if each.role in (ASKED, STRUCTURE) and own and _share(linked.meant(own), composed) >= MEANT:
            yield each.start


def written_reader_of(resources: Resources) -> WrittenReader:
    """The reader for a graph, made once."""
    return resources.once("written reader", lambda: WrittenReader(resources))


def _share(meant: Meant, composed: Composed) -> float:
    """The probability that words mean any part of a plan."""
    plan = composed.candidate.plan
    labels = {slot.name: slot.types for slot in plan.slots}
    relations = {step.name: step.relations for part in plan.parts for step in part.steps if step.name}
    keys = {(each.of, each.key) for part in plan.parts for each in part.conditions}
    keys |= {(each.of, each.key or "") for each in plan.asked}
    keys |= {(each.by.of, each.by.key or "") for each in plan.sort if each.by is not None}
    keys |= {(each.of, each.key or "") for each in plan.measures}
    return (
        sum(meant.relations.get(name, 0.0) for name in set(composed.candidate.relationships))
        + sum(meant.types.get(label, 0.0) for label in set(composed.candidate.labels))
        + sum(meant.attributes.get((label, key), 0.0) for of, key in keys for label in labels.get(of, ()))
        + sum(meant.columns.get((name, key), 0.0) for of, key in keys for name in relations.get(of, ()))
    )


def _is_in(word: Unbound, plan: Plan) -> bool:
    """Whether a value, an amount, an order or a negation of a plan accounts for a word."""
    conditions = _conditions(plan)
    absent = any(part.kind == ABSENT for part in plan.parts)
    counted = any(part.kind == COUNTED for part in plan.parts) or any(each.bounds for each in plan.measures)
    if read_number(word.text) is not None:  # a number in the plan is bound by its position
        return False
    if word.role == NEGATION:
        return absent or any(map(_denies, conditions))
    if word.role == QUANTIFIER:
        return absent or counted or not _numbers(plan).isdisjoint(SHARES.get(word.text.lower(), ()))
    if word.role == COMPARISON:
        return counted or bool(plan.sort) or any(each.operator in BOUNDS for each in conditions)
    return len(word.text) > 2 and word.text.lower() in _texts(plan)


def _values_left(question: ParsedQuestion, plan: Plan) -> Iterator[Unbound]:
    """Values that the question states for a field and the plan does not have."""
    said = [(each.start, each.value) for each in question.values.conditions if each.value is not None]
    known = _texts(plan)
    for start, value in said:
        number = read_number(str(value)[:4] if isinstance(value, str) else str(value))
        held = number in _numbers(plan) if number is not None else known.issuperset(str(value).lower().split())
        if not held:
            yield Unbound(start, start, str(value), QUANTIFIER)


def meets(plan: Plan, words: Sequence[str]) -> bool:
    """Whether a plan compares something with the number in each of some words: "before 2000"."""
    numbers = _numbers(plan)
    return all(any(find_numbers(each, numbers)) for each in words)


def _conditions(plan: Plan) -> list[Condition]:
    return [each for part in plan.parts for each in part.conditions if each.key != "id"]


def _texts(plan: Plan) -> set[str]:
    """The words of the texts that a plan compares with."""
    return {word for each in _conditions(plan) for word in str(each.value).lower().split()}


def _numbers(plan: Plan) -> set[object]:
    counts: set[object] = {part.count.number for part in plan.parts if part.count is not None and part.count.operator}
    counts |= {value for each in plan.measures for _, value in each.bounds if isinstance(value, int | float)}
    values = [each.value for each in _conditions(plan)]
    counts |= {number for each in values if isinstance(each, Asked) for number in (abs(each.plus), each.times)}
    years = {int(each[:4]) for each in values if isinstance(each, str) and each[:4].isdecimal()}
    numbers = {each for each in values if isinstance(each, int | float)}
    beside = {year + step for year in years for step in (-1, 1)}  # after 2019 is from 2020 on, before 2025 up to 2024
    return {plan.limit, *counts, *numbers, *years, *beside}


def _denies(condition: Condition) -> bool:
    return condition.negated or condition.operator in ("<>", "DIFFERS")
