"""Ids in questions: with and without their prefix, and beside the name they say again."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Asker, Resources
from clew.graph.staging import Staged


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    path: Path = tmp_path_factory.mktemp("ids") / "ids.clew"
    rows = [("DB:X0017", "treats", "D:100"), ("DB:X0018", "treats", "D:200"), ("DB:X0018", "treats", "D:100")]
    triples = dict(zip(("subject", "relation", "object"), map(list, zip(*rows, strict=True)), strict=True))
    entities = pa.table(
        {
            "id": ["DB:X0017", "DB:X0018", "D:100", "D:200"],
            "name": ["Alphadrug", "Betadrug", "Fever", "Fever"],
            "type": ["Drug", "Drug", "Disease", "Disease"],
        }
    )
    clew.build(Staged(pa.table(triples), entities=entities), out=path)
    with Resources(path) as resources:
        yield Asker(resources)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What disease does X0017 treat?", {"D:100"}),
        ("What diseases does DB:X0018 treat?", {"D:100", "D:200"}),
        ("Which drugs treat D:200?", {"DB:X0018"}),
        ("Which drugs treat Fever (D:200)?", {"DB:X0018"}),
        ("Which drugs treat Fever, D:100?", {"DB:X0017", "DB:X0018"}),
    ],
)
def test_an_id_is_a_name(asker: Asker, question: str, names: set[str]) -> None:
    answer = asker.ask(question)
    assert {item.id for item in answer.items} == names, answer.text
    assert not answer.unrecognised
