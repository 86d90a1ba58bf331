"""A name that a query leaves out: it means the other of two that are said alike, or one that "or" joins."""

import pytest

from clew.answer.models.repairs.names import alike_properties, joined_by_or, said_twice, two_by_one_variable
from clew.answer.models.schema_grammar import Placeholder
from clew.answer.models.shown_schema import TEXT, Field, Join, ShownSchema
from clew.answer.names.meanings import Anchor
from clew.store.cypher import parse, write

GENOA, PIRAEUS = Placeholder("port1", ("Port",), "Genoa"), Placeholder("port2", ("Port",), "Piraeus")
SHIP, OPEN = Placeholder("ship1", ("Ship",), "Aurora"), Placeholder("entity1", (), "Piraeus")
BOTH = "MATCH (line)-[:CALLS_AT]->(port {id: $port1}), (line)-[:CALLS_AT]->(port2 {id: $port1}) RETURN line"
SAME = (
    "MATCH (line)-[:CALLS_AT]->(quay)-[:PART_OF*0..]->(port {id: $port1}), "
    "(line)-[:CALLS_AT]->(quay2)-[:PART_OF*0..]->(port) RETURN line"
)
TOWNS = ShownSchema(
    (Join("pub", "IN", "town"),),
    {"pub": "pub", "town": "town"},
    {"town": (Field("county", TEXT),)},
    {},
    {},
)


@pytest.mark.parametrize(
    ("written", "known", "read"),
    [
        (BOTH, [GENOA, PIRAEUS], BOTH.replace("(port2 {id: $port1})", "(port2too {id: $port2})")),
        (BOTH, [GENOA, OPEN], BOTH.replace("(port2 {id: $port1})", "(entity1too {id: $entity1})")),
        (SAME, [GENOA, PIRAEUS], SAME.replace("->(port) ", "->(port2too {id: $port2}) ")),
        (BOTH, [GENOA], BOTH),  # nothing is left out
        (BOTH, [GENOA, SHIP], BOTH),  # no port
        (BOTH, [GENOA, PIRAEUS, SHIP], BOTH),  # which of two
        (BOTH.replace("CALLS_AT]->(port2", "LEAVES]->(port2"), [GENOA, PIRAEUS], None),  # not the same of both
    ],
)
def test_what_is_said_twice_of_one_name_is_said_of_both(
    written: str, known: list[Placeholder], read: str | None
) -> None:
    statement, repairs = said_twice(parse(written), known)
    assert write(statement) == write(parse(read or written))
    assert len(repairs) == (read is not None and read != written)


@pytest.mark.parametrize(
    ("text", "written", "joined"),
    [
        ("ships from Genoa or Piraeus", "MATCH (ship)-[:FROM]->(port {id: $port1}) RETURN ship", True),
        ("ships from Genoa or from Piraeus", "MATCH (ship)-[:FROM]->(port {id: $port1}) RETURN ship", True),
        ("ships from Genoa and Piraeus", "MATCH (ship)-[:FROM]->(port {id: $port1}) RETURN ship", False),
        ("ships from Genoa, or that left Piraeus", "MATCH (ship)-[:FROM]->(port {id: $port1}) RETURN ship", False),
        ("is Genoa or Piraeus older", "MATCH (port {id: $port1}) RETURN port.founded", False),  # which of the two
        ("ships from Genoa or Piraeus", "MATCH (s)-[:FROM]->(p) WHERE p.id IN [$port1, $port2] RETURN s", False),
    ],
)
def test_names_that_or_joins_stand_for_one_of_them(text: str, written: str, joined: bool) -> None:
    def anchor(name: str) -> Anchor:
        start = text.index(name)
        return Anchor(start, start + len(name), name, ())

    named = {anchor("Genoa"): {GENOA: None}, anchor("Piraeus"): {PIRAEUS: None}}
    assert joined_by_or(parse(written), named, text) == ({"port1": ("port2",)} if joined else {})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("town.county = town2", "town.county = town2.county"),
        ("town.county <> town2", "town.county <> town2.county"),
        ("town.mayor = town2", None),  # towns have none
        ("town.county = pub", None),
        ("town.county = town2.county", None),
    ],
)
def test_a_property_is_compared_with_that_of_the_other(written: str, read: str | None) -> None:
    query = "MATCH (pub)-[:IN]->(town), (pub2)-[:IN]->(town2) WHERE {} RETURN pub"
    statement, repairs = alike_properties(parse(query.format(written)), TOWNS)
    assert write(statement) == write(parse(query.format(read or written)))
    assert len(repairs) == (read is not None)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "MATCH (x)-[:AT]->(port {id: $port1}), (x)-[:AT]->(port {id: $port2}) RETURN x",
            "MATCH (x)-[:AT]->(port {id: $port1}), (x)-[:AT]->(port2too {id: $port2}) RETURN x",
        ),
        (
            "MATCH (p {id: $port1}) WHERE NOT EXISTS { MATCH (x)-[:OFF]->(p {id: $port2}) } RETURN x",
            "MATCH (p {id: $port1}) WHERE NOT EXISTS { MATCH (x)-[:OFF]->(port2too {id: $port2}) } RETURN x",
        ),
        ("MATCH (x)-[:AT]->(port {id: $port1}), (y)-[:AT]->(port {id: $port1}) RETURN x, y", None),
        ("MATCH (x)-[:AT]->(port {id: $port1}), (x)-[:AT]->(port2 {id: $port2}) RETURN x", None),
    ],
)
def test_one_variable_is_not_two_entities(written: str, read: str | None) -> None:
    statement, repairs = two_by_one_variable(parse(written), TOWNS)
    assert write(statement) == write(parse(read or written))
    assert len(repairs) == (read is not None)
