"""The shape of a run's JSON, and of several runs compared.

bench, n                 name of the bench, number of questions
when, commit, version    time in ISO form; commit of the code (+: with changes), else its version; its version
machine, settings        names → plain values
graph, snapshot          name of the graph and the snapshot it was asked in
summary                  asdict(clew.evaluate.metrics.Summary)
questions                one row each: texts, model_calls, and score = asdict(clew.evaluate.metrics.ItemScore)
comparisons              first and second (names of runs), measure, test = asdict(PairedTest)
models                   optional: what a language model changed between two runs
cold_seconds, notes      optional: the first question after a start; sentences to print with the figures
"""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict, cast

from clew.errors import InputError

__all__ = [
    "Compared",
    "Comparison",
    "Figure",
    "Level",
    "ModelChange",
    "PairedFigures",
    "Question",
    "Run",
    "RunFigures",
    "Score",
    "Summarised",
    "Times",
    "read_run",
]


class Figure(TypedDict):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


class Times(TypedDict):
    """Seconds of a phase over questions."""

    mean: float
    deviation: float
    median: float
    p95: float


class Level(TypedDict):
    """The figures of one level, or of all."""

    level: str
    n: int
    answered: int
    measures: dict[str, Figure]
    selective_accuracy: Figure | None
    abstention_rate: float
    failure_rate: float
    coverage: float | None
    latency: dict[str, Times]


class Summarised(TypedDict):
    levels: list[Level]
    pooled: Level


class Score(TypedDict):
    """What a question scored; `reading` is the index of the matched interpretation in `expected`."""

    id: str
    level: str
    result_match: bool
    query_match: bool
    measures: dict[str, float]
    reading: int | None
    abstained: bool
    failed: bool
    seconds: dict[str, float]  # understanding, execution, text


class Question(TypedDict):
    """A question, what was made of it and what was wanted."""

    question: str
    answer: str
    understood: list[str]  # how the question was interpreted
    query: str
    expected: list[str]  # a text for each accepted interpretation
    score: Score
    note: NotRequired[str]  # why it abstained or failed
    expected_queries: NotRequired[list[str]]
    covered: NotRequired[bool]
    missing: NotRequired[list[str]]  # what of the gold the graph does not have
    model_calls: NotRequired[int]
    decided: NotRequired[str]  # what a language model did to the interpretation


class PairedFigures(TypedDict):
    """A paired test."""

    method: str
    difference: float
    p: float
    n: int
    gained: int
    lost: int


class Comparison(TypedDict):
    """A paired test of one measure between two runs, over all questions or those of one level."""

    first: str
    second: str
    measure: str
    test: PairedFigures
    level: NotRequired[str]


class ModelChange(TypedDict):
    """What a language model changed: the first run is without it, the second with it."""

    first: str
    second: str
    n: int  # questions
    called: int  # questions for which it was called
    calls: int
    wrong_to_right: int  # among those
    right_to_wrong: int
    net: int
    p: float  # McNemar's
    elsewhere: int  # questions that changed though it was not called: not its doing


class Run(TypedDict):
    """All of it; see the module."""

    bench: str
    n: int
    when: str
    commit: str
    version: NotRequired[str]
    machine: dict[str, Any]
    settings: dict[str, Any]
    graph: str
    snapshot: str
    summary: Summarised
    questions: list[Question]
    comparisons: list[Comparison]
    models: NotRequired[list[ModelChange]]
    cold_seconds: NotRequired[float | None]
    notes: NotRequired[list[str]]


class RunFigures(TypedDict):
    """One of several runs that are compared."""

    name: str
    when: str
    commit: str
    settings: dict[str, Any]
    levels: list[Level]  # the last is all of them
    model_calls: int


class Compared(TypedDict):
    """Several runs of one bench; each after the first is compared with the first."""

    bench: str
    graph: str
    snapshot: str
    n: int
    runs: list[RunFigures]
    comparisons: list[Comparison]
    models: list[ModelChange]


def read_run(raw: Mapping[str, Any]) -> Run:
    """The run in parsed JSON, once its parts are all there."""
    _check(raw, Run, "the run")
    _check(raw["summary"], Summarised, "the summary")
    for level in (*raw["summary"]["levels"], raw["summary"]["pooled"]):
        _check(level, Level, "a level")
    for question in raw["questions"]:
        _check(question, Question, "a question")
        _check(question["score"], Score, "a score")
    for comparison in raw["comparisons"]:
        _check(comparison, Comparison, "a comparison")
        _check(comparison["test"], PairedFigures, "a test")
    for change in raw.get("models", []):
        _check(change, ModelChange, "a model's change")
    return cast(Run, raw)


def _check(part: object, shape: type, name: str) -> None:
    if not isinstance(part, Mapping):
        raise InputError(f"{name} is a {type(part).__name__}, not an object: give the JSON that an evaluation wrote")
    missing = sorted(shape.__required_keys__ - part.keys())  # type: ignore[attr-defined]
    if missing:
        raise InputError(f"{name} lacks {', '.join(missing)}: give the JSON that an evaluation of this version wrote")
