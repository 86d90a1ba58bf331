"""How engines are compared and claims judged, with engines that only pretend."""

import numpy as np
import pytest
from benchmarks.khop.claims import batch_claims, hop_claims
from benchmarks.khop.rounds import (
    CLEW,
    FULL,
    QUICK,
    Contender,
    Disagreement,
    figures,
    plan,
    prove_agreement,
    time_rounds,
)


def pretend(name, seconds, *, ids=(1, 2, 3), calls=None):
    def run(query, k):
        if calls is not None:
            calls.append((name, query, k))
        return seconds, list(ids)

    return Contender(name, run, lambda result: np.sort(np.array(result)))


def test_agreement_gives_the_least_seconds_of_each_engine():
    seconds = prove_agreement([pretend(CLEW, 1.0), pretend("numpy", 2.0, ids=(3, 2, 1))], [0, 1], [1, 2])
    assert seconds == {(CLEW, 1): 1.0, (CLEW, 2): 1.0, ("numpy", 1): 2.0, ("numpy", 2): 2.0}


@pytest.mark.parametrize("ids", [(1, 2), (1, 2, 4), (1, 2, 3, 4), ()])
def test_one_different_entity_is_a_disagreement(ids):
    with pytest.raises(Disagreement, match="igraph gives"):
        prove_agreement([pretend(CLEW, 1.0), pretend("igraph", 1.0, ids=ids)], [0], [1])


def test_different_sizes_while_timing_are_a_disagreement():
    engines = [pretend(CLEW, 1.0), pretend("igraph", 1.0, ids=(1,))]
    with pytest.raises(Disagreement, match="sizes"):
        time_rounds(engines, {CLEW: 1, "igraph": 1}, 1, [0], warm=(), warmers=[], seed=1)


def test_plan_times_often_what_may_decide_a_claim():
    seconds = {
        (CLEW, 5): 0.004,
        ("numpy", 5): 0.03,
        ("igraph", 5): 0.2,
        ("networkx", 5): 3.0,
        ("scipy incidence", 5): 1.0,
    }
    counts = plan(seconds, 5, FULL)
    assert counts["numpy"] == counts["igraph"] == counts["scipy incidence"] == FULL.often >= 30
    assert counts["networkx"] == FULL.seldom >= 3
    assert plan(seconds, 5, QUICK)["scipy incidence"] < 30


def test_rounds_run_every_engine_once_on_a_query_in_varying_order():
    calls: list = []
    engines = [pretend(name, 0.001, calls=calls) for name in (CLEW, "numpy", "igraph")]
    spent = time_rounds(engines, {CLEW: 20, "numpy": 20, "igraph": 5}, 3, list(range(40)), warm=(), warmers=[], seed=1)
    assert {name: len(times) for name, times in spent.items()} == {CLEW: 20, "numpy": 20, "igraph": 5}
    assert len(set(calls)) == len(calls) == 45
    orders = {tuple(name for name, query, _ in calls if query == number) for number in range(5)}
    assert len(orders) > 1


def test_warming_uses_other_queries_and_is_not_timed():
    calls: list = []
    engine = pretend(CLEW, 0.001, calls=calls)
    spent = time_rounds([engine], {CLEW: 2}, 1, [0, 1], warm={CLEW}, warmers=[90, 91, 92, 93, 94, 95], seed=1)
    assert len(spent[CLEW]) == 2
    assert [query for _, query, _ in calls] == [90, 91, 92, 93, 0, 90, 91, 92, 93, 1]


def test_figures_pair_each_query_with_clew_on_the_same_query():
    rows = figures({CLEW: np.array([1.0, 2.0, 4.0]), "igraph": np.array([3.0, 6.0])}, hop=2, mode="exact")
    assert [row["ratio"] for row in rows] == [1.0, 3.0]
    assert [row["n"] for row in rows] == [3, 2]
    assert set(rows[0]) == {"engine", "hop", "mode", "median_ms", "p95_ms", "ratio", "low", "high", "n"}


def row(engine, hop, low, *, graph="heavy", filtered="none", milliseconds=0.01):
    return {
        "engine": engine, "hop": hop, "graph": graph, "filter": filtered, "median_ms": milliseconds,
        "ratio": low + 0.1, "low": low, "high": low + 0.2,
    }  # fmt: skip


def test_claims_are_judged_on_the_low_end_against_the_best_peer():
    rows = [row(CLEW, 3, 1.0), row("igraph", 3, 9.0), row("numpy", 3, 2.45)]
    claim = hop_claims(rows)[0]
    assert (claim["against"], claim["at_least"], claim["holds"]) == ("numpy", 2.5, False)
    rows[-1] = row("numpy", 3, 2.5)
    assert hop_claims(rows)[0]["holds"]


def test_hop_one_claims():
    rows = [row(CLEW, 1, 1.0, milliseconds=0.026), row("numpy", 1, 0.67), row("scipy incidence", 1, 59.0)]
    held = {claim["claim"]: claim["holds"] for claim in hop_claims(rows)}
    assert list(held.values()) == [True, False, False]


def test_filtered_flat_and_batch_claims():
    filtered = [row(CLEW, 4, 1.0, filtered="curated"), row("numpy", 4, 1.4, filtered="curated")]
    flat = [row(CLEW, 4, 1.0, graph="flat"), row("numpy", 4, 1.2, graph="flat")]
    claims = hop_claims(filtered + flat)
    assert [(claim["at_least"], claim["holds"]) for claim in claims] == [(1.2, True), (1.5, False)]
    assert [claim["holds"] for claim in batch_claims([row(CLEW, 4, 1.0), row("numpy", 4, 5.0)])] == [True]
