"""Questions made from a graph: one for each operation, about entities that are joined so, the same every time."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clew
from clew.answer import Asker, Resources
from clew.answer.kept import words_of
from clew.answer.lexicon.words import Words
from clew.answer.models.examples import make_examples
from clew.store.layout import lay_out


def examples_of(asker: Asker) -> tuple[str, ...]:
    return make_examples(asker.resources.engine, asker.resources.schema, words_of(asker.resources))


@pytest.fixture(scope="module")
def big(hpo: Path) -> Asker:
    asker = Asker(Resources(clew.open(hpo), encoder=None))
    yield asker
    asker.close()


def test_every_operation_is_asked_for_and_most_questions_find_something(big: Asker) -> None:
    answers = {text: big.ask(text) for text in examples_of(big)}
    assert {"list", "count", "top", "exists"} <= {answer.kind for answer in answers.values()}
    for text, answer in answers.items():
        assert answer.abstained is None, text
        assert "but not" in text or answer.items or answer.value, text


def test_the_same_graph_gives_the_same_examples(clinic: Asker) -> None:
    assert examples_of(clinic) == examples_of(clinic)
    assert len(examples_of(clinic)) >= 6


def test_a_graph_of_one_type_shows_what_lies_within_it(tmp_path: Path) -> None:
    pq.write_table(pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]}), tmp_path / "t.parquet")
    engine = clew.build(tmp_path / "t.parquet", out=tmp_path / "g.clew")
    schema = lay_out(engine)
    (only,) = make_examples(engine, schema, Words(schema))
    assert only == "Which entities r b?"
