"""Examples made from a graph: one for each operation, about entities that are joined so, the same every time."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clew
from clew.answer import Asker, Resources
from clew.answer.kept import words_of
from clew.answer.lexicon.words import Words
from clew.answer.models.examples import Example, make_examples
from clew.answer.models.schema_grammar import Placeholder, vocabulary_of
from clew.answer.plans.read import read_plan
from clew.store.cypher import parse
from clew.store.layout import lay_out


def examples_of(asker: Asker) -> tuple[Example, ...]:
    schema = asker.resources.schema
    return make_examples(asker.resources.engine, schema, vocabulary_of(schema), words_of(asker.resources))


def ids(asker: Asker, held: Placeholder) -> tuple[str, ...]:
    found = asker.resources.engine.describe(asker.resources.engine.lookup_name(held.text)).to_pylist()
    return tuple(row["id"] for row in found if row["type"] == held.label)


@pytest.fixture(scope="module")
def big(hpo: Path) -> Asker:
    asker = Asker(Resources(clew.open(hpo), encoder=None))
    yield asker
    asker.close()


def test_every_operation_is_shown(big: Asker) -> None:
    operations = {read_plan(parse(each.query), {p.name: ids(big, p) for p in each.placeholders}).operation
                  for each in examples_of(big)}  # fmt: skip
    assert operations == {"list", "count", "top", "exists", "difference"}


def test_they_are_about_what_the_graph_holds(big: Asker) -> None:
    for example in examples_of(big):
        given = {held.name: list(ids(big, held)) for held in example.placeholders}
        query = example.query
        for name, found in given.items():
            assert found, example
            query = query.replace(f"{{id: ${name}}}", f"{{id: '{found[0]}'}}")
        rows = big.resources.store.run(query.replace("DISTINCT ", "")).rows
        assert "but not" in example.question or (rows and rows[0][0] not in (0, False)), example


def test_names_in_the_question_are_those_of_the_parameters(big: Asker) -> None:
    for example in examples_of(big):
        assert all(held.text in example.question for held in example.placeholders)
        assert not any(held.text in example.query for held in example.placeholders)


def test_the_same_graph_gives_the_same_examples(clinic: Asker) -> None:
    assert examples_of(clinic) == examples_of(clinic)
    assert len(examples_of(clinic)) >= 6


def test_a_graph_of_one_type_shows_what_lies_within_it(tmp_path: Path) -> None:
    pq.write_table(pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]}), tmp_path / "t.parquet")
    engine = clew.build(tmp_path / "t.parquet", out=tmp_path / "g.clew")
    schema = lay_out(engine)
    (only,) = make_examples(engine, schema, vocabulary_of(schema), Words(schema))
    assert only.query == "MATCH (entity:Entity)-[:R]->(:Entity {id: $entity1}) RETURN DISTINCT entity"
