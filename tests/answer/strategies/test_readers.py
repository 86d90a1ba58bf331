"""Two readers of one question: the second is asked where the first is not sure, and one is enough."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clew.answer import (
    STRATEGIES,
    Answer,
    Asker,
    CypherStrategy,
    Filters,
    Question,
    ReadersStrategy,
    Resources,
    Step,
    runner,
)
from clew.answer.hearing import parser as sketch_parser
from clew.answer.hearing.parser import find_sketch_parser, open_sketch_parser
from clew.answer.plans.plan import Plan
from clew.answer.running.run import Outcome, run_plan
from clew.answer.strategies.readers import Reading
from clew.app.assemble import DEFAULT_STRATEGY, Settings, make_strategy
from clew.errors import InputError, ModelError
from clew.lm.clients.scripted import Scripted

GENES = "Which genes are associated with Beals syndrome?"
UNSURE = "Which diseases without arachnodactyly show myopia?"  # the first reader says it is likely Ectopia lentis
PATIENCE = 300.0  # seconds: on a busy machine the second reader must not run out of time


@pytest.fixture(scope="module")
def both(clinic: Asker) -> Asker:
    """Answers over the small graph as they are given by default: with an encoder, by two readers."""
    return Asker(Resources(clinic.resources.engine, store=clinic.resources.store))


def test_two_readers_are_the_default_everywhere(clinic: Asker) -> None:
    from clew.app.server.bodies import AskBody

    assert isinstance(clinic.strategy, ReadersStrategy)
    assert STRATEGIES.load(DEFAULT_STRATEGY) is ReadersStrategy
    assert AskBody(question="?").strategy == Settings("g").strategy == DEFAULT_STRATEGY
    made = make_strategy(Settings("g", choose="ties", compose=False, phrase=False))
    assert made == ReadersStrategy(choose="ties", compose=False, phrase=False)  # the settings of the first reader


def test_the_second_reader_is_asked_where_the_first_is_not_sure(both: Asker) -> None:
    steps: list[Step] = []
    sure = both.ask(Question(GENES, report=steps.append, timeout=PATIENCE))
    assert sure.certainty == "sure"
    assert not [each for each in steps if each.name == "second"]
    first = Asker(both.resources, CypherStrategy()).ask(Question(UNSURE, timeout=PATIENCE))
    answer = both.ask(Question(UNSURE, report=steps.append, timeout=PATIENCE))
    assert [item.id for item in answer.items] == [item.id for item in first.items] == ["D:4"]
    assert (first.certainty, answer.certainty) == ("likely", "sure")
    assert answer.interpretation[-1] == "a second reader gives the same answer"
    assert [each.text for each in steps if each.name == "second"] == ["it gives the same answer"]


def test_a_sure_answer_that_is_easily_misread_is_checked(both: Asker) -> None:
    steps: list[Step] = []
    answer = both.ask(
        Question("Which genes are linked to diseases with myopia?", report=steps.append, timeout=PATIENCE)
    )
    assert [item.name for item in answer.items] == ["ADAMTSL4"]
    assert [each for each in steps if each.name == "second"]  # two relations, one of them in other words


def test_a_plan_that_both_readers_mean_is_run_once(both: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Plan] = []

    def counted(plan: Plan, *given: Any, **settings: Any) -> Outcome:
        ran.append(plan)
        return run_plan(plan, *given, **settings)

    monkeypatch.setattr(runner, "run_plan", counted)
    both.ask(Question("Which genes are linked to diseases with myopia?", timeout=PATIENCE))
    assert len(ran) == len(set(ran)) > 0


def test_neither_answers_what_the_graph_does_not_know(both: Asker) -> None:
    for question in ("Who discovered FBN1?", "What does Marfan syndrome cost?"):
        assert both.ask(question).abstained is not None, question


def test_both_readers_hold_to_filters(both: Asker) -> None:
    answer = both.ask(Question(GENES, filters=Filters(layer="curated"), timeout=PATIENCE))
    assert not answer.items  # nothing here is marked as curated
    kept = both.ask(Question(UNSURE, filters=Filters(layer="no-extracted"), timeout=PATIENCE))
    assert [item.id for item in kept.items] == ["D:4"]
    assert kept.interpretation[-1] == "a second reader gives the same answer"


def test_without_an_encoder_the_first_reader_answers_alone(clinic: Asker) -> None:
    first = Asker(clinic.resources, CypherStrategy()).ask(GENES)
    alone = clinic.ask(GENES)
    assert replace(alone, usage=first.usage, trace=first.trace) == first


def test_without_its_parser_the_first_reader_answers_alone_and_that_is_said_once(
    both: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = both.ask(GENES).items  # its own parser is open before there is none to be found
    monkeypatch.setattr(sketch_parser, "CHECKOUT", tmp_path)
    monkeypatch.setattr(sketch_parser, "models_directory", lambda: tmp_path)
    given = both.resources
    asker = Asker(Resources(given.engine, store=given.store, encoder=given.encoder))
    with caplog.at_level(logging.WARNING):
        assert asker.ask(GENES).items == asker.ask(GENES).items == expected
    said = [each.getMessage() for each in caplog.records if "by words alone" in each.getMessage()]
    assert len(said) == 1
    assert "'questions'" in said[0]


def test_a_damaged_parser_is_named_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "encoder.onnx").write_bytes(b"nothing")
    with pytest.raises(ModelError, match=r"cannot be opened.*restore its files"):
        open_sketch_parser(tmp_path)


def test_a_parser_of_an_earlier_version_is_named_in_a_sentence(tmp_path: Path) -> None:
    for each in (sketch_parser.CHECKOUT / "weights" / "questions").iterdir():
        (tmp_path / each.name).symlink_to(each)
    (tmp_path / "encoder.onnx").unlink()
    (tmp_path / "encoder.onnx").symlink_to(tmp_path / "decoder.onnx")  # it has other inputs
    with pytest.raises(ModelError, match=r"encoder.onnx is of an earlier version.*restore its files"):
        open_sketch_parser(tmp_path)


def test_one_parser_serves_all_graphs_and_threads(both: Asker) -> None:
    assert find_sketch_parser() is both.resources.sketch_parser
    asked = (UNSURE, "Which diseases show ectopia lentis?", "How many diseases show arachnodactyly?")
    questions = [Question(text, timeout=PATIENCE) for text in asked]
    alone = [both.ask(question) for question in questions] * 2
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(both.ask, questions * 2))
    assert [(each.text, each.confidence) for each in together] == [(each.text, each.confidence) for each in alone]


def test_a_model_words_the_one_answer_that_is_given(both: Asker) -> None:
    given = both.resources
    model = Scripted(["FBN2."])
    asker = Asker(Resources(given.engine, store=given.store, encoder=given.encoder, model=model))
    answer = asker.ask(GENES)
    assert answer.usage.calls == 1
    with pytest.raises(InputError, match="needs a language model"):
        Asker(given, ReadersStrategy(choose="ties")).ask(GENES)


@pytest.mark.parametrize(
    ("changed", "given"),
    [
        ({}, False),
        ({"confidence": 0.55}, True),
        ({"signs": {}}, True),  # words mean all its relations
        ({"signs": {}, "confidence": 0.3}, False),
        ({"kind": "exists"}, True),
        ({"confidence": 0.9}, True),  # no doubt
    ],
)
def test_a_doubtful_answer_that_no_sketch_confirms_is_declined_and_offered(
    both: Asker, changed: dict[str, object], given: bool
) -> None:
    parser = both.resources.sketch_parser
    assert parser is not None
    meant = ("interpreted as: diseases with myopia",)
    answer = Answer(
        "3 diseases", kind="list", query="MATCH", interpretation=meant, confidence=0.45, signs={"unsaid": 1.0}
    )
    answer = replace(answer, **changed)
    told = Reading(ReadersStrategy(), both.resources, Question("What?"), parser)._unconfirmed(answer)
    assert (told.abstained is None) == given
    if not given:
        assert "It could be: diseases with myopia;" in str(told.abstained)
        assert [each.query for each in told.alternatives] == ["MATCH"]


def test_one_of_given_options_is_never_declined_for_doubt(both: Asker) -> None:
    parser = both.resources.sketch_parser
    assert parser is not None
    answer = Answer("A", kind="list", confidence=0.1, signs={"unsaid": 1.0})
    asked = Question("Which?", among=("D:1", "D:2"))
    assert Reading(ReadersStrategy(), both.resources, asked, parser)._unconfirmed(answer) is answer
