"""The adapters in the real libraries they are for."""

from pathlib import Path
from shutil import copytree

import pytest

import clew

QUESTION = "Which phenotypes does Marfan syndrome have?"


@pytest.fixture(scope="module")
def opened(built_graph: Path, tmp_path_factory: pytest.TempPathFactory) -> clew.GraphEngine:
    return clew.open(copytree(built_graph, tmp_path_factory.mktemp("graph") / "small.clew"))


@pytest.mark.filterwarnings("default")  # what other libraries warn of is not our concern
def test_langchain(opened: clew.GraphEngine) -> None:
    from clew.app.adapters.langchain import ClewRetriever

    found = ClewRetriever(graph=opened, budget=120).invoke(QUESTION)
    expected = opened.context(QUESTION, budget=120)
    assert [document.page_content for document in found] == [line.text for line in expected.lines]
    assert found[0].metadata["triples"][0]["subject"] == "D:1"
    assert found[0].metadata["documents"]


@pytest.mark.filterwarnings("default")
def test_llama_index(opened: clew.GraphEngine) -> None:
    from clew.app.adapters.llama_index import ClewRetriever

    found = ClewRetriever(opened, budget=120).retrieve(QUESTION)
    expected = opened.context(QUESTION, budget=120)
    assert [(each.text, each.score) for each in found] == [(line.text, line.score) for line in expected.lines]
    assert found[0].metadata["sources"] == list(expected.lines[0].sources)
