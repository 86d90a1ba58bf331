"""What every HTML report stands in: one document that needs nothing outside itself, and its tables."""

from collections.abc import Iterable, Sequence
from importlib.resources import files

from clew.evaluate.report.against import MODEL_HEAD, TEST_HEAD, model_note, model_rows, test_rows
from clew.evaluate.report.run import Comparison, ModelChange
from clew.evaluate.report.words import html

__all__ = ["comparison_sections", "document", "figures_table"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def document(title: str, heading: str, subtitle: str, body: str) -> str:
    """A whole document; title, heading and subtitle are plain text, the body is HTML."""
    style = files("clew.evaluate.report").joinpath("page.css").read_text("utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html(title)}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{html(heading)}</h1>
<p>{html(subtitle)}</p>
</header>
<main>
{body}
</main>
<footer>
<p>Intervals are 95 % percentile bootstrap intervals over questions; where every question scores alike they have no
width, which says nothing about other questions. Abstaining and failing score 0.</p>
<p>Written by Clew.</p>
</footer>
</body>
</html>
"""


def figures_table(head: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], *, label: str) -> str:
    """A table of figures: the first cell of a row names it, the others are ready-made HTML."""
    top = "".join(f'<th scope="col">{html(each)}</th>' for each in head)
    body = "".join(
        f'<tr><th scope="row">{html(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, cells in rows
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{html(label)}"><table class="figures">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def comparison_sections(comparisons: Sequence[Comparison], models: Sequence[ModelChange]) -> str:
    """The tests against other runs, and what a model changed; nothing where there are none."""
    parts = []
    if comparisons:
        rows = [(name, [html(cell) for cell in cells]) for name, *cells in test_rows(comparisons)]
        table = figures_table(TEST_HEAD, rows, label="Comparisons between runs")
        parts.append(f"<h2>Against other runs</h2>{table}")
    if models:
        rows = [(name, [html(cell) for cell in cells]) for name, *cells in model_rows(models)]
        table = figures_table(MODEL_HEAD, rows, label="What a language model changed")
        note = model_note(models)
        parts.append(f"<h2>With a language model</h2>{table}{f'<p>{html(note)}</p>' if note else ''}")
    return "\n".join(parts)
