"""Entities without a stated type belong to an answer where a relation leads to nothing but them and its type."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources

ENTITIES = [
    ("ann", "Ann Lee", "person"),
    ("bob", "Bob Ray", None),
    ("rovers", "Rovers", "club"),
    ("united", "United", None),
    ("yard", "Shipyard", None),
]
TRIPLES = [
    ("ann", "managed", "rovers"),
    ("bob", "managed", "rovers"),
    ("bob", "managed", "united"),
    ("ann", "visited", "yard"),
    ("rovers", "visited", "yard"),
]


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], set[str]]:
    triples = pa.table(dict(zip(("subject", "relation", "object"), zip(*TRIPLES, strict=True), strict=True)))
    entities = pa.table(dict(zip(("id", "name", "type"), zip(*ENTITIES, strict=True), strict=True)))
    clew.build(triples, entities=entities, out=tmp_path / "half.clew")
    asker = Asker(Resources(tmp_path / "half.clew", encoder=None))
    return lambda question: {item.name for item in asker.ask(question).items}


def test_who_did_it_is_asked_of_those_without_a_type_too(ask: Callable[[str], set[str]]) -> None:
    assert ask("Who managed Rovers?") == {"Ann Lee", "Bob Ray"}
    assert ask("Which people managed Rovers?") == {"Ann Lee", "Bob Ray"}
    assert ask("Which clubs did Bob Ray manage?") == {"Rovers", "United"}


def test_a_relation_of_several_types_keeps_the_one_that_is_asked_for(ask: Callable[[str], set[str]]) -> None:
    assert ask("Which people visited Shipyard?") == {"Ann Lee"}
