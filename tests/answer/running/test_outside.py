"""Years, days, numbers and texts that a graph records nothing near: finding nothing there is no answer."""

from collections.abc import Iterator

import pytest

from askers import asker_of_csv
from clew.answer import Answer, Asker
from clew.answer.models.writing import covered
from clew.answer.running.outside import find_outside
from plans import plan_of

ENTITIES = """id,name,type,opened,place,beds
w1,North,Ward,2016-02-01,upstairs,8
w2,South,Ward,2019-07-15,downstairs,40
w3,East,Ward,2025-11-30,upstairs,
n1,Ada,Nurse,1999-01-01,abroad,900
n2,Bea,Nurse,,,
y1,1995,Year,,,
y2,2003,Year,,,
y3,1960,Year,,,
"""
STATED = """subject,relation,object,since,role,until
n1,works_on,w1,2018,lead,
n1,works_on,w2,2020,deputy,
n2,works_on,w2,2024,lead,
n2,left,w1,2001,trainee,
n1,qualified_in,y1,,,
n2,qualified_in,y2,,,
w1,built_in,y3,,,
"""
WARDS, NURSES = "MATCH (w:Ward) WHERE w.", "MATCH (n:Nurse)-[r:WORKS_ON]->(w:Ward) WHERE r."


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(tmp_path_factory.mktemp("wards"), STATED, ENTITIES) as asker:
        yield asker


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("opened >= '2014' AND w.opened < '2015'", "2014 is outside"),
        ("opened < '2016-02-01'", "before 2016-02-01 is outside"),
        ("opened > '2025-11-30'", "after 2025-11-30 is outside"),
        ("opened STARTS WITH '2031'", "2031 is outside"),
        ("opened = '1999-01-01'", "1999-01-01 is outside"),  # of another type
    ],
)
def test_days_before_the_first_and_after_the_last(asker: Asker, condition: str, said: str) -> None:
    answer = asker.ask_cypher(f"{WARDS}{condition} RETURN w")
    assert answer.uncovered == f"records of opened run from 2016-02-01 to 2025-11-30; {said}"
    assert answer.text.endswith(f"Records of opened run from 2016-02-01 to 2025-11-30; {said}.")


@pytest.mark.parametrize("condition", ["opened >= '2017' AND w.opened < '2018'", "opened STARTS WITH '2018'"])
def test_a_year_between_is_covered_with_nothing_in_it_too(asker: Asker, condition: str) -> None:
    answer = asker.ask_cypher(f"{WARDS}{condition} RETURN w")
    assert (answer.items, answer.uncovered) == ((), "")


@pytest.mark.parametrize(
    ("condition", "said"),
    [("q_since = 2001", "2001 is outside"), ("q_since > 2024", "after 2024 is outside")],
)
def test_years_of_statements_are_those_of_their_relation(asker: Asker, condition: str, said: str) -> None:
    answer = asker.ask_cypher(f"{NURSES}{condition} RETURN count(n)")
    assert (answer.value, answer.uncovered) == (0, f"records of since run from 2018 to 2024; {said}")
    assert not asker.ask_cypher(f"{NURSES}q_since = 2019 RETURN count(n)").uncovered
    assert not asker.ask_cypher("MATCH (n:Nurse)-[r:LEFT]->(w:Ward) WHERE r.q_since = 2001 RETURN n").uncovered


def test_a_yes_rests_on_no_bound_and_a_no_does(asker: Asker) -> None:
    assert asker.ask_cypher(f"{NURSES}q_since = 2030 RETURN count(*) > 0").uncovered.endswith("2030 is outside")
    yes = asker.ask_cypher(f"{NURSES}q_since < 2030 RETURN count(*) > 0")
    assert (yes.value, yes.uncovered) == (True, "")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (f"{WARDS}place = 'abroad' RETURN w", ["no place in this graph is abroad"]),  # but of a nurse
        (f"{WARDS}place IN ['abroad', 'outside'] RETURN w", ["no place in this graph is abroad or outside"]),
        (f"{WARDS}place IN ['abroad', 'Upstairs'] RETURN w", []),
        (f"{WARDS}place <> 'abroad' RETURN w", []),
        (f"{NURSES}q_role = 'trainee' RETURN n", ["no role in this graph is trainee"]),
        ("MATCH (n:Nurse)-[r:LEFT]->(w:Ward) WHERE r.q_role = 'trainee' RETURN n", []),
        (f"{NURSES}q_until = 'x' RETURN n", []),  # of which nothing is recorded at all
        ("MATCH (w:Ward {name: 'Abroad'}) RETURN w", []),
    ],
)
def test_a_text_that_nobody_has(asker: Asker, query: str, said: list[str]) -> None:
    resources = asker.resources
    assert [str(each) for each in find_outside(plan_of(query), resources.engine, resources.schema)] == said


@pytest.mark.parametrize(
    "asked",
    [
        f"{WARDS}id = 'w1' AND w.opened < '2014'",
        "MATCH (n:Nurse {id: 'n1'})-[r:WORKS_ON]->(w:Ward {id: 'w1'}) WHERE r.q_since < 2010",
    ],
)
def test_a_no_about_what_is_named_is_a_no(asker: Asker, asked: str) -> None:
    answer = asker.ask_cypher(f"{asked} RETURN count(*) > 0")
    assert (answer.value, answer.uncovered) == (False, "")


def test_more_than_the_most_is_none_and_the_answer_says_how_many_there_are(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{WARDS}beds > 500 RETURN w")
    assert answer.text.endswith("Records of beds run from 8 to 40; above 500 is outside.")
    assert not answer.uncovered


def test_an_answer_that_rests_on_it_is_declined_and_offered(asker: Asker) -> None:
    none = asker.ask("Which wards opened in 2014?")
    assert none.abstained == (
        "The graph does not cover what is asked for: records of opened run from 2016-02-01 to 2025-11-30; "
        "2014 is outside."
    )
    assert [each.interpretation for each in none.alternatives] == ["wards opened from 2014 to before 2015"]
    assert [item.name for item in asker.ask("Which wards opened in 2019?").items] == ["South"]


def test_years_that_are_entities_are_those_of_their_relation(asker: Asker) -> None:
    qualified = asker.ask("Which nurses qualified before 1970?")
    assert "records of qualified in run from 1995 to 2003" in (qualified.abstained or "")


def test_only_an_answer_that_is_uncovered_becomes_a_decline() -> None:
    answer = Answer("?", text="None.")
    assert covered(answer) is answer
    declined = Answer("?", abstained="no", uncovered="x")
    assert covered(declined) is declined
