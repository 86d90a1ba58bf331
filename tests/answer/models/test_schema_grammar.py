"""The grammar of queries: the worked examples are in it, values are those of the question, and all it admits reads."""

import re
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.answer import Asker
from clew.answer.kept import vocabulary_of
from clew.answer.models.schema_grammar import NONE, Placeholder, query_grammar
from clew.answer.models.shown_schema import Field, Join, ShownSchema, show_schema
from clew.answer.plans.cypher.read import read_plan
from clew.errors import QueryError
from clew.lm import load_prompt
from clew.lm.grammar import check_grammar
from clew.store.cypher import parse
from effort import examples
from gbnf import Grammar

HELD = [Placeholder("gene1", ("Gene",), "FBN1"), Placeholder("disease1", ("Disease",), "Gout")]
ODD = ShownSchema(
    (Join("Gene", "CAUSES", "Odd `Type` 1"), Join("Gene", "is in", "Gene"), Join("Match", "RETURN", "Gene")),
    {"Gene": "gene", "Odd `Type` 1": "oddtypex", "Match": "thematch", "Alone": "alone"},
    {"Gene": (Field("size", "number"), Field('o\'clock \\ "x"', "text", values=('it\'s \\ "noon"',)))},
    {"CAUSES": (Field("q_on", "day"),)},
    {},
)
ODD_NAMES = [Placeholder("gene1", ("Gene",), "FBN1"), Placeholder("any1", (), "it's")]
WRITING = re.compile(r"\b(CREATE|MERGE|DELETE|SET|REMOVE|DROP|CALL|LOAD|COPY|FOREACH)\b", re.IGNORECASE)
SCHOOL = ShownSchema(  # the graph of the worked examples
    (
        Join("teacher", "GIVES", "course"),
        Join("course", "HELD_IN", "room"),
        Join("pupil", "ENROLLED_IN", "course"),
        Join("course", "REQUIRES", "course"),
    ),
    {name: name for name in ("teacher", "course", "pupil", "room")},
    {
        "teacher": (Field("born", "year"), Field("salary_eur", "number")),
        "course": (
            Field("level", "text", values=("beginner", "advanced")),
            Field("hours", "number"),
            Field("fee", "number"),
        ),
        "pupil": (Field("town", "text", values=("Leeds", "York")), Field("birth_date", "day")),
        "room": (Field("seats", "number"), Field("floor", "number")),
    },
    {"GIVES": (Field("q_since", "year"),), "ENROLLED_IN": (Field("q_mark", "number"), Field("q_year", "year"))},
    {},
)


@pytest.fixture(scope="module")
def shown(clinic: Asker) -> ShownSchema:
    resources = clinic.resources
    return show_schema(resources.engine, resources.schema, vocabulary_of(resources).attributes)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("MATCH (gene)-[:ASSOCIATED_WITH]->(disease {id: $disease1}) RETURN gene", True),
        ("MATCH (gene)<-[:ASSOCIATED_WITH]-(disease {id: $disease1}) RETURN gene", True),  # the check turns it round
        ("MATCH (gene) RETURN count(DISTINCT gene)", True),
        ("MATCH (disease {id: $disease1})-[:HAS_PHENOTYPE]->(phenotype) RETURN count(*) > 0", True),
        ("MATCH (phenotype)-[:IS_A*]->(phenotype2) RETURN phenotype2", True),
        (
            "MATCH (disease) WHERE COUNT { (disease)-[:HAS_PHENOTYPE]->(phenotype) } > "
            "COUNT { (gene)-[:ASSOCIATED_WITH]->(disease) } RETURN disease",
            True,
        ),
        ("MATCH (phenotype)-[:IS_A]->(phenotype) RETURN phenotype", False),  # nothing is joined with itself
        ("MATCH path = shortestPath((a {id: $disease1})-[*..4]-(b {id: $gene1})) RETURN path", True),
        (NONE, True),
        ("MATCH (gene)-[:ASSOCIATED_WITH]->(disease {id: $gene1}) RETURN gene", False),
        ("MATCH (gene)-[:CAUSES]->(disease {id: $disease1}) RETURN gene", False),
        ("MATCH (gene)-[:HAS_PHENOTYPE]->(phenotype) RETURN gene", False),
        ("MATCH (gene)-[:ASSOCIATED_WITH]->(disease {name: 'Gout'}) RETURN gene", False),
        ("MATCH (gene) DELETE gene", False),
        ("MATCH (gene) RETURN gene; MATCH (gene) DELETE gene", False),
        ("CREATE (gene) RETURN gene", False),
    ],
)
def test_only_what_the_graph_has_can_be_said(shown: ShownSchema, query: str, said: bool) -> None:
    assert Grammar(query_grammar(shown, HELD)).accepts(query) is said


def test_a_query_may_be_asked_for_in_any_case(shown: ShownSchema) -> None:
    assert not Grammar(query_grammar(shown, HELD, none=False)).accepts(NONE)


@pytest.mark.parametrize(
    ("question", "condition", "said"),
    [
        ("courses of more than 30 hours", "course.hours > 30", True),
        ("courses of more than thirty hours", "course.hours > 30", True),
        ("courses of more than 30 hours", "course.hours > 40", False),
        ("the advanced courses", "course.level = 'advanced'", True),
        ("the advanced courses", "course.level = 'beginner'", False),
        ("the advanced courses", "course.hours > 30", False),
        ("courses of 30 hours", "room.hours > 30", False),
    ],
)
def test_values_are_those_that_the_question_may_mean(question: str, condition: str, said: bool) -> None:
    query = f"MATCH (course)-[:HELD_IN]->(room) WHERE {condition} RETURN course"
    assert Grammar(query_grammar(SCHOOL, [], question)).accepts(query) is said


@pytest.mark.parametrize(
    "wanted",
    [
        "RETURN room, sum(course.hours) AS number ORDER BY number DESC LIMIT 1",
        "WITH room, avg(course.fee) AS number WHERE number > 30 RETURN room",
        "WITH room, sum(course.fee) AS number WHERE number > 30 AND number < 2 RETURN room, number",
        "WITH room, max(course.fee) AS number WHERE number > 30 RETURN count(DISTINCT room)",
        "WITH room, min(course.fee) AS number WHERE number > 30 RETURN count(*) > 0",
        "RETURN sum(course.fee) >= 30",
        "RETURN count(DISTINCT course) >= 30",
    ],
)
def test_each_may_have_a_total(wanted: str) -> None:
    query = f"MATCH (course)-[:HELD_IN]->(room) {wanted}"
    assert Grammar(query_grammar(SCHOOL, [], "more than 30 in all?")).accepts(query)


@pytest.mark.parametrize(
    "wanted",
    [
        "RETURN avg(r.q_mark)",
        "RETURN max(r.q_mark) > 30",
        "WITH pupil, sum(r.q_mark) AS number WHERE number > 30 RETURN pupil",
    ],
)
def test_statements_may_have_totals_too(wanted: str) -> None:
    query = f"MATCH (pupil)-[r:ENROLLED_IN]->(course) {wanted}"
    assert Grammar(query_grammar(SCHOOL, [], "more than 30 in all?")).accepts(query)
    assert read_plan(parse(query)).measures


def test_the_worked_examples_are_sentences_of_it_and_plans() -> None:
    shown, *blocks = load_prompt("clew.answer", "compose_examples.txt").split("\n\n")
    told = [line.partition(")")[0] for line in shown.splitlines() if line.startswith("(")]
    assert len(told) == len(SCHOOL.joins)
    operations = set()
    for block in blocks:
        question, *names, query = block.splitlines()
        held = [Placeholder(name[1:].split(" =")[0], (name.rsplit("(")[-1][:-1],), name) for name in names]
        assert Grammar(query_grammar(SCHOOL, held, question)).accepts(query), query
        if query != NONE:
            operations.add(read_plan(parse(query), {each.name: ("X:1",) for each in held}).operation)
    assert {"list", "value", "count", "top", "exists", "difference"} <= operations


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_every_sentence_reads_and_none_writes(data: st.DataObject) -> None:
    """Whatever a model writes under the grammar is a reading statement; what is no plan is one sentence about why."""
    grammar = query_grammar(ODD, ODD_NAMES, "what was 12 at noon in 2019", none=False)
    check_grammar(grammar)
    query = data.draw(Grammar(grammar).sentences())
    outside = " ".join(re.sub(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`", " ", query).split())
    assert not WRITING.search(outside)
    statement = parse(query)
    with suppress(QueryError):  # a variable that stands for nothing, say
        read_plan(statement, {"gene1": ("G:1",), "any1": ("O:1", "O:2")})
