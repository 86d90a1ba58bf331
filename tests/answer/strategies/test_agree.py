"""Two readers of one question: what they agree on is sure, and what neither reads is declined."""

from clew.answer import Asker
from clew.answer.strategies.agree import AgreeStrategy


def test_what_both_read_alike_is_sure(clinic: Asker) -> None:
    both = Asker(clinic.resources, AgreeStrategy())
    answer = both.ask("Which genes are associated with Beals syndrome?")
    assert [item.id for item in answer.items] == ["G:2"]
    assert answer.certainty == "sure"
    assert answer.evidence.triples


def test_neither_answers_what_the_graph_does_not_know(clinic: Asker) -> None:
    both = Asker(clinic.resources, AgreeStrategy())
    for question in ("Who discovered FBN1?", "What does Marfan syndrome cost?"):
        answer = both.ask(question)
        assert answer.abstained is not None or answer.certainty == "doubtful", question
