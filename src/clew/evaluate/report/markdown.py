"""A run as Markdown: the figures as tables, then every question."""

import re
from collections.abc import Sequence

from clew.evaluate.report.rows import (
    MODEL_HEAD,
    TEST_HEAD,
    TIME_HEAD,
    Estimate,
    measure_rows,
    model_note,
    model_rows,
    rate_rows,
    test_rows,
    time_rows,
)
from clew.evaluate.report.run import Comparison, Level, ModelChange, Question, Run
from clew.evaluate.report.tables import markdown_table
from clew.evaluate.report.words import (
    AT_CUTS,
    about,
    clean,
    seconds,
    shorten,
    verdict,
)

__all__ = ["comparison_parts", "plain", "write_markdown"]


def write_markdown(run: Run) -> str:
    """The run as a Markdown document."""
    levels = [*run["summary"]["levels"], run["summary"]["pooled"]]
    missed = [each for each in run["questions"] if verdict(each) != "right"]
    parts = [
        f"# {plain(run['bench'])}",
        f"{run['n']:,} questions on {plain(run['graph'])}, {plain(run['when'])}.",
        *(plain(note) for note in run.get("notes", [])),
        "## Figures by level",
        _figures(_heads(levels), rate_rows(levels)),
        "Mean and 95 % bootstrap interval over questions; abstaining and failing score 0. Where every question scores "
        "the same, the interval has no width; that says nothing about other questions.",
        "## Ranking measures",
        _figures(_heads(levels), measure_rows(levels, AT_CUTS)),
        "## Time",
        _times(levels),
        *comparison_parts(run["comparisons"], run.get("models", [])),
        f"## Incorrect: {len(missed):,} of {len(run['questions']):,}",
        *(_missed(each) for each in missed),
        "## Questions",
        _questions(run["questions"]),
        "## Run",
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


def _heads(levels: Sequence[Level]) -> list[str]:
    return ["", *(f"{plain(level['level'])} ({level['n']:,})" for level in levels)]


def _figures(head: Sequence[str], rows: Sequence[tuple[str, Sequence[Estimate]]]) -> str:
    return markdown_table(head, ([name, *map(_sure, cells)] for name, cells in rows), figures=True)


def _sure(estimate: Estimate) -> str:
    value, bounds = estimate
    return f"{value} ({bounds})" if bounds else value


def _times(levels: Sequence[Level]) -> str:
    rows = [[f"{plain(level['level'])}: {phase}", *cells] for level in levels for phase, cells in time_rows(level)]
    return markdown_table(["", *TIME_HEAD], rows, figures=True)


def comparison_parts(comparisons: Sequence[Comparison], models: Sequence[ModelChange]) -> list[str]:
    """Paired tests with other runs, and what a model changed; nothing where there are none."""
    parts = []
    if comparisons:
        rows = [[plain(cell) for cell in row] for row in test_rows(comparisons)]
        parts += ["## Compared with other runs", markdown_table(TEST_HEAD, rows)]
    if models:
        rows = [[plain(cell) for cell in row] for row in model_rows(models)]
        parts += [
            "## With a language model",
            markdown_table(MODEL_HEAD, rows, figures=True),
            *filter(None, [model_note(models)]),
        ]
    return parts


def _missed(question: Question) -> str:
    score, readings = question["score"], question["expected"]
    lines = [f"**{plain(score['id'])}** ({verdict(question)}) {plain(question['question'])}", ""]
    lines += [f"- note: {plain(shorten(question['note']))}"] if question.get("note") else []
    lines += [f"- answered: {plain(shorten(question['answer']))}"] if question["answer"] else []
    lines += [f"- interpreted as: {plain(shorten(each))}" for each in question["understood"]]
    lines += [f"- query: {_code(question['query'])}"] if question["query"] else []
    for at, text in enumerate(readings):
        which = f" (interpretation {at + 1} of {len(readings)})" if len(readings) > 1 else ""
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
    return markdown_table(["", "verdict", "query match", "interpretation", "time", "question", "query"], rows)
