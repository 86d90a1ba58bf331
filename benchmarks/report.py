"""What a benchmark says beside its rows: machine, versions and commit; and how it is shown and written."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from clew.evaluate.report.tables import markdown_table

__all__ = [
    "claim_table",
    "environment",
    "limits_markdown",
    "limits_report",
    "markdown",
    "to_stderr",
    "write_json",
]

LIBRARIES = (
    "clew", "numpy", "numba", "scipy", "pyarrow", "igraph", "networkx", "python-graphblas", "suitesparse-graphblas",
    "networkit", "rustworkx",
)  # fmt: skip
ROOT = Path(__file__).resolve().parent.parent


def environment(extra_versions: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Where and with what a run was made."""
    return {
        "machine": {
            "system": f"{platform.system()} {platform.release()}",
            "architecture": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
            "load": [round(load, 2) for load in os.getloadavg()],
        },
        "commit": _commit(),
        "python": platform.python_version(),
        "versions": {**{name: found for name in LIBRARIES if (found := _version(name))}, **(extra_versions or {})},
    }


def markdown(report: Mapping[str, Any]) -> str:
    """The rows and claims as Markdown tables."""
    parts = []
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in report["rows"]:
        groups.setdefault((row["graph"], row["filter"]), []).append(row)
    for (graph, filtered), rows in groups.items():
        title = f"{report['benchmark']}, {graph} graph" + ("" if filtered == "none" else f", {filtered}")
        parts.append(f"### {title}\n\n{_engine_table(rows)}")
    if report["claims"]:
        parts.append(f"### claims\n\n{claim_table(report['claims'])}")
    parts += [f"*{note}*" for note in report.get("notes", [])]
    return "\n\n".join(parts)


def claim_table(claims: Iterable[Mapping[str, Any]]) -> str:
    """Each claim, what it needs, what was measured, and whether that suffices."""
    header = ["claim", "needs", "measured", "against", "holds"]
    return markdown_table(
        header,
        [
            [
                claim["claim"],
                f"≥ {claim['at_least']:.3g}" if "at_least" in claim else f"≤ {claim['at_most']:.3g}",
                f"{claim['measured']:.3g}",
                claim.get("against", ""),
                "yes" if claim["holds"] else "**no**",
            ]
            for claim in claims
        ],
    )


def write_json(path: Path, report: Mapping[str, Any]) -> None:
    """The report as one JSON object, the file whole or untouched."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    temporary.replace(path)


def to_stderr(task: str, done: int, total: int | None) -> None:
    """Progress as lines on the error stream."""
    print(task if total is None else f"{task} ({done} of {total})", file=sys.stderr, flush=True)


def _engine_table(rows: list[dict[str, Any]]) -> str:
    hops = sorted({row["hop"] for row in rows})
    cells = {(row["engine"], row["hop"]): row for row in rows}
    header = ["engine", *(f"hop {k}: ms (times clew, n)" for k in hops)]
    body = [
        [engine, *(_cell(cells.get((engine, k))) for k in hops)]
        for engine in dict.fromkeys(row["engine"] for row in rows)
    ]
    return markdown_table(header, body)


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    return f"{row['median_ms']:.3g} ({row['ratio']:.3g} [{row['low']:.3g}, {row['high']:.3g}], {row['n']})"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        if name != "clew":
            return None
        from clew import __version__

        return __version__


def _commit() -> str | None:
    """The commit of the tree, marked where files differ from it."""
    asked = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"],
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip() or None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def limits_report(
    benchmark: str, rows: Sequence[Mapping[str, Any]], *, graph: Mapping[str, Any], quick: bool
) -> dict[str, Any]:
    """What was measured; a row with a limit (`at_most`) is a claim that holds or does not."""
    limited = [row for row in rows if "at_most" in row]
    return {
        "benchmark": benchmark,
        "graph": graph,
        "agree": True,
        **environment(),
        "quick": quick,
        "rows": rows,
        "claims": [{**row, "holds": row["measured"] <= row["at_most"]} for row in limited],
    }


def limits_markdown(title: str, report: Mapping[str, Any]) -> str:
    """The claims of such a report, then what has no limit."""
    others = [f"- {row['claim']}: {row['measured']:.3g}" for row in report["rows"] if "at_most" not in row]
    return "\n\n".join([f"### {title}", claim_table(report["claims"]), "\n".join(others)])
