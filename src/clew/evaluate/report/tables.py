"""One table, as Markdown and as HTML: titles and rows of cells go in, text comes out."""

from collections.abc import Iterable, Sequence

from clew.evaluate.report.words import html

__all__ = ["html_table", "markdown_table"]


def markdown_table(titles: Sequence[str], rows: Iterable[Sequence[object]], *, figures: bool = False) -> str:
    """A Markdown table; with `figures`, every column but the first is aligned to the right."""
    rules = ["---", *["---:" if figures else "---"] * (len(titles) - 1)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in (titles, rules, *rows))


def html_table(titles: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], *, label: str) -> str:
    """An HTML table that scrolls: the first cell of a row names it, the others are ready-made HTML."""
    top = "".join(f'<th scope="col">{html(each)}</th>' for each in titles)
    body = "".join(
        f'<tr><th scope="row">{html(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, cells in rows
    )
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{html(label)}"><table class="figures">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
