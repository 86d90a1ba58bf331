"""Variables that a query does not match are joined by the only relation there is, columns by the only step.

Parameters that nobody knows stand for those that are left, and one of several types is one variable.
"""

import pytest

from clew.answer.models.repairs.joining import (
    bridge_names,
    columns_own_steps,
    join_variables,
    known_parameters,
    one_of_several,
    with_columns,
    without_columns,
)
from clew.answer.models.shown_schema import NUMBER, Field, Join, ShownSchema
from clew.store.cypher import parse, write

LIBRARY = ShownSchema(
    (
        Join("staff", "WORKS_AT", "branch"),
        Join("group", "MEETS_AT", "branch"),
        Join("member", "BORROWED", "book"),
        Join("member", "RESERVED", "book"),
        Join("book", "FOLLOWS", "book"),
    ),
    {name: name for name in ("staff", "branch", "group", "member", "book")},
    {},
    {},
    {},
)


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        ("MATCH (staff)-[:WORKS_AT]->(branch) RETURN group", "(group)-[:MEETS_AT]->(branch)"),
        ("MATCH (group) RETURN group, count(DISTINCT branch)", "(branch)<-[:MEETS_AT]-(group)"),
        ("MATCH (book) RETURN member", None),  # borrowed or reserved
        ("MATCH (book) RETURN book2", None),  # follows or is followed by
        ("MATCH (staff) RETURN book", None),  # nothing connects them
        ("MATCH (staff) RETURN anybody", None),
        ("MATCH (staff)-[:WORKS_AT]->(branch) RETURN branch", None),
    ],
)
def test_only_one_way(written: str, pattern: str | None) -> None:
    statement, repairs = join_variables(parse(written), LIBRARY)
    assert write(statement) == write(parse(written.replace(" RETURN", f", {pattern} RETURN") if pattern else written))
    assert len(repairs) == (pattern is not None)


PARTS = ShownSchema(
    (Join("engine", "PART", "piston"), Join("piston", "PART", "piston"), Join("engine", "STANDS_IN", "hall")),
    {name: name for name in ("engine", "piston", "hall", "thing")},
    {},
    {},
    {},
    "thing",
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (  # pistons have parts too
            "MATCH (engine {id: $piston1})-[:PART]->(piston) RETURN piston",
            "MATCH (engine:piston {id: $piston1})-[:PART]->(piston) RETURN piston",
        ),
        (
            "MATCH (engine {id: $hall1})-[:PART]->(piston) RETURN piston",
            "MATCH (engine)-[:PART]->(piston), (engine)-[:STANDS_IN]->(hall1held:hall {id: $hall1}) RETURN piston",
        ),
        (  # nothing connects pistons and halls, one relation engines and halls
            "MATCH (engine)-[:PART]->(piston {id: $hall1}) RETURN engine",
            "MATCH (engine)-[:PART]->(piston:hall {id: $hall1}) RETURN engine",
        ),
        (  # the same relation, seen from its other end
            "MATCH (piston)-[:PART*1..]->(piston2 {id: $engine1}) RETURN piston",
            "MATCH (piston)-[:PART*1..]->(piston2:engine {id: $engine1}) RETURN piston",
        ),
        (
            "MATCH (piston) WHERE NOT EXISTS { MATCH (engine {id: $hall1})-[:PART]->(piston) } RETURN piston",
            "MATCH (piston) WHERE NOT EXISTS { MATCH (engine)-[:PART]->(piston), "
            "(engine)-[:STANDS_IN]->(hall1held:hall {id: $hall1}) } RETURN piston",
        ),
        ("MATCH (engine {id: $thing1})-[:PART]->(piston) RETURN piston", None),  # without a type: perhaps an engine
        ("MATCH (thing {id: $hall1}) RETURN thing", None),
    ],
)
def test_names_of_another_type_than_their_variable(written: str, meant: str | None) -> None:
    statement, repairs = bridge_names(parse(written), PARTS)
    assert write(statement) == write(parse(meant or written))
    assert bool(repairs) == (meant is not None)


PRICED = ShownSchema(
    (Join("shop", "SELLS", "book"), Join("member", "BOUGHT", "book"), Join("book", "FOLLOWS", "book")),
    {name: name for name in ("shop", "member", "book")},
    {"book": (Field("pages", NUMBER),)},
    {"SELLS": (Field("q_price", NUMBER),), "BOUGHT": (Field("q_price", NUMBER), Field("q_year", NUMBER))},
    {},
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "MATCH (shop)-[:SELLS]->(book) WHERE book.q_price < 9 RETURN shop",
            "MATCH (shop)-[step0:SELLS]->(book) WHERE step0.q_price < 9 RETURN shop",
        ),
        (
            "MATCH (shop)-[r:SELLS]->(book) RETURN shop, shop.q_price",
            "MATCH (shop)-[r:SELLS]->(book) RETURN shop, r.q_price",
        ),
        (  # each from its own step
            "MATCH (shop)-[:SELLS]->(book)<-[:BOUGHT]-(member) "
            "WHERE shop.q_price < 9 AND book.q_year = 2020 RETURN book",
            "MATCH (shop)-[step0:SELLS]->(book)<-[step1:BOUGHT]-(member) "
            "WHERE step0.q_price < 9 AND step1.q_year = 2020 RETURN book",
        ),
        (  # another step that is written alike is another step
            "MATCH (shop)-[:SELLS]->(book), (shop2)-[:SELLS]->(book2) WHERE book.q_price < 9 RETURN shop2",
            "MATCH (shop)-[step0:SELLS]->(book), (shop2)-[:SELLS]->(book2) WHERE step0.q_price < 9 RETURN shop2",
        ),
        ("MATCH (shop)-[:SELLS]->(book)<-[:BOUGHT]-(member) RETURN book.q_price", None),  # two have it
        ("MATCH (shop)-[:SELLS]->(book) RETURN book.q_year", None),  # none has it
        ("MATCH (shop)-[:SELLS]->(book)-[:FOLLOWS]->(book2) RETURN book2.q_price", None),  # a step away
        ("MATCH (shop)-[r:SELLS]->(book) RETURN r.q_price, book.pages", None),
    ],
)
def test_columns_are_taken_from_the_one_step_that_has_them(written: str, meant: str | None) -> None:
    statement, repairs = with_columns(parse(written), PRICED)
    assert write(statement) == write(parse(meant or written))
    assert bool(repairs) == (meant is not None)


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("MATCH (club {id: $club})-[:RIVAL]->(club2) RETURN club2", ["entity1"], {"$club": "$entity1"}),
        ("MATCH (a {id: $b2})-[:KNOWS]->(b {id: $b1}) RETURN a", ["b1", "entity1"], {"$b2": "$entity1"}),
        ("MATCH (a {id: $a1})-[:KNOWS]->(b {id: $b1}) RETURN a", ["a1", "b1"], {}),
        ("MATCH (a {id: $z1}) RETURN a", ["a1", "b1"], {}),  # it could be either
        ("MATCH (a {id: $z1})-[:KNOWS]->(b {id: $a1}) RETURN b", ["a1"], {}),  # nothing is left
    ],
)
def test_unknown_parameters_stand_for_those_that_are_left(
    written: str, known: list[str], meant: dict[str, str]
) -> None:
    statement, repairs = known_parameters(parse(written), known)
    for name, other in meant.items():
        written = written.replace(name, other)
    assert write(statement) == write(parse(written))
    assert repairs == tuple(f"{name} read as {other}" for name, other in meant.items())


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "MATCH (nurse|doctor {id: $nurse1})-[:KNOWS]->(doctor2|nurse2) RETURN doctor2",
            "MATCH (either {id: $nurse1})-[:KNOWS]->(either1) RETURN either1",
        ),
        (
            "MATCH (doctor)-[:KNOWS]->(nurse|doctor2) WHERE doctor.hired < doctor2.hired RETURN doctor",
            "MATCH (doctor)-[:KNOWS]->(either) WHERE doctor.hired < either.hired RETURN doctor",
        ),
        ("MATCH (a)-[:KNOWS|LIKES]->(b) RETURN a", "MATCH (a)-[:KNOWS|LIKES]->(b) RETURN a"),
    ],
)
def test_one_of_several_types_is_one_variable(written: str, meant: str) -> None:
    assert one_of_several(written) == meant


CHESS = ShownSchema(
    (Join("player", "PLAYS_FOR", "club"), Join("player", "PLAYED_FOR", "club"), Join("game", "ENDED", "club")),
    {name: name for name in ("player", "club", "game")},
    {},
    {name: (Field("q_since" if name == "PLAYS_FOR" else "q_until", NUMBER),) for name in ("PLAYS_FOR", "PLAYED_FOR")},
    {},
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("MATCH (a)-[r:PLAYS_FOR]->(b) RETURN r.q_until", "MATCH (a)-[r:PLAYED_FOR]->(b) RETURN r.q_until"),
        ("MATCH (a)-[r:PLAYS_FOR]->(b) RETURN r.q_since", None),
        ("MATCH (a)-[r:PLAYS_FOR]->(b) RETURN r.q_fee", None),  # no relation has it
        ("MATCH (a)-[r:PLAYED_FOR]->(b) WHERE r.q_until > 2000 RETURN a", None),
    ],
)
def test_a_column_is_that_of_the_one_relation_between_the_same_types_that_has_it(
    written: str, meant: str | None
) -> None:
    statement, repairs = columns_own_steps(parse(written), CHESS)
    assert write(statement) == write(parse(meant or written))
    assert len(repairs) == (meant is not None)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (
            "MATCH (a)-[r:PLAYS_FOR]->(b) WHERE r.q_until IS NULL AND b.id = 'x' RETURN a",
            "MATCH (a)-[r:PLAYS_FOR]->(b) WHERE b.id = 'x' RETURN a",
        ),
        (
            "MATCH (a) WHERE EXISTS { MATCH (a)-[r:PLAYS_FOR]->(b) WHERE r.q_until IS NULL } RETURN a",
            "MATCH (a) WHERE EXISTS { MATCH (a)-[r:PLAYS_FOR]->(b) } RETURN a",
        ),
        ("MATCH (a)-[r:PLAYED_FOR]->(b) WHERE r.q_until IS NULL RETURN a", None),  # it has one
        ("MATCH (a)-[r:PLAYS_FOR]->(b) WHERE r.q_until IS NOT NULL RETURN a", None),
        ("MATCH (a)-[r:PLAYS_FOR]->(b) WHERE r.q_until > 2000 RETURN a", None),
    ],
)
def test_a_column_that_a_relation_does_not_have_is_empty(written: str, meant: str | None) -> None:
    statement, repairs = without_columns(parse(written), CHESS)
    assert write(statement) == write(parse(meant or written))
    assert len(repairs) == (meant is not None)
