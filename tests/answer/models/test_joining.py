"""Variables that a query does not match are joined to its pattern by the only relation there is, and by no guess."""

import pytest

from clew.answer.models.joining import join_variables
from clew.answer.models.shown_schema import Join, ShownSchema
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
