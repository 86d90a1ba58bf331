"""Runs the interpretations of one question within its time, and reports each step to the asker.

Subclasses of named terms are included if the question asks for them, or if nothing matches directly.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

from clew.answer.answer import Answer
from clew.answer.certainty.signs import Competitor, is_contested
from clew.answer.kept import hierarchy_of, owners_of
from clew.answer.plans.condition import Condition
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.denied import deny_of_all, deny_present, deny_subclasses
from clew.answer.plans.plan import ABSENT, COUNTED, REQUIRED, Part, Plan
from clew.answer.plans.schema.untyped import with_untyped
from clew.answer.reading.candidates import HIERARCHY_DEPTH, Candidate
from clew.answer.reading.interpretation import Interpretation
from clew.answer.reading.rank import Ranked
from clew.answer.resources import Resources
from clew.answer.running.expand import with_subclasses
from clew.answer.running.outside import find_outside
from clew.answer.running.run import Outcome, run_plan
from clew.answer.running.same_names import find_same_named
from clew.answer.strategy import Question, Step
from clew.answer.values.outcomes import given, stated_number
from clew.errors import ClewError, Timeout
from clew.store.cypher import write
from clew.store.deadline import Deadline
from clew.store.store import Store

__all__ = ["Ran", "Runner"]

NEAR = 0.9  # plans that score less by more than this are not run as competitors
MOST_COMPETITORS = 4
COMPETITOR_SECONDS = 1.0
SAME_NAME_SECONDS = 2.0
WIDENED = (REQUIRED, ABSENT, COUNTED)  # parts whose names stand for their subclasses too


@dataclass(frozen=True, slots=True)
class Ran:
    """An interpretation, the plan as it was run, and its outcome."""

    interpretation: Interpretation
    candidate: Candidate
    outcome: Outcome
    notes: tuple[str, ...]
    seconds: float

    @property
    def is_empty(self) -> bool:
        """Whether a list was requested and is empty; a number, a yes or a no is never empty."""
        plan = self.candidate.plan
        return plan.kind == "rows" and bool(plan.asked) and not self.outcome.items

    def gives(self, answer: Answer) -> bool:
        """Whether its result is that of an answer: the same entities and the same number, or the same yes or no."""
        value = stated_number(self.candidate, self.outcome)
        if isinstance(value, bool) and isinstance(answer.value, bool):
            return value == answer.value
        found = value, {item.id for item in self.outcome.items}
        return (answer.value, {item.id for item in answer.items}) == found


class Runner:
    """The clock and the store of one question."""

    def __init__(self, resources: Resources, question: Question) -> None:
        self.resources = resources
        self.question = question
        self.engine, self.schema = resources.engine, resources.schema
        seconds = question.seconds(resources)
        self.deadline = Deadline.after(seconds, "question")  # opening things for the first time does not count
        self._begun = perf_counter()
        self._outcomes: dict[Plan, Outcome] = {}

    @cached_property
    def store(self) -> Store:
        """The store; the time it takes to build or open it does not count."""
        begun = perf_counter()
        store = self.resources.store
        self.deadline = self.deadline.later(perf_counter() - begun)
        return store

    @property
    def left(self) -> float:
        """Remaining seconds, more than 0; `Timeout` if there are none."""
        self.deadline.check()
        return max(self.deadline.left, 0.001)

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """A part that runs out of time is reported as the whole question running out of time."""
        try:
            yield
        except Timeout as error:
            raise (self.deadline.passed() if self.deadline.left <= 0 else error) from error

    def report(self, name: str, text: str) -> None:
        """Tell the asker about a step."""
        if self.question.report is not None:
            self.question.report(Step(name, text, perf_counter() - self._begun))

    def run(self, interpretation: Interpretation) -> Ran:
        """Run an interpretation, including subclasses of named terms if requested or if nothing matches directly."""
        begun = perf_counter()
        candidate = _taken_from(self.question.among, interpretation.candidate)
        asked_for = interpretation.question.subclasses or None
        wanted = self.question.subclasses if self.question.subclasses is not None else asked_for
        wider = self._with_subclasses(candidate)
        if wider is None or candidate.plan.kind == "path":
            found = self.outcome(candidate)
            return Ran(interpretation, candidate, found, interpretation.notes, perf_counter() - begun)
        note = "direct annotations only (subclasses not included)"
        denied = self._with_subclasses(candidate, kinds=(ABSENT,))
        if denied is not None and wanted is None:
            candidate, note = denied, "subclasses included in what is denied, not elsewhere"
        outcome = None if wanted else self.outcome(candidate)
        if outcome is None or (wanted is None and not outcome.items and not outcome.value):
            candidate, note = wider, "including subclasses"
            outcome = self.outcome(candidate)
        return Ran(interpretation, candidate, outcome, (*interpretation.notes, note), perf_counter() - begun)

    def competitors(self, ran: Ran) -> list[Competitor]:
        """The plans that could be meant instead, the likeliest first, and whether each gives another answer.

        Those that are far behind, or beyond a few or a fraction of a second, count as different without being run.
        """
        interpretation, found = ran.interpretation, list[Competitor]()
        own = next((each.score for each in interpretation.ranked if each.candidate is interpretation.candidate), 0.0)
        begun = perf_counter()
        for each in interpretation.ranked:
            if not is_contested(interpretation, each):
                continue
            far = (
                own - each.score > NEAR or len(found) >= MOST_COMPETITORS or perf_counter() - begun > COMPETITOR_SECONDS
            )
            other = None if far or ran.candidate.plan.kind == "path" else self._competitor(ran, each)
            if other is None:
                found.append(Competitor(each, differs=True))
            else:
                differs = given(other.outcome) != given(ran.outcome)
                found.append(Competitor(each, differs=differs, finds=not other.is_empty))
        return found

    def _competitor(self, ran: Ran, other: Ranked) -> Ran | None:
        """What another plan for the same question gives; None if it cannot be run."""
        try:
            return self.run(replace(ran.interpretation, candidate=other.candidate))
        except Timeout:
            raise
        except ClewError:
            return None

    def outcome(self, candidate: Candidate, *, as_written: bool = False) -> Outcome:
        """What a plan gives; one for paths is only written, since paths are found apart."""
        plan = candidate.plan
        if not as_written:
            plan = with_untyped(plan, self.schema, owners_of(self.resources))
            plan = deny_present(deny_of_all(plan, [meaning.ids for meaning in candidate.meanings]))
        if plan.kind == "path":
            return Outcome(plan, plan, write(write_statement(plan)))
        if self.question.report is not None:
            self.report("query", write(write_statement(plan)))
        if plan not in self._outcomes:  # two readers, or a plan and its competitors, may mean the same
            found = run_plan(plan, self.store, self.engine, timeout=self.left)
            outside = find_outside(plan, self.engine, self.schema) if found.finds_nothing else ()
            self._outcomes[plan] = replace(found, outside=outside)
        return self._outcomes[plan]

    def same_named(self, outcome: Outcome) -> dict[str, tuple[str, ...]]:
        """Items that share their name with an entity that was taken away; none where that takes too long to tell."""
        try:
            seconds = min(self.left, SAME_NAME_SECONDS)
            return find_same_named(outcome, lambda plan: run_plan(plan, self.store, self.engine, timeout=seconds))
        except Timeout:
            return {}

    def _with_subclasses(self, candidate: Candidate, *, kinds: Collection[str] = WIDENED) -> Candidate | None:
        """A candidate whose named terms, and listed ones that are denied of a name, stand for their subclasses too;
        None if none of them is in a hierarchy."""
        hierarchy = hierarchy_of(self.resources)
        wider = with_subclasses(candidate.plan, hierarchy, deepest=HIERARCHY_DEPTH, kinds=kinds)
        listed = deny_subclasses(wider or candidate.plan, hierarchy, deepest=HIERARCHY_DEPTH)
        found = listed or wider
        return None if found is None else replace(candidate, plan=found)


def _taken_from(ids: Collection[str], candidate: Candidate) -> Candidate:
    """The candidate restricted to answers among the given entities."""
    plan = candidate.plan
    if not ids or not plan.asked:
        return candidate
    chosen = Part(REQUIRED, (), (Condition(plan.asked[0].of, "id", "IN", tuple(sorted(ids))),))
    return replace(candidate, plan=plan.with_part(chosen))
