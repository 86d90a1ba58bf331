"""Totals, averages and extremes with bounds: read, written back, run as a slow reference has them, put into words."""

import operator
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest

from askers import asker_of_csv
from clew.answer import Asker, CypherStrategy, Resources
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import COUNTED, Having, Measure, Plan
from clew.errors import QueryError
from clew.lm.clients.scripted import Scripted
from clew.store.cypher import parse

ENTITIES = """id,name,type,town,size
s1,Acme,Supplier,Bath,
s2,Bolt,Supplier,York,
s3,Core,Supplier,Bath,
s4,Dyer,Supplier,York,
d1,North,Depot,,9
d2,South,Depot,,100
d3,East,Depot,,40
"""
STATED = """subject,relation,object,amount,year
s1,delivers,d1,40000,2009
s1,delivers,d1,30000,2012
s1,delivers,d2,35000,2015
s2,delivers,d1,61000,2011
s2,delivers,d3,,2012
s3,delivers,d1,100,2011
s3,delivers,d2,90000,2005
s4,delivers,d3,7.5,2014
"""
ROWS = [line.split(",") for line in STATED.splitlines()[1:]]
NAMES = {line.split(",")[0]: line.split(",")[1] for line in ENTITIES.splitlines()[1:]}
SIZES = {line.split(",")[0]: float(line.split(",")[4] or 0) for line in ENTITIES.splitlines()[1:]}
FUNCTIONS = {"sum": sum, "avg": fmean, "min": min, "max": max}
OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq}
MATCH = "MATCH (x:Supplier)-[r:DELIVERS]->(y:Depot) "


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(Path(tmp_path_factory.mktemp("deliveries")), STATED, ENTITIES) as asker:
        yield asker


def measured(function: str, key: str, since: int) -> dict[str, float]:
    """The slow reference: the measure of each supplier, of the statements from a year on, or of the depots in them."""
    rows = [row for row in ROWS if int(row[4]) >= since]
    found = {}
    for supplier in {row[0] for row in rows}:
        own = [row for row in rows if row[0] == supplier]
        numbers = [float(row[3]) for row in own if row[3]]
        if key == "y.size":
            numbers = [SIZES[depot] for depot in {row[2] for row in own}]
        if numbers:
            found[NAMES[supplier]] = FUNCTIONS[function](numbers)
    return found


@pytest.mark.parametrize("key", ["r.q_amount", "y.size"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_bounds_choose_as_the_slow_reference_does(asker: Asker, function: str, key: str) -> None:
    for since, (name, holds) in product((2000, 2010), OPERATORS.items()):
        own = measured(function, key, since)
        for bound in (min(own.values()), 50.0):
            chosen = f"{MATCH}WHERE r.q_year >= {since} WITH x, {function}({key}) AS n WHERE n {name} {bound:g}"
            passing = {supplier: number for supplier, number in own.items() if holds(number, float(f"{bound:g}"))}
            listed = asker.ask_cypher(f"{chosen} RETURN x, n")
            assert {item.name: item.number for item in listed.items} == pytest.approx(passing)
            assert asker.ask_cypher(f"{chosen} RETURN count(DISTINCT x)").value == len(passing)
            assert asker.ask_cypher(f"{chosen} RETURN count(*) > 0").value is bool(passing)


def test_two_bounds_hold_at_once(asker: Asker) -> None:
    chosen = f"{MATCH}WITH x, sum(r.q_amount) AS n WHERE n > 61000 AND 100000 > n "
    assert [(item.name, item.number) for item in asker.ask_cypher(f"{chosen}RETURN x").items] == [("Core", 90100)]
    few = f"{MATCH}WITH x, count(DISTINCT y) AS n WHERE n >= 1 AND n < 2 "
    assert [item.name for item in asker.ask_cypher(f"{few}RETURN x").items] == ["Dyer"]
    assert asker.ask_cypher(f"{few}RETURN count(x)").value == 1


def test_what_they_have_can_be_asked_of_those_chosen(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{MATCH}WITH x, sum(r.q_amount) AS n WHERE n > 90000 RETURN x.town")
    assert [item.name for item in answer.items] == ["Bath"]
    assert answer.text == "Town of suppliers that deliver depots, with total amount above 90,000: Bath."


def test_what_is_said_beside_a_bound_is_a_condition(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{MATCH}WITH x, sum(r.q_amount) AS n WHERE n > 60000 AND x.town = 'York' RETURN x")
    assert [item.name for item in answer.items] == ["Bolt"]


@pytest.mark.parametrize(("name", "found"), [("Acme", True), ("Dyer", False)])
def test_one_that_is_named_is_judged(asker: Asker, name: str, found: bool) -> None:
    one = MATCH.replace("(x:Supplier)", f"(x:Supplier {{name: '{name}'}})")
    for query in (
        f"{one}RETURN sum(r.q_amount) > 60000",
        f"{one}WITH x, sum(r.q_amount) AS n WHERE n > 60000 RETURN count(*) > 0",
    ):
        assert asker.ask_cypher(query).value is found
    assert asker.ask_cypher(f"{one}RETURN count(DISTINCT y) >= 2").value is found


def test_values_of_statements_are_those_of_the_year_asked_for(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{MATCH}WHERE r.q_year > 2010 AND x.name = 'Acme' RETURN r.q_amount")
    assert [item.name for item in answer.items] == ["30000", "35000"]  # that of 2009 is of the same triple
    beside = asker.ask_cypher(f"{MATCH}WHERE r.q_year > 2010 AND y.name = 'North' RETURN x, r.q_amount, r.q_year")
    assert [[[cell.name for cell in row] for row in item.beside] for item in beside.items] == [
        [["30000", "2012"]], [["61000", "2011"]], [["100", "2011"]],
    ]  # fmt: skip


def test_a_bound_is_put_into_words(asker: Asker) -> None:
    chosen = f"{MATCH}WHERE r.q_year > 2010 WITH x, sum(r.q_amount) AS n WHERE n > 60000 "
    assert asker.ask_cypher(f"{chosen}RETURN x").text == (
        "2 suppliers that deliver depots, with total amount above 60,000 (with a year above 2010): "
        "Acme (65,000) and Bolt (61,000)."
    )
    assert asker.ask_cypher(f"{chosen}AND n <= 62000 RETURN count(x)").text == (
        "1 supplier that delivers depots, with total amount above 60,000 and of at most 62,000 "
        "(with a year above 2010)."
    )
    few = asker.ask_cypher(f"{MATCH}WITH x, count(y) AS n WHERE n > 1 AND n < 3 RETURN count(x)")
    assert few.text == "3 suppliers that deliver more than 1 and fewer than 3 depots."
    judged = asker.ask_cypher(f"{MATCH}WITH x, avg(y.size) AS n WHERE n > 90 RETURN count(*) > 0")
    assert judged.interpretation[0] == (
        "interpreted as: is it so that supplier delivers depot, with average size of these depots above 90"
    )


def test_those_chosen_are_the_evidence(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{MATCH}WITH x, sum(r.q_amount) AS n WHERE n > 90000 RETURN count(x)")
    cited = {(each.subject, each.object) for each in answer.evidence.triples}
    assert cited == {("s1", "d1"), ("s1", "d2"), ("s3", "d1"), ("s3", "d2")}


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("more than 60000 in total to depots", True),
        ("all in all more than 60,000 to depots", True),
        ("altogether more than 60 thousand to depots", True),
        ("more than 70,000 in total to depots", False),
        ("more than 60,000 on average to depots", False),
    ],
)
def test_the_words_for_a_total_and_its_bound_are_accounted_for(asker: Asker, said: str, answered: bool) -> None:
    query = (
        "MATCH (supplier)-[r:DELIVERS]->(depot) WHERE r.q_year > 2010 "
        "WITH supplier, sum(r.q_amount) AS number WHERE number > 60000 RETURN supplier"
    )
    own = asker.resources
    resources = Resources(own.engine, store=own.store, encoder=None, model=Scripted([query, "NONE"], name="large-7B"))
    answer = Asker(resources, CypherStrategy(phrase=False)).ask(f"Which suppliers delivered {said} after 2010?")
    assert (answer.abstained is None) is answered


def plan_of(query: str) -> Plan:
    return read_plan(parse(query))


def test_what_is_asked_of_those_chosen_is_apart_from_what_chooses_them() -> None:
    plan = plan_of(f"{MATCH}WITH x, sum(r.q_amount) AS n WHERE n > 5 AND n < 9 RETURN count(DISTINCT x)")
    assert plan.having == Having("x", Measure("sum", "r", "q_amount", ">", 5, further=(("<", 9),)))
    assert (plan.operation, plan.measure) == ("count", Measure("count", "x"))


def test_how_many_there_are_is_a_counted_part() -> None:
    plan = plan_of(f"{MATCH}WITH x, count(DISTINCT y) AS n WHERE n >= 3 RETURN count(x)")
    assert plan.having is None
    assert [part.kind for part in plan.parts] == [COUNTED]
    assert same(plan, plan_of("MATCH (x:Supplier) WHERE COUNT { (x)-[:DELIVERS]->(:Depot) } > 2 RETURN count(x)"))


@pytest.mark.parametrize(
    "wanted",
    [
        "WITH x, sum(r.q_amount) AS n WHERE n > 5 RETURN x",
        "WITH x, sum(r.q_amount) AS n WHERE n > 5 AND n <= 9.5 RETURN count(x)",
        "WITH x, max(y.size) AS n WHERE n > 5 RETURN x.town",
        "WITH x, min(y.size) AS n WHERE n > 5 RETURN count(*) > 0",
        "WITH x, count(y) AS n WHERE n > 5 AND n < 9 RETURN count(*) = 0",
        "RETURN avg(r.q_amount) >= 5",
    ],
)
def test_they_are_written_as_they_are_read(wanted: str) -> None:
    plan = plan_of(f"{MATCH}WHERE r.q_year > 2010 {wanted}")
    assert same(read_plan(write_statement(plan)), plan)


def test_bounds_in_any_order_and_names_are_one_plan() -> None:
    one = plan_of(f"{MATCH}WITH x, sum(r.q_amount) AS n WHERE n > 5 AND n < 9 RETURN count(x)")
    other = plan_of(
        "MATCH (b:Depot)<-[q:DELIVERS]-(a:Supplier) WITH a, sum(q.q_amount) AS total WHERE 9 > total AND total > 5 "
        "RETURN count(DISTINCT a)"
    )
    assert same(one, other)
    assert not same(one, plan_of(f"{MATCH}WITH x, sum(r.q_amount) AS n WHERE n > 5 RETURN count(x)"))


@pytest.mark.parametrize(
    "wanted",
    [
        "WITH x, sum(r.q_amount) AS n WHERE n > 5 RETURN count(y)",  # y is not passed on
        "WITH x, y, sum(r.q_amount) AS n WHERE n > 5 RETURN count(x)",
        "WITH x, sum(r.q_amount) AS n WHERE n > 'five' RETURN x",
        "WITH x, sum(r.q_amount) AS n WHERE n > 5 AND y.size > 3 RETURN x",
    ],
)
def test_what_no_plan_can_say_of_totals(wanted: str) -> None:
    with pytest.raises(QueryError):
        plan_of(f"{MATCH}{wanted}")
