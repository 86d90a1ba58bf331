"""Answer every question of a benchmark, score the answers, and verify their evidence in the graph."""

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from clew._version import __version__
from clew.answer import Answer, Asker
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.errors import ClewError, QueryError
from clew.evaluate.evidence import check_evidence
from clew.evaluate.metrics import Given, GoldSet, GoldTop, ItemScore, Seconds, score, summarise
from clew.evaluate.questions import GoldQuestion, Reading, work_out
from clew.evaluate.revision import revision
from clew.progress import Progress, silent, track
from clew.store.cypher import parse

__all__ = ["Asked", "ask_all", "cold_seconds", "run_record"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was asked, what came back, how it scored, and what is wrong with its evidence."""

    question: str
    answer: Answer | None
    score: ItemScore
    readings: tuple[Reading, ...]
    failure: str | None
    faults: tuple[str, ...]

    @property
    def covered(self) -> bool:
        """Whether the graph has everything that one gold query names."""
        return any(not reading.missing for reading in self.readings)


def ask_all(
    bench: Sequence[GoldQuestion], asker: Asker, *, paraphrases: bool = False, progress: Progress = silent
) -> Iterator[Asked]:
    """Each question once, or each of its paraphrases; all gold is computed before the first is asked."""
    gold = [tuple(work_out(each, asker)) for each in track(bench, "computing the gold", progress, total=len(bench))]
    pairs = zip(bench, gold, strict=True)
    for question, readings in track(pairs, "asking", progress, total=len(bench)):
        texts = question.paraphrases if paraphrases else (question.question,)
        for number, text in enumerate(texts, start=1):
            name = f"{question.id}-{number}" if paraphrases else question.id
            yield _ask(name, question.level, text, readings, asker)


def _ask(name: str, level: str, text: str, readings: tuple[Reading, ...], asker: Asker) -> Asked:
    golds = [reading.gold for reading in readings]
    try:
        answer = asker.ask(text)
    except ClewError as error:
        return Asked(text, None, score(name, level, Given(failed=True), golds), readings, str(error), ())
    usage = answer.usage
    scored = score(
        name,
        level,
        _given(answer),
        golds,
        query_match=_same_query(answer, readings),
        seconds=Seconds(usage.understanding, usage.execution, usage.text),
    )
    return Asked(text, answer, scored, readings, None, tuple(check_evidence(answer, asker.resources.engine)))


def _given(answer: Answer) -> Given:
    if answer.abstained is not None:
        return Given(abstained=True)
    return Given(tuple((item.id, item.number) for item in answer.items), answer.value)


def _same_query(answer: Answer, readings: Sequence[Reading]) -> bool:
    """Whether the query that ran says the same as one of the gold queries."""
    if not answer.query:
        return False
    try:
        plan = read_plan(parse(answer.query))
    except QueryError:
        return False  # it says more than a plan can, as no gold query does
    return any(reading.plan is not None and same(plan, reading.plan) for reading in readings)


def run_record(name: str, asked: Sequence[Asked], asker: Asker, *, settings: dict[str, Any]) -> dict[str, Any]:
    """The run as JSON, in the shape that `clew.evaluate.report` reads."""
    summary = summarise([each.score for each in asked], covered={each.score.id for each in asked if each.covered})
    answered = [each for each in asked if each.answer is not None and each.answer.abstained is None]
    sound = sum(not each.faults for each in answered)
    return {
        "bench": name,
        "n": len(asked),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": revision(),
        "version": __version__,
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()},
        "settings": settings,
        "graph": Path(asker.resources.engine.snapshot.name).name,
        "snapshot": asker.resources.engine.snapshot.id,
        "summary": asdict(summary),
        "questions": [_row(each) for each in asked],
        "comparisons": [],
        "notes": [f"evidence verified in the graph: {sound} of {len(answered)} answers without fault"],
    }


def _row(asked: Asked) -> dict[str, Any]:
    answer = asked.answer
    row: dict[str, Any] = {
        "question": asked.question,
        "answer": answer.text if answer else "",
        "understood": list(answer.interpretation) if answer else [],
        "query": answer.query if answer else "",
        "expected": [_said(reading) for reading in asked.readings],
        "expected_queries": [reading.text for reading in asked.readings],
        "covered": asked.covered,
        "model_calls": answer.usage.calls if answer else 0,
        "score": asdict(asked.score),
    }
    missing = dict.fromkeys(each for reading in asked.readings for each in reading.missing)
    if not asked.covered:
        row["missing"] = list(missing)
    if answer and answer.decided:
        row["decided"] = answer.decided
    trouble = asked.failure or (answer.abstained if answer else None)
    if trouble or asked.faults:
        row["note"] = "; ".join(filter(None, [trouble, *asked.faults]))
    return row


def _said(reading: Reading) -> str:
    gold = reading.gold
    if isinstance(gold, GoldSet):
        shown = sorted(gold.ids)[:5]
        return f"{len(gold.ids)} items: {', '.join(shown)}{', …' if len(gold.ids) > len(shown) else ''}"
    if isinstance(gold, GoldTop):
        return f"the first {gold.n} of {len(gold.rows)}"
    return str(gold.value)


def cold_seconds(asker: Asker, question: str) -> float:
    """How long the first question takes, with everything opened for it."""
    begun = perf_counter()
    with suppress(ClewError):  # it is asked once more, and counts then
        asker.ask(question)
    return perf_counter() - begun
