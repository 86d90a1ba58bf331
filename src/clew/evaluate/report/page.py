"""A run as one HTML page: no scripts, no outside parts, light and dark, and readable on a phone."""

from collections.abc import Sequence

from clew.evaluate.metrics import PHASES
from clew.evaluate.report.frame import comparison_sections, document, figures_table
from clew.evaluate.report.plots import draw_accuracy, draw_latency
from clew.evaluate.report.run import Figure, Level, Question, Run
from clew.evaluate.report.words import (
    AT_CUTS,
    PHASE_NAMES,
    WHOLE,
    about,
    html,
    interval,
    measure_name,
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
{_rates(levels)}
<details>
<summary>Ranking measures at 1, 5 and 10</summary>
{_measures(levels)}
</details>
<h2>Time</h2>
{_times(levels)}
{comparison_sections(run["comparisons"], run.get("models", []))}
<h2>Not right: {len(missed):,} of {len(run["questions"]):,}</h2>
{_questions(missed) if missed else '<p class="quiet">Every question was answered right.</p>'}
<details>
<summary>Right: {len(right):,} of {len(run["questions"]):,}</summary>
{_questions(right)}
</details>
<h2>What was run</h2>
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


def _sure(figure: Figure | None, *, as_percent: bool = False) -> str:
    if figure is None:
        return "–"
    value = percent(figure["mean"]) if as_percent else share(figure["mean"])
    return f"{value} <small>{interval(figure, as_percent=as_percent)}</small>"


def _rates(levels: Sequence[Level]) -> str:
    rows = [
        (measure_name(name), [_sure(level["measures"][name], as_percent=True) for level in levels])
        for name in ("result_match", "query_match")
    ]
    rows.append(("Selective accuracy", [_sure(level["selective_accuracy"], as_percent=True) for level in levels]))
    rows += [
        ("Abstained", [percent(level["abstention_rate"]) for level in levels]),
        ("Failed", [percent(level["failure_rate"]) for level in levels]),
        ("Coverage", [percent(level["coverage"]) for level in levels]),
    ]
    rows += [(measure_name(name), [_sure(level["measures"][name]) for level in levels]) for name in WHOLE]
    return figures_table(_heads(levels), rows, label="Figures by level")


def _measures(levels: Sequence[Level]) -> str:
    rows = [(measure_name(name), [_sure(level["measures"][name]) for level in levels]) for name in AT_CUTS]
    return figures_table(_heads(levels), rows, label="Ranking measures")


def _times(levels: Sequence[Level]) -> str:
    *parts, pooled = (_times_of(level) for level in levels)
    return f"{pooled}<details><summary>Time by level</summary>{''.join(parts)}</details>"


def _times_of(level: Level) -> str:
    rows = []
    for phase in PHASES:
        if times := level["latency"].get(phase):
            figures = (times["mean"], times["deviation"], times["median"], times["p95"])
            rows.append((PHASE_NAMES[phase], [seconds(each) for each in figures]))
    return figures_table([level["level"], "mean", "SD", "median", "p95"], rows, label=f"Time, {level['level']}")


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
        name = f"<b>Reading {at + 1} of {len(readings)}{which}:</b> " if len(readings) > 1 else ""
        query = f"<code>{html(queries[at])}</code>" if at < len(queries) else ""
        parts.append(f"<p>{name}{html(shorten(text))}</p>{query}")
    return "".join(parts)
