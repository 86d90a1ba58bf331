"""Withheld pairs: no leaf shows them, in any relation or direction."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import InputError
from clew.extract.chains.injection import read_injected
from clew.extract.seed.held_out import prepare_held_out, read_removed_triples
from clew.extract.seed.reserved import ReserveSettings, hidden_triples, prepare_reserved, read_reserved, reserve_pairs
from clew.graph import read_entities
from clew.traverse import GraphEngine
from clew.traverse import open as open_graph

HEADS = pa.table(
    {
        "head": pa.array(range(6), pa.int32()),
        "sequence": pa.array([0, 0, 0, 1, 1, 2], pa.int32()),
        "entity": ["A", "B", None, "A", "C", "D"],
    }
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> GraphEngine:
    path = tmp_path_factory.mktemp("withheld") / "small.clew"
    rows = [("A", "treats", "B"), ("B", "near", "A"), ("A", "treats", "C"), ("A", "treats", "D"), ("K", "is_a", "B")]
    rows.append(("A", "treats", "K"))  # entails that A treats B
    columns = zip(*rows, strict=True)
    names = ("subject", "relation", "object")
    clew.build(pa.table(dict(zip(names, map(list, columns), strict=True))), out=path)
    return open_graph(path)


def spelt(graph: GraphEngine, triples: np.ndarray) -> set[tuple[str, str, str]]:
    ids, names = read_entities(graph, ("id",))["id"].to_pylist(), [each.name for each in graph.schema.relations]
    stated = graph.triple_columns(triples)
    rows = zip(stated.subject.tolist(), stated.relation.tolist(), stated.object.tolist(), strict=True)
    return {(ids[start], names[relation], ids[end]) for start, relation, end in rows}


def test_a_pair_that_stands_together_is_withheld_whatever_is_said_of_it(graph: GraphEngine) -> None:
    triples, counts = reserve_pairs(graph, HEADS, ReserveSettings(share=0.999, fewest=2))
    assert spelt(graph, triples) == {
        ("A", "treats", "B"),
        ("B", "near", "A"),
        ("A", "treats", "C"),
        ("A", "treats", "K"),
    }
    assert counts == {
        "pairs in one sequence": 2,
        "pairs reserved": 2,
        "triples between them": 3,
        "further triples that entail them": 1,
    }
    for less in (ReserveSettings(share=0.0, fewest=2), ReserveSettings(share=0.999, fewest=3)):
        assert len(reserve_pairs(graph, HEADS, less)[0]) == 0


def test_planted_pairs_are_not_taught(graph: GraphEngine) -> None:
    (planted,) = [at for at in range(graph.counts["triples"]) if spelt(graph, np.array([at])) == {("A", "treats", "C")}]
    triples, _ = reserve_pairs(graph, HEADS, ReserveSettings(share=0.999, fewest=1), held_out=np.array([planted]))
    assert planted not in triples


def test_not_everything_is_withheld() -> None:
    with pytest.raises(InputError, match="below 1"):
        ReserveSettings(share=1.0)


def test_no_leaf_of_the_toy_shows_what_is_withheld(toy_run: Path) -> None:
    graph = open_graph(toy_run / "seed.clew")
    withheld = spelt(graph, read_reserved(toy_run))
    assert 30 < len(withheld) < graph.counts["triples"] / 2
    pairs = {frozenset((start, end)) for start, _, end in withheld}
    injected = read_injected(toy_run)
    seen = set(map(frozenset, zip(injected["subject"].to_pylist(), injected["object"].to_pylist(), strict=True)))
    assert len(seen) > 100
    assert seen.isdisjoint(pairs)


def test_what_is_planted_is_kept_from_leaves_too(toy_run: Path, tmp_path: Path) -> None:
    graph = open_graph(toy_run / "seed.clew")
    for name in ("heads", "sequences"):
        (tmp_path / name).symlink_to(toy_run / name)
    prepare_reserved(tmp_path, graph)
    assert hidden_triples(tmp_path).tolist() == read_reserved(tmp_path).tolist()
    prepare_held_out(tmp_path, graph)
    prepare_reserved(tmp_path, graph)
    assert set(hidden_triples(tmp_path).tolist()) == {
        *read_reserved(tmp_path).tolist(),
        *read_removed_triples(tmp_path).tolist(),
    }
