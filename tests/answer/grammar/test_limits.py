"""A question of many clauses is read in bounded time."""

from pathlib import Path

import pytest
from benchmarks.second_reader import SMALL

import clew
from clew.answer.ask import resources_of
from clew.answer.grammar import propose as proposing
from clew.answer.kept import words_of
from clew.answer.reading.question import understand

MANY = "Owners all of whose vessels are registered under one single flag, with at least four ships"


def test_ways_to_read_many_clauses_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables, graph = SMALL / "harbour", tmp_path / "harbour.clew"
    clew.build(tables / "triples.csv", entities=tables / "entities.csv", out=graph)
    tried: list[object] = []
    monkeypatch.setattr(proposing._Proposer, "_candidate", lambda self, links, *given, **how: tried.append(links))
    with resources_of(graph) as own:
        question = understand(MANY, own.linker, words_of(own), parser=own.parser)
        assert not list(proposing.propose(question, words_of(own), own.schema))
    of_one_tree = 2 * proposing.MOST_TRIED  # and once more with its phrases attached otherwise
    assert proposing.MOST_TRIED <= len(tried) <= len(question.trees) * of_one_tree
