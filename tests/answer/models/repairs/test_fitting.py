"""A relation that does not connect its types means several steps of it, or the only one that does."""

import pytest

from clew.answer.models.repairs.fitting import fitting_relations
from clew.answer.models.shown_schema import Join, ShownSchema
from clew.store.cypher import parse, write

MUSEUM = ShownSchema(
    (
        Join("work", "HANGS_IN", "room"),
        Join("room", "PART_OF", "wing"),
        Join("wing", "PART_OF", "house"),
        Join("artist", "MADE", "work"),
        Join("artist", "SOLD", "work"),
        Join("work", "COPIES", "work"),
        Join("room", "COPIES", "room"),
    ),
    {name: name for name in ("work", "room", "wing", "house", "artist", "thing")},
    {},
    {},
    {},
    "thing",
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("MATCH (room)-[:WING]->(wing) RETURN room", "MATCH (room)-[:PART_OF]->(wing) RETURN room"),
        ("MATCH (wing)-[:ROOMS]->(room) RETURN room", "MATCH (wing)<-[:PART_OF]-(room) RETURN room"),
        ("MATCH (room)-[:COST]->(wing) RETURN room", None),  # which is something else
        (
            "MATCH (room)-[:PART_OF]->(x:work {id: $work1}) RETURN room",
            "MATCH (room)<-[:HANGS_IN]-(x:work {id: $work1}) RETURN room",
        ),
        (
            "MATCH (work)-[:HANGS_IN]->(house {id: $house1}) RETURN work",
            "MATCH (work)-[:HANGS_IN]->()-[:PART_OF*1..]->(house {id: $house1}) RETURN work",
        ),
        (
            "MATCH (wing)<-[:HANGS_IN]-(work)<-[:MADE]-(artist) RETURN wing",
            "MATCH (wing)<-[:PART_OF*1..]-()<-[:HANGS_IN]-(work)<-[:MADE]-(artist) RETURN wing",
        ),
        ("MATCH (work)-[r:HANGS_IN]->(house) RETURN r.q_year", None),  # what is said of the step is of the room
        ("MATCH (house)-[:HANGS_IN]->(work) RETURN house", None),
        ("MATCH (work)-[:PART_OF]->(room {id: $room1}) RETURN work", None),  # works are part of nothing
        ("MATCH (work)-[:PART_OF]->(room) RETURN work", None),
        ("MATCH (room)-[:PART_OF]->(house) RETURN room", "MATCH (room)-[:PART_OF*1..]->(house) RETURN room"),
        ("MATCH (x:house)-[:PART_OF]->(y:room) RETURN y", "MATCH (x:house)<-[:PART_OF*1..]-(y:room) RETURN y"),
        ("MATCH (artist)-[:PAINTED]->(work) RETURN work", None),  # made or sold
        ("MATCH (artist)-[:MADE]->(room) RETURN room", None),  # nothing connects them
        ("MATCH (room)-[:PART_OF]->(wing) RETURN room", None),
        ("MATCH (room)-[:WING]->(thing) RETURN room", None),  # of any type
        ("MATCH (work)-[:COPIES]->(room) RETURN room", None),  # which says more than where a work hangs
    ],
)
def test_relations_that_do_not_connect_their_types(written: str, meant: str | None) -> None:
    statement, repairs = fitting_relations(parse(written), MUSEUM)
    assert write(statement) == write(parse(meant or written))
    assert len(repairs) == (meant is not None)
