"""Hostile input never writes, never leaves the graph and never crashes: as questions, as Cypher, and as names."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import clew
from clew.answer import Asker, Plan, Resources
from clew.answer.plans.cypher.write import write_statement
from clew.errors import ClewError
from clew.graph import read_entities
from clew.store.cypher import parse, render
from effort import examples
from plans import plans

HOSTILE = [json.loads(line) for line in Path(__file__).with_name("hostile.jsonl").read_text("utf-8").splitlines()]
WORDS = ("CREATE", "MERGE", "DELETE", "SET ", "REMOVE", "DROP", "CALL", "LOAD", "COPY", "FOREACH", "ALTER", "ATTACH")


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """A graph whose own names are hostile too."""
    folder = tmp_path_factory.mktemp("hostile")
    names = [text for text in HOSTILE if text.strip() and "\n" not in text][::6]
    rows = [("G:1", "FBN1", "Gene"), ("D:1", "Marfan syndrome", "Disease"), ("P:1", "Arachnodactyly", "Phenotype")]
    rows += [(f"D:{number}", name, "Disease") for number, name in enumerate(names, start=2)]
    triples = [("G:1", "associated_with", row[0]) for row in rows if row[2] == "Disease"]
    triples += [(row[0], "has_phenotype", "P:1") for row in rows if row[2] == "Disease"]
    pq.write_table(
        pa.table(dict(zip(("id", "name", "type"), zip(*rows, strict=True), strict=True))), folder / "e.parquet"
    )
    columns = zip(("subject", "relation", "object"), zip(*triples, strict=True), strict=True)
    pq.write_table(pa.table(dict(columns)), folder / "t.parquet")
    clew.build(folder / "t.parquet", entities=folder / "e.parquet", out=folder / "hostile.clew")
    asker = Asker(Resources(clew.open(folder / "hostile.clew"), encoder=None))
    asker.ask("Which genes are linked to arachnodactyly?")
    yield asker
    asker.close()


def contents(asker: Asker) -> dict[str, str]:
    root = asker.resources.engine.snapshot.folder
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in sorted(root.rglob("*")) if path.is_file()}


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) >= 200


def test_questions_never_write_and_never_crash(asker: Asker) -> None:
    before = contents(asker)
    known = set(read_entities(asker.resources.engine, ("id",))["id"].to_pylist())
    said = []
    for text in HOSTILE:
        try:
            answer = asker.ask(text)
        except ClewError as error:
            said.append(str(error))
            continue
        assert {item.id for item in answer.items} <= known, text
        if answer.query:
            parse(answer.query)
    assert contents(asker) == before
    assert not any("\n" in each for each in said)


def test_as_cypher_they_never_write_either(asker: Asker) -> None:
    before = contents(asker)
    said = []
    for text in HOSTILE:
        try:
            asker.resources.store.run(text, timeout=2.0, limit=100)
        except ClewError as error:
            said.append(str(error))
    assert contents(asker) == before
    assert not any("\n" in each for each in said)


def test_every_name_can_be_asked_about(asker: Asker) -> None:
    """A name is data wherever it stands: it is found by its id and comes back letter for letter."""
    for row in read_entities(asker.resources.engine, ("id", "name")).to_pylist():
        statement = f"MATCH (n {{id: '{row['id']}'}}) RETURN n.name AS name"
        assert asker.resources.store.run(statement).rows == [(row["name"],)]


@settings(max_examples=examples(100), deadline=None)
@given(plans())
def test_only_reading_words_are_ever_rendered(plan: Plan) -> None:
    for dialect in ("neo4j", "ladybug"):
        text = render(write_statement(plan), dialect)
        outside = " ".join(text.split("'")[::2])  # what stands in quotes is data
        assert not any(word in outside for word in WORDS)
