"""What a question states outright has to be in the plan, whatever phrase it is part of."""

import pytest

from clew.answer.grammar.roles import NAME, OTHER, QUANTIFIER, RESTRICTION
from clew.answer.reading.account import Unbound
from clew.answer.reading.held import unheld
from plans import plan_of

RATED = "MATCH (p:Player {id: 'p1'}) RETURN p.rating"
SINCE = "MATCH (p:Player)-[r:PLAYS_FOR]->(c:Club) WHERE r.q_since > 2014 RETURN p"
TOWN = "MATCH (p:Player) WHERE p.town = 'Oslo' RETURN p"
OLDEST = "MATCH (p:Player) RETURN p ORDER BY p.born LIMIT 1"


@pytest.mark.parametrize(
    ("word", "query", "role"),
    [
        ("2015", RATED, QUANTIFIER),
        ("2015", SINCE, None),
        ("Oslo", RATED, NAME),
        ("Oslo", SINCE, NAME),
        ("Oslo", TOWN, None),
        ("Osloer", TOWN, None),  # as people write it
        ("oslo", RATED, None),  # no proper name
        ("MRI", RATED, None),
        ("after", RATED, RESTRICTION),
        ("after", SINCE, None),
        ("before", OLDEST, None),
        ("rated", RATED, None),
        ("June", RATED, QUANTIFIER),
        ("June", SINCE, None),
        ("Sundays", RATED, NAME),
        ("Sundays", "MATCH (c:Club) WHERE c.openSunday = 'yes' RETURN c", None),
    ],
)
def test_words_that_a_plan_has_to_have(word: str, query: str, role: str | None) -> None:
    assert unheld(Unbound(10, 10 + len(word), word, OTHER), plan_of(query)) == role


def test_the_first_word_of_a_question_is_no_proper_name() -> None:
    assert unheld(Unbound(0, 4, "Oslo", OTHER), plan_of(RATED)) is None
