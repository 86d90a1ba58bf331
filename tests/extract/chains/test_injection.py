"""Injection against a version that follows appendix D word for word, on random matches with many ties."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.extract.chains.injection import InjectionSettings, inject
from clew.extract.seed.selection import MATCHES

Row = tuple[int, int, str, str, str, str, float]


def table_of(rows: list[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(MATCHES)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, MATCHES, strict=True)], schema=MATCHES)


@st.composite
def matches(draw: st.DrawFn) -> pa.Table:
    """Heads of a few sequences with distinct triples each; scores on a coarse grid, so that ties are common."""
    rows: list[Row] = []
    head = 0
    for sequence in range(draw(st.integers(0, 5))):
        for _ in range(draw(st.integers(0, 3))):
            subject = draw(st.sampled_from("ab"))
            pairs = draw(st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("xyz")), max_size=5, unique=True))
            for relation, object_ in pairs:
                score = float(np.float32(draw(st.integers(0, 40)) / 1000 + 0.3))
                rows.append((head, sequence, subject, relation, object_, object_, score))
            head += 1
    return table_of(rows)


def naive(table: pa.Table, settings: InjectionSettings) -> list[Row]:
    rows = [(at, *row.values()) for at, row in enumerate(table.to_pylist())]
    assert settings.threshold is not None
    rows = [row for row in rows if row[7] >= settings.threshold]
    nearest: dict[tuple[str, str, str], list[tuple]] = {}
    for row in sorted(rows, key=lambda row: (-row[7], row[2], row[1])):
        kept = nearest.setdefault((row[3], row[4], row[5]), [])
        if len(kept) < settings.repeats and row[2] not in {each[2] for each in kept}:
            kept.append(row)
    left = sorted(row for kept in nearest.values() for row in kept)
    if not left:
        return []
    best = max(row[7] for row in left)
    counts = {relation: sum(row[4] == relation for row in left) for relation in {row[4] for row in left}}

    def order(row: tuple) -> tuple:
        score_bucket = math.floor((best - row[7]) / settings.score_bucket)
        return score_bucket, counts[row[4]] // settings.relation_bucket, -row[7], row[0]

    taken: dict[int, list[tuple]] = {}
    for row in sorted(left, key=order):
        if len(taken.setdefault(row[1], [])) < settings.alternatives:
            taken[row[1]].append(row)
    return [row[1:] for row in sorted((row for rows in taken.values() for row in rows), key=lambda row: row[0])]


@given(
    matches(),
    st.sampled_from((0.3, 0.31, 0.33)),
    st.sampled_from((1, 2, 3)),
    st.sampled_from((1, 2)),
    st.sampled_from((1, 1, 2)),
)
def test_injection_is_appendix_d(
    table: pa.Table, threshold: float, relation_bucket: int, repeats: int, alternatives: int
) -> None:
    settings = InjectionSettings(
        threshold=threshold, relation_bucket=relation_bucket, repeats=repeats, alternatives=alternatives
    )
    injected, report = inject(table, settings)
    assert [tuple(row.values()) for row in injected.to_pylist()] == naive(table, settings)
    assert report["injected"] == injected.num_rows == sum(report["relations injected"].values())


@given(matches())
def test_one_triple_a_head_and_one_sequence_a_triple(table: pa.Table) -> None:
    injected, _ = inject(table, InjectionSettings(quantile=0.0))
    heads = injected["head"].to_pylist()
    assert len(heads) == len(set(heads))
    triples = list(zip(*(injected[name].to_pylist() for name in ("subject", "relation", "object")), strict=True))
    assert len(triples) == len(set(triples))


def test_the_rarest_relation_wins_inside_a_bucket_of_scores_and_only_there() -> None:
    rows: list[Row] = [(number, 0, f"s{number}", "common", "x", "x", 0.5) for number in range(3)]
    rows += [(9, 1, "a", "common", "y", "y", 0.899), (9, 1, "a", "rare", "z", "z", 0.895)]
    rows += [(8, 1, "b", "common", "y", "y", 0.899), (8, 1, "b", "rarer", "z", "z", 0.7)]
    injected, _ = inject(table_of(rows), InjectionSettings(quantile=0.0, relation_bucket=1))
    chosen = dict(zip(injected["head"].to_pylist(), injected["relation"].to_pylist(), strict=True))
    assert (chosen[9], chosen[8]) == ("rare", "common")


def test_the_threshold_is_a_quantile_and_rare_relations_can_be_dropped() -> None:
    rows: list[Row] = [(at, at, f"s{at}", "r" if at else "q", "x", "x", at / 10) for at in range(11)]
    injected, report = inject(table_of(rows), InjectionSettings(quantile=0.5))
    assert report["alpha"] == pytest.approx(0.5)
    assert injected["head"].to_pylist() == [5, 6, 7, 8, 9, 10]
    injected, report = inject(table_of(rows), InjectionSettings(quantile=0.0, fewest=2))
    assert "q" not in injected["relation"].to_pylist()
    assert report["dropped because their relation is too rare"] == 1


def test_nothing_matched_injects_nothing() -> None:
    injected, report = inject(table_of([]))
    assert injected.num_rows == report["injected"] == 0


@pytest.mark.parametrize("bad", [{"quantile": 1.5}, {"score_bucket": 0.0}, {"repeats": 0}])
def test_odd_settings_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        InjectionSettings(**bad)  # type: ignore[arg-type]
