"""Two rounds on simulated patients: the predictor has its stated rates, figures are right, and runs resume."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import clew
from clew.answer import Resources
from clew.answer.diagnosis.diagnose import ranker_of
from clew.answer.diagnosis.predictors import Case, Named
from clew.answer.diagnosis.relations import ProfileRelations
from clew.errors import InputError
from clew.evaluate.diagnosis.measures import Outcome, pooled
from clew.evaluate.diagnosis.patients import PatientSettings
from clew.evaluate.diagnosis.rounds import RoundsRun, run_rounds
from clew.evaluate.diagnosis.simulated import PredictorSettings, SimulatedPredictor
from clew.evaluate.diagnosis.training import write_training
from clew.evaluate.report.plots import draw_shares
from clew.lm.clients.scripted import Scripted
from clew.traverse import GraphEngine
from ward import build_ward

SIGNS = ProfileRelations("has_sign", "lacks_sign", "is_a", "Disease", "Phenotype", ("causes",))
PATIENTS = PatientSettings(findings=2, noise=1, imprecision=0.3)
RUN = RoundsRun(count=12, seed=1, ks=(1, 3), candidates=3, patients=PATIENTS)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> GraphEngine:
    return clew.open(build_ward(tmp_path_factory.mktemp("ward")))


@pytest.fixture(scope="module")
def resources(engine: GraphEngine) -> Iterator[Resources]:
    with Resources(engine, encoder=None) as opened:
        yield opened


def test_the_simulated_predictor_has_its_stated_rates(resources: Resources) -> None:
    profiles = ranker_of(resources, SIGNS).profiles
    wide = replace(profiles, diagnoses=np.arange(5) * 1_000)  # distinct entities
    gold = {str(at): int(wide.diagnoses[at % 5]) for at in range(3_000)}
    settings = PredictorSettings(precision=0.5, recall=0.4, plausible=0.0)
    predictor = SimulatedPredictor(wide, gold, settings)
    cases = [Case(name, ((at, ""),)) for at, name in enumerate(gold)]
    named = [[each.entity for each in predictor.predict(case)] for case in cases]
    right = np.mean([gold[case.id] in each for case, each in zip(cases, named, strict=True)])
    assert right == pytest.approx(0.4, abs=0.03)
    assert predictor.predict(cases[0]) == predictor.predict(cases[0])
    candidates = [Named("", int(each)) for each in wide.diagnoses]
    chosen = [predictor.select(case, candidates) for case in cases]
    hits = sum(
        gold[case.id] in [candidates[at].entity for at in each] for case, each in zip(cases, chosen, strict=True)
    )
    assert hits / len(cases) == pytest.approx(0.4, abs=0.03)
    assert hits / sum(map(len, chosen)) == pytest.approx(0.5, abs=0.04)


def test_figures_are_pooled_over_patients() -> None:
    figures = pooled([Outcome(4, True), Outcome(0, False), Outcome(1, True), Outcome(5, False)])
    assert (figures["precision"], figures["recall"]) == (0.2, 0.5)
    assert figures["f1"] == pytest.approx(2 * 0.2 * 0.5 / 0.7, abs=1e-4)
    assert figures["low"] <= figures["f1"] <= figures["high"]
    assert pooled([Outcome(0, False)])["precision"] == 0.0


def test_rounds_filter_then_add(resources: Resources) -> None:
    sure = PredictorSettings(precision=0.5, recall=1.0, plausible=0.0)
    report = run_rounds(resources, SIGNS, replace(RUN, predictor=sure))
    (one, three) = report["rounds"]
    assert report["baseline"]["recall"] == 1.0
    assert one["round_1"]["named"] <= three["round_1"]["named"] <= report["baseline"]["named"]
    assert one["round_2"]["recall"] >= one["round_1"]["recall"]
    assert {(each["k"], each["top"]) for each in report["grid"]} >= {(1, None), (3, 30)}
    whole = [each for each in report["grid"] if (each["threshold"], each["top"]) == (None, None)]
    assert [each["f1"] for each in whole] == [one["round_1"]["f1"], three["round_1"]["f1"]]
    for shares in report["hops"].values():
        assert sum(shares.values()) == pytest.approx(1.0, abs=1e-3)
    assert 'class="result"' in draw_shares("Hops <1>", report["hops"])


def test_a_killed_run_resumes_and_asks_no_model_twice(engine: GraphEngine, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"

    def go(model: Scripted, path: Path | None) -> dict[str, object]:
        with Resources(engine, encoder=None, model=model) as resources:
            return run_rounds(resources, SIGNS, replace(RUN, count=4), out=path)

    asked: list[str] = []

    def reply(request) -> str:  # type: ignore[no-untyped-def]
        text = request.messages[0].content
        asked.append(text)
        if len(asked) == 5:
            raise KeyboardInterrupt
        return "Disease one\nDisease two" if "Candidates" not in text else "1"

    with pytest.raises(KeyboardInterrupt):
        go(Scripted(reply), out)
    with out.open("ab") as file:
        file.write(b'{"id": "p2", "k"')  # cut short by kill -9
    report = go(Scripted(reply), out)
    assert len(asked) == 4 * 3 + 1  # the interrupted one alone was asked again
    before = len(asked)
    assert go(Scripted(reply), out) == report
    assert len(asked) == before
    assert go(Scripted(reply), None) == report


def test_training_data_are_chats_with_diagnoses_at_or_within_k_hops(resources: Resources, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl"
    exact = PatientSettings(findings=2, noise=0, imprecision=0)
    suggested = write_training(resources, SIGNS, out, count=5, seed=1, k=1, mode="within", settings=exact)
    chats = [json.loads(line)["messages"] for line in out.read_text("utf-8").splitlines()]
    assert suggested == len(chats) == 5
    for system, user, assistant in chats:
        assert (system["role"], user["role"], assistant["role"]) == ("system", "user", "assistant")
        assert user["content"].startswith("Findings: ")
        assert assistant["content"] in user["content"].split("Within 1 hop in the knowledge graph: ")[1]
    assert (
        write_training(resources, SIGNS, out, count=5, seed=1, k=2, mode="at", settings=exact) == 0
    )  # all are one hop away
    with pytest.raises(InputError, match="'near'"):
        write_training(resources, SIGNS, out, count=5, seed=1, k=1, mode="near")
