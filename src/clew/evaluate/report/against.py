"""Runs against runs as rows of words, for a terminal, Markdown and HTML alike: tests, models, the runs themselves."""

from collections.abc import Sequence

from clew.evaluate.report.run import Comparison, ModelChange, RunFigures
from clew.evaluate.report.words import measure_name, p_value, percent, points, seconds, share
from clew.plurals import counted

__all__ = ["MODEL_HEAD", "RUN_HEAD", "TEST_HEAD", "model_note", "model_rows", "run_rows", "test_rows"]

TEST_HEAD = ("", "measure", "points", "gained", "lost", "p", "test")
MODEL_HEAD = ("", "called", "wrong → right", "right → wrong", "net", "p")
RUN_HEAD = ("run", "result match", "query match", "MRR", "abstained", "median to the items", "model calls", "commit")


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
    """What stands below the rows of models: changes that were not the model's doing, where there are any."""
    elsewhere = sum(each["elsewhere"] for each in models)
    if not elsewhere:
        return ""
    return f"{counted(elsewhere, 'more answer')} changed where no model was called: that is not the model's doing"


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
