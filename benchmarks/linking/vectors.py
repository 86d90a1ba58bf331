"""Nearest names among many: exact search with bounds, usearch and faiss on the same real vectors.

python -m benchmarks.linking.vectors --vectors rows.npy --counts 60000 100000 300000 --json vectors.json

`--vectors` takes float32 rows of unit length from a real encoder, such as the `vectors.npy` of a large index. Without
it the names of HPO are encoded, and where more rows are wanted than there are names, rows are mixed of two real ones.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import claim_table, environment, to_stderr, write_json
from clew.embed import VectorIndex, build_index, open_encoder
from clew.evaluate.report.tables import markdown_table
from clew.progress import Progress, silent

__all__ = ["run", "show"]

COUNTS = (60_000, 100_000, 300_000)
QUICK_COUNTS, QUICK_ENGINES = (36_000,), ("clew exact",)  # HPO's own names, as `clew link` searches them
K = 10
QUERIES = 500
AGAIN = 4 * K  # finds that every approximate engine hands over to be scored in full
Search = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Trial:
    """An engine that has its index: what it is, what that cost, and how it finds rows for one query."""

    engine: str
    build_seconds: float
    megabytes: float
    search: Search


def run(
    *,
    quick: bool = False,
    vectors: Path | None = None,
    counts: Sequence[int] | None = None,
    engines: Sequence[str] | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Measure build time, size, recall@10 against all scores, and time a query, for each engine and count."""
    counts = counts or (QUICK_COUNTS if quick else COUNTS)
    engines = engines or (QUICK_ENGINES if quick else tuple(ENGINES))
    if "faiss" in engines and find_spec("faiss"):
        import faiss  # noqa: F401 - loaded after usearch it crashes the process: both bring a C++ runtime of their own
    rows: list[dict[str, Any]] = []
    mixed = 0
    real = np.load(vectors, mmap_mode="r") if vectors else _hpo_vectors(progress)
    for count in counts:
        stored, queries, made = _sample(real, count)
        mixed = max(mixed, made)
        least = _least_scores(stored, queries)
        for make in (ENGINES[engine] for engine in engines):
            with tempfile.TemporaryDirectory() as directory:
                for trial in make(stored, Path(directory) / "index", progress):
                    rows.append(_measured(trial, stored, queries, least))
                    progress(f"{count} rows: {rows[-1]}", len(rows), None)
    return {
        "benchmark": "vectors",
        "quick": quick,
        **environment(_versions()),
        "vectors": "mixed of real ones" if mixed else "real",
        "mixed_rows": mixed,
        "rows": rows,
        "claims": _claims(rows),
    }


def _sample(real: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, int]:
    """So many rows to store, queries that are not among them, and how many of the rows had to be mixed."""
    random = np.random.default_rng(3)
    chosen = np.sort(random.permutation(len(real))[: count + QUERIES])
    taken = np.asarray(real[chosen], np.float32)
    made = max(0, count + QUERIES - len(taken))
    if made:
        one, other = taken[random.integers(0, len(taken), (2, made))]
        taken = np.concatenate([taken, 0.75 * one + 0.25 * other])
    taken /= np.linalg.norm(taken, axis=1, keepdims=True)
    asked = random.permutation(len(taken)) < QUERIES
    return taken[~asked], taken[asked], made


def _hpo_vectors(progress: Progress) -> np.ndarray:
    import clew
    from clew.graph import read_entities

    with tempfile.TemporaryDirectory() as directory:
        clew.build("hpo", out=Path(directory) / "hpo.clew", progress=progress)
        names = read_entities(clew.open(Path(directory) / "hpo.clew"), ("name",))["name"].to_pylist()
    return open_encoder().encode(names, progress=progress)


def _least_scores(stored: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """The score of the tenth best row of each query: what a find must reach, so that equal rows are equally right."""
    parts = [np.partition(queries[at : at + 50] @ stored.T, -K, axis=1)[:, -K] for at in range(0, len(queries), 50)]
    return np.concatenate(parts)


def _measured(trial: Trial, stored: np.ndarray, queries: np.ndarray, least: np.ndarray) -> dict[str, Any]:
    for query in queries[:20]:
        trial.search(query)
    seconds, processor, right = [], [], 0
    for query, wanted in zip(queries, least, strict=True):
        began, worked = time.perf_counter(), time.thread_time()
        found = trial.search(query)
        seconds.append(time.perf_counter() - began)
        processor.append(time.thread_time() - worked)
        right += int((stored[found] @ query >= wanted - 1e-4).sum())
    return {
        "engine": trial.engine,
        "count": len(stored),
        "build_seconds": round(trial.build_seconds, 2),
        "megabytes": round(trial.megabytes, 1),
        "recall": round(right / (K * len(queries)), 4),
        "median_ms": round(float(np.median(seconds)) * 1e3, 3),
        "p95_ms": round(float(np.percentile(seconds, 95)) * 1e3, 3),
        "processor_ms": round(float(np.median(processor)) * 1e3, 3),
    }


class _Given:
    """An encoder whose texts are row numbers of vectors that exist already."""

    name = identity = "given"

    def __init__(self, vectors: np.ndarray) -> None:
        self._vectors = vectors
        self.dimension = vectors.shape[1]

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> np.ndarray:
        return self._vectors[[int(text) for text in texts]]


def _clew(kind: str, stored: np.ndarray, path: Path, progress: Progress) -> list[Trial]:
    began = time.perf_counter()
    texts = [str(row) for row in range(len(stored))]
    build_index(path, texts, _Given(stored), identity={}, what="the index", kind=kind)
    took = time.perf_counter() - began
    index = VectorIndex.open(path, {}, what="the index", remedy="run it again")
    return [Trial(f"clew {kind}", took, _megabytes(path), lambda query: index.nearest(query, k=K).rows[0])]


def _faiss(stored: np.ndarray, path: Path, progress: Progress) -> list[Trial]:
    """The same kind of graph in faiss, and cells of neighbours; finds are scored again as Clew does."""
    try:
        import faiss
    except ImportError:
        return []
    halves = stored.astype(np.float16)
    trials = []
    for name, parameter, value in (("HNSW16,SQ8", "efSearch", 160), (_cells(len(stored)), "nprobe", 64)):
        began = time.perf_counter()
        index = faiss.index_factory(stored.shape[1], name, faiss.METRIC_INNER_PRODUCT)
        if parameter == "efSearch":
            faiss.ParameterSpace().set_index_parameter(index, "efConstruction", 128)
        index.train(stored)
        index.add(stored)
        faiss.ParameterSpace().set_index_parameter(index, parameter, value)
        took = time.perf_counter() - began
        path.mkdir(exist_ok=True)
        faiss.write_index(index, str(path / "index.faiss"))
        trials.append(Trial(f"faiss {name}", took, _megabytes(path) + halves.nbytes / 1e6, _rescored(index, halves)))
    return trials


def _cells(count: int) -> str:
    return f"IVF{1 << int(np.log2(4 * np.sqrt(count)))},SQ8"


def _rescored(index: Any, halves: np.ndarray) -> Search:
    def search(query: np.ndarray) -> np.ndarray:
        found = index.search(query[None], AGAIN)[1][0]
        found = found[found >= 0]
        scores = np.vecdot(halves[found].astype(np.float32), query)
        return found[np.argsort(-scores, kind="stable")[:K]]

    return search


ENGINES: dict[str, Callable[[np.ndarray, Path, Progress], list[Trial]]] = {
    "clew exact": lambda stored, path, progress: _clew("exact", stored, path, progress),
    "clew approximate": lambda stored, path, progress: _clew("approximate", stored, path, progress),
    "faiss": _faiss,
}


def _claims(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the index promises: nothing missed below 100,000 rows and 5 ms at 60,000; recall 0.98 above."""
    claims = []
    for row in rows:
        subject = f"{row['engine']}, {row['count']:,} rows"
        if row["engine"] == "clew exact":
            claims.append({"claim": f"recall@10, {subject}", "at_least": 0.999, "measured": row["recall"]})
            if row["count"] <= 60_000:
                claims.append({"claim": f"ms a query, {subject}", "at_most": 5.0, "measured": row["median_ms"]})
        elif row["engine"] == "clew approximate":
            claims.append({"claim": f"recall@10, {subject}", "at_least": 0.98, "measured": row["recall"]})
            claims.append({"claim": f"ms a query, {subject}", "at_most": 5.0, "measured": row["median_ms"]})
    for claim in claims:
        claim["holds"] = (
            claim["measured"] >= claim["at_least"] if "at_least" in claim else claim["measured"] <= claim["at_most"]
        )
    return claims


def show(report: dict[str, Any]) -> str:
    """The table of engines, and whether each is within its limits."""
    columns = ("engine", "count", "build_seconds", "megabytes", "recall", "median_ms", "p95_ms", "processor_ms")
    table = markdown_table(columns, ([row[column] for column in columns] for row in report["rows"]))
    return f"{table}\n\n{claim_table(report['claims'])}"


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("usearch", "faiss-cpu"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _megabytes(path: Path) -> float:
    return sum(file.stat().st_size for file in path.rglob("*")) / 1e6


def main() -> int:
    """The command line; 0 if every claim holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, metavar="FILE")
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    report = run(vectors=options.vectors, counts=options.counts, engines=options.engines, progress=to_stderr)
    print(show(report))
    if options.json:
        write_json(options.json, report)
    return 0 if all(claim["holds"] for claim in report["claims"]) else 1


if __name__ == "__main__":
    sys.exit(main())
