"""Graphs compared by local search: how often the context of a question has its evidence, and what a model reads in it.

Evidence of a question is a line that has two of its entities: both ends of a fact, or two that the question names.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np

from clew.answer import Question, Resources
from clew.answer.strategies.answering import ContextAnswer, answer_from_context
from clew.answer.strategies.local import LocalStrategy
from clew.answer.strategies.supports import named_in
from clew.errors import InputError
from clew.evaluate.choices.generate import ChoiceQuestion
from clew.evaluate.choices.rows import choose
from clew.evaluate.journal import Journal
from clew.evaluate.statistics import bootstrap_mean, permutation_test
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["NONE", "ask_graph", "draw", "graph_settings", "run_graphs"]

SECONDS = 600.0  # for one question
NONE = "none"  # the row of the model alone
STATED, RECALL, RIGHT = "stated", "recall", "right"
Known = dict[tuple[str, str], dict[str, Any]]  # graph and question
Drawn = Mapping[int, Sequence[ChoiceQuestion]]  # by seed


def draw(questions: Sequence[ChoiceQuestion], *, count: int, seeds: int) -> Drawn:
    """The questions that are asked, for each seed."""
    return {seed: Random(seed).sample(questions, min(count, len(questions))) for seed in range(seeds)}


def run_graphs(
    graphs: Mapping[str, Resources],
    questions: Sequence[ChoiceQuestion],
    *,
    count: int,
    seeds: int,
    out: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Ask every graph the same questions, drawn again for each seed; graphs with a model also answer them.

    A question that several seeds draw is asked once. With a model there is a row without any graph.
    """
    if not graphs or not questions:
        raise InputError("there is no graph to ask, or no question to ask it")
    first = graphs[next(iter(graphs))]
    settings = graph_settings(graphs, questions, count=count, seeds=seeds)
    journal = Journal(out, settings, what="questions to graphs")
    known: Known = {(each["graph"], each["id"]): each for each in journal.records}
    drawn = draw(questions, count=count, seeds=seeds)
    once = list({each.id: each for own in drawn.values() for each in own}.values())
    rows = [*([NONE] if first.model is not None else []), *graphs]
    todo = [(name, question) for question in once for name in rows]
    for done, (name, question) in enumerate(todo, 1):
        if (name, question.id) not in known:
            record = {"graph": name, "id": question.id, **ask_graph(name, question, graphs.get(name, first))}
            known[name, question.id] = record
            journal.append(record)
        progress(f"asking {name}", done, len(todo))
    return {
        "settings": settings,
        "asked": len(once),
        "majority": _commonest([each.gold for each in once]),
        "rows": [_row(name, drawn, known) for name in rows],
        "paired": _paired(rows, drawn, known),
    }


def graph_settings(
    graphs: Mapping[str, Resources], questions: Sequence[ChoiceQuestion], *, count: int, seeds: int
) -> dict[str, Any]:
    """What tells a run from others."""
    first = next(iter(graphs.values()))
    return {
        "graphs": {name: resources.engine.snapshot.id for name, resources in graphs.items()},
        "questions": len(questions),
        "count": count,
        "seeds": seeds,
        "encoder": None if first.encoder is None else first.encoder.identity,
        "model": None if first.model is None else first.model.identity,
    }


def ask_graph(name: str, question: ChoiceQuestion, resources: Resources) -> dict[str, Any]:
    """Whether the graph and its context have the evidence, and what the model chooses."""
    if name == NONE:
        chosen = choose("no-context", question, resources, Counter())
        return _chosen(question, chosen.option, chosen.calls, chosen.tokens)
    begun, asked = perf_counter(), Question(question.question, options=question.options, timeout=SECONDS)
    retrieved = LocalStrategy().retrieve(asked, resources)
    context, ends = retrieved.context, _ends(question)
    record = {
        STATED: _states(question, resources.engine),
        RECALL: any(len(ends & named_in(line).keys()) > 1 for line in context.lines),
        "context": context.tokens,
        "seconds": round(context.seconds, 4),
    }
    if resources.model is None:
        return record
    answer = answer_from_context(ContextAnswer(asked, retrieved, resources), begun=begun)
    tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
    return record | _chosen(question, None if answer.abstained else answer.text, answer.usage.calls, tokens)


def _chosen(question: ChoiceQuestion, option: str | None, calls: int, tokens: int) -> dict[str, Any]:
    return {"option": option, RIGHT: option == question.gold, "calls": calls, "tokens": tokens}


def _ends(question: ChoiceQuestion) -> set[str]:
    """The entities that the question names, and the right option where that is one."""
    gold = [id for id, option in zip(question.ids, question.options, strict=True) if id and option == question.gold]
    return {*question.named, *gold}


def _states(question: ChoiceQuestion, engine: GraphEngine) -> bool:
    """Whether a triple connects two of the question's entities; of a fact, by its own relation and direction."""
    ends = sorted(_ends(question))
    numbers = dict(zip(ends, engine.lookup(ends).tolist(), strict=True)) if ends else {}
    relations = None
    if any(question.ids):
        if question.kind not in {each.name for each in engine.schema.relations}:
            return False
        relations = [question.kind]
    pairs = {(a, b) for a, b in combinations(numbers.values(), 2) if min(a, b) >= 0}
    subjects = [numbers[id] for id in question.named if numbers[id] >= 0]
    if not pairs:
        return False
    found = engine.triples(subjects, direction="both" if relations is None else "out", relations=relations)
    near = zip(np.asarray(found.subject).tolist(), np.asarray(found.object).tolist(), strict=True)
    return any((a, b) in pairs or (b, a) in pairs for a, b in near)


def _values(name: str, measure: str, drawn: Drawn, known: Known) -> list[float]:
    """A measure for every question that was drawn, each once."""
    return [float(known[name, id][measure]) for id in _ids(drawn)]


def _row(name: str, drawn: Drawn, known: Known) -> dict[str, Any]:
    """The means of what a row has, and of recall and right answers for each seed; `read`: right with the evidence."""
    one = known[name, next(iter(drawn[0])).id]
    row: dict[str, Any] = {"graph": name}
    for measure in (STATED, RECALL, RIGHT):
        if measure in one:
            row[measure] = asdict(bootstrap_mean(_values(name, measure, drawn, known)))
            each_seed = (np.mean([known[name, each.id][measure] for each in own]) for own in drawn.values())
            row[f"{measure}_by_seed"] = [round(float(mean), 4) for mean in each_seed]
    if RIGHT in one:
        answers = [known[name, id] for id in _ids(drawn)]
        row["abstained"] = round(float(np.mean([each["option"] is None for each in answers])), 4)
        row["most_chosen"] = _commonest([each["option"] for each in answers])
        if RECALL in one:
            found = [each[RIGHT] for each in answers if each[RECALL]]
            row["read"] = {"right": sum(found), "of": len(found)}
    for cost in ("context", "seconds", "calls", "tokens"):
        if cost in one:
            row[cost] = round(float(np.mean(_values(name, cost, drawn, known))), 3)
    return row


def _commonest(options: Sequence[str | None]) -> dict[str, Any]:
    """The option that occurs most often, and how often."""
    ((option, times),) = Counter(options).most_common(1)
    return {"option": option, "times": times}


def _ids(drawn: Drawn) -> list[str]:
    return list(dict.fromkeys(each.id for own in drawn.values() for each in own))


def _paired(rows: Sequence[str], drawn: Drawn, known: Known) -> list[dict[str, Any]]:
    """Every graph against those before it by recall; by right answers also against the model alone."""
    pairs = [(RECALL, *pair) for pair in combinations((name for name in rows if name != NONE), 2)]
    if NONE in rows:
        pairs += [(RIGHT, *pair) for pair in combinations(rows, 2)]
    found = []
    for measure, baseline, name in pairs:
        before, after = (_values(each, measure, drawn, known) for each in (baseline, name))
        gain = bootstrap_mean(np.subtract(after, before))
        test = permutation_test(before, after)
        found.append({"measure": measure, "baseline": baseline, "graph": name, **asdict(gain), "p": test.p})
    return found
