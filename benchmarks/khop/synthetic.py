"""The benchmark graphs, made from a seed: a heavy-tailed one that looks like UMLS, and a flat-degree one of its size.

Making one takes some seconds, so the arrays are kept in the user's cache directory, one file per set of parameters.
"""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import erf

__all__ = ["ENTITIES", "RELATIONS", "TRIPLES", "BenchGraph", "flat", "heavy_tailed", "load"]

ENTITIES, TRIPLES, RELATIONS = 407_000, 3_400_000, 300
QUERIES, TUNING_QUERIES, MOST_SEEDS = 150, 12, 20
CURATED_SHARE = 0.6
RECIPE = 1  # part of the cache file's name: raise it when the same parameters come to give other arrays


@dataclass(frozen=True, slots=True)
class BenchGraph:
    """Triples over entities 0..entities-1, the queries asked of them, and others on which engines may be tuned."""

    name: str
    entities: int
    relations: int
    subject: np.ndarray  # (triples,) int32
    relation: np.ndarray  # (triples,) int16
    object: np.ndarray  # (triples,) int32
    curated: np.ndarray  # (triples,) bool
    queries: list[np.ndarray]  # sorted distinct seeds, 1 to 20 of them
    tuning: list[np.ndarray]  # like queries, never timed

    def ends(self, *, keep: np.ndarray | None = None, both: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Subjects and objects of the kept triples, parallel ones included; with `both`, each triple both ways."""
        subject, object = (self.subject, self.object) if keep is None else (self.subject[keep], self.object[keep])
        if both:
            return np.concatenate([subject, object]), np.concatenate([object, subject])
        return subject, object

    def pairs(self, *, keep: np.ndarray | None = None, both: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The distinct (subject, object) pairs of `ends`, sorted."""
        return distinct_pairs(self.entities, *self.ends(keep=keep, both=both))

    def describe(self) -> dict:
        """What the report says about the graph."""
        return {
            "entities": self.entities,
            "triples": len(self.subject),
            "relations": self.relations,
            "distinct_pairs": len(self.pairs()[0]),
            "largest_out_degree": int(np.bincount(self.subject).max()),
            "largest_in_degree": int(np.bincount(self.object).max()),
            "curated_share": round(float(self.curated.mean()), 3),
            "queries": len(self.queries),
        }


def distinct_pairs(entities: int, subject: np.ndarray, object: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each (subject, object) once, in that order."""
    keys = _sorted_distinct(subject.astype(np.int64) * entities + object)
    return (keys // entities).astype(np.int32), (keys % entities).astype(np.int32)


def heavy_tailed(
    entities: int = ENTITIES, triples: int = TRIPLES, relations: int = RELATIONS, *, seed: int = 7
) -> BenchGraph:
    """Pareto degrees in both directions, hubs mostly hubs both ways, 55 % of the triples inside communities."""
    random = np.random.default_rng(seed)
    shared = random.standard_normal(entities)  # makes an entity's two degrees correlate
    out_weight = _pareto_weights(random, shared, exponent=1.2)
    in_weight = _pareto_weights(random, shared, exponent=1.15)
    out_weight[random.random(entities) < 0.18] = 0
    in_weight[random.random(entities) < 0.12] = 0
    relabel = random.permutation(entities).astype(np.int64)
    communities = max(1, entities // 800)
    community = random.integers(0, communities, entities)
    members = np.argsort(community, kind="stable")
    starts = np.searchsorted(community[members], np.arange(communities + 1))
    out_sum, in_sum = np.cumsum(out_weight), np.cumsum(in_weight[members])
    relation_sum = np.cumsum(_relation_shares(relations))

    def draw(count: int) -> np.ndarray:
        subject = np.searchsorted(out_sum, random.random(count) * out_sum[-1], side="right")
        local = random.random(count) < 0.55
        first, end = starts[community[subject]], starts[community[subject] + 1]
        low = np.where(local & (first > 0), in_sum[np.maximum(first - 1, 0)], 0.0)
        high = np.where(local, in_sum[end - 1], in_sum[-1])
        place = np.searchsorted(in_sum, low + random.random(count) * (high - low), side="right")
        object = members[np.minimum(place, entities - 1)]
        relation = np.searchsorted(relation_sum, random.random(count)).clip(0, relations - 1)
        return _keys(subject, relation, object, entities, relations)

    keys = _distinct_keys(draw, triples)
    keys = random.permutation(keys)[:triples]
    relation, ends = keys % relations, keys // relations
    subject, object = relabel[ends // entities], relabel[ends % entities]
    order = random.permutation(triples)
    return _finish("heavy", random, seed, relations, entities, subject[order], relation[order], object[order])


def flat(entities: int = ENTITIES, triples: int = TRIPLES, relations: int = RELATIONS, *, seed: int = 11) -> BenchGraph:
    """Ends drawn uniformly, so that every degree is near the mean."""
    random = np.random.default_rng(seed)
    relation_sum = np.cumsum(_relation_shares(relations))

    def draw(count: int) -> np.ndarray:
        subject, object = random.integers(0, entities, count), random.integers(0, entities, count)
        relation = np.searchsorted(relation_sum, random.random(count)).clip(0, relations - 1)
        return _keys(subject, relation, object, entities, relations)

    keys = random.permutation(_distinct_keys(draw, triples))[:triples]
    relation, ends = keys % relations, keys // relations
    return _finish("flat", random, seed, relations, entities, ends // entities, relation, ends % entities)


def load(name: str, *, cache: Path | None = None) -> BenchGraph:
    """The graph of that name at full size, "heavy" or "flat", from the cache or made and put there."""
    makers = {"heavy": heavy_tailed, "flat": flat}
    if name not in makers:
        raise ValueError(f"no benchmark graph is called {name!r}: known: {', '.join(makers)}")
    directory = cache or _cache_directory()
    path = directory / f"{name}-{ENTITIES}-{TRIPLES}-{RELATIONS}-recipe{RECIPE}.npz"
    if path.exists():
        return _read(path, name)
    graph = makers[name]()
    _write(path, graph)
    return graph


def _pareto_weights(random: np.random.Generator, shared: np.ndarray, *, exponent: float) -> np.ndarray:
    correlation = 0.7
    own = correlation * shared + np.sqrt(1 - correlation * correlation) * random.standard_normal(len(shared))
    uniform = 0.5 * (1 + erf(own / np.sqrt(2)))
    return np.minimum((1 - np.clip(uniform, 0, 1 - 1e-9)) ** (-1 / exponent), 0.03 * len(shared))


def _relation_shares(relations: int) -> np.ndarray:
    shares = 1 / np.arange(1, relations + 1) ** 1.1
    return shares / shares.sum()


def _keys(subject: np.ndarray, relation: np.ndarray, object: np.ndarray, entities: int, relations: int) -> np.ndarray:
    proper = subject != object
    return (subject[proper] * entities + object[proper]) * relations + relation[proper]


def _distinct_keys(draw: Callable[[int], np.ndarray], triples: int) -> np.ndarray:
    keys = np.empty(0, np.int64)
    while len(keys) < triples:
        keys = _sorted_distinct(np.concatenate([keys, draw(int((triples - len(keys)) * 1.15) + 1000)]))
    return keys


def _sorted_distinct(keys: np.ndarray) -> np.ndarray:
    """`np.unique`, several times faster: sorts in place."""
    keys.sort()
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def _finish(
    name: str,
    random: np.random.Generator,
    seed: int,
    relations: int,
    entities: int,
    subject: np.ndarray,
    relation: np.ndarray,
    object: np.ndarray,
) -> BenchGraph:
    degree = np.bincount(subject, minlength=entities)
    sources = np.flatnonzero(degree)
    weight = np.sqrt(degree[sources].astype(float))
    share = weight / weight.sum()
    queries = [_query(random, sources, share) for _ in range(QUERIES)]
    apart = np.random.default_rng([seed, 1])  # its own stream: the triples and queries do not depend on what it gives
    tuning = [_query(apart, sources, share) for _ in range(TUNING_QUERIES)]
    curated = apart.random(len(subject)) < CURATED_SHARE
    ends = subject.astype(np.int32), relation.astype(np.int16), object.astype(np.int32)
    return BenchGraph(name, entities, relations, *ends, curated, queries, tuning)


def _query(random: np.random.Generator, sources: np.ndarray, share: np.ndarray) -> np.ndarray:
    count = min(int(random.integers(1, MOST_SEEDS + 1)), len(sources))
    return np.sort(random.choice(sources, count, replace=False, p=share))


def _cache_directory() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "clew" / "benchmarks"


def _write(path: Path, graph: BenchGraph) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: getattr(graph, name) for name in ("subject", "relation", "object", "curated")}
    for name in ("queries", "tuning"):
        asked = getattr(graph, name)
        arrays[name] = np.concatenate(asked)
        arrays[f"{name}_ends"] = np.cumsum([len(query) for query in asked])
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        try:
            np.savez(file, sizes=np.array([graph.entities, graph.relations]), **arrays)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _read(path: Path, name: str) -> BenchGraph:
    with np.load(path, allow_pickle=False) as stored:
        entities, relations = stored["sizes"].tolist()
        columns = [stored[column] for column in ("subject", "relation", "object", "curated")]
        asked = [np.split(stored[kind], stored[f"{kind}_ends"][:-1]) for kind in ("queries", "tuning")]
    return BenchGraph(name, entities, relations, *columns, *asked)
