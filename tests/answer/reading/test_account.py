"""Which words of a question a plan accounts for."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.kept import composer_of, words_of
from clew.answer.reading.account import account_for
from clew.answer.reading.question import understand

STATED = [
    ("Grey Wall", "Route", "first_climbed_by", "Ada", "Climber"),
    ("Ben", "Climber", "took_part_in", "Granite Games", "Competition"),
]
FIRST = "MATCH (r:Route)-[:FIRST_CLIMBED_BY]->(c:Climber) RETURN c"


@pytest.fixture(scope="module")
def climbers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("climbers"), STATED) as asker:
        yield asker


@pytest.mark.parametrize(
    ("text", "unbound"),
    [
        ("Which climbers never came first in a competition?", {"first"}),  # climbers climb, but that is their type
        ("Which climbers first climbed a route?", set()),
        ("Which climbers were the first who climbed a route?", set()),
    ],
)
def test_first_alone_is_no_word_for_a_relation_of_more_words(climbers: Asker, text: str, unbound: set[str]) -> None:
    own = climbers.resources
    question = understand(text, own.linker, words_of(own), parser=own.parser)
    composer = composer_of(own)
    candidate = composer.read(FIRST, question, composer.placeholders(question)).candidate
    account = account_for(question, candidate, words_of(own), next(iter(question.trees), None))
    assert {each.text for each in account.unbound} & {"first"} == unbound, account


def test_items_have_their_types_where_the_plan_leaves_them_open(climbers: Asker) -> None:
    answer = climbers.ask_cypher("MATCH (x)-[:FIRST_CLIMBED_BY|TOOK_PART_IN]->() RETURN x")
    assert {(item.name, item.type) for item in answer.items} == {("Grey Wall", "Route"), ("Ben", "Climber")}
