"""An engine that has no graph, only bytes going out and coming back, answers the questions of hpo-60 as a local one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.app.assemble import Settings, assemble
from clew.evaluate.questions import load_bench
from clew.traverse import GraphEngine
from engines import loopback


def answers(engine: GraphEngine, questions: list[str]) -> Iterator[tuple[object, ...]]:
    """What is answered to each question, and how it was read."""
    asker = assemble(Settings(str(engine.snapshot), encoder=None), engine=engine)
    try:
        for question in questions:
            answer = asker.ask(question)
            items = frozenset(answer.items)  # a store returns rows that tie in any order
            yield question, items, answer.value, answer.query, answer.interpretation, answer.abstained
    finally:
        asker.close()


@pytest.mark.slow
def test_the_questions_of_hpo_60(hpo: Path, tmp_path: Path) -> None:
    questions = [each.question for each in load_bench("hpo-60")]
    remote = loopback(hpo, folder=tmp_path)
    assert not any(type(held).__name__ == "Graph" for held in vars(remote).values())
    assert list(answers(remote, questions)) == list(answers(clew.open(hpo), questions))
