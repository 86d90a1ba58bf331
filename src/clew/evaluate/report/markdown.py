"""A run as Markdown: the figures as tables, then every question."""

import re
from collections.abc import Iterable, Sequence

from clew.evaluate.metrics import PHASES
from clew.evaluate.report.against import MODEL_HEAD, TEST_HEAD, model_note, model_rows, test_rows
from clew.evaluate.report.run import Comparison, Figure, Level, ModelChange, Question, Run
from clew.evaluate.report.words import (
    AT_CUTS,
    PHASE_NAMES,
    WHOLE,
    about,
    clean,
    interval,
    measure_name,
    percent,
    seconds,
    share,
    shorten,
    verdict,
)

__all__ = ["comparison_parts", "plain", "table", "write_markdown"]


def write_markdown(run: Run) -> str:
    """The run as a Markdown document."""
    levels = [*run["summary"]["levels"], run["summary"]["pooled"]]
    missed = [each for each in run["questions"] if verdict(each) != "right"]
    parts = [
        f"# {plain(run['bench'])}",
        f"{run['n']:,} questions on {plain(run['graph'])}, {plain(run['when'])}.",
        *(plain(note) for note in run.get("notes", [])),
        "## Figures by level",
        _figures(levels),
        "Mean and 95 % bootstrap interval over questions; abstaining and failing score 0. Where every question scores "
        "alike the interval has no width, which says nothing about other questions.",
        "## Ranking measures",
        _measures(levels),
        "## Time",
        _times(levels),
        *comparison_parts(run["comparisons"], run.get("models", [])),
        f"## Not right: {len(missed):,} of {len(run['questions']):,}",
        *(_missed(each) for each in missed),
        "## Questions",
        _questions(run["questions"]),
        "## What was run",
        "\n".join(f"- {plain(name)}: {plain(value)}" for name, value in about(run)),
    ]
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """The text with everything escaped that Markdown, a table or HTML would read."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!$])", r"\\\1", clean(text))


def _code(text: str, *, in_table: bool = False) -> str:
    """The text as a code span that its own backticks cannot end, nor its bars the cell it stands in."""
    shown = clean(text)
    if not shown or (in_table and "\\|" in shown):  # inside code, no two renderers agree on a backslash before a bar
        return plain(shown)
    fence = "`" * (max((len(each) for each in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    barred = shown.replace("|", "\\|") if in_table else shown
    return f"{fence}{pad}{barred}{pad}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, figures: bool = True) -> str:
    """A table whose first column names the rows; figures stand to the right of their columns."""
    lines = [head, ["---"] + ["---:" if figures else "---"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _heads(levels: Sequence[Level]) -> list[str]:
    return ["", *(f"{plain(level['level'])} ({level['n']:,})" for level in levels)]


def _sure(figure: Figure | None, *, as_percent: bool = False) -> str:
    if figure is None:
        return "–"
    value = percent(figure["mean"]) if as_percent else share(figure["mean"])
    return f"{value} ({interval(figure, as_percent=as_percent)})"


def _figures(levels: Sequence[Level]) -> str:
    rows = [
        [measure_name(name), *(_sure(level["measures"][name], as_percent=True) for level in levels)]
        for name in ("result_match", "query_match")
    ]
    rows.append(["Selective accuracy", *(_sure(level["selective_accuracy"], as_percent=True) for level in levels)])
    rows.append(["Abstained", *(percent(level["abstention_rate"]) for level in levels)])
    rows.append(["Failed", *(percent(level["failure_rate"]) for level in levels)])
    rows.append(["Coverage", *(percent(level["coverage"]) for level in levels)])
    rows += [[measure_name(name), *(_sure(level["measures"][name]) for level in levels)] for name in WHOLE]
    return table(_heads(levels), rows)


def _measures(levels: Sequence[Level]) -> str:
    rows = [[measure_name(name), *(_sure(level["measures"][name]) for level in levels)] for name in AT_CUTS]
    return table(_heads(levels), rows)


def _times(levels: Sequence[Level]) -> str:
    rows = []
    for level in levels:
        for phase in PHASES:
            if phase in level["latency"]:
                times = level["latency"][phase]
                figures = (times["mean"], times["deviation"], times["median"], times["p95"])
                rows.append([f"{plain(level['level'])}: {PHASE_NAMES[phase]}", *map(seconds, figures)])
    return table(["", "mean", "SD", "median", "p95"], rows)


def comparison_parts(comparisons: Sequence[Comparison], models: Sequence[ModelChange]) -> list[str]:
    """The tests against other runs, and what a model changed; nothing where there are none."""
    parts = []
    if comparisons:
        rows = [[plain(cell) for cell in row] for row in test_rows(comparisons)]
        parts += ["## Against other runs", table(TEST_HEAD, rows, figures=False)]
    if models:
        rows = [[plain(cell) for cell in row] for row in model_rows(models)]
        parts += ["## With a language model", table(MODEL_HEAD, rows), *filter(None, [model_note(models)])]
    return parts


def _missed(question: Question) -> str:
    score, readings = question["score"], question["expected"]
    lines = [f"**{plain(score['id'])}** ({verdict(question)}) {plain(question['question'])}", ""]
    lines += [f"- note: {plain(shorten(question['note']))}"] if question.get("note") else []
    lines += [f"- answered: {plain(shorten(question['answer']))}"] if question["answer"] else []
    lines += [f"- read as: {plain(shorten(each))}" for each in question["understood"]]
    lines += [f"- query: {_code(question['query'])}"] if question["query"] else []
    for at, text in enumerate(readings):
        which = f" (reading {at + 1} of {len(readings)})" if len(readings) > 1 else ""
        lines.append(f"- expected{which}: {plain(shorten(text))}")
    return "\n".join(lines)


def _questions(questions: Sequence[Question]) -> str:
    rows = []
    for each in questions:
        score, readings = each["score"], len(each["expected"])
        reading = "–" if score["reading"] is None else f"{score['reading'] + 1} of {readings}"
        matched = "yes" if score["query_match"] else "no"
        covered = "" if each.get("covered", True) else " (not covered)"
        spent = seconds(sum(score["seconds"].values()))
        texts = (plain(shorten(each["question"])), _code(each["query"], in_table=True))
        rows.append([plain(score["id"]), verdict(each) + covered, matched, reading, spent, *texts])
    return table(["", "verdict", "query match", "reading", "time", "question", "query"], rows, figures=False)
