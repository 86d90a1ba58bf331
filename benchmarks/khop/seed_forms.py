"""What the form of the seeds costs: the same hops from an int array, a list of ints and a list of CURIEs.

    python -m benchmarks.khop.seed_forms hpo.clew

Seeds are drawn anew for every call, so that no id was ever looked up before. The forms take turns, call by call.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

import clew
from clew.graph import read_entities

__all__ = ["measure", "show"]

SEEDS, HOPS, CALLS = 10, (1, 2, 3, 5), 300
FORMS = ("array", "ints", "curies")


def measure(path: str, *, calls: int = CALLS) -> dict[str, Any]:
    """Median microseconds of a call by hop and form, and of one id among many that were never seen."""
    engine = clew.open(path, backend="numba")
    ids = read_entities(engine, ("id",))["id"].to_pylist()
    rng = np.random.default_rng(0)
    found: dict[int, dict[str, float]] = {}
    for k in HOPS:
        seconds: dict[str, list[float]] = defaultdict(list)
        drawn = [rng.choice(len(ids), SEEDS, replace=False) for _ in range(calls + 20)]
        queries = [np.sort(each).astype(engine.snapshot.widths.entity) for each in drawn]
        given = [{"array": q, "ints": q.tolist(), "curies": [ids[each] for each in q]} for q in queries]
        for call, forms in enumerate(given):  # the first load compiled code and plans
            for name in FORMS[call % 3 :] + FORMS[: call % 3]:
                begun = time.perf_counter()
                engine.hop(forms[name], k)
                seconds[name].append(time.perf_counter() - begun)
        found[k] = {name: round(float(np.median(seconds[name][20:])) * 1e6, 2) for name in FORMS}
    many = [ids[each] for each in rng.permutation(len(ids))[:1000]]
    begun = time.perf_counter()
    engine.resolve(many)
    return {"microseconds": found, "microseconds_an_id": round((time.perf_counter() - begun) / len(many) * 1e6, 3)}


def show(measured: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = ["| hop | array: µs | list of ints | list of CURIEs |", "| --- | --- | --- | --- |"]
    for k, row in measured["microseconds"].items():
        cells = [f"{row[name]:.1f} ({row[name] / row['array']:.2f})" for name in FORMS]
        lines.append(f"| {k} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"{measured['microseconds_an_id']} µs an id of 1,000 ids never seen before"])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("graph", help="a graph directory")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    measured = measure(options.graph)
    print(json.dumps(measured) if options.json else show(measured))


if __name__ == "__main__":
    main()
