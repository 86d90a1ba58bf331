"""What checks and limits cost: opening a graph, hops, warm queries and warm questions, in two revisions of Clew.

    python -m benchmarks.stores.protection --beside 642c8d8

measures this checkout and the one before Cypher ran in a child process, snapshots and checksums of derived data, in
turns, each in processes of its own. Both build the Human Phenotype Ontology first.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[2]
BEFORE = "642c8d8"
ROUNDS = 5  # processes for each revision
REPEATS = 40  # of each call in a process
QUERIES = (
    "MATCH (g:Gene {name: 'FBN1'}) RETURN g.id AS id",
    "MATCH (d:Disease)-[:HAS_PHENOTYPE]->(p:Phenotype {name: 'Ectopia lentis'}) RETURN d.id AS id",
    "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease)-[:HAS_PHENOTYPE]->(p:Phenotype {name: 'Arachnodactyly'})"
    " RETURN DISTINCT g.id AS id",
)
QUESTION = "Which genes are associated with Marfan syndrome?"
SEEDS = ["HP:0001250", "HP:0001083", "HP:0001166"]


def main() -> None:
    """Compare this checkout with an earlier revision, and print a table; or measure one, as a process of that."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--beside", default=BEFORE, help="The revision to compare with.")
    parser.add_argument("--json", type=Path, help="Also write the figures to this file.")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(_measure(given.measure)))
        return
    with tempfile.TemporaryDirectory() as kept:
        figures = _compare(given.beside, Path(kept))
    print(_table(figures, given.beside))
    if given.json:
        from benchmarks.report import environment

        record = {"benchmark": "protection", **environment(), "beside": given.beside, "rows": figures}
        given.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _compare(revision: str, folder: Path) -> dict[str, dict[str, list[float]]]:
    """Milliseconds of each call, by call and revision, one for each process."""
    earlier = folder / "checkout"
    subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", earlier, revision], check=True)
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    try:
        for turn in range(ROUNDS):
            for name, checkout in ((revision, earlier), ("now", ROOT)):
                print(f"round {turn + 1} of {ROUNDS}: {name}", file=sys.stderr, flush=True)
                for call, milliseconds in _in_process(checkout, folder / f"{name}.clew").items():
                    found[call][name].append(milliseconds)
    finally:
        subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", earlier], check=True)
    return found


def _in_process(checkout: Path, graph: Path) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, __file__, "--measure", str(graph)]
    measured = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(measured.stdout.splitlines()[-1])
    return figures


def _measure(path: Path) -> dict[str, float]:
    """Median milliseconds of each call in this process."""
    import clew
    from clew.answer import Asker, CypherStrategy, Resources

    if not path.exists():
        clew.build("hpo", out=path)
    graph = clew.open(path)
    asker = Asker(Resources(graph, encoder=None), CypherStrategy())
    store = asker.resources.store
    figures = {"open": _median(lambda: clew.open(path).close())}
    for k in (1, 3):
        figures[f"hop, k = {k}"] = _median(lambda k=k: graph.hop(SEEDS, k).ids)  # type: ignore[misc]
    for number, query in enumerate(QUERIES, 1):
        figures[f"query {number}"] = _median(lambda query=query: store.run(query))  # type: ignore[misc]
    figures["question"] = _median(lambda: asker.ask(QUESTION))
    asker.close()
    return figures


def _median(call: Callable[[], object]) -> float:
    for _ in range(3):
        call()
    taken = []
    for _ in range(REPEATS):
        begun = perf_counter()
        call()
        taken.append(1000 * (perf_counter() - begun))
    return median(taken)


def _table(figures: dict[str, dict[str, list[float]]], revision: str) -> str:
    lines = [f"| call, ms (median of {ROUNDS} processes; quartiles) | {revision} | now |", "|---|---:|---:|"]
    for call, by_revision in figures.items():
        cells = [_spread(by_revision[name]) for name in (revision, "now")]
        lines.append(f"| {call} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def _spread(values: list[float]) -> str:
    low, middle, high = quantiles(values, n=4)
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"


if __name__ == "__main__":
    main()
