"""Several columns asked for: items with what stands beside them, row by row, in words and with their evidence."""

from collections.abc import Iterator

import pytest

from askers import asker_of_csv
from clew.answer import Answer, Asker
from clew.app.cli.asking.ask import show_answer
from clew.app.records import answer_record
from clew.app.server.agents import _short
from clew.app.server.routes.chat import message_of

ENTITIES = """id,name,type,fee,rooms
v1,Ada,Vet,20,
v2,Bo,Vet,100,
v3,Cleo,Vet,,
p1,Elm House,Practice,,3
p2,Oak House,Practice,,5
t1,Bath,Town,,
"""
STATED = """subject,relation,object,since,part
v1,works_at,p1,2001,lead
v1,works_at,p2,2009,locum
v2,works_at,p1,2015,locum
v3,works_at,p2,,
v2,works_at,p1,2019,lead
p1,lies_in,t1,,
"""
WORKS = "MATCH (vet:Vet)-[r:WORKS_AT]->(practice:Practice) "


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(tmp_path_factory.mktemp("practices"), STATED, ENTITIES) as asker:
        yield asker


def shown(answer: Answer) -> dict[str, list[tuple[str, ...]]]:
    return {item.name: [tuple(cell.name for cell in row) for row in item.beside] for item in answer.items}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("vet, vet.fee", {"Ada": [("20",)], "Bo": [("100",)], "Cleo": []}),
        ("vet.fee, vet.name", {"Ada": [("20",)], "Bo": [("100",)], "Cleo": []}),  # the entity is what is listed
        (
            "vet, practice",
            {"Ada": [("Elm House",), ("Oak House",)], "Bo": [("Elm House",)], "Cleo": [("Oak House",)]},
        ),
        ("practice, vet.name", {"Elm House": [("Ada",), ("Bo",)], "Oak House": [("Ada",), ("Cleo",)]}),
        (  # columns of one statement belong together
            "vet, r.q_since, r.q_part",
            {"Ada": [("2001", "lead"), ("2009", "locum")], "Bo": [("2015", "locum"), ("2019", "lead")], "Cleo": []},
        ),
        (
            "vet, practice, r.q_part",
            {
                "Ada": [("Elm House", "lead"), ("Oak House", "locum")],
                "Bo": [("Elm House", "lead"), ("Elm House", "locum")],
                "Cleo": [("Oak House", "")],
            },
        ),
        ("vet, vet.fee ORDER BY vet.fee DESC LIMIT 1", {"Bo": [("100",)]}),
        ("vet.id, vet.name", {"Ada": [], "Bo": [], "Cleo": []}),  # only what an entity is known by
    ],
)
def test_what_else_is_asked_for_stands_beside_each(asker: Asker, wanted: str, found: dict[str, list]) -> None:
    answer = asker.ask_cypher(f"{WORKS}RETURN {wanted}")
    assert shown(answer) == found


def test_values_have_values_beside_them(asker: Asker) -> None:
    answer = asker.ask_cypher("MATCH (p:Practice {name: 'Oak House'}) RETURN p.rooms, p.name")
    assert shown(answer) == {"Oak House": [("5",)]}
    answer = asker.ask_cypher(f"{WORKS}WHERE vet.id = 'v1' RETURN r.q_since, r.q_part")
    assert shown(answer) == {"2001": [("lead",)], "2009": [("locum",)]}


def test_evidence_covers_all_columns(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{WORKS}MATCH (practice)-[:LIES_IN]->(town:Town) RETURN vet, town")
    assert {str(each) for each in answer.evidence.triples} == {
        "Ada --works_at--> Elm House",
        "Bo --works_at--> Elm House",
        "Elm House --lies_in--> Bath",
    }
    assert all(set(each.slots) == {"vet", "practice", "town"} for each in answer.evidence.supports)


def test_columns_are_said(asker: Asker) -> None:
    answer = asker.ask_cypher(f"{WORKS}RETURN vet, practice, r.q_since ORDER BY vet.fee LIMIT 1")
    assert answer.text == (
        "1 vet that works at practices, with practice and since: "
        "Ada (20; Elm House, since 2001; Oak House, since 2009)."
    )
    rooms = asker.ask_cypher("MATCH (practice:Practice) WHERE practice.rooms > 4 RETURN practice.rooms")
    assert rooms.text == "Rooms of practices with rooms above 4: 5."


def test_columns_are_shown(asker: Asker, capsys: pytest.CaptureFixture[str]) -> None:
    answer = asker.ask_cypher(f"{WORKS}RETURN vet, practice, r.q_since ORDER BY vet.fee LIMIT 1")
    show_answer(answer)
    said = capsys.readouterr().out
    assert "practice" in said
    assert "Elm House; Oak House" in said
    assert "2001; 2009" in said
    assert "- Ada (`v1`) — 20; Elm House, since 2001; Oak House, since 2009" in message_of(answer)
    assert _short(answer, 1)["items"][0]["beside"][0] == {"practice": "Elm House", "since": "2001"}
    record = answer_record(answer, graph="g", snapshot="s")
    assert record["items"][0]["beside"][0] == (
        {"column": "practice", "name": "Elm House", "id": "p1"},
        {"column": "since", "name": "2001", "id": ""},
    )
