"""The rows of a run as figures: shares with their Wilson intervals, by kind of query and by schema."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clew.evaluate.benches.text2cypher import KINDS
from clew.evaluate.report.tables import markdown_table
from clew.evaluate.trust import wilson

__all__ = ["figures", "show"]

Row = Mapping[str, Any]
CERTAINTIES = ("sure", "likely", "doubtful")
MEASURES = {
    "plan": "read to the gold plan",
    "columns": "… or all but further columns of it",
    "right": "… or the same relations and the same result",
    "declined": "declined",
    "wrong": "wrong",
    **{f"wrong, {name}": f"wrong and {name}" for name in CERTAINTIES},
    "sure of right": "sure, of the right ones",
}


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """Shares of all rows, and of those of each kind and schema."""
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    seconds = [row["seconds"] for row in rows]
    return {
        "all": _shares(rows),
        "kinds": {kind: _shares([row for row in rows if row["kind"] == kind]) for kind in kinds},
        "schemas": {
            name: _shares([row for row in rows if row["database"] == name])
            for name in sorted({row["database"] for row in rows})
        },
        "seconds": {"median": round(float(np.median(seconds)), 3), "p95": round(float(np.percentile(seconds, 95)), 3)},
        "failed": sum(bool(row.get("failed")) for row in rows),
        "gold not run, or nothing found": sum(not row["found"] for row in rows),
    }


def _shares(rows: Sequence[Row]) -> dict[str, Any]:
    right = [row for row in rows if _is_right(row)]
    wrong = [row for row in rows if not row["declined"] and not _is_right(row)]
    counts = {
        "plan": sum(bool(row.get("plan")) for row in rows),
        "columns": sum(bool(row.get("plan") or row.get("columns")) for row in rows),
        "right": len(right),
        "declined": sum(row["declined"] for row in rows),
        "wrong": len(wrong),
        **{f"wrong, {name}": sum(row["certainty"] == name for row in wrong) for name in CERTAINTIES},
    }
    found = {name: _share(number, len(rows)) for name, number in counts.items()}
    found["sure of right"] = _share(sum(row["certainty"] == "sure" for row in right), len(right))
    return {"n": len(rows), **found}


def _is_right(row: Row) -> bool:
    return any(row.get(name) for name in ("plan", "columns", "result"))


def _share(number: int, n: int) -> dict[str, Any]:
    low, high = wilson(number, n)
    return {"count": number, "of": n, "low": round(low, 4), "high": round(high, 4)}


def show(found: Mapping[str, Any]) -> str:
    """The figures as tables."""
    rows = []
    for name, words in MEASURES.items():
        share = found["all"][name]
        per_cent = f"{share['count'] / share['of']:.1%}" if share["of"] else "–"
        rows.append([words, f"{share['count']} of {share['of']}", per_cent, f"{share['low']:.0%}-{share['high']:.0%}"])
    parts = [markdown_table(["", "count", "share", "95 % interval"], rows)]
    for title in ("kinds", "schemas"):
        names = ["plan", "columns", "right", "declined", "wrong", "wrong, sure"]
        body = [[name, each["n"], *(each[key]["count"] for key in names)] for name, each in found[title].items()]
        parts.append(markdown_table([title, "n", *names], [list(map(str, row)) for row in body]))
    seconds = found["seconds"]
    parts.append(
        f"{found['all']['n']} questions, {seconds['median']:.2f} s in the median, {seconds['p95']:.2f} s at the 95th "
        f"percentile; {found['failed']} ended with an error"
    )
    return "\n\n".join(parts)
