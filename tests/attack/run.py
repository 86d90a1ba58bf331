"""All attacks for some time, with a table of tries and failures: `make attack`, or `make attack ARGS="--seconds 3600"`.

The record goes to benchmarks/results/attack.json, and the table to docs/reliability.md.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attack import bombs, corruption, cypher, killing, questions, rebuilding, updates
from attack.tally import Tally

__all__ = ["joined", "main", "markdown", "run"]

ROOT = Path(__file__).resolve().parents[2]
RECORD, PAGE = ROOT / "benchmarks" / "results" / "attack.json", ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- attack: begin -->", "<!-- attack: end -->"
MOST = 1_000_000
SHARES: dict[str, tuple[float, Callable[..., Tally]]] = {  # of the time
    "corruption": (0.2, corruption.attack),
    "kills": (0.12, killing.attack),
    "power failures": (0.06, updates.power_failures),
    "updates killed": (0.06, updates.killed),
    "readers under update": (0.03, updates.readers),
    "queries": (0.25, cypher.attack_graph),
    "questions": (0.14, questions.attack),
    "readers under rebuild": (0.12, rebuilding.attack),
    "bombs": (0.02, bombs.attack),
}
TRIED = {
    "corruption": "a file of the graph, or of what is derived from it, damaged; answers compared",
    "kills": "a writer killed (build, index, load, export, extract)",
    "power failures": "a moment of an update at which the power fails",
    "updates killed": "`clew update` killed",
    "readers under update": "a reader that lives through up to a hundred updates",
    "queries": "a generated Cypher text",
    "questions": "a generated question",
    "readers under rebuild": "a reader of a graph that is rebuilt meanwhile",
    "bombs": "a file that hides much, never ends or is not what it says",
}


def run(seconds: float, seed: int, only: list[str], *, tries: int = MOST) -> dict[str, Any]:
    """Every attack for its share of the time; the record."""
    from benchmarks.report import environment

    begun, chosen = time.time(), {name: SHARES[name] for name in (only or SHARES)}
    whole = sum(share for share, _ in chosen.values())
    rows = []
    for name, (share, attack) in chosen.items():
        folder = Path(tempfile.mkdtemp(prefix="clew-attack-"))
        try:
            tally = attack(folder, seed=seed, tries=tries, seconds=seconds * share / whole)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        told = json.dumps({**tally.to_record(), "attack": name}).replace(str(folder), "FOLDER")
        rows.append(json.loads(told))
        print(f"{name}: {tally.tries:,} tries, {len(tally.failures)} failures", file=sys.stderr, flush=True)
    made = {"seed": seed, "seconds": round(time.time() - begun), "load": round(os.getloadavg()[0], 1)}
    return {"benchmark": "attack", **environment(), "runs": [made], "rows": rows}


def joined(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """The record of two runs: tries, outcomes and failures of the same attack are added."""
    rows = {row["attack"]: row for row in earlier["rows"]}
    for row in later["rows"]:
        known = rows.get(row["attack"])
        rows[row["attack"]] = row if known is None else _added(known, row)
    return {**later, "runs": earlier["runs"] + later["runs"], "rows": [rows[name] for name in SHARES if name in rows]}


def _added(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    counts = {each: dict(sorted((Counter(one[each]) + Counter(other[each])).items())) for each in ("outcomes", "kinds")}
    most = {each: max(one[each], other[each]) for each in ("largest_mib", "most_past_limit")}
    sums = {each: one[each] + other[each] for each in ("tries", "failures", "told")}
    return {"attack": one["attack"], **sums, **counts, **most}


def markdown(record: dict[str, Any]) -> str:
    """The table of a record."""
    lines = ["| attack | a try | tries | outcomes | failures |", "|---|---|---:|---|---:|"]
    for row in record["rows"]:
        outcomes = ", ".join(f"{name} {count:,}" for name, count in row["outcomes"].items() if count)
        lines.append(
            f"| {row['attack']} | {TRIED[row['attack']]} | {row['tries']:,} | {outcomes} | {row['failures']} |"
        )
    machine, runs = record["machine"], record["runs"]
    where = f"{machine['system'].split('-')[0]}, {machine['architecture']}, {machine['cores']} cores"
    made = "; ".join(
        f"{run['seconds'] / 60:.0f} minutes, seed {run['seed']}, load {run['load']} at the end" for run in runs
    )
    return "\n".join([*lines, "", f"{made}. {where}."])


def main() -> None:
    """Run all attacks, print the table, and write the record and the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--only", action="append", choices=list(SHARES), default=[])
    parser.add_argument("--tries", type=int, default=MOST, help="End an attack after so many tries.")
    parser.add_argument("--out", type=Path, default=RECORD)
    parser.add_argument("--add", action="store_true", help="Add to the record that is there.")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    record = run(given.seconds, given.seed, given.only, tries=given.tries)
    if given.add and given.out.exists():
        record = joined(json.loads(given.out.read_text("utf-8")), record)
    given.out.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    table = markdown(record)
    if BEGIN in (page := given.page.read_text("utf-8") if given.page.exists() else ""):
        before, _, rest = page.partition(BEGIN)
        given.page.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", "utf-8")
    for row in record["rows"]:
        for each in row["told"]:
            print(f"FAILED {row['attack']}: {each['fault']}\n  {each['on']}")
    print(table)
    raise SystemExit(any(row["failures"] for row in record["rows"]))


if __name__ == "__main__":
    main()
