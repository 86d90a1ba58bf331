"""The two rounds with a scripted model: what is kept, dropped and added, and why."""

from collections.abc import Iterator

import pytest

import clew
from clew.answer import Resources
from clew.answer.diagnosis.connections import connected, reach_of, refine
from clew.answer.diagnosis.diagnose import diagnose_with, predict_for
from clew.answer.diagnosis.predictors import parse_numbers, parse_predictions
from clew.answer.diagnosis.two_rounds import RoundSettings, TwoRounds
from clew.errors import InputError
from clew.lm.clients.scripted import Scripted
from clew.traverse import GraphEngine
from ward import build_ward


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphEngine]:
    return clew.open(build_ward(tmp_path_factory.mktemp("ward")))


def rounds(engine: GraphEngine, settings: RoundSettings, *answers: str) -> tuple[TwoRounds, Scripted]:
    model = Scripted(list(answers))
    with Resources(engine, encoder=None, model=model) as resources:
        found = diagnose_with(resources, ["Long fingers"], absent=["Deafness"])
        return predict_for(resources, found, settings), model


def test_predictions_that_the_graph_connects_are_kept_and_candidates_added(engine: GraphEngine) -> None:
    ran, model = rounds(engine, RoundSettings(k=1), "1. Disease one\n2. Disease five\n3. Purple fever", "2, 9")
    fates = {each.name: each for each in ran.fates}
    assert {name: each.fate for name, each in fates.items()} == {
        "Disease one": "kept",
        "Disease five": "dropped",
        "Purple fever": "dropped",
        "Disease two": "added",
    }
    assert fates["Purple fever"].reason == "this graph has no such diagnosis"
    assert fates["Disease five"].reason == "no path of up to 1 hop from a finding"
    assert [str(step) for step in fates["Disease one"].path] == ["Disease one --has_sign--> Long fingers"]
    assert [str(step) for step in fates["Disease two"].path] == ["Disease two --has_sign--> Long fingers"]
    assert (fates["Disease one"].hops, fates["Disease one"].similarity) == (1, 1.0)
    assert engine.describe(list(ran.final))["name"].to_pylist() == ["Disease one", "Disease two"]
    first, second = (each.messages[0].content for each in model.requests)
    assert first.startswith("Findings: Long fingers. Absent: Deafness.")
    assert "1. Disease one\n2. Disease two\n" in second
    assert "Disease three" not in second  # three hops away


def test_a_wider_reach_keeps_more(engine: GraphEngine) -> None:
    ran, _ = rounds(engine, RoundSettings(k=3), "Disease three\nDisease one", "")
    assert [(each.name, each.fate, each.hops) for each in ran.fates] == [
        ("Disease three", "kept", 3),
        ("Disease one", "kept", 1),
    ]
    assert len(ran.fates[0].path) == 3
    assert ran.added == ()


def test_predictions_are_refined_by_similarity(engine: GraphEngine) -> None:
    ran, _ = rounds(engine, RoundSettings(k=3, threshold=0.9), "Disease three\nDisease one", "")
    assert [each.fate for each in ran.fates] == ["dropped", "kept"]
    assert "is below 0.9" in ran.fates[0].reason
    top, _ = rounds(engine, RoundSettings(k=3, top=1), "Disease three\nDisease one", "")
    assert top.fates[0].reason == "not among the 1 most similar"
    assert refine([7, 8, 9], [0.1, 0.9, 0.5], top=2) == [8, 9]
    assert refine([7, 8, 9], [0.1, 0.9, 0.5], threshold=0.5) == [8, 9]
    assert refine([7, 8, 9], [0.1, 0.9, 0.5], threshold=0.2, top=1) == [8]


def test_reach_agrees_with_hops(engine: GraphEngine) -> None:
    seeds = engine.resolve(["P:2"]).tolist()
    reach = reach_of(engine, seeds, k=4)
    everything = list(range(engine.counts["entities"]))
    for k in range(1, 5):
        within = engine.hop(seeds, k, mode="within", direction="both").ids.tolist()
        assert connected(everything, reach, k) == within
    assert reach_of(engine, seeds, k=1).hops(10**6) is None
    with pytest.raises(InputError, match="from 1 to 5"):
        reach_of(engine, seeds, k=6)


def test_ugly_lists_are_read() -> None:
    text = "Here are the diseases:\n* **Marfan syndrome** (MFS)\n- Homocystinuria;\n3: Beals syndrome – rare\n\n"
    text += "3: Beals syndrome"
    assert parse_predictions(text) == ["Marfan syndrome", "Homocystinuria", "Beals syndrome"]
    assert parse_predictions("") == []
    assert parse_numbers("None of them: 0, 12 and 3", most=5) == [2]


def test_impossible_settings_are_refused(engine: GraphEngine) -> None:
    with pytest.raises(InputError, match="from 1 to 5, not 6"):
        RoundSettings(k=6)
    with pytest.raises(InputError, match="from 0 to 1"):
        RoundSettings(threshold=2)
    with Resources(engine, encoder=None) as resources, pytest.raises(InputError, match="need a language model"):
        predict_for(resources, diagnose_with(resources, ["Seizure"]))
