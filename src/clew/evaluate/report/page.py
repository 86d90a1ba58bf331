"""A run as one HTML page: no scripts, no outside parts, light and dark, and readable on a phone."""

from collections.abc import Sequence

from clew.evaluate.report.frame import comparison_sections, document
from clew.evaluate.report.plots import draw_accuracy, draw_latency
from clew.evaluate.report.rows import TIME_HEAD, Estimate, measure_rows, rate_rows, time_rows
from clew.evaluate.report.run import Level, Question, Run
from clew.evaluate.report.tables import html_table
from clew.evaluate.report.words import (
    AT_CUTS,
    about,
    html,
    interval,
    percent,
    seconds,
    share,
    shorten,
    verdict,
)

__all__ = ["write_page"]

SIGNS = {"right": "✓", "wrong": "✗", "abstained": "–", "failed": "!"}


def write_page(run: Run) -> str:
    """The run as a whole HTML document."""
    levels = [*run["summary"]["levels"], run["summary"]["pooled"]]
    missed = [each for each in run["questions"] if verdict(each) != "right"]
    right = [each for each in run["questions"] if verdict(each) == "right"]
    body = f"""{_tiles(run)}
{_notes(run)}
<div class="plots">
<figure>
<figcaption>Accuracy by level <span><i class="result"></i>result match <i class="query"></i>query match</span>
</figcaption>
{draw_accuracy(levels)}
</figure>
<figure>
<figcaption>Time per question <span>logarithmic; failures left out</span></figcaption>
{draw_latency(run)}
</figure>
</div>
<h2>Figures by level</h2>
{_figures(_heads(levels), rate_rows(levels), label="Figures by level")}
<details>
<summary>Ranking measures at 1, 5 and 10</summary>
{_figures(_heads(levels), measure_rows(levels, AT_CUTS), label="Ranking measures")}
</details>
<h2>Time</h2>
{_times(levels)}
{comparison_sections(run["comparisons"], run.get("models", []))}
<h2>Incorrect: {len(missed):,} of {len(run["questions"]):,}</h2>
{_questions(missed) if missed else '<p class="quiet">Every question was answered correctly.</p>'}
<details>
<summary>Correct: {len(right):,} of {len(run["questions"]):,}</summary>
{_questions(right)}
</details>
<h2>Run</h2>
<dl>{"".join(f"<div><dt>{html(name)}</dt><dd>{html(value)}</dd></div>" for name, value in about(run))}</dl>"""
    subtitle = f"{run['n']:,} questions on {run['graph']}, {run['when']}"
    return document(f"{run['bench']}: evaluation", run["bench"], subtitle, body)


def _tiles(run: Run) -> str:
    pooled = run["summary"]["pooled"]
    measures, latency = pooled["measures"], pooled["latency"]
    items = latency.get("items")
    selective = pooled["selective_accuracy"]
    tiles = [
        ("Result match", percent(measures["result_match"]["mean"]), interval(measures["result_match"])),
        ("Query match", percent(measures["query_match"]["mean"]), interval(measures["query_match"])),
        ("MRR", share(measures["reciprocal_rank"]["mean"]), interval(measures["reciprocal_rank"], as_percent=False)),
        ("Selective accuracy", percent(selective and selective["mean"]), f"{pooled['answered']:,} answered"),
        ("Median to the items", seconds(items and items["median"]), f"p95 {seconds(items and items['p95'])}"),
    ]
    return '<ul class="tiles">{}</ul>'.format(
        "".join(f"<li><span>{name}</span><b>{value}</b><small>{detail}</small></li>" for name, value, detail in tiles)
    )


def _notes(run: Run) -> str:
    return "".join(f'<p class="note">{html(note)}</p>' for note in run.get("notes", []))


def _heads(levels: Sequence[Level]) -> list[str]:
    return ["", *(f"{level['level']} ({level['n']:,})" for level in levels)]


def _figures(head: Sequence[str], rows: Sequence[tuple[str, Sequence[Estimate]]], *, label: str) -> str:
    return html_table(head, ((name, [_sure(each) for each in cells]) for name, cells in rows), label=label)


def _sure(estimate: Estimate) -> str:
    value, bounds = estimate
    return f"{value} <small>{bounds}</small>" if bounds else value


def _times(levels: Sequence[Level]) -> str:
    *parts, pooled = (_times_of(level) for level in levels)
    return f"{pooled}<details><summary>Time by level</summary>{''.join(parts)}</details>"


def _times_of(level: Level) -> str:
    return html_table([level["level"], *TIME_HEAD], time_rows(level), label=f"Time, {level['level']}")


def _questions(questions: Sequence[Question]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in ("", "Question", "Answered", "Expected"))
    rows = "".join(_question(each) for each in questions)
    return f'<table class="questions"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _question(question: Question) -> str:
    score, found = question["score"], verdict(question)
    spent = seconds(sum(score["seconds"].values()))
    outside = "" if question.get("covered", True) else " · not covered by the graph"
    given = [f'<p class="note">{html(shorten(question["note"]))}</p>'] if question.get("note") else []
    given += [f"<p>{html(shorten(question['answer']))}</p>"] if question["answer"] else []
    given += [f'<p class="quiet">{html(shorten(each))}</p>' for each in question["understood"]]
    given += [f"<code>{html(question['query'])}</code>"] if question["query"] else []
    if score["query_match"]:
        given.append('<p class="quiet">The query is the expected one.</p>')
    return (
        f'<tr class="{found}"><td class="verdict"><span>{SIGNS[found]}</span> {found}</td>'
        f"<td><p>{html(shorten(question['question']))}</p>"
        f'<p class="quiet">{html(score["id"])} · {html(score["level"])} · {spent}{outside}</p></td>'
        f'<td data-name="Answered">{"".join(given)}</td><td data-name="Expected">{_expected(question)}</td></tr>'
    )


def _expected(question: Question) -> str:
    score, readings, queries = question["score"], question["expected"], question.get("expected_queries", [])
    parts = []
    for at, text in enumerate(readings):
        which = "" if at != score["reading"] else ", met" if score["result_match"] else ", nearest"
        name = f"<b>Interpretation {at + 1} of {len(readings)}{which}:</b> " if len(readings) > 1 else ""
        query = f"<code>{html(queries[at])}</code>" if at < len(queries) else ""
        parts.append(f"<p>{name}{html(shorten(text))}</p>{query}")
    return "".join(parts)
