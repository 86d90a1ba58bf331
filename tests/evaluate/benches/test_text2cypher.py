"""How much Cypher is read: kinds of queries, reasons for refusal, and the rates on the real collection."""

import gzip
import json
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.evaluate.benches.text2cypher import (
    KINDS,
    TESTS,
    Pair,
    attempt,
    load_pairs,
    query_kind,
    rates_record,
    reason_of,
)
from clew.store.cypher import parse

ONE = "MATCH (m:Movie {title: 'Jaws'}) RETURN m"


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("MATCH (m:Movie) RETURN m.title", "simple retrieval"),
        ("MATCH (p:Person)-[:ACTED_IN]->(m:Movie) RETURN m.title", "simple retrieval"),
        ("MATCH (m:Movie) WHERE m.year > 2000 RETURN m", "filter"),
        (ONE, "filter"),
        ("MATCH (p:Person)-[r:RATED {stars: 5}]->(m:Movie) RETURN m", "filter"),
        ("MATCH (m:Movie) WHERE m.year > 2000 RETURN m ORDER BY m.year", "order and limit"),
        ("MATCH (m:Movie) RETURN m LIMIT 3", "order and limit"),
        ("MATCH (a:Person)-[:ACTED_IN]->(m)<-[:DIRECTED]-(b:Person) RETURN b LIMIT 3", "multi-hop"),
        ("MATCH (m:Movie) RETURN count(m)", "aggregation"),
        ("MATCH (m:Movie) RETURN count(*)", "aggregation"),
        ("MATCH (p)-[:ACTED_IN]->(m) WITH p, COUNT(m) AS n WHERE n > 3 RETURN p", "aggregation"),
        ("MATCH (p)-[:ACTED_IN]->(m) WITH p, count(m) AS n RETURN avg(n)", "aggregation after aggregation"),
        ("MATCH (p:Person) OPTIONAL MATCH (p)-[:ACTED_IN]->(m) RETURN p, m", "optional or negated"),
        ("MATCH (p:Person) WHERE NOT (p)-[:ACTED_IN]->(:Movie) RETURN p", "optional or negated"),
        ("MATCH (p:Person) WHERE NOT EXISTS { (p)-[:ACTED_IN]->(:Movie) } RETURN count(p)", "optional or negated"),
        ("MATCH (p:Person) WHERE NOT p.born = 1970 RETURN p", "filter"),  # denies a value, no pattern
        ("MATCH (a:Person)-[:KNOWS*1..3]->(b:Person) RETURN count(b)", "variable length"),
        ("MATCH p = shortestPath((a:Person)-[*..4]-(b:Person)) RETURN p", "variable length"),
        ("MATCH (m:Movie) RETURN m.title UNION MATCH (b:Book) RETURN b.title", "union or unwind"),
        ("MATCH (m:Movie) UNWIND m.languages AS l RETURN l", "union or unwind"),
    ],
)
def test_the_hardest_thing_a_query_does(query: str, kind: str) -> None:
    assert query_kind(parse(query)) == kind


def test_every_kind_has_its_test() -> None:
    assert tuple(TESTS) == KINDS


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("a plan cannot say the value datetime('2020-01-01T00:00:00Z')", "the value datetime(…)"),
        ("a plan cannot say the column COUNT { MATCH (s)-[:CHATTER]->() }", "the column COUNT {…}"),
        ("a plan cannot say the condition NOT exists(m.title)", "the condition exists(…)"),
        ("a plan cannot say the column q.upVotes + q.downVotes", "the column of another form"),
        ("a plan cannot say UNWIND", "UNWIND"),
        ("a plan cannot say a limit before the end", "a limit before the end"),
        ("CALL is not allowed: queries are read-only: use MATCH", "CALL is not allowed"),
        ("cannot read the query at line 3, character 9, near 'GROUP BY t.type'", "cannot read on at GROUP"),
        ("cannot read the query at line 3, character 9, near '{(s)-[:X]->()} > 2'", "cannot read on at {"),
    ],
)
def test_alike_refusals_count_together(message: str, reason: str) -> None:
    assert reason_of(message) == reason


def test_what_becomes_of_a_query() -> None:
    plan = attempt(Pair("t", "?", ONE))
    assert (plan.parsed, plan.planned, plan.kind) == (True, True, "filter")
    refused = attempt(Pair("t", "?", "MATCH (m:Movie) UNWIND m.languages AS l RETURN l"))
    assert (refused.parsed, refused.planned) == (True, False)
    unread = attempt(Pair("t", "?", "SELECT 1 FROM movies"))
    assert (unread.parsed, unread.planned, unread.kind) == (False, False, "not read")


def test_rates_add_up() -> None:
    queries = [ONE, ONE, "MATCH (m) UNWIND m.languages AS l RETURN l", "SELECT 1", "MATCH (m:Movie) RETURN count(m)"]
    record = rates_record([Pair("odd" if at % 2 else "even", "?", each) for at, each in enumerate(queries)])
    assert (record["n"], record["parsed"], record["planned"]) == (5, 4, 3)
    assert (record["parse_rate"], record["plan_rate"]) == (0.8, 0.6)
    for part in ("kinds", "types"):
        for count in ("n", "parsed", "planned"):
            assert sum(each[count] for each in record[part]) == record[count]
    assert [each["kind"] for each in record["kinds"]] == ["union or unwind", "aggregation", "filter", "not read"]
    assert [(each["reason"], each["n"], each["example"]) for each in record["not_planned"]] == [
        ("UNWIND", 1, queries[2])
    ]
    assert sum(each["n"] for each in record["not_parsed"]) == 1
    with pytest.raises(InputError, match="no queries"):
        rates_record([])


def write_pairs(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "pairs.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    return folder


def test_pairs_are_found_in_the_folder_or_in_that_of_the_data(tmp_path: Path) -> None:
    line = json.dumps({"type": "t", "question": "?", "cypher": ONE})
    write_pairs(tmp_path / "text2cypher", line + "\n" + line + "\n")
    assert load_pairs(tmp_path) == load_pairs(tmp_path / "text2cypher") == [Pair("t", "?", ONE)] * 2


@pytest.mark.parametrize("text", ['{"type": "t"}\n', "nonsense\n", "[1]\n"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="not text2cypher's list"):
        load_pairs(write_pairs(tmp_path, text))
    with pytest.raises(InputError, match="--data"):
        load_pairs(tmp_path / "elsewhere")


@pytest.mark.slow
def test_the_rates_on_the_real_collection(data: Path) -> None:
    """What docs and README say may only get better."""
    record = rates_record(load_pairs(data))
    assert record["n"] == 7_548
    assert record["parse_rate"] >= 0.99
    assert record["plan_rate"] >= 0.869
    assert sum(each["n"] for each in record["kinds"]) == sum(each["n"] for each in record["types"]) == record["n"]
