"""Graphs made from schemas in which gold queries find what they should, and plans compared with gold plans."""

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from benchmarks.text2cypher.__main__ import Asked, draw, eligible, main
from benchmarks.text2cypher.asking import Gold, _same_result, expected
from benchmarks.text2cypher.figures import figures
from benchmarks.text2cypher.gold import Unfit, first_column, plain, translate
from benchmarks.text2cypher.planting import Planting, plant
from benchmarks.text2cypher.schema import Schema, load_schemas
from benchmarks.text2cypher.training import in_training, shared_relations

from clew.answer import Answer, Asker, Plan, Resources
from clew.answer.answer import Item
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.running.run import Outcome
from clew.evaluate.benches.text2cypher import Pair, load_pairs
from clew.store.cypher import parse

STRUCTURED = {
    "node_props": {
        "Movie": [
            {"property": "title", "type": "STRING", "values": ["The Matrix", "Heat"]},
            {"property": "released", "type": "INTEGER", "min": "1975", "max": "2012"},
            {"property": "opened", "type": "DATE", "min": "1975-01-01", "max": "2012-01-01"},
            {"property": "languages", "type": "LIST", "min_size": 1, "max_size": 4},
            {"property": "embedding", "type": "LIST", "min_size": 512, "max_size": 512},
        ],
        "Person": [
            {"property": "name", "type": "STRING", "values": ["Keanu Reeves"]},
            {"property": "born", "type": "INTEGER", "min": "1929", "max": "1996"},
            {"property": "id", "type": "INTEGER", "min": "1", "max": "9"},
        ],
    },
    "rel_props": {"REVIEWED": [{"property": "rating", "type": "INTEGER", "min": "45", "max": "100"}]},
    "relationships": [
        {"start": "Person", "type": "ACTED_IN", "end": "Movie"},
        {"start": "Person", "type": "REVIEWED", "end": "Movie"},
        {"start": "Person", "type": "FOLLOWS", "end": "Person"},
    ],
}
GOLD = {
    "Which movies did Tom Hanks act in after 1990?": (
        "MATCH (p:Person {name: 'Tom Hanks'})-[:ACTED_IN]->(m:Movie) WHERE m.released > 1990 RETURN m.title, m.released"
    ),
    "Which people acted in Jaws?": "MATCH (p:Person)-[:ACTED_IN]->(:Movie {title: 'Jaws'}) RETURN p",
    "Which movies have Love in their title?": "MATCH (m:Movie) WHERE m.title CONTAINS 'Love' RETURN m.title LIMIT 3",
    "Which movies opened before 1960?": "MATCH (m:Movie) WHERE m.opened < date('1960-05-01') RETURN m",
    "Which movies are in French?": "MATCH (m:Movie) WHERE 'French' IN m.languages RETURN m.title",
    "Who reviewed a movie with a rating above 101?": (
        "MATCH (p:Person)-[r:REVIEWED]->(m:Movie) WHERE r.rating > 101 RETURN p.name"
    ),
    "Who acted in more than 14 movies?": (
        "MATCH (p:Person)-[:ACTED_IN]->(m:Movie) WITH p, count(m) AS n WHERE n > 14 RETURN p.name, n"
    ),
    "Who is the person with the id 77?": "MATCH (p:Person {id: 77}) RETURN p.name",
    "Who was born between 1700 and 1702?": "MATCH (p:Person) WHERE p.born > 1700 AND p.born < 1702 RETURN p.name",
}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "text2cypher"
    folder.mkdir()
    pairs = [{"database": "films", "type": "t", "question": q, "cypher": c} for q, c in GOLD.items()]
    pairs.append({**pairs[0], "database": "lost"})
    pairs.append({**pairs[0], "question": "?", "cypher": "MATCH (m:Movie)-[:ACTED_IN]->(p:Person) RETURN p"})
    schema = {"database": "films", "schema": "", "structured_schema": repr(STRUCTURED)}
    for name, rows in (("pairs", pairs), ("schemas", [schema])):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder.parent


@pytest.fixture(scope="module")
def schema(data: Path) -> Schema:
    return load_schemas(data)["films"]


def plan_of(query: str, schema: Schema) -> Plan:
    return translate(read_plan(parse(query)), schema)


def test_what_can_be_asked_and_why_the_rest_cannot(data: Path, schema: Schema) -> None:
    able, left_out = eligible(load_pairs(data), {"films": schema})
    assert [each.pair.question for each in able] == list(GOLD)
    assert left_out == {"no schema in the collection": 1, "a relation between types that it does not join": 1}


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("MATCH (b:Book) RETURN b", "a type"),
        ("MATCH (p:Person)-[:WROTE]->(m:Movie) RETURN m", "a relation that"),
        ("MATCH (m:Movie) RETURN m.budget", "an attribute that"),
        ("MATCH (m:Movie) WHERE m.embedding IS NULL RETURN m", "an attribute that"),  # too long for values
        ("MATCH (m:Movie) WHERE m.released = '1999' RETURN m", "another kind"),
        ("MATCH (m:Movie) WHERE m.languages = 'French' RETURN m", "another kind"),
        ("MATCH (p:Person) WHERE p.id > 3 RETURN p", "comparison of ids"),
        ("MATCH (:Person)-[r:FOLLOWS]->(p:Person) WHERE r.since > 3 RETURN p", "of statements"),
    ],
)
def test_gold_that_its_schema_cannot_answer(query: str, why: str, schema: Schema) -> None:
    with pytest.raises(Unfit, match=why):
        plan_of(query, schema)


def test_every_gold_query_finds_something_and_not_everything(schema: Schema, tmp_path: Path) -> None:
    plans = {question: plan_of(query, schema) for question, query in GOLD.items()}
    plant(schema, plans.values(), tmp_path / "films.clew", seed=0)
    asker = Asker(Resources(str(tmp_path / "films.clew"), encoder=None))
    everything = asker.resources.engine.counts["entities"]
    assert everything < 120
    for question, plan in plans.items():
        outcome = expected(plan, asker).outcome
        assert outcome is not None, question
        assert 0 < len(outcome.items) < everything / 4, question
    hanks = expected(plan_of("MATCH (:Person {name: 'Tom Hanks'})-[:ACTED_IN]->(m:Movie) RETURN m", schema), asker)
    late = expected(plans["Which movies did Tom Hanks act in after 1990?"], asker)
    assert hanks.outcome is not None
    assert late.outcome is not None
    assert len(hanks.outcome.items) > len(late.outcome.items)  # one of 1990 is planted too: after is not since
    asker.close()


def test_every_relation_has_triples_and_the_same_seed_the_same_graph(schema: Schema) -> None:
    one, other = (Planting(schema, Random("7")) for _ in range(2))
    for each in (one, other):
        each.fill()
    assert {relation for _, relation, _, _ in one.statements} == schema.relations
    assert (one.entities, one.statements) == (other.entities, other.statements)
    assert all(dict(said).keys() == {"rating"} for _, name, _, said in one.statements if name == "REVIEWED")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "MATCH (m:Movie) WHERE m.released > 1995 RETURN m",
            "MATCH (m:Movie) WHERE toFloat(m.released) >= 1996 RETURN m",
        ),
        ("MATCH (p)-[:ACTED_IN]->(m:Movie) RETURN p", "MATCH (p:Person)-[:ACTED_IN]->(m) RETURN p"),
        ("MATCH (m:Movie)-[:ACTED_IN]-(p) RETURN p", "MATCH (m:Movie)<-[:ACTED_IN]-(p:Person) RETURN p"),
        (
            "MATCH (m:Movie) WHERE m.released IS NOT NULL RETURN m ORDER BY m.released LIMIT 1",
            "MATCH (m:Movie) RETURN m ORDER BY toFloat(m.released) LIMIT 1",
        ),
        (
            "MATCH (p:Person)-[r:ACTED_IN]->(m:Movie) RETURN p, count(r) AS n ORDER BY n DESC LIMIT 2",
            "MATCH (p:Person)-[:ACTED_IN]->(m:Movie) RETURN p, count(DISTINCT m) AS n ORDER BY n DESC LIMIT 2",
        ),
    ],
)  # fmt: skip
def test_plans_that_mean_the_same(one: str, other: str, schema: Schema) -> None:
    assert same(*(plain(plan_of(each, schema), schema) for each in (one, other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MATCH (m:Movie) WHERE m.released > 1995 RETURN m", "MATCH (m:Movie) WHERE m.released >= 1995 RETURN m"),
        ("MATCH (m:Movie) RETURN m LIMIT 2", "MATCH (m:Movie) RETURN m LIMIT 3"),
        ("MATCH (p)-[:ACTED_IN]->(m) RETURN m", "MATCH (p)-[:REVIEWED]->(m) RETURN m"),
        ("MATCH (p:Person)-[:FOLLOWS]->(q:Person) RETURN p", "MATCH (p:Person)<-[:FOLLOWS]-(q:Person) RETURN p"),
        ("MATCH (m:Movie) WHERE m.released IS NOT NULL RETURN m", "MATCH (m:Movie) RETURN m"),
    ],
)
def test_plans_that_do_not(one: str, other: str, schema: Schema) -> None:
    assert not same(*(plain(first_column(plan_of(each, schema)), schema) for each in (one, other)))


def test_further_columns_are_told_apart(schema: Schema) -> None:
    more, less = (plan_of(f"MATCH (m:Movie) RETURN m.title{each}", schema) for each in (", m.released", ""))
    assert not same(more, less)
    assert same(first_column(more), first_column(less))


def test_results_are_the_same_whichever_ties_are_cut(schema: Schema) -> None:
    a, b, c = (Item(name, name, "Movie", number) for name, number in (("a", 2), ("b", 1), ("c", 1)))
    top = plan_of("MATCH (m:Movie) RETURN m ORDER BY m.released DESC LIMIT 2", schema)
    gold = Gold(top, Outcome(top, top, "", items=(a, b), tied=(c,)), frozenset())
    assert _same_result(Answer("", items=(a, b)), gold)
    assert _same_result(Answer("", items=(a, c)), gold)
    assert not any(_same_result(Answer("", items=each), gold) for each in ((b, c), (a,), (a, b, c), ()))
    some = plan_of("MATCH (m:Movie) RETURN m LIMIT 1", schema)
    any_one = Gold(some, Outcome(some, some, "", items=(a,)), frozenset("abc"))
    assert _same_result(Answer("", items=(c,)), any_one)
    assert not _same_result(Answer("", items=(b, c)), any_one)
    nothing = Gold(some, Outcome(some, some, ""), frozenset())
    assert not _same_result(Answer(""), nothing)  # two empty results prove nothing


def test_figures_add_up() -> None:
    row = {"kind": "filter", "database": "films", "seconds": 1.0, "found": True, "declined": False}
    rows = [
        {**row, "certainty": "sure", "plan": True, "columns": True, "result": True},
        {**row, "certainty": "likely", "plan": False, "columns": True, "result": False},
        {**row, "certainty": "sure", "plan": False, "columns": False, "result": False},
        {**row, "declined": True, "kind": "aggregation"},
    ]
    found = figures(rows)["all"]
    counts = {name: each["count"] for name, each in found.items() if name != "n"}
    expected_counts = {"plan": 1, "columns": 2, "right": 2, "declined": 1, "wrong": 1, "wrong, sure": 1}
    assert Counter(counts) == Counter({**expected_counts, "wrong, likely": 0, "wrong, doubtful": 0, "sure of right": 1})
    assert found["right"]["low"] < 0.5 < found["right"]["high"]


def test_questions_of_the_training_data_are_noticed() -> None:
    line = "Which dogs [belong to|ow<] {Person}?"
    assert in_training(["Is this question in there at all, one wonders?", line]) == 0
    assert in_training(["how [old|dob] is {Animal}"]) == 1
    assert shared_relations(["OPERATED_ON", "siredBy", "no relation of any schema"]) == 2  # veterinary practice


def test_further_questions_change_a_draw_little(schema: Schema) -> None:
    plan = plan_of("MATCH (m:Movie) RETURN m", schema)
    able = [Asked(at, Pair("", f"Which {at}?", "", "films"), "filter", plan) for at in range(40)]
    drawn = {each.at for each in draw(able[:36], 10, 0)}
    assert len(drawn) == 10
    assert len(drawn - {each.at for each in draw(able, 10, 0)}) <= 4
    assert drawn != {each.at for each in draw(able[:36], 10, 1)}, "another seed draws others"


def test_a_run_is_kept_and_not_repeated(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real command, by the first reader alone."""
    journal, report = tmp_path / "run.jsonl", tmp_path / "run.json"
    command = ["text2cypher", "--data", str(data), "--strategy", "cypher", "--out", str(journal), "--json", str(report)]
    monkeypatch.setattr(sys, "argv", [*command, "--count", "9"])
    assert main() == 0
    record, kept = json.loads(report.read_text("utf-8")), journal.read_bytes()
    jaws = next(row for row in record["rows"] if "Jaws" in row["question"])
    assert jaws["plan"]
    assert jaws["result"]
    assert not jaws["declined"]
    assert record["figures"]["all"]["n"] == 9
    assert record["figures"]["gold not run, or nothing found"] == 0
    assert main() == 0  # nothing is asked again
    assert journal.read_bytes() == kept
    refused = {"--count 10": "--count takes 1 to 9", "--count 3": "other settings", "--compose --count 3": "--model"}
    refused |= {"--answers a.jsonl --count 3": "--prompts", "--note /nowhere/p.jsonl --count 3": "/nowhere/p.jsonl"}
    for options, why in refused.items():
        monkeypatch.setattr(sys, "argv", [*command, *options.split()])
        assert main() == 1
        assert why in capsys.readouterr().err
