"""What a report states as rows of words, for terminal, Markdown and HTML alike: levels, times, tests, models, runs."""

from collections.abc import Sequence

from clew.evaluate.metrics import PHASES
from clew.evaluate.report.run import Comparison, Figure, Level, ModelChange, RunFigures
from clew.evaluate.report.words import (
    PHASE_NAMES,
    WHOLE,
    interval,
    measure_name,
    p_value,
    percent,
    points,
    seconds,
    share,
)
from clew.plurals import counted

__all__ = [
    "MODEL_HEAD",
    "RUN_HEAD",
    "TEST_HEAD",
    "TIME_HEAD",
    "Estimate",
    "measure_rows",
    "model_note",
    "model_rows",
    "rate_rows",
    "run_rows",
    "test_rows",
    "time_rows",
]

Estimate = tuple[str, str]  # a value, and its interval ("" where it has none)

TEST_HEAD = ("", "measure", "points", "gained", "lost", "p", "test")
MODEL_HEAD = ("", "called", "wrong → right", "right → wrong", "net", "p")
TIME_HEAD = ("mean", "SD", "median", "p95")
RUN_HEAD = ("run", "result match", "query match", "MRR", "abstained", "median to the items", "model calls", "commit")


def rate_rows(levels: Sequence[Level]) -> list[tuple[str, list[Estimate]]]:
    """Shares of questions by level, then the measures of whole lists."""
    rows = [
        (measure_name(name), [_estimate(level["measures"][name], as_percent=True) for level in levels])
        for name in ("result_match", "query_match")
    ]
    rows.append(("Selective accuracy", [_estimate(level["selective_accuracy"], as_percent=True) for level in levels]))
    rows.append(("Abstained", [(percent(level["abstention_rate"]), "") for level in levels]))
    rows.append(("Failed", [(percent(level["failure_rate"]), "") for level in levels]))
    rows.append(("Coverage", [(percent(level["coverage"]), "") for level in levels]))
    return rows + measure_rows(levels, WHOLE)


def measure_rows(levels: Sequence[Level], names: Sequence[str]) -> list[tuple[str, list[Estimate]]]:
    """Measures by level."""
    return [(measure_name(name), [_estimate(level["measures"][name]) for level in levels]) for name in names]


def _estimate(figure: Figure | None, *, as_percent: bool = False) -> Estimate:
    if figure is None:
        return "–", ""
    value = percent(figure["mean"]) if as_percent else share(figure["mean"])
    return value, interval(figure, as_percent=as_percent)


def time_rows(level: Level) -> list[tuple[str, list[str]]]:
    """A row for each phase, under TIME_HEAD."""
    found = [(phase, level["latency"][phase]) for phase in PHASES if phase in level["latency"]]
    return [
        (PHASE_NAMES[phase], [seconds(each) for each in (t["mean"], t["deviation"], t["median"], t["p95"])])
        for phase, t in found
    ]


def test_rows(comparisons: Sequence[Comparison]) -> list[list[str]]:
    """A row for each test, under TEST_HEAD."""
    rows = []
    for each in comparisons:
        test, level = each["test"], each.get("level")
        row = [f"{each['first']} → {each['second']}", measure_name(each["measure"]) + (f", {level}" if level else "")]
        row += [points(test["difference"]), f"{test['gained']:,}", f"{test['lost']:,}", p_value(test["p"])]
        rows.append([*row, f"{test['method']} (n = {test['n']:,})"])
    return rows


def model_rows(models: Sequence[ModelChange]) -> list[list[str]]:
    """A row for each pair of runs without and with a model, under MODEL_HEAD."""
    return [
        [
            f"{each['first']} → {each['second']}",
            f"{each['called']:,} of {each['n']:,}",
            f"{each['wrong_to_right']:,}",
            f"{each['right_to_wrong']:,}",
            f"{each['net']:+,}".replace("-", "−") if each["net"] else "0",
            p_value(each["p"]),
        ]
        for each in models
    ]


def model_note(models: Sequence[ModelChange]) -> str:
    """The note below the rows of models: changes that the model did not cause, if any."""
    elsewhere = sum(each["elsewhere"] for each in models)
    if not elsewhere:
        return ""
    return f"{counted(elsewhere, 'more answer')} changed although no model was called: not caused by the model"


def run_rows(runs: Sequence[RunFigures]) -> list[list[str]]:
    """A row for each run, under RUN_HEAD."""
    rows = []
    for each in runs:
        pooled = each["levels"][-1]
        measures, items = pooled["measures"], pooled["latency"].get("items")
        rows.append(
            [
                each["name"],
                percent(measures["result_match"]["mean"]),
                percent(measures["query_match"]["mean"]),
                share(measures["reciprocal_rank"]["mean"]),
                percent(pooled["abstention_rate"]),
                seconds(items["median"] if items else None),
                f"{each['model_calls']:,}",
                each["commit"],
            ]
        )
    return rows
