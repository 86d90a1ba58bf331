"""The tables of the ablations in Markdown, from their figures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.extraction_ablations_plan import ALPHAS, FULL

__all__ = ["write_tables"]

Figures = Mapping[str, Any]
AGAINST = "against full"
ABOUT_PLANTED = (
    "variant", "leaves", "loss: roots / leaves", "untaught: head seen", "head unseen", AGAINST, "taught: head seen",
    "head unseen", AGAINST, "[NONE]", "right of the others",
)  # fmt: skip
ABOUT_BC5CDR = (
    "variant", "end to end: precision", "recall", "F1", AGAINST, "fine-tuned: precision", "recall", "F1", AGAINST,
)  # fmt: skip
CROSSED = (
    "α", "β (cosine)", "planted: kept", "right", "as many by share", "BC5CDR: kept", "precision", "recall", "F1",
    "F1, as many by share",
)  # fmt: skip


def write_tables(body: Figures) -> str:
    """All tables, and what a second iteration added."""
    parts = [
        _table(ABOUT_PLANTED, map(_about_planted, body["rows"])),
        _table(ABOUT_BC5CDR, map(_about_bc5cdr, body["rows"])),
        _table(CROSSED, map(_crossed, body["alpha_beta"])),
    ]
    if "second" in body:
        parts.append("\n".join(f"- {key}: {value}" for key, value in body["second"].items()))
    return "\n\n".join(parts)


def _table(titles: Sequence[str], rows: Iterable[list[str]]) -> str:
    head, *lines = (f"| {' | '.join(cells)} |" for cells in (titles, *rows))
    return "\n".join((head, "|" + "---|" * len(titles), *lines))


def _about_planted(row: Figures) -> list[str]:
    cells = [row["says"], f"{row['leaves']:,}", f"{row['loss']['root']:.2f} / {row['loss']['leaf']:.2f}"]
    for when in ("before", "after"):
        cells += [_interval(row[when][half]["P@1"]) for half in ("seen", "unseen")] + [_signed(row[when])]
    return [*cells, f"{row['after']['none']:.0%}", f"{row['after']['right where answered']:.3f}"]


def _about_bc5cdr(row: Figures) -> list[str]:
    cells = [row["says"]]
    for key in ("end to end", "fine-tuned"):
        if key not in row:
            cells += [""] * 4
            continue
        cells += [f"{row[key][each]['mean']:.3f}" for each in ("precision", "recall")]
        cells += [_interval(row[key]["f1"]), _signed(row[key])]
    return cells


def _crossed(row: Figures) -> list[str]:
    alpha = 0.05 if row["variant"] == FULL else ALPHAS[row["variant"]]
    beta = "none" if row["beta"] == 0 else f"{row['beta']:g} ({row['cosine']:.2f})"
    planted, pairs = row["planted"], row["bc5cdr"]
    return [
        f"{alpha:g}",
        beta,
        f"{planted['kept']:,} of {planted['queries']:,}",
        _listed(planted["precision"]),
        _listed(planted["by share"]["precision"]),
        f"{pairs['kept']:,}",
        *(_listed(pairs[key]) for key in ("precision", "recall", "f1")),
        _listed(pairs["by share"]["f1"]),
    ]


def _interval(figure: Figures) -> str:
    return f"{figure['mean']:.3f} ({figure['low']:.2f}-{figure['high']:.2f})"


def _signed(figures: Figures) -> str:
    """How far it is from what it is compared with; nothing, if that is itself."""
    if (figure := figures.get("against")) is None:
        return ""
    return f"{figure['mean']:+.3f} ({figure['low']:+.3f} to {figure['high']:+.3f})".replace("-", "−")


def _listed(figure: Sequence[float]) -> str:
    mean, low, high = figure
    return f"{mean:.3f} ({low:.2f}-{high:.2f})"
