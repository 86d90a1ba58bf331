"""How many are wanted is what the words say, whoever made the plan."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker
from clew.answer.kept import words_of
from clew.answer.models.repairs.direction import as_said
from clew.answer.plans.cypher.read import read_plan
from clew.answer.reading.question import understand
from clew.store.cypher import parse

STATED = [(name, "Film", "produced_by", "Elm Studios", "Studio") for name in ("Amber", "Briar", "Cedar", "Damson")]
ALL = "MATCH (f:Film)-[:PRODUCED_BY]->(s:Studio {id: 'x:Elm Studios'}) RETURN f"


@pytest.fixture(scope="module")
def studios(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("studios"), STATED) as asker:
        yield asker


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Which 3 films were produced by Elm Studios?", 3),
        ("Name any two films produced by Elm Studios.", 2),
        ("List three films that were produced by Elm Studios.", 3),
        ("Which films were produced by Elm Studios? Show the first 2.", 2),
        ("What are the two films that were produced by Elm Studios?", None),  # all that there are
        ("Which films were produced by Elm Studios?", None),
        ("Which studios produced at least 3 films?", None),
        ("Which film was produced by Elm Studios in 3 days?", None),
    ],
)
def test_a_stated_limit_is_in_the_plan(studios: Asker, text: str, wanted: int | None) -> None:
    resources = studios.resources
    words = words_of(resources)
    question = understand(text, resources.linker, words, parser=resources.parser)
    assert as_said(read_plan(parse(ALL)), question, words).limit == wanted
    ordered = read_plan(parse(f"{ALL} ORDER BY f.name LIMIT 7"))
    assert as_said(ordered, question, words).limit == 7  # a limit that the plan has is its own


def test_the_readers_give_as_many_as_are_wanted(studios: Asker) -> None:
    answer = studios.ask("Which 3 films were produced by Elm Studios?")
    assert answer.abstained is None
    assert len(answer.items) == 3
    assert answer.interpretation[0] == "interpreted as: films produced by Elm Studios (any 3 of them)"
    assert len(studios.ask("Which films were produced by Elm Studios?").items) == 4
