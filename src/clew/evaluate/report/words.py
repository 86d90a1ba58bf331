"""How figures and names read in a report: percent, seconds, p, and texts that cannot break out of their place."""

import json
from html import escape

from clew.evaluate.metrics import CUTS
from clew.evaluate.report.run import Figure, Question, Run

__all__ = [
    "AT_CUTS",
    "PHASE_NAMES",
    "WHOLE",
    "about",
    "clean",
    "html",
    "interval",
    "measure_name",
    "p_value",
    "percent",
    "points",
    "seconds",
    "share",
    "shorten",
    "verdict",
]

WHOLE = ("precision", "recall", "f1", "reciprocal_rank", "average_precision")
AT_CUTS = tuple(f"{stem}@{k}" for stem in ("precision", "recall", "capped_recall", "f1", "hits", "ndcg") for k in CUTS)
PHASE_NAMES = {
    "understanding": "understanding",
    "execution": "execution",
    "text": "text",
    "items": "to the items",
    "total": "to the text",
}
NAMES = {
    "result_match": "Result match",
    "query_match": "Query match",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "reciprocal_rank": "MRR",
    "average_precision": "MAP",
    "hits": "Hits",
    "ndcg": "nDCG",
}
LONGEST = 600  # characters of one text


def clean(text: str) -> str:
    """The text on one line, without characters that XML cannot hold or that turn the direction of writing."""
    return "".join(each if _legal(each) else "\ufffd" for each in " ".join(text.split()))


def _legal(character: str) -> bool:
    code = ord(character)
    turning = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    control = code < 0x20 or 0x7F <= code < 0xA0
    return not (turning or control or 0xD800 <= code < 0xE000 or code & 0xFFFE == 0xFFFE)


def html(text: str) -> str:
    """The text as the content or an attribute of an element."""
    return escape(clean(text), quote=True)


def shorten(text: str, length: int = LONGEST) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def interval(figure: Figure, *, as_percent: bool = True, digits: int | None = None) -> str:
    """The ends of an interval, in percent with one digit or as shares with three."""
    unit, usual = (100, 1) if as_percent else (1, 3)
    return "–".join(f"{unit * end:.{usual if digits is None else digits}f}" for end in (figure["low"], figure["high"]))


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return f"{100 * difference:+.1f}".replace("-", "−")


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def seconds(value: float | None) -> str:
    """Milliseconds below one second; two figures that count, or three."""
    if value is None:
        return "–"
    if value >= 10:
        return f"{value:.1f} s"
    if value >= 0.9995:
        return f"{value:.2f} s"
    return f"{1000 * value:.0f} ms" if value >= 0.00995 or not value else f"{1000 * value:.1f} ms"


def measure_name(name: str) -> str:
    """A measure as the field writes it."""
    stem, at, k = name.partition("@")
    short = {"precision": "P", "recall": "R"}.get(stem, NAMES.get(stem, stem)) if at else NAMES.get(stem, stem)
    return f"R@min({k}, gold)" if stem == "capped_recall" else f"{short}{at}{k}"


def verdict(question: Question) -> str:
    """right, wrong, abstained or failed."""
    score = question["score"]
    if score["failed"]:
        return "failed"
    if score["abstained"]:
        return "abstained"
    return "right" if score["result_match"] else "wrong"


def about(run: Run) -> list[tuple[str, str]]:
    """What was run where, as names and values."""
    rows = [("bench", run["bench"]), ("questions", f"{run['n']:,}"), ("graph", run["graph"])]
    rows += [("snapshot", run["snapshot"]), ("commit", run["commit"]), ("when", run["when"])]
    rows += [("version", run["version"])] if "version" in run else []
    rows += [(name, _plain(value)) for name, value in run["machine"].items()]
    rows += [(name, _plain(value)) for name, value in run["settings"].items()]
    if run.get("cold_seconds") is not None:
        rows.append(("first question after a start", seconds(run["cold_seconds"])))
    return rows


def _plain(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
