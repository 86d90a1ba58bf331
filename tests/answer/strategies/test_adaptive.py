"""The adaptive pipeline: its six stages, with and without a model, and what is left when each is switched off."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from clew.answer import Asker, Question, Resources, Step
from clew.answer.adaptive.decomposition import decompose
from clew.answer.adaptive.points import count_points
from clew.answer.adaptive.quality import assess, best_contexts
from clew.answer.adaptive.retrievals import retrieve_all
from clew.answer.adaptive.votes import Vote, elect, parse_choice
from clew.answer.context.retrieval import Retrieval
from clew.answer.context.retrieve import pack
from clew.answer.strategies.adaptive import STAGES, AdaptiveStrategy
from clew.errors import InputError, Timeout, UnknownName
from clew.evaluate.evidence import check_evidence
from clew.lm import Request
from clew.lm.clients.scripted import Scripted

BEALS = Question("Which gene is associated with Beals syndrome?", options=("FBN1", "FBN2", "ADAMTSL4"))
MYOPIA = Question(
    "Which gene is associated with a disease that has phenotype Myopia?", options=("FBN1", "ADAMTSL4", "FBN2")
)


def read_by(clinic: Asker, answers: list[str] | Callable[[Request], str]) -> tuple[Resources, Scripted]:
    model = Scripted(answers)
    return Resources(clinic.resources.engine, encoder=None, model=model), model


def found_for(question: Question, clinic: Asker, name: str) -> list[str]:
    """The facts of one retrieval in words."""
    asked = decompose(question.text, question.options, clinic.resources, Retrieval())
    (found,) = retrieve_all(asked, clinic.resources, Retrieval(), names=[name])
    context = pack(asked.text, asked.linked, list(found.facts), clinic.resources, Retrieval())
    return [" + ".join(str(triple) for triple in line.triples) for line in context.lines]


def test_options_are_found_in_the_text(clinic: Asker) -> None:
    text = "Out of the given list, which gene is associated with Beals syndrome. Given list is FBN1, FBN2, XYZ9"
    asked = decompose(text, (), clinic.resources, Retrieval())
    assert asked.text == "which gene is associated with Beals syndrome?"
    assert asked.options == {"FBN1": ("G:1",), "FBN2": ("G:2",), "XYZ9": ()}
    assert asked.entities == ("D:3",)
    answer = AdaptiveStrategy().answer(Question(text), clinic.resources)
    assert (answer.kind, answer.text) == ("choice", "FBN2")
    whole = AdaptiveStrategy(without=("decomposition",)).answer(Question(text), clinic.resources)
    assert whole.kind == "list"


def test_four_retrievals(clinic: Asker) -> None:
    beals = "FBN2 —associated_with→ Beals syndrome"
    assert beals in found_for(BEALS, clinic, "whole")
    assert "ADAMTSL4 —associated_with→ Ectopia lentis" in found_for(BEALS, clinic, "option")
    assert found_for(BEALS, clinic, "combined")[0] == beals
    (chain,) = found_for(MYOPIA, clinic, "combined")
    assert set(chain.split(" + ")) == {
        "ADAMTSL4 —associated_with→ Ectopia lentis",
        "Ectopia lentis —has_phenotype→ Myopia",
    }
    both = Question("Which disease has phenotype Arachnodactyly and Thoracic scoliosis?")
    assert "Beals syndrome —has_phenotype→ Thoracic scoliosis" in found_for(both, clinic, "entity")


def test_points_and_quality(clinic: Asker) -> None:
    asked = decompose(MYOPIA.text, MYOPIA.options, clinic.resources, Retrieval())
    contexts = {
        each.name: pack(asked.text, asked.linked, list(each.facts), clinic.resources, Retrieval())
        for each in retrieve_all(asked, clinic.resources, Retrieval())
    }
    points = {each.option: each.points for each in count_points(asked, contexts["combined"].lines, clinic.resources)}
    assert points == {"FBN1": (0,), "ADAMTSL4": (3,), "FBN2": (0,)}
    assessed = [assess(name, context, asked, clinic.resources) for name, context in contexts.items()]
    quality = {each.name: each.quality for each in assessed}
    assert (quality["combined"], quality["option"]) == ("HIGH", "MEDIUM")
    empty = assess("none", replace(contexts["whole"], lines=()), asked, clinic.resources)
    assert empty.quality == "NONE"
    assert [each.quality for each in best_contexts([empty, *assessed])] == sorted(
        (each.quality for each in best_contexts(assessed)), key=["HIGH", "MEDIUM", "LOW"].index
    )
    hospital = decompose("Which gene is associated with Beals syndrome?", ("Hospital",), clinic.resources, Retrieval())
    (whole,) = retrieve_all(hospital, clinic.resources, Retrieval(), names=["whole"])
    context = pack(hospital.text, hospital.linked, list(whole.facts), clinic.resources, Retrieval())
    assert assess("whole", context, hospital, clinic.resources).quality == "LOW"


def test_the_evidence_decides_without_a_model(clinic: Asker) -> None:
    steps: list[Step] = []
    for question, right, triples in ((BEALS, "FBN2", 1), (MYOPIA, "ADAMTSL4", 2)):
        answer = AdaptiveStrategy().answer(replace(question, report=steps.append), clinic.resources)
        assert (answer.text, answer.usage.calls, answer.abstained) == (right, 0, None)
        assert len(answer.evidence.triples) == triples
        assert not list(check_evidence(answer, clinic.resources.engine))
    assert [step.name for step in steps[:4]] == ["names", "plans", "evidence", "evidence"]
    assert "combined: HIGH" in steps[2].text
    wrong = AdaptiveStrategy().answer(replace(BEALS, options=("FBN1", "ADAMTSL4")), clinic.resources)
    assert wrong.abstained == "no fact connects an option"
    unknown = AdaptiveStrategy().answer(replace(BEALS, text="Which gene is it?"), clinic.resources)
    assert unknown.abstained == "no entity of this graph is named"


def test_a_question_without_options_lists_entities(clinic: Asker) -> None:
    asked = Question("Which genes are linked to Beals syndrome?")
    answer = AdaptiveStrategy().answer(asked, clinic.resources)
    assert [item.id for item in answer.items] == ["G:2"]
    resources, model = read_by(clinic, ["FBN2 and Arachnodactyly.", "It is FBN2.", "FBN2, I think."])
    answer = AdaptiveStrategy(percentile=0.0).answer(asked, resources)
    assert ([item.id for item in answer.items], answer.text) == (["G:2"], "FBN2.")  # two of three do not name the other
    assert [request.temperature for request in model.requests] == [0.0, 0.3, 0.5]
    assert not list(check_evidence(answer, clinic.resources.engine))
    resources, _ = read_by(clinic, ["unknown"] * 3)
    assert AdaptiveStrategy().answer(asked, resources).abstained == "scripted names nothing of the context"
    assert AdaptiveStrategy().answer(Question("Who won the cup?"), resources).abstained


def test_answers_at_three_temperatures_are_checked_and_vote(clinic: Asker) -> None:
    resources, model = read_by(clinic, ["A", "The answer is B.", "B. FBN2"])
    answer = AdaptiveStrategy().answer(BEALS, resources)
    assert (answer.text, answer.items[0].id, answer.usage.calls) == ("FBN2", "G:2", 3)
    assert answer.decided == "scripted: T = 0: FBN1; T = 0.3: FBN2; T = 0.5: FBN2"
    assert not list(check_evidence(answer, clinic.resources.engine))
    assert "Trust the facts above" in model.requests[0].messages[0].content
    assert "A. FBN1\nB. FBN2\nC. ADAMTSL4\nD. None of these" in model.requests[0].messages[0].content
    resources, _ = read_by(clinic, ["A", "B", "B"])
    assert AdaptiveStrategy(without=("vote",)).answer(BEALS, resources).text == "FBN1"
    resources, model = read_by(clinic, ["A"])
    assert AdaptiveStrategy(without=("ensemble",)).answer(BEALS, resources).text == "FBN1"
    resources, _ = read_by(clinic, ["G", "who knows", "42"])
    assert AdaptiveStrategy().answer(BEALS, resources).abstained == "scripted gave no option"
    resources, _ = read_by(clinic, ["D", "D", "A"])
    assert AdaptiveStrategy().answer(BEALS, resources).abstained == "scripted chose none of the options"


def test_how_a_model_reasons_depends_on_the_quality(clinic: Asker) -> None:
    prior = clinic.resources.engine.snapshot.folder / "prior.txt"
    prior.write_text("Sources do not matter.\n", "utf-8")
    asked = {
        "Trust the facts above": BEALS,
        "The facts above are few": replace(BEALS, options=("Hospital", "XYZ9")),
        "No facts are given": Question("Which gene is it?", options=("XYZ8", "XYZ9")),
    }
    try:
        for words, question in asked.items():
            resources, model = read_by(clinic, ["A"] * 3)
            answer = AdaptiveStrategy().answer(question, resources)
            prompt = model.requests[0].messages[0].content
            assert words in prompt
            assert ("Sources do not matter." in prompt) == (words == "The facts above are few")
            assert not list(check_evidence(answer, clinic.resources.engine))
        assert not answer.items  # nothing in the graph supports it
        assert "this is what the model knows or guesses" in answer.interpretation[0]
        assert answer.certainty == "doubtful"
        resources, model = read_by(clinic, ["A"] * 3)
        AdaptiveStrategy(without=("reasoning",)).answer(BEALS, resources)
        assert "Use the facts above. Answer with one letter." in model.requests[0].messages[0].content
    finally:
        prior.unlink()


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_can_be_switched_off(clinic: Asker, stage: str) -> None:
    steps: list[Step] = []
    strategy = AdaptiveStrategy(without=(stage,))
    answer = strategy.answer(replace(BEALS, report=steps.append), clinic.resources)
    # one hop: the whole question is enough; but FBN1 is named more often than FBN2
    assert answer.text == ("FBN1" if stage == "reasoning" else "FBN2")
    assert not list(check_evidence(answer, clinic.resources.engine))
    alone = stage in ("decomposition", "retrievals")
    assert ("option" in steps[1].text) != alone
    assert len([step for step in steps if step.name == "evidence"]) == (1 if stage == "scoring" else 2)


def test_what_cannot_be_used_is_refused(clinic: Asker) -> None:
    with pytest.raises(UnknownName, match="decomposition, retrievals"):
        AdaptiveStrategy(without=("magic",))
    with pytest.raises(InputError, match="26 options"):
        AdaptiveStrategy().answer(replace(BEALS, options=tuple(f"x{at}" for at in range(26))), clinic.resources)
    with pytest.raises(Timeout, match="fewer stages"):
        AdaptiveStrategy().answer(replace(BEALS, timeout=1e-9), clinic.resources)


@pytest.mark.parametrize(
    ("text", "choice"),
    [("b", "FBN2"), ("(B)", "FBN2"), ("Answer: A.", "FBN1"), ("I am not sure", None), ("A gene", None), ("", None)],
)
def test_choices_are_parsed(text: str, choice: str | None) -> None:
    assert parse_choice(text, {"A": "FBN1", "B": "FBN2", "C": "None of these"}) == choice


def test_invalid_votes_count_against_the_share() -> None:
    assert elect([Vote(0.0, None), Vote(0.3, "x"), Vote(0.5, "x")]) == ("x", 2 / 3)
    assert elect([Vote(0.0, None)]) == (None, 0.0)
