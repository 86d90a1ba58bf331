"""Real graphs: our sets equal those of NetworkX on HPO, FB15k-237 and Hetionet, and HPO's negated rows stay out."""

from collections.abc import Iterator
from pathlib import Path

import networkx
import numpy as np
import pyarrow as pa

import clew


def exact_ends(network: networkx.DiGraph, seeds: set[str], k: int) -> set[str]:
    ends = seeds
    for _ in range(k):
        ends = set().union(*(network.successors(each) for each in ends)) if ends else set()
    return ends


def network_of(graph: clew.Engine) -> networkx.DiGraph:
    """Default triples as NetworkX sees them, symmetric ones both ways, read from the exported columns."""
    symmetric = {relation.name for relation in graph.schema.relations if relation.symmetric}
    negated = {relation.name for relation in graph.schema.relations if relation.negated}
    made = networkx.DiGraph()
    ids = graph.graph.entities["id"].to_pylist()
    made.add_nodes_from(ids)
    rows = graph.graph.forward
    names = [relation.name for relation in graph.schema.relations]
    for subject, (start, end) in enumerate(zip(rows.offsets[:-1], rows.offsets[1:], strict=True)):
        for position in range(start, end):
            relation = names[rows.relation[position]]
            if relation in negated:
                continue
            made.add_edge(ids[subject], ids[rows.end[position]])
            if relation in symmetric:
                made.add_edge(ids[rows.end[position]], ids[subject])
    return made


def check(path: Path, *, hops: int = 5, queries: int = 6) -> None:
    rng = np.random.default_rng(11)
    reference = network_of(clew.open(path))
    for backend in ("numba", "numpy", "scipy", "torch"):
        graph = clew.open(path, backend=backend)
        ids = np.array(graph.graph.entities["id"].to_pylist(), dtype=object)
        for _ in range(queries if backend == "numba" else 2):
            seeds = rng.choice(len(ids), int(rng.integers(1, 6)), replace=False)
            for k in range(1, hops + 1):
                found = set(ids[graph.hop(seeds.astype(np.int32), k=k).ids])
                assert found == exact_ends(reference, set(ids[seeds]), k), (backend, k)


def test_hpo(hpo: Path) -> None:
    check(hpo)


def test_no_default_walk_on_hpo_uses_a_negated_row(hpo: Path) -> None:
    graph = clew.open(hpo)
    lacks = graph.schema.relation("lacks_phenotype")
    assert lacks.negated
    assert lacks.triples > 600
    rows = graph.graph.forward
    denied = np.flatnonzero(rows.relation == lacks.number)
    diseases = np.unique(graph.graph.subject_of(denied))
    for direction in ("out", "in", "both"):
        near = graph.hop(diseases, k=2, direction=direction)
        for hop in (1, 2):
            assert not np.isin(near.triples(hop).relation, lacks.number).any()
    for number in denied[:40]:
        subject, end = graph.graph.subject_of(np.array([number])), rows.end[[number]]
        said = set(
            rows.relation[rows.offsets[subject[0]] : rows.offsets[subject[0] + 1]][
                rows.end[rows.offsets[subject[0]] : rows.offsets[subject[0] + 1]] == end[0]
            ].tolist()
        )
        paths = list(graph.paths(subject, end, k=1))
        assert {path.triples[0].relation for path in paths} == {
            graph.schema.relations[each].name for each in said if each != lacks.number
        }


def test_fb15k237(data: Path, tmp_path: Path) -> None:
    folder = data / "fb15k237"

    def lines(name: str) -> Iterator[list[str]]:
        text = (folder / f"benchmarks__FB15K237__{name}.txt").read_text("utf-8")
        return (line.split() for line in text.splitlines()[1:] if line.strip())

    entities = {number: name for name, number in lines("entity2id")}
    relations = {number: name for name, number in lines("relation2id")}
    rows = [row for part in ("train2id", "valid2id", "test2id") for row in lines(part)]
    clew.build(
        pa.table(
            {
                "subject": [entities[row[0]] for row in rows],
                "relation": [relations[row[2]] for row in rows],
                "object": [entities[row[1]] for row in rows],
            }
        ),
        out=tmp_path / "fb.clew",
    )
    graph = clew.open(tmp_path / "fb.clew")
    assert graph.manifest.counts["triples"] == 310_116
    assert graph.manifest.counts["relations"] == 237
    check(tmp_path / "fb.clew", queries=3)


def test_hetionet(data: Path, tmp_path: Path) -> None:
    clew.build(data / "hetionet", out=tmp_path / "het.clew")
    check(tmp_path / "het.clew", queries=3)
