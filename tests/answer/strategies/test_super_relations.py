"""`super-relations` and `tog`: answers with verified paths, absence before any model call, streamed steps."""

import pytest

from clew.answer import STRATEGIES, Asker, Question, Resources
from clew.answer.strategies.super_relations import SuperRelationStrategy, TogStrategy
from clew.errors import InputError, UnknownName
from clew.evaluate.evidence import check_evidence
from clew.lm.clients.scripted import Scripted

GENES = "Which genes are associated with a disease that has phenotype Myopia?"
BOTH = [SuperRelationStrategy(), TogStrategy()]


def model_of(said: str = "A") -> Scripted:
    return Scripted(lambda request: "no" if "yes or no" in request.messages[0].content else said)


@pytest.mark.parametrize("strategy", BOTH)
def test_an_answer_comes_with_its_paths(clinic: Asker, strategy: SuperRelationStrategy | TogStrategy) -> None:
    steps = []
    answer = strategy.answer(Question(GENES, report=steps.append), clinic.resources)
    assert [item.id for item in answer.items] == ["G:3"]
    assert {str(each) for each in answer.evidence.triples} == {
        "ADAMTSL4 --associated_with--> Ectopia lentis",
        "Ectopia lentis --has_phenotype--> Myopia",
    }
    assert not list(check_evidence(answer, clinic.resources.engine))
    assert answer.interpretation == ("interpreted as: has_phenotype (reverse) → associated_with (reverse)",)
    assert (answer.abstained, answer.usage.calls, answer.certainty) == (None, 0, "doubtful")
    assert [step.name for step in steps][:2] == ["names", "plans"]


def test_absence_is_decided_before_any_model_call(clinic: Asker) -> None:
    for strategy in BOTH:
        model = model_of()
        resources = Resources(clinic.resources.engine, encoder=None, model=model)
        answer = strategy.answer(Question("Which places are linked to Marfan syndrome?"), resources)
        assert answer.abstained is not None
        assert (
            "no walk of 1 to 3 hops over the allowed relations reaches an entity of the type Place" in answer.abstained
        )
        assert (answer.usage.calls, model.requests) == (0, [])
    held = SuperRelationStrategy(steps=1).answer(Question(GENES), clinic.resources)
    assert "no walk of 1 hop" in str(held.abstained)
    only = SuperRelationStrategy(relations=frozenset({"is_a"})).answer(Question(GENES), clinic.resources)
    assert only.abstained
    assert SuperRelationStrategy().answer(Question("Who won the cup?"), clinic.resources).abstained


def test_a_model_scores_decides_and_chooses(clinic: Asker) -> None:
    model = model_of()
    resources = Resources(clinic.resources.engine, encoder=None, model=model)
    answer = SuperRelationStrategy(steps=2).answer(Question(GENES), resources)
    assert [item.id for item in answer.items] == ["G:3"]
    assert answer.usage.calls == len(model.requests) == 5
    assert answer.decided == "scripted scored the steps and chose the path"
    assert not list(check_evidence(answer, clinic.resources.engine))
    free = SuperRelationStrategy(scorer="words").answer(Question(GENES), resources)
    assert (free.usage.calls, len(model.requests)) == (0, 5)


def test_options_and_meanings(clinic: Asker) -> None:
    chosen = SuperRelationStrategy().answer(Question(GENES, options=("FBN1", "ADAMTSL4")), clinic.resources)
    assert (chosen.kind, chosen.text) == ("choice", "ADAMTSL4")
    none = SuperRelationStrategy().answer(Question(GENES, options=("nothing",)), clinic.resources)
    assert none.abstained == "no path that was kept ends at what is asked for"
    meant = Question("Which phenotypes does Ectopia lentis have?", meaning={"Ectopia lentis": "D:4"})
    assert [item.id for item in SuperRelationStrategy(steps=1).answer(meant, clinic.resources).items] == ["P:5"]


def test_settings_are_checked(clinic: Asker) -> None:
    assert {"super-relations", "tog"} <= set(STRATEGIES)
    for make, error, why in (
        (lambda: SuperRelationStrategy(width=0), InputError, "width is 1 or more"),
        (lambda: SuperRelationStrategy(scorer="best"), UnknownName, "no scorer is called 'best'"),
        (lambda: SuperRelationStrategy(groups="colour"), UnknownName, "not 'colour'"),
    ):
        with pytest.raises(error, match=why):
            make()
    with pytest.raises(InputError, match="needs a language model"):
        SuperRelationStrategy(scorer="model").answer(Question(GENES), clinic.resources)
