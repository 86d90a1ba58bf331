"""Linking by meaning: with a small encoder of our own whose meanings are plain, and with MiniLM."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import clew
from clew.embed import open_encoder
from clew.errors import DerivedError
from clew.link import Linker, Settings, build_vectors, open_vectors
from clew.link.normalise import words_of
from clew.progress import Progress, silent
from link.named_graphs import Entity, write

MEANINGS = {"heart": 0, "cardiac": 0, "attack": 1, "infarction": 1, "kidney": 2, "renal": 2, "failure": 3}
ENTITIES: list[Entity] = [
    ("D:1001", "Cardiac infarction", "Disease", [], []),
    ("D:1002", "Renal failure", "Disease", [], []),
    ("P:1001", "Heart failure", "Phenotype", [], []),
]


class WordEncoder:
    """Texts with the same meanings have the same vector; words without one share the last dimension."""

    name, identity, dimension = "words", "words-1", 5

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
        vectors = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for row, text in enumerate(texts):
            for word in words_of(text):
                vectors[row, MEANINGS.get(word, 4)] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def graph(tmp_path: Path) -> clew.Engine:
    return write(ENTITIES, tmp_path / "g.clew")


def test_meaning_is_the_last_resort(graph: clew.Engine) -> None:
    build_vectors(graph, WordEncoder())
    linker = Linker(graph, encoder=WordEncoder())
    linked = linker.link("heart attack")
    assert (linked.best.id, linked.best.stage) == ("D:1001", "embedding")
    assert "cosine 1.00" in linked.best.reason
    assert linker.link("Cardiac infarction").best.stage == "exact name"
    assert linker.link("heart attack", last_stage="fuzzy").best is None
    assert Linker(graph).link("heart attack").best is None
    assert linker.link("heart attack", type="Phenotype").best is None


def test_what_is_not_near_enough_is_listed_only(graph: clew.Engine) -> None:
    build_vectors(graph, WordEncoder())
    linked = Linker(graph, encoder=WordEncoder()).link("heart problem")
    assert linked.best is None
    assert {each.id for each in linked.candidates} == {"D:1001", "P:1001"}
    bold = Settings(embedding_accept=0.4, embedding_floor=0.3)
    assert Linker(graph, encoder=WordEncoder(), settings=bold).link("heart problem").best is not None


def test_vectors_of_some_types_only(graph: clew.Engine) -> None:
    assert len(build_vectors(graph, WordEncoder(), types=["Disease"])) == 2
    linker = Linker(graph, encoder=WordEncoder())
    assert linker.link("kidney failure").best.id == "D:1002"
    assert linker.link("kidney failure", type="Disease").best.id == "D:1002"
    assert linker.link("cardiac failure", type="Phenotype").best is None


def test_missing_vectors_name_their_remedy(graph: clew.Engine) -> None:
    with pytest.raises(DerivedError, match=r"does not exist yet: run `clew index .* --encoder words`"):
        open_vectors(graph, WordEncoder())
    with pytest.raises(DerivedError, match="clew index"):
        Linker(graph, encoder=WordEncoder()).link("heart attack")


def test_vectors_of_another_encoder_are_refused(graph: clew.Engine) -> None:
    class Other(WordEncoder):
        identity = "words-2"

    build_vectors(graph, WordEncoder())
    with pytest.raises(DerivedError, match="made for encoder 'words-1', not 'words-2'"):
        open_vectors(graph, Other())


def test_a_context_is_compared_by_meaning(tmp_path: Path) -> None:
    listed: list[Entity] = [
        ("A:1001", "Stroke", "Cardiac", [], []),
        ("B:1001", "Stroke", "Renal", [], []),
    ]
    linker = Linker(write(listed, tmp_path / "g.clew"), encoder=WordEncoder())
    linked = linker.link("Stroke", context="the heart")
    assert linked.best.id == "A:1001"
    assert "most similar to the text by embedding" in linked.best.reason
    assert linker.link("Stroke", context="a kidney").best.id == "B:1001"


def test_minilm_knows_a_heart_attack(tmp_path: Path) -> None:
    encoder = open_encoder()
    listed: list[Entity] = [
        ("D:1001", "Myocardial infarction", "Disease", [], []),
        ("D:1002", "Banana allergy", "Disease", [], []),
    ]
    graph = write(listed, tmp_path / "g.clew")
    build_vectors(graph, encoder)
    linked = Linker(graph, encoder=encoder).link("heart attack")
    assert linked.candidates[0].id == "D:1001"
    assert linked.candidates[0].stage == "embedding"
