"""Columns of statements hold numbers as texts, a list for each statement: ordered and added up as numbers."""

from collections.abc import Iterator

import pytest

from askers import asker_of_csv
from clew.answer import Asker

STATED = """subject,subject_type,relation,object,object_type,daily
Anna's,Bakery,makes,Rye,Bread,9
Anna's,Bakery,makes,Oat,Bread,9
Bo's,Bakery,makes,Rye,Bread,100
Cleo's,Bakery,makes,Rye,Bread,25
"""
MADE = "MATCH (b:Bakery)-[r:MAKES]->(:Bread) "


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_csv(tmp_path_factory.mktemp("bakeries"), STATED) as asker:
        yield asker


@pytest.mark.parametrize(
    ("order", "first"), [("DESC LIMIT 1", ["Bo's"]), ("LIMIT 1", ["Anna's"]), ("DESC", ["Bo's", "Cleo's", "Anna's"])]
)
def test_statements_are_ordered_by_numbers(asker: Asker, order: str, first: list[str]) -> None:
    answer = asker.ask_cypher(f"{MADE}RETURN b ORDER BY r.q_daily {order}")
    assert [item.name for item in answer.items] == first


@pytest.mark.parametrize(("function", "value"), [("sum", 143), ("max", 100), ("min", 9), ("avg", 35.75)])
def test_every_statement_counts_in_an_aggregate(asker: Asker, function: str, value: float) -> None:
    assert asker.ask_cypher(f"{MADE}RETURN {function}(r.q_daily)").value == value


def test_values_of_statements_are_given_as_they_are_written(asker: Asker) -> None:
    answer = asker.ask_cypher('MATCH (b:Bakery {name: "Bo\'s"})-[r:MAKES]->(:Bread) RETURN r.q_daily')
    assert [item.name for item in answer.items] == ["100"]
