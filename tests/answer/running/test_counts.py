"""Two counts compared, and totals for each of what is asked for: read, run, put into words, with their evidence."""

from collections.abc import Iterator

import pytest

from askers import asker_of_csv
from clew.answer import Answer, Asker
from clew.errors import QueryError

ENTITIES = """id,name,type,beds,sex
v1,Ada,Vet,,
v2,Bo,Vet,,
v3,Cleo,Vet,,
a1,Rex,Animal,,male
a2,Mia,Animal,,female
a3,Tom,Animal,,male
t1,Bath,Town,,
t2,York,Town,,
w1,East,Ward,9,
w2,West,Ward,100,
w3,North,Ward,60,
w4,South,Ward,60,
d1,Surgery,Department,,
d2,Oncology,Department,,
d3,Eyes,Department,,
"""
STATED = """subject,relation,object,fee
v1,treats,a1,20
v1,treats,a2,9
v1,treats,a3,100
v1,operates,a1,
v2,treats,a1,30
v2,operates,a1,
v2,operates,a2,
v3,treats,a2,100
a1,lives_in,t1,
a2,lives_in,t1,
a3,lives_in,t2,
w1,belongs_to,d1,
w2,belongs_to,d1,
w3,belongs_to,d2,
w4,belongs_to,d2,
w1,belongs_to,d3,
"""
MORE = "COUNT { (vet)-[:TREATS]->(animal:Animal) } > COUNT { (vet)-[:OPERATES]->(animal2:Animal) }"
TOWNS = "MATCH (a:Town {name: $one}), (b:Town {name: $other}) WHERE "
LIVING = "COUNT { (a)<-[:LIVES_IN]-(x) } > COUNT { (b)<-[:LIVES_IN]-(x) }"
WARDS = "MATCH (ward:Ward)-[:BELONGS_TO]->(department:Department) "


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(tmp_path_factory.mktemp("vets"), STATED, ENTITIES) as asker:
        yield asker


def cited(answer: Answer) -> set[tuple[str, str, str]]:
    return {(each.subject, each.relation, each.object) for each in answer.evidence.triples}


def stated(*subjects: str, relations: tuple[str, ...]) -> set[tuple[str, str, str]]:
    rows = (line.split(",")[:3] for line in STATED.splitlines()[1:])
    return {(one, name, other) for one, name, other in rows if one in subjects and name in relations}


@pytest.mark.parametrize(
    ("compared", "found"),
    [
        (">", ["Ada", "Cleo"]),  # Cleo operated on none
        ("<", ["Bo"]),
        ("<>", ["Ada", "Bo", "Cleo"]),
        ("=", []),
    ],
)
def test_counts_of_one_row_are_compared(asker: Asker, compared: str, found: list[str]) -> None:
    answer = asker.ask_cypher(f"MATCH (vet:Vet) WHERE {MORE.replace(' > ', f' {compared} ')} RETURN vet")
    assert sorted(item.name for item in answer.items) == found


def test_what_was_counted_is_the_evidence(asker: Asker) -> None:
    answer = asker.ask_cypher(f"MATCH (vet:Vet) WHERE {MORE} RETURN vet")
    assert cited(answer) == stated("v1", "v3", relations=("treats", "operates"))
    assert answer.evidence.complete
    assert answer.text == ("2 vets with more animals treated by them than animals operated by them: Ada and Cleo.")


def test_counts_of_what_has_a_value_are_left_to_the_store(asker: Asker) -> None:
    males = "COUNT { (vet)-[:TREATS]->(animal:Animal) WHERE animal.sex = 'male' }"
    females = "COUNT { (vet)-[:TREATS]->(animal:Animal) WHERE animal.sex = 'female' }"
    answer = asker.ask_cypher(f"MATCH (vet:Vet) WHERE {males} > {females} RETURN vet")
    assert [item.name for item in answer.items] == ["Ada", "Bo"]
    assert cited(answer) == stated("v1", "v2", relations=("treats",))
    assert answer.interpretation[0] == (
        "interpreted as: vets with more animals treated by them and with sex male "
        "than animals treated by them and with sex female"
    )


@pytest.mark.parametrize(
    "query",
    [
        f"{TOWNS}{LIVING} RETURN count(*) > 0",
        f"{TOWNS.removesuffix(' WHERE ')} RETURN {LIVING}",
        "MATCH (a:Town {name: $one})<-[:LIVES_IN]-(x), (b:Town {name: $other})<-[:LIVES_IN]-(y) "
        "RETURN count(DISTINCT x) > count(DISTINCT y)",
    ],
)
@pytest.mark.parametrize(("one", "other"), [("Bath", "York"), ("York", "Bath")])
def test_two_names_are_compared(asker: Asker, query: str, one: str, other: str) -> None:
    answer = asker.ask_cypher(query.replace("$one", f"'{one}'").replace("$other", f"'{other}'"))
    assert answer.value is (one == "Bath")
    assert cited(answer) == stated("a1", "a2", "a3", relations=("lives_in",))  # of both, be it so or not


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("RETURN department, sum(ward.beds) AS n ORDER BY n DESC LIMIT 1", [("Oncology", 120)]),
        ("RETURN department, sum(ward.beds) AS n ORDER BY n LIMIT 1", [("Eyes", 9)]),
        ("RETURN department, avg(ward.beds) AS n ORDER BY n DESC LIMIT 2", [("Oncology", 60), ("Surgery", 54.5)]),
        ("RETURN department.name, max(ward.beds) AS n ORDER BY n DESC LIMIT 1", [("Surgery", 100)]),
        ("WITH department, sum(ward.beds) AS n WHERE n > 115 RETURN department", [("Oncology", 120)]),
        ("WITH department, avg(ward.beds) AS n WHERE n <= 54.5 RETURN department", [("Eyes", 9), ("Surgery", 54.5)]),
    ],
)
def test_each_has_its_total(asker: Asker, wanted: str, found: list[tuple[str, float]]) -> None:
    answer = asker.ask_cypher(f"{WARDS}{wanted}")
    assert [(item.name, item.number) for item in answer.items] == found
    own = {"Oncology": ("w3", "w4"), "Surgery": ("w1", "w2"), "Eyes": ("w1",)}
    assert cited(answer) == {(ward, "belongs_to", item.id) for item in answer.items for ward in own[item.name]}


def test_totals_are_put_into_words(asker: Asker) -> None:
    first = asker.ask_cypher(f"{WARDS}RETURN department, sum(ward.beds) AS number ORDER BY number DESC LIMIT 1")
    assert first.text == (
        "1 department that wards belong to, with the highest total beds of these wards: Oncology (120)."
    )
    bound = asker.ask_cypher(f"{WARDS}WITH department, avg(ward.beds) AS n WHERE n > 55 RETURN department")
    assert bound.interpretation[0] == (
        "interpreted as: departments that wards belong to, with average beds of these wards above 55"
    )
    whole = asker.ask_cypher(f"{WARDS}RETURN avg(ward.beds)")
    assert (
        whole.text == "Average beds of wards that belong to departments: 57.25."
    )  # a ward of two departments counts once


def test_statements_have_totals_too(asker: Asker) -> None:
    answer = asker.ask_cypher(
        "MATCH (vet:Vet)-[r:TREATS]->(animal:Animal) RETURN vet, sum(r.q_fee) AS number ORDER BY number DESC LIMIT 2"
    )
    assert [(item.name, item.number) for item in answer.items] == [("Ada", 129), ("Cleo", 100)]


def test_two_totals_for_each_are_no_plan(asker: Asker) -> None:
    with pytest.raises(QueryError, match="two measures"):
        asker.ask_cypher(f"{WARDS}RETURN department, sum(ward.beds), avg(ward.beds)")
