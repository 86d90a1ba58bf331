"""What every HTML report stands in: one document that needs nothing outside itself, and its tables."""

from collections.abc import Sequence
from importlib.resources import files

from clew.evaluate.report.rows import MODEL_HEAD, TEST_HEAD, model_note, model_rows, test_rows
from clew.evaluate.report.run import Comparison, ModelChange
from clew.evaluate.report.tables import html_table
from clew.evaluate.report.words import html

__all__ = ["comparison_sections", "document"]

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
<p>Intervals are 95 % percentile bootstrap intervals over questions; where every question scores the same they have
no width, which says nothing about other questions. Abstaining and failing score 0.</p>
<p>Written by Clew.</p>
</footer>
</body>
</html>
"""


def comparison_sections(comparisons: Sequence[Comparison], models: Sequence[ModelChange]) -> str:
    """Paired tests with other runs, and what a model changed; nothing where there are none."""
    parts = []
    if comparisons:
        rows = [(name, [html(cell) for cell in cells]) for name, *cells in test_rows(comparisons)]
        table = html_table(TEST_HEAD, rows, label="Comparisons between runs")
        parts.append(f"<h2>Compared with other runs</h2>{table}")
    if models:
        rows = [(name, [html(cell) for cell in cells]) for name, *cells in model_rows(models)]
        table = html_table(MODEL_HEAD, rows, label="What a language model changed")
        note = model_note(models)
        parts.append(f"<h2>With a language model</h2>{table}{f'<p>{html(note)}</p>' if note else ''}")
    return "\n".join(parts)
