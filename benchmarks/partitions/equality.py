"""1,000 random queries of every mode, direction and filter through caches of 1, 2, 4, 8 and 16 of 16 partitions.

Every result must equal that of the engine in memory over the same directory: entities, the triples on the way, those
that lead to the result, and all queries of a kind as one batch. `python -m benchmarks.partitions.equality --json FILE`,
with `--add` for some sizes of cache after others, and with `--ray` on two actors of Ray instead of through caches; the
graph has a 500th of the size of the paper's.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import clew
from benchmarks.partitions.build import PARTITIONS
from benchmarks.partitions.recipe import ENTITIES, RELATIONS, TRIPLES, TYPES, write_tables
from benchmarks.report import environment, write_json
from clew.graph import Graph, Relation, Source
from clew.graph.storage.segments import NEIGHBOURS
from clew.traverse.walk import DIRECTIONS, MODES

__all__ = ["joined", "run"]

SHARE, SEED = 500, 17
CACHES = (1, 2, 4, 8, 16)
FILTERS = ("none", "relations", "metapath", "types", "through", "max_degree", "sources", "negated", "layer", "several")
ACTORS = 2
Options = dict[str, Any]
Expected = list[list[tuple[int, str]]]


def run(queries: int = 1000, caches: Sequence[int] = CACHES, *, ray: bool = False) -> dict[str, Any]:
    """Compare, and report how many results were equal; the first that differs is an error."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.clew"
        write_tables(Path(folder), entities=ENTITIES // SHARE, triples=TRIPLES // SHARE)
        relations = [Relation("relation 0", symmetric=True), Relation("relation 1", negated=True)]
        clew.build(
            f"{folder}/triples.parquet", entities=f"{folder}/entities.parquet", out=path, partitions=PARTITIONS,
            memory="1GB", relations=relations, sources=[Source("source 2", curated=True)],
        )  # fmt: skip
        asked = _asked(queries, ENTITIES // SHARE)
        whole = clew.open(path, backend="numba")
        expected = [_results(whole, *each) for each in asked]
        rows = [_on_ray(path, asked, expected, whole)] if ray else []
        rows += [] if ray else [_through_cache(path, cache, asked, expected, whole) for cache in caches]
        return {
            "benchmark": "equality", "graph": whole.counts, "partitions": PARTITIONS, "queries": queries,
            "kinds": dict(sorted(Counter(f"{o['mode']} {o['direction']} {kind}" for _, _, kind, o in asked).items())),
            "entities_found": sum(each[0][0] for each in expected), "rows": rows,
            "seconds": round(time.perf_counter() - begun, 1), **environment(),
        }  # fmt: skip


def joined(earlier: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """The report of two runs of the same queries through caches of other sizes."""
    alike = ("graph", "partitions", "queries", "kinds", "entities_found")
    assert [earlier[each] for each in alike] == [later[each] for each in alike], "the earlier report is of others"
    rows = sorted(earlier["rows"] + later["rows"], key=lambda row: int(row.get("cache", 0)))
    return {**later, "rows": rows, "seconds": round(earlier["seconds"] + later["seconds"], 1)}


def _asked(count: int, entities: int) -> list[tuple[np.ndarray, int, str, Options]]:
    """Seeds, hops, the kind of filter, and all options; every mode, direction and filter occurs."""
    rng = np.random.default_rng(SEED)
    asked = []
    for at in range(count):
        seeds = np.unique(rng.integers(0, entities, rng.integers(1, 21))).astype(np.int32)
        k, kind = int(rng.integers(0, 6)), FILTERS[at % len(FILTERS)]
        options = {"mode": MODES[at // len(FILTERS) % len(MODES)], "direction": rng.choice(DIRECTIONS).item()}
        asked.append((seeds, k, kind, options | _filter(rng, k, kind)))
    return asked


def _filter(rng: np.random.Generator, k: int, kind: str) -> Options:
    def some(what: str, of: int, most: int) -> list[str]:
        return [f"{what} {each}" for each in np.unique(rng.integers(0, of, rng.integers(1, most + 1)))]

    made: dict[str, Any] = {
        "none": dict,
        "relations": lambda: {"relations": some("relation", RELATIONS, 20)},
        "metapath": lambda: {"relations": [some("relation", RELATIONS, 30) for _ in range(k)]} if k else {},
        "types": lambda: {"types": some("Type", TYPES, 4)},
        "through": lambda: {"through": some("Type", TYPES, 6)},
        "max_degree": lambda: {"max_degree": int(rng.integers(1, 60))},
        "sources": lambda: {"where": clew.Where(sources=f"source {rng.integers(0, 3)}")},
        "negated": lambda: {"where": clew.Where(negated=True)},
        "layer": lambda: {"where": clew.Where(layer="curated")},
        "several": lambda: _filter(rng, k, "relations") | _filter(rng, k, "types") | _filter(rng, k, "sources"),
    }
    options: Options = made[kind]()
    return options


def _results(engine: clew.Engine, seeds: np.ndarray, k: int, kind: str, options: Options) -> list[tuple[int, str]]:
    """How many entities and triples were found, each with a checksum."""
    near = engine.hop(seeds, k, **options)
    found = [near.ids]
    if k:
        found += [engine.hop_triples(near, leading_to_result=leading).numbers for leading in (False, True)]
    return [(len(each), hashlib.sha256(each.astype(np.int64).tobytes()).hexdigest()) for each in found]


def _through_cache(path: Path, cache: int, asked: list[Any], expected: Expected, whole: clew.Engine) -> dict[str, Any]:
    segments = Graph(path).segments
    size = max(cache * 2 * segments.largest(*NEIGHBOURS), segments.largest())
    engine = clew.open(path, backend="numba", cache=size)
    equal = _compared(engine, f"a cache of {cache}", asked, expected, whole)
    counts = engine.cache
    assert counts is not None
    return {
        "cache": cache, "capacity": counts.capacity, **equal, "loads": counts.loads, "evictions": counts.evictions,
        "hits": counts.hits,
    }  # fmt: skip


def _on_ray(path: Path, asked: list[Any], expected: Expected, whole: clew.Engine) -> dict[str, Any]:
    engine = clew.open(path, engine="ray", actors=ACTORS)
    return {"ray_actors": ACTORS, **_compared(engine, f"Ray with {ACTORS} actors", asked, expected, whole)}


def _compared(
    engine: clew.Engine, name: str, asked: list[Any], expected: Expected, whole: clew.Engine
) -> dict[str, int]:
    for (seeds, k, kind, options), known in zip(asked, expected, strict=True):
        found = _results(engine, seeds, k, kind, options)
        assert found == known, f"{name} differs: {seeds.tolist()} {k} {options}"
    batches = 0
    for mode in MODES:
        for direction in DIRECTIONS:
            chosen = [seeds for seeds, _, _, options in asked if options["mode"] == mode]
            for options in ({}, {"types": ["Type 3"]}, {"where": clew.Where(sources="source 1")}):
                walk = {"mode": mode, "direction": direction, **options}
                one, other = (each.hop_batch(chosen, 3, **walk) for each in (engine, whole))
                assert np.array_equal(one.offsets, other.offsets), f"{name} differs: a batch {walk}"
                assert np.array_equal(one.ids, other.ids), f"{name} differs: a batch {walk}"
                batches += 1
    print(f"{name}: {len(asked):,} queries and {batches} batches are equal", file=sys.stderr, flush=True)
    return {"equal_queries": len(asked), "equal_batches": batches}


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--queries", type=int, default=1000, help="how many (default: 1000)")
    options.add_argument("--caches", type=int, nargs="+", default=CACHES, help="in partitions (default: 1 2 4 8 16)")
    options.add_argument("--ray", action="store_true", help=f"on {ACTORS} actors of Ray instead")
    options.add_argument("--json", type=Path, help="where to write the report")
    options.add_argument("--add", action="store_true", help="add to the report that is there")
    given = options.parse_args()
    try:
        report = run(given.queries, given.caches, ray=given.ray)
        if given.add:
            report = joined(json.loads(given.json.read_text("utf-8")), report)
    except AssertionError as error:
        sys.exit(f"error: {error}")
    if given.json is not None:
        write_json(given.json, report)
