"""Two rounds as a strategy: the findings in a question → diagnoses that a model predicts and the graph connects.

Without a model the ranker of `clew diagnose` answers alone. Not medical advice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from clew.answer.answer import Answer, Cited, Evidence, Item, Support, Usage
from clew.answer.diagnosis.diagnose import NOT_ADVICE, Diagnoses, diagnose_with, predict_for
from clew.answer.diagnosis.two_rounds import DROPPED, RoundSettings, TwoRounds
from clew.answer.plans.assertions.filters import Filters
from clew.answer.resources import Resources
from clew.answer.strategy import Question, Step
from clew.errors import InputError
from clew.lm import Metered
from clew.plurals import counted

__all__ = ["TwoRoundsStrategy"]

LISTED = 10  # names in the text
GUESSED = 0.5  # confidence: a ranking, and no reading of the question


@dataclass(frozen=True, slots=True)
class TwoRoundsStrategy:
    """`k` is the reach of both rounds in hops; `limit` is how many diagnoses the ranker gives without a model."""

    k: int = 2
    limit: int = 10

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Diagnose by the findings that a question names, or abstain with a reason."""
        begun = perf_counter()

        def report(name: str, text: str) -> None:
            if question.report is not None:
                question.report(Step(name, text, perf_counter() - begun))

        try:
            if question.filters != Filters():
                raise InputError("two rounds read whole profiles: leave out conditions on statements")
            found = diagnose_with(resources, note=question.text, limit=self.limit)
        except InputError as refused:
            return Answer(question.text, text=f"{refused}.", abstained=str(refused))
        listed = ", ".join(each.name if each.present else f"no {each.name}" for each in found.findings)
        report("names", f"findings: {listed}")
        model = None if resources.model is None else Metered(resources.model)
        if model is None:
            answer = _ranked(question, found, resources)
        else:
            report("text", f"{model.name} predicts and selects")
            settings, seconds = RoundSettings(k=self.k), question.seconds(resources)
            rounds = predict_for(resources, found, settings, model=model, timeout=seconds)
            report("evidence", "; ".join(f"{each.fate}: {each.name}" for each in rounds.fates) or "no diagnosis")
            answer = _predicted(question, rounds, resources, model.name)
        used = Usage() if model is None else Usage(model.usage.calls, model.usage.prompt_tokens)
        return replace(
            answer,
            named=tuple(each.id for each in found.findings),
            total=len(answer.items),
            interpretation=(f"findings: {listed}", *answer.interpretation, NOT_ADVICE),
            usage=replace(used, execution=perf_counter() - begun),
        )


def _ranked(question: Question, found: Diagnoses, resources: Resources) -> Answer:
    """The best diagnoses of the ranker, with the statements that match a finding."""
    type = found.relations.diagnosis_type
    items, cited = [], {}
    for each in found.items:
        stated = [match.statement for match in each.matches if match.statement is not None and match.weight > 0]
        if stated:
            items.append(Item(each.id, each.name, type, number=each.score))
            cited[each.id] = stated
    return _listed(question, items, cited, f"{found.total:,} diagnoses ranked")


def _predicted(question: Question, rounds: TwoRounds, resources: Resources, model: str) -> Answer:
    """The diagnoses of both rounds, each with its path from a finding."""
    engine = resources.engine
    kept = [each for each in rounds.fates if each.fate != DROPPED and each.path]
    rows = engine.describe(engine.lookup([each.id for each in kept if each.id])).to_pylist() if kept else []
    items = [Item(row["id"], row["name"], row["type"]) for row in rows]
    cited = {each.id: list(each.path) for each in kept if each.id}
    trace = [f"{each.fate}: {each.name}: {each.reason}" for each in rounds.fates]
    answer = _listed(question, items, cited, *trace)
    return replace(answer, decided=f"{model} named {counted(len(rounds.predicted), 'diagnosis')}")


def _listed(question: Question, items: Sequence[Item], cited: Mapping[str, list[Cited]], *trace: str) -> Answer:
    if not items:
        reason = "no diagnosis is connected with the findings"
        return Answer(question.text, text=f"{reason[0].upper()}{reason[1:]}.", abstained=reason, trace=trace)
    names = list(dict.fromkeys(item.name for item in items))  # a disease may have several ids
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    triples = {each.triple: each for own in cited.values() for each in own}
    supports = [Support(id, {}, tuple(each.triple for each in own)) for id, own in cited.items()]
    return Answer(
        question.text,
        text=f"{', '.join(names[:LISTED])}{more}.",
        items=tuple(items),
        evidence=Evidence(tuple(triples.values()), tuple(supports)),
        confidence=GUESSED,
        trace=trace,
    )
