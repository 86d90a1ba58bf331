"""What a model writes where the readers decline or doubt: answered if every word is accounted for, and never sure."""

from collections.abc import Callable

import pytest

from clew.answer import Answer, Asker
from clew.lm.clients.scripted import Scripted

LINKED = "MATCH (gene)-[:ASSOCIATED_WITH]->(disease {id: $disease1}) RETURN gene"
DOUBTED = "Is FBN1 linked to scoliosis?"
BETWEEN = "MATCH (gene {id: $gene1})-[:ASSOCIATED_WITH]->(disease)-[:HAS_PHENOTYPE]->(phenotype {id: $phenotype1})"
SHOWING = "MATCH (disease)-[:HAS_PHENOTYPE]->(phenotype {id: $phenotype1}) RETURN disease"


@pytest.fixture
def ask(with_model: Callable[..., Asker]) -> Callable[..., tuple[Answer, Scripted]]:
    """Ask with a model that writes a query and then nothing more."""

    def asked(text: str, *lines: str, **settings: object) -> tuple[Answer, Scripted]:
        model = Scripted([*lines, "NONE", "NONE"], name="large-7B")
        return with_model(model, **settings).ask(text), model

    return asked


def test_what_the_readers_are_sure_of_is_not_put_to_a_model(ask) -> None:
    answer, model = ask("Which genes are associated with Beals syndrome?")
    assert answer.certainty == "sure"
    assert not model.requests


def test_a_query_that_leaves_out_what_is_asked_for_does_not_answer(ask) -> None:
    answer, model = ask("What is the dosage for Beals syndrome?", LINKED)
    assert len(model.requests) == 1
    assert answer.abstained is not None
    assert "dosage" in answer.abstained


@pytest.mark.parametrize("word", ["never", "rarely", "cheapest"])
def test_a_query_without_the_negation_or_amount_does_not_answer(ask, word: str) -> None:
    answer, _ = ask(f"Which genes are {word} hauled for Beals syndrome?", LINKED)
    assert answer.abstained is not None


def test_the_same_from_both_is_noted_and_no_surer(ask) -> None:
    alone, _ = ask(DOUBTED, compose=False)
    assert (alone.value, alone.certainty) == (False, "doubtful")
    answer, model = ask(DOUBTED, f"{BETWEEN} RETURN count(*) > 0")
    assert len(model.requests) == 1
    assert (answer.value, answer.certainty) == (False, "doubtful")
    assert answer.decided == "large-7B wrote the query, with the same result"


def test_what_was_left_out_stays_doubtful_though_both_leave_it_out(ask) -> None:
    answer, model = ask("Which diseases show arachnodactyly in women?", SHOWING)
    assert len(model.requests) == 1
    assert answer.certainty == "doubtful"


def test_another_result_is_offered_beside_the_answer(ask) -> None:
    answer, _ = ask(DOUBTED, f"{BETWEEN} RETURN count(*) = 0")
    assert (answer.value, answer.certainty) == (False, "doubtful")
    assert "count(*) = 0" in answer.alternatives[0].query


def test_what_a_model_writes_first_is_never_sure(ask) -> None:
    answer, _ = ask("Which genes are associated with Beals syndrome?", LINKED, compose=True)
    assert [item.name for item in answer.items] == ["FBN2"]
    assert answer.certainty == "doubtful"
