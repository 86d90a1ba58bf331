"""More names for a seed: whose they become, and which are left out."""

import pytest
from benchmarks.graphs.seed.more_names import OWN_NAMES, Record, add_records, is_usable


def entity(identifier: str, name: str, kind: str, xrefs: list[str] | None = None) -> dict[str, object]:
    return {"id": identifier, "name": name, "type": kind, "synonyms": None, "xrefs": xrefs}


def test_names_join_the_entity_of_their_record() -> None:
    entities = [
        entity("CHEBI:28748", "doxorubicin", "Chemical", ["MESH:D004317"]),
        entity("HP:1", "Fatigue", "Phenotype"),
        entity("MONDO:1", "gout", "Disease"),
    ]
    records = [
        Record("MESH:D004317", "Chemical", ("Doxorubicin", "adriamycin", "fatigue")),  # a name of another is not taken
        Record("MESH:D006073", "Disease", ("Gout", "podagra")),  # joined by its name
        Record("MESH:D9", "Disease", ("somnolence syndrome", "sleepy disease")),
    ]
    assert add_records(entities, records, new=True) == {"names": 3, "entities": 1}
    assert entities[0]["synonyms"] == ["adriamycin"]
    assert entities[2]["synonyms"] == ["podagra"]
    assert entities[2]["xrefs"] == ["MESH:D006073"]
    assert entities[3]["name"] == "somnolence syndrome"
    assert add_records(entities, records, new=True) == {"names": 0, "entities": 0}  # nothing twice


def test_records_without_an_entity_wait_unless_they_may_become_one() -> None:
    entities = [entity("MONDO:1", "gout", "Disease")]
    assert add_records(entities, [Record("MESH:C1", "Chemical", ("new drug",))], new=False) == {
        "names": 0,
        "entities": 0,
    }
    assert len(entities) == 1


@pytest.mark.parametrize(
    ("name", "usable"),
    [
        ("adriamycin", True),
        ("toxic hepatitis", True),
        ("hepatitis, toxic", False),
        ("ALL", False),
        ("GAVE", False),
        ("MTC-DOX", True),
        ("compound (old name)", False),
    ],
)
def test_names_that_a_text_may_use(name: str, usable: bool) -> None:
    assert is_usable(name) is usable


def test_own_names_are_names_and_ids() -> None:
    rows = [line.split("\t") for line in OWN_NAMES.read_text("utf-8").splitlines()]
    assert all(len(row) == 2 and row[1].startswith("MESH:D") for row in rows)
    assert len({name for name, _ in rows}) == len(rows)
