"""Simulated patients are what they claim to be, rankings are scored rightly, and runs resume."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import clew
from clew.answer import Resources
from clew.answer.diagnosis.diagnose import ranker_of
from clew.answer.diagnosis.profiles import Profiles
from clew.answer.diagnosis.relations import ProfileRelations
from clew.errors import InputError
from clew.evaluate.diagnosis.patients import PatientSettings, simulate_patients
from clew.evaluate.diagnosis.rows import ROWS, Rankings
from clew.evaluate.diagnosis.run import held_out, run_rankings
from ward import build_ward

SIGNS = ProfileRelations("has_sign", "lacks_sign", "is_a", "Disease", "Phenotype", ("causes",))
TWO = PatientSettings(findings=2, noise=1, imprecision=0.5)


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    with Resources(clew.open(build_ward(tmp_path_factory.mktemp("ward"))), encoder=None) as opened:
        yield opened


@pytest.fixture(scope="module")
def profiles(resources: Resources) -> Profiles:
    return ranker_of(resources, SIGNS).profiles


def test_patients_have_findings_of_their_diagnosis(profiles: Profiles) -> None:
    exact = PatientSettings(findings=2, noise=0, imprecision=0)
    for patient in simulate_patients(profiles, count=30, seed=1, settings=exact):
        assert set(patient.present) == set(profiles.term[profiles.rows_of(patient.gold)].tolist())
    vague = PatientSettings(findings=2, noise=0, imprecision=1)
    for patient in simulate_patients(profiles, count=30, seed=1, settings=vague):
        own = profiles.term[profiles.rows_of(patient.gold)]
        assert set(patient.present) == {int(profiles.hierarchy.parents[int(term)][0]) for term in own}


def test_frequent_findings_are_drawn_more_often(profiles: Profiles, resources: Resources) -> None:
    one = PatientSettings(findings=1, noise=0, imprecision=0)
    (second,) = profiles.find_diagnoses(resources.engine.lookup(["D:2"]).astype(np.int64)).tolist()
    rare, frequent = profiles.find_terms(resources.engine.lookup(["P:2", "P:5"]).astype(np.int64)).tolist()
    drawn = [
        each.present[0] for each in simulate_patients(profiles, count=600, seed=1, settings=one) if each.gold == second
    ]
    assert drawn.count(frequent) > 5 * drawn.count(rare) > 0


def test_the_same_seed_gives_the_same_patients_whatever_their_number(profiles: Profiles) -> None:
    many = simulate_patients(profiles, count=20, seed=3, settings=TWO)
    assert simulate_patients(profiles, count=5, seed=3, settings=TWO) == many[:5]
    assert simulate_patients(profiles, count=20, seed=4, settings=TWO) != many
    with pytest.raises(InputError, match="draw fewer"):
        simulate_patients(profiles, count=1, seed=0, settings=PatientSettings(findings=9))


def test_absent_findings_are_never_implied_by_present_ones(profiles: Profiles) -> None:
    settings = PatientSettings(findings=2, noise=0, imprecision=0, absent=2)
    patients = simulate_patients(profiles, count=40, seed=2, settings=settings)
    assert any(each.absent for each in patients)
    for patient in patients:
        implied = {int(term) for each in patient.present for term in profiles.hierarchy.ancestors[each]}
        assert not implied & set(patient.absent)


def test_equal_scores_share_their_mean_rank(profiles: Profiles) -> None:
    (patient,) = simulate_patients(
        profiles, count=1, seed=0, settings=PatientSettings(findings=2, noise=0, imprecision=1)
    )
    assert Rankings(profiles).rank("overlap", patient) == 3.0  # nobody has the parents: five equal scores


def test_every_row_beats_chance_and_hidden_rows_cost(resources: Resources, profiles: Profiles) -> None:
    exact = PatientSettings(findings=2, noise=0, imprecision=0)
    report = run_rankings(resources, SIGNS, count=60, seed=1, settings=exact)
    rows = {row["row"]: row for row in report["rows"]}
    assert set(rows) == set(ROWS)
    assert rows["ranker"]["top_1"]["mean"] > rows["random"]["top_1"]["mean"]
    assert rows["ranker"]["top_10"]["mean"] == 1.0
    hidden = run_rankings(resources, SIGNS, count=60, seed=1, settings=exact, hidden=0.9, rows=["ranker"])
    assert hidden["rows"][0]["mean_reciprocal_rank"] < rows["ranker"]["mean_reciprocal_rank"]
    assert len(held_out(profiles, 0.9, seed=1).term) < len(profiles.term)
    with pytest.raises(InputError, match="not 1"):
        held_out(profiles, 1.0, seed=1)


def test_a_killed_run_resumes_and_ranks_nothing_twice(
    resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []
    real = Rankings.rank

    def counting(self: Rankings, row: str, patient) -> float:  # type: ignore[no-untyped-def]
        asked.append((row, patient.id))
        if len(asked) == 12:
            raise KeyboardInterrupt
        return real(self, row, patient)

    monkeypatch.setattr(Rankings, "rank", counting)
    out = tmp_path / "run.jsonl"

    def go(seed: int = 3) -> dict[str, object]:
        return run_rankings(resources, SIGNS, count=10, seed=seed, settings=TWO, rows=("ranker", "cosine"), out=out)

    with pytest.raises(KeyboardInterrupt):
        go()
    with out.open("ab") as file:
        file.write(b'{"row": "cosine", "id"')  # cut short by kill -9
    report = go()
    assert len(asked) == 21
    assert len(set(asked)) == 20
    assert go()["rows"] == report["rows"]
    with pytest.raises(InputError, match="other settings"):
        go(seed=4)
    out.write_text("no run\n")
    with pytest.raises(InputError, match="is not a run"):
        go()
