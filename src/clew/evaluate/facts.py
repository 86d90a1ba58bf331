"""Graphs compared by local search: how often the context of a question about a fact states that fact.

The facts are some that a graph was built without; another graph may have got them back from text. No model reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from clew.answer import Question, Resources
from clew.answer.strategies.local import LocalStrategy
from clew.answer.strategies.supports import named_in
from clew.errors import InputError
from clew.evaluate.choices.wording import one_hop_question
from clew.evaluate.journal import Journal
from clew.evaluate.statistics import bootstrap_mean, permutation_test
from clew.progress import Progress, silent

__all__ = ["FactQuestion", "ask_facts", "read_facts", "run_facts"]

COLUMNS = ("subject", "relation", "object")
Asked = dict[tuple[str, int, str], dict[str, Any]]  # graph, seed and question


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """A question for the object of a fact; ids of both ends."""

    id: str
    question: str
    subject: str
    relation: str
    object: str


def read_facts(path: Path) -> list[tuple[str, str, str]]:
    """The rows of a file with the columns subject, relation and object, separated by tabs; each once."""
    if not path.is_file():
        raise InputError(f"{path} is missing: expected a file of facts with the columns {', '.join(COLUMNS)}")
    lines = path.read_text("utf-8").splitlines()
    names = lines[0].split("\t") if lines else []
    if missing := [name for name in COLUMNS if name not in names]:
        raise InputError(f"{path} has no column {missing[0]!r}: expected {', '.join(COLUMNS)}, separated by tabs")
    places = [names.index(name) for name in COLUMNS]
    rows = [line.split("\t") for line in lines[1:] if line.strip()]
    if short := [at for at, row in enumerate(rows, 2) if len(row) <= max(places)]:
        raise InputError(f"{path}, line {short[0]}: expected {len(names)} columns")
    return list(dict.fromkeys((row[places[0]], row[places[1]], row[places[2]]) for row in rows))


def ask_facts(facts: Sequence[tuple[str, str, str]], resources: Resources) -> list[FactQuestion]:
    """Facts as questions, in the words of a graph that has both ends; others are left out."""
    engine = resources.engine
    made = []
    for at, (subject, relation, object_) in enumerate(facts):
        ends = engine.lookup([subject, object_])
        if (ends < 0).any():
            continue
        (named, asked) = engine.describe(ends.tolist()).to_pylist()
        text = one_hop_question(relation, named["name"], asked["type"], asked_is_subject=False)
        made.append(FactQuestion(f"f{at + 1}", text, subject, relation, object_))
    return made


def run_facts(
    graphs: Mapping[str, Resources],
    facts: Sequence[tuple[str, str, str]],
    *,
    count: int,
    seeds: int,
    out: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Ask every graph the same questions, drawn again for each seed; the questions are worded by the first graph."""
    if not graphs:
        raise InputError("no graph is named: give one or more")
    first = next(iter(graphs))
    questions = ask_facts(facts, graphs[first])
    if not questions:
        raise InputError(f"the graph {first} has both ends of none of the {len(facts):,} facts")
    settings = {
        "graphs": {name: resources.engine.snapshot.id for name, resources in graphs.items()},
        "facts": len(facts),
        "count": count,
        "seeds": seeds,
    }
    journal = Journal(out, settings, what="questions about facts")
    known: Asked = {(each["graph"], each["seed"], each["id"]): each for each in journal.records}
    drawn = {seed: Random(seed).sample(questions, min(count, len(questions))) for seed in range(seeds)}
    todo = [(name, seed, each) for seed, own in drawn.items() for each in own for name in graphs]
    for done, (name, seed, question) in enumerate(todo, 1):
        if (name, seed, question.id) not in known:
            record = {"graph": name, "seed": seed, "id": question.id, **_ask(question, graphs[name])}
            known[name, seed, question.id] = record
            journal.append(record)
        progress(f"asking {name}", done, len(todo))
    rows = [_row(name, drawn, known) for name in graphs]
    paired = [_paired(first, name, drawn, known) for name in graphs if name != first]
    left_out = len(facts) - len(questions)
    return {"settings": settings, "questions": len(questions), "left_out": left_out, "rows": rows, "paired": paired}


def _ask(question: FactQuestion, resources: Resources) -> dict[str, Any]:
    """Whether the graph has the fact, and whether its context for the question does."""
    engine = resources.engine
    ends = engine.lookup([question.subject, question.object])
    stated = False
    if (ends >= 0).all() and question.relation in {each.name for each in engine.schema.relations}:
        found = engine.triples([int(ends[0])], direction="out", relations=[question.relation])
        stated = bool((np.asarray(found.object) == ends[1]).any())
    context = LocalStrategy().retrieve(Question(question.question), resources).context
    both = {question.subject, question.object}
    recalled = any(both <= named_in(line).keys() for line in context.lines)
    return {"stated": stated, "recall": recalled, "tokens": context.tokens, "seconds": round(context.seconds, 4)}


def _values(name: str, measure: str, drawn: Mapping[int, Sequence[FactQuestion]], known: Asked) -> list[float]:
    """The mean of each question over the seeds that drew it: a question counts once, whatever the seeds."""
    found: dict[str, list[float]] = {}
    for seed, own in drawn.items():
        for each in own:
            found.setdefault(each.id, []).append(float(known[name, seed, each.id][measure]))
    return [float(np.mean(values)) for values in found.values()]


def _row(name: str, drawn: Mapping[int, Sequence[FactQuestion]], known: Asked) -> dict[str, Any]:
    row: dict[str, Any] = {"graph": name}
    for measure in ("stated", "recall"):
        row[measure] = asdict(bootstrap_mean(_values(name, measure, drawn, known)))
    row["by_seed"] = [
        round(float(np.mean([known[name, seed, each.id]["recall"] for each in own])), 4) for seed, own in drawn.items()
    ]
    for cost in ("tokens", "seconds"):
        row[cost] = round(float(np.mean(_values(name, cost, drawn, known))), 3)
    return row


def _paired(first: str, name: str, drawn: Mapping[int, Sequence[FactQuestion]], known: Asked) -> dict[str, Any]:
    before, after = (_values(each, "recall", drawn, known) for each in (first, name))
    gain = bootstrap_mean(np.subtract(after, before))
    return {"baseline": first, "graph": name, **asdict(gain), "p": permutation_test(before, after).p}
