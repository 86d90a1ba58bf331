"""Two rounds as a strategy: diagnoses for the findings of a question, by the ranker alone or with a model."""

import pytest

import clew
from clew.answer import Filters, Question, Resources, Step
from clew.answer.strategies.two_rounds import TwoRoundsStrategy
from clew.evaluate.evidence import check_evidence
from clew.lm.clients.scripted import Scripted
from ward import build_ward

ASKED = "Which disease has long fingers and myopia, but no seizure?"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> clew.GraphEngine:
    return clew.open(build_ward(tmp_path_factory.mktemp("ward")))


def test_the_ranker_answers_without_a_model(engine: clew.GraphEngine) -> None:
    steps: list[Step] = []
    with Resources(engine, encoder=None) as resources:
        answer = TwoRoundsStrategy().answer(Question(ASKED, report=steps.append), resources)
        assert [item.id for item in answer.items][:2] == ["D:1", "D:2"]
        assert answer.usage.calls == 0
        assert "Not medical advice" in answer.interpretation[-1]
        assert steps[0].text == "findings: Long fingers, Myopia, no Seizure"
        assert not list(check_evidence(answer, engine))
        none = TwoRoundsStrategy().answer(Question("Who won the cup?"), resources)
        assert "no Phenotype was recognised" in (none.abstained or "")
        strict = TwoRoundsStrategy().answer(Question(ASKED, filters=Filters(layer="curated")), resources)
        assert "leave out conditions" in (strict.abstained or "")


def test_a_model_predicts_and_selects(engine: clew.GraphEngine) -> None:
    model = Scripted(["1. Disease one\n2. Disease nine", "2"])
    with Resources(engine, encoder=None, model=model) as resources:
        answer = TwoRoundsStrategy(k=1).answer(Question(ASKED), resources)
    assert answer.items[0].id == "D:1"
    assert len(answer.items) == 2  # predicted and kept, and selected among the candidates
    assert any("Disease nine: this graph has no such diagnosis" in each for each in answer.trace)
    assert answer.usage.calls == 2
    assert not list(check_evidence(answer, engine))


def test_a_model_that_says_nothing_gives_no_diagnosis(engine: clew.GraphEngine) -> None:
    with Resources(engine, encoder=None, model=Scripted(["no idea:", "none"])) as resources:
        answer = TwoRoundsStrategy().answer(Question(ASKED), resources)
    assert answer.abstained == "no diagnosis is connected with the findings"
