"""Two properties compared, also with a number between them: read, written back, run as a slow reference does."""

import operator
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from askers import asker_of_csv
from clew.answer import Asker, CypherStrategy, Resources
from clew.answer.models.schema_grammar import query_grammar
from clew.answer.models.shown_schema import Field, Join, ShownSchema
from clew.answer.plans.canonical import same
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import Plan
from clew.errors import QueryError
from clew.lm.clients.scripted import Scripted
from clew.store.cypher import parse
from gbnf import Grammar

ENTITIES = """id,name,type,elo,town,born
p1,Ada,Player,2500,Bath,1990-05-01
p2,Bo,Player,2200,Bath,1985-04-30
p3,Cleo,Player,900,York,1985-05-02
p4,Dan,Player,,York,
c1,Rooks,Club,2300,,1980-01-01
"""
STATED = """subject,relation,object,score,year,day
p1,beat,p2,3,2019,2019-01-05
p1,beat,p2,5,2021,2021-06-01
p2,beat,p1,3,2020,2020-02-01
p2,beat,p1,9,2018,2018-02-01
p1,beat,p3,10,2021,2021-06-01
p3,beat,p4,,2015,
p4,beat,p3,9,2022,2022-01-01
p1,joined,c1,,2003,
p2,joined,c1,,2010,
"""
OPERATORS = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
PEOPLE = {line.split(",")[0]: line.split(",") for line in ENTITIES.splitlines()[1:]}
GAMES = [line.split(",") for line in STATED.splitlines()[1:] if ",beat," in line]
BEAT = "MATCH (a:Player)-[r:BEAT]->(b:Player) WHERE "
BACK = "MATCH (a:Player)-[r:BEAT]->(b:Player)-[q:BEAT]->(a) WHERE "


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(Path(tmp_path_factory.mktemp("games")), STATED, ENTITIES) as asker:
        yield asker


def pairs(asker: Asker, query: str) -> set[tuple[str, str]]:
    """The pairs that a query finds, of which the second is asked for beside the first."""
    answer = asker.ask_cypher(f"{query} RETURN a, b")
    return {(item.id, cell.id) for item in answer.items for row in item.beside for cell in row}


@pytest.mark.parametrize("name", OPERATORS)
def test_attributes_compare_as_the_slow_reference_has_it(asker: Asker, name: str) -> None:
    for plus in (0, 300, -300, 1599.5):
        wanted = {
            (one, other)
            for one, _, other, *_ in GAMES
            if PEOPLE[one][3] and PEOPLE[other][3]
            if OPERATORS[name](float(PEOPLE[one][3]), float(PEOPLE[other][3]) + plus)
        }
        shift = f" {'+' if plus > 0 else '-'} {abs(plus)}" if plus else ""
        assert pairs(asker, f"{BEAT}a.elo {name} b.elo{shift}") == wanted
        assert pairs(asker, f"{BEAT}a.elo - b.elo {name} {plus}") == wanted
        count = asker.ask_cypher(f"{BEAT}a.elo {name} b.elo{shift} RETURN count(DISTINCT a)").value
        assert count == len({one for one, _ in wanted})


@pytest.mark.parametrize("name", OPERATORS)
def test_several_times_an_attribute_compares_as_the_slow_reference_has_it(asker: Asker, name: str) -> None:
    for times, plus in product((2, 0.5, 2.75), (0, 100)):
        wanted = {
            (one, other)
            for one, _, other, *_ in GAMES
            if PEOPLE[one][3] and PEOPLE[other][3]
            if OPERATORS[name](float(PEOPLE[one][3]), times * float(PEOPLE[other][3]) + plus)
        }
        assert pairs(asker, f"{BEAT}a.elo {name} {times} * b.elo + {plus}") == wanted
        assert pairs(asker, f"{BEAT}4 * a.elo - {4 * times} * b.elo {name} {4 * plus}") == wanted
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(name, name)
        assert pairs(asker, f"{BEAT}b.elo * {times} + {plus} {turned} a.elo") == wanted


@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_not_stated_passes_where_that_is_said(asker: Asker, name: str) -> None:
    for number in (3, 2500):
        games = {
            (one, other) for one, _, other, score, *_ in GAMES if not score or OPERATORS[name](float(score), number)
        }
        assert pairs(asker, f"{BEAT}r.q_score IS NULL OR r.q_score {name} {number}") == games
        people = {
            (one, other)
            for one, _, other, *_ in GAMES
            if not PEOPLE[one][3] or OPERATORS[name](float(PEOPLE[one][3]), number)
        }
        assert pairs(asker, f"{BEAT}a.elo {name} {number} OR a.elo IS NULL") == people
    assert pairs(asker, f"{BEAT}(r.q_day IS NULL OR r.q_day > '2020') AND r.q_year > 2014") == {
        ("p1", "p2"), ("p1", "p3"), ("p3", "p4"), ("p4", "p3"),
    }  # fmt: skip
    assert pairs(asker, f"{BEAT}a.elo IS NULL OR a.elo > 2 * b.elo") == {("p1", "p3"), ("p4", "p3")}


def test_two_counts_choose_rows_together(asker: Asker) -> None:
    beaten = "MATCH (a:Player)-[:BEAT]->(b:Player)-[r:BEAT]->(c:Player) WHERE r.q_year > 2014"
    bounds = "WITH a, count(DISTINCT b) AS n, count(DISTINCT c) AS m WHERE"
    ways = {(one, two, other) for one, _, two, *_ in GAMES for start, _, other, *_ in GAMES if start == two}
    for n, m in product((1, 2), (1, 2)):
        wanted = {
            PEOPLE[a][1]
            for a in PEOPLE
            if len({b for one, b, _ in ways if one == a}) >= n and len({c for one, _, c in ways if one == a}) == m
        }
        answer = asker.ask_cypher(f"{beaten} {bounds} n >= {n} AND m = {m} RETURN a")
        assert {item.name for item in answer.items} == wanted


@pytest.mark.parametrize("name", OPERATORS)
def test_columns_compare_as_the_slow_reference_has_it(asker: Asker, name: str) -> None:
    for (key, at), plus in product((("q_score", 3), ("q_year", 4)), (0, 2, -6)):
        wanted = {
            (one[0], one[2])
            for one, other in product(GAMES, GAMES)
            if (one[0], one[2]) == (other[2], other[0]) and one[at] and other[at]
            if OPERATORS[name](float(one[at]), float(other[at]) + plus)
        }
        shift = f" {'+' if plus > 0 else '-'} {abs(plus)}" if plus else ""
        assert pairs(asker, f"{BACK}r.{key} {name} q.{key}{shift}") == wanted


def test_all_that_is_said_of_a_statement_is_of_one(asker: Asker) -> None:
    assert pairs(asker, f"{BACK}r.q_score = q.q_score AND r.q_year < q.q_year") == {("p1", "p2")}
    assert pairs(asker, f"{BACK}r.q_score = q.q_score AND r.q_year = 2021") == set()  # 3 was the score of 2019
    assert pairs(asker, f"{BACK}r.q_day < q.q_day AND q.q_score = 9") == set()
    assert pairs(asker, f"{BACK}r.q_day > q.q_day AND q.q_score = 9") == {("p1", "p2")}


def test_texts_and_days_compare_as_they_are_written(asker: Asker) -> None:
    assert pairs(asker, f"{BEAT}a.town = b.town") == {("p1", "p2"), ("p2", "p1"), ("p3", "p4"), ("p4", "p3")}
    assert pairs(asker, f"{BEAT}a.town <> b.town") == {("p1", "p3")}
    assert pairs(asker, f"{BEAT}a.born >= b.born + 5") == {("p1", "p2")}  # to Cleo it is a day less than five years
    assert pairs(asker, f"{BEAT}NOT a.elo > b.elo") == {("p2", "p1")}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("MATCH (a:Player)-[r:JOINED]->(c:Club) WHERE r.q_year > c.elo - 300 RETURN a", ["Ada", "Bo"]),
        ("MATCH (a:Player)-[r:JOINED]->(c:Club) WHERE a.elo > c.elo + 100 RETURN a", ["Ada"]),
        ("MATCH (a:Player)-[r:JOINED]->(c:Club) WHERE r.q_year > a.born + 15 RETURN a", ["Bo"]),  # a year and a day
        ("MATCH (b:Player)-[:BEAT]->(a:Player)-[r:JOINED]->(:Club) WHERE b.elo > r.q_year + 400 RETURN a", ["Bo"]),
        ("MATCH (:Player)-[r:BEAT]->(b) WHERE r.q_score >= r.q_year - 2014 RETURN b", ["Ada", "Cleo"]),  # of one game
        ("MATCH (a:Player), (b:Player {name: 'Bo'}) WHERE a.elo >= b.elo + 300 RETURN a", ["Ada"]),
        ("MATCH (a:Player), (b:Player {name: 'Bo'}) WHERE b.elo - 300 > a.elo RETURN a", ["Cleo"]),
        (
            "MATCH (a)-[r:BEAT]->(b) WHERE NOT EXISTS { (a)-[q:BEAT]->() WHERE q.q_score > r.q_score } RETURN b",
            ["Cleo", "Dan"],
        ),
        ("MATCH (a:Player) WHERE COUNT { (a)-[r:BEAT]->(b:Player) WHERE a.elo > b.elo + 200 } >= 2 RETURN a", ["Ada"]),
    ],
)
def test_whatever_is_compared_and_wherever(asker: Asker, query: str, found: list[str]) -> None:
    assert sorted(item.name for item in asker.ask_cypher(query).items) == found


def test_a_yes_or_no_and_totals_may_rest_on_a_comparison(asker: Asker) -> None:
    one = BEAT.replace("(a:Player)", "(a:Player {name: 'Ada'})")
    assert asker.ask_cypher(f"{one}a.elo > b.elo + 1500 RETURN count(*) > 0").value is True
    assert asker.ask_cypher(f"{one}a.elo > b.elo + 1600 RETURN count(*) > 0").value is False
    assert asker.ask_cypher(f"{BEAT}a.elo > b.elo RETURN sum(r.q_score)").value == 18
    most = asker.ask_cypher(f"{BEAT}a.elo > b.elo RETURN a, count(DISTINCT b) AS n ORDER BY n DESC LIMIT 1")
    assert [(item.name, item.number) for item in most.items] == [("Ada", 2)]


def test_what_was_compared_is_the_evidence(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{BACK}r.q_score = q.q_score AND r.q_year < q.q_year RETURN a")
    assert {(each.subject, each.object) for each in answer.evidence.triples} == {("p1", "p2"), ("p2", "p1")}


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("a.elo >= b.elo + 200", "and with elo at least 200 above that of the other player: Ada."),
        ("b.elo > a.elo", "with elo above that of the other player: Bo."),
        ("a.elo < b.elo - 10", "and with elo more than 10 below that of the other player: Bo."),
        ("a.elo > b.elo - 10", "and with elo above that of the other player minus 10: Ada."),
        ("a.elo = b.elo - 300", "and with elo 300 below that of the other player: Bo."),
        ("a.town <> b.town", "and with another town than the other player: Ada."),
        ("r.q_score >= r.q_year - 2010", "(with score of at least the year of the same statement minus 2,010): Bo."),
        ("r.q_year < a.elo - 450", "(with year more than 450 below the elo of the player): Ada."),
    ],
)
def test_a_comparison_is_put_into_words(asker: Asker, condition: str, said: str) -> None:
    answer = asker.ask_cypher(f"{BEAT}{condition} RETURN a")
    assert answer.text.endswith(said)


def test_two_statements_are_told_apart(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{BACK}r.q_score = q.q_score AND r.q_year < q.q_year RETURN a")
    assert answer.text == (
        "1 player who beats players and beaten by players "
        "(with the same score as the other statement, with year below that of the other statement): Ada."
    )


def test_names_are_compared_by_name(asker: Asker) -> None:
    def asked(text: str, query: str) -> str:
        own = asker.resources
        model = Scripted([query, "NONE"], name="large-7B")
        resources = Resources(own.engine, store=own.store, encoder=None, model=model)
        return Asker(resources, CypherStrategy(phrase=False, compose=True)).ask(text).text

    higher = "MATCH (player), (player2 {id: $player1}) WHERE player.elo >= player2.elo + 200 RETURN player"
    assert asked("Which players are 200 above Bo?", higher) == "1 player with elo at least 200 above that of Bo: Ada."
    judged = higher.replace("(player)", "(player {id: $player1})").replace(
        "(player2 {id: $player1})", "(player2 {id: $player2})"
    )
    judged = judged.replace("RETURN player", "RETURN count(*) > 0")
    assert asked("Is Ada 200 above Bo?", judged) == (
        "Yes: in this graph Ada is a player with elo at least 200 above that of Bo."
    )


@pytest.mark.parametrize(("said", "answered"), [("200", True), ("two hundred", True), ("300", False)])
def test_the_number_between_is_accounted_for(asker: Asker, said: str, answered: bool) -> None:
    query = "MATCH (player), (player2 {id: $player1}) WHERE player.elo >= player2.elo + 200 RETURN player"
    model = Scripted([query, "NONE"], name="large-7B")
    resources = Resources(asker.resources.engine, store=asker.resources.store, encoder=None, model=model)
    answer = Asker(resources, CypherStrategy(phrase=False)).ask(f"Which players are {said} above Bo?")
    assert (answer.abstained is None) is answered


def plan_of(query: str) -> Plan:
    return read_plan(parse(query))


@pytest.mark.parametrize(
    "condition",
    [
        "a.elo >= b.elo + 200",
        "a.elo - 200 >= b.elo",
        "a.elo - b.elo >= 200",
        "b.elo - a.elo <= -200",
        "200 <= a.elo - b.elo",
    ],
)
def test_a_difference_is_one_plan_however_it_is_written(condition: str) -> None:
    plan = plan_of(f"{BEAT}{condition} RETURN a")
    assert same(plan, plan_of(f"{BEAT}a.elo >= b.elo + 200 RETURN a"))
    assert not same(plan, plan_of(f"{BEAT}a.elo >= b.elo + 100 RETURN a"))
    assert not same(plan, plan_of(f"{BEAT}b.elo >= a.elo + 200 RETURN a"))
    assert same(read_plan(write_statement(plan)), plan)


def test_a_difference_is_held_by_its_condition() -> None:
    plan = plan_of(f"{BACK}r.q_from < q.q_from - 5 RETURN a")
    assert plan.required.conditions == (Condition("r", "q_from", "<", Asked("q", "q_from", plus=-5)),)
    assert plan_of("MATCH (a) WHERE a.elo + 5 > 10 RETURN a").required.conditions == (Condition("a", "elo", ">", 5),)


@pytest.mark.parametrize(
    "condition",
    [
        "a.elo > b.elo * b.elo",
        "a.elo + b.elo > 5",
        "a.elo > b.elo + 'x'",
        "a.elo - b.elo CONTAINS 5",
        "a.elo > b.elo + b.age",
    ],
)
def test_other_sums_are_no_plan(condition: str) -> None:
    with pytest.raises(QueryError):
        plan_of(f"{BEAT}{condition} RETURN a")


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("player.elo >= player2.elo + 200", True),
        ("player.elo = player2.elo", True),
        ("r.q_score = r2.q_score", True),
        ("r.q_score < r2.q_score - 200", True),
        ("player.elo >= player2.elo + 300", False),  # a number that nobody says
        ("player.elo >= player2.height", False),
    ],
)
def test_the_grammar_has_comparisons(condition: str, said: bool) -> None:
    chess = ShownSchema(
        (Join("Player", "BEAT", "Player"),),
        {"Player": "player"},
        {"Player": (Field("elo", "number"),)},
        {"BEAT": (Field("q_score", "number"),)},
        {},
    )
    query = f"MATCH (player)-[r:BEAT]->(player2)-[r2:BEAT]->(player3) WHERE {condition} RETURN player"
    assert Grammar(query_grammar(chess, [], "who is 200 above?")).accepts(query) is said
