"""Ties between plans, broken by a model: only where there is one, and never at the cost of an answer."""

import pytest

from clew.answer import Asker
from clew.answer.kept import schema_paths_of, words_of
from clew.answer.models.choose import near_ties
from clew.answer.reading.candidates import candidates
from clew.answer.reading.question import understand
from clew.answer.reading.rank import Ranked, rank
from clew.errors import InputError
from clew.lm import LanguageModel
from clew.lm.clients.scripted import Scripted

TIED = "Which genes explain ectopia lentis?"
CLEAR = "Which genes are associated with Beals syndrome?"


def ranked(clinic: Asker, text: str) -> list[Ranked]:
    question = understand(text, clinic.resources.linker, words_of(clinic.resources))
    found = list(candidates(question, clinic.resources.schema, schema_paths_of(clinic.resources)))
    return rank(question, found, words_of(clinic.resources))


def test_ties_are_the_best_plans_that_read_differently(clinic: Asker) -> None:
    plans = ranked(clinic, TIED)
    every = near_ties(plans, words_of(clinic.resources), margin=10.0)
    assert 2 <= len(every) <= 5
    assert next(iter(every.values())) is plans[0]
    assert list(near_ties(plans, words_of(clinic.resources), margin=0.0)) == list(every)[:1]
    assert len(near_ties([plans[0], plans[0]], words_of(clinic.resources), margin=1.0)) == 1


def test_the_model_has_the_last_word(with_model) -> None:
    first = with_model(Scripted(scores={"A": -0.1, "B": -3.0}), choose="always").ask(TIED)
    other = with_model(Scripted(scores={"A": -3.0, "B": -0.1}), choose="always").ask(TIED)
    assert first.decided == other.decided == "scripted chose among 2 interpretations"
    assert first.query != other.query
    assert other.alternatives[0].query == first.query
    assert other.decided in other.trace
    assert other.usage.calls == 2


def test_it_is_shown_the_question_and_the_readings(with_model) -> None:
    model = Scripted(scores={"A": -1.0, "B": -2.0})
    with_model(model, choose="always").ask(TIED)
    ((request, letters),) = model.scored
    said = request.messages[0].content
    assert letters == ("A", "B")
    assert TIED in said
    assert "gene is associated with Ectopia lentis" in said
    assert "disease shows Ectopia lentis" in said


def test_a_clear_best_is_not_put_to_the_vote(with_model) -> None:
    model = Scripted(scores={})
    answer = with_model(model, choose="ties").ask(CLEAR)
    assert (answer.decided, model.scored) == (None, [])


def test_a_model_that_fails_changes_nothing(with_model, clinic: Asker) -> None:
    answer = with_model(Scripted(scores={}), choose="always").ask(TIED)  # has no score for any letter
    assert answer.decided is None
    assert answer.query == clinic.ask(TIED).query


def test_it_never_chooses_unless_told(with_model) -> None:
    model = Scripted(scores={})
    with_model(model).ask(TIED)
    assert model.scored == []


@pytest.mark.parametrize("choose", ["sometimes", "", "TIES"])
def test_other_settings_are_refused(with_model, choose: str) -> None:
    with pytest.raises(InputError, match="never, ties or always"):
        with_model(Scripted(), choose=choose)


def test_the_small_model_chooses(with_model, small_model: LanguageModel) -> None:
    answer = with_model(small_model, choose="always").ask(TIED)
    assert answer.decided == "smollm2 chose among 2 interpretations"
    assert answer.usage.calls == 2
    assert answer.usage.prompt_tokens > 100
