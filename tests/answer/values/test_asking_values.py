"""Questions about values of entities, over a small graph of players, teams, stadiums, books and authors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from clew.answer import Answer, Asker, Resources
from clew.graph.staging import Staged

ENTITIES: dict[str, tuple[str, dict[str, str]]] = {
    "Anna Berg": ("Player", {"height_cm": "181", "birth_date": "1994-03-12", "position": "goalkeeper", "goals": "3"}),
    "Bela Kun": ("Player", {"height_cm": "175", "birth_date": "1999-07-30", "position": "striker", "goals": "41"}),
    "Carl Dunn": ("Player", {"height_cm": "190", "birth_date": "1988-11-02", "position": "defender", "goals": "7"}),
    "Dora Ek": ("Player", {"height_cm": "168", "birth_date": "2001-01-15", "position": "striker", "goals": "22"}),
    "Rovers": ("Team", {"founded": "1899", "members": "2,300"}),
    "Lions": ("Team", {"founded": "1921", "members": "12,500"}),
    "Falcons": ("Team", {"founded": "1974", "members": "800"}),
    "North Park": ("Stadium", {"capacity": "31000"}),
    "River Ground": ("Stadium", {"capacity": "12500"}),
    "The Quiet Sea": ("Book", {"pages": "412", "published": "1987-05-01", "price_usd": "12.50"}),
    "Winter Light": ("Book", {"pages": "198", "published": "2011-10-20", "price_usd": "8.99"}),
    "A Long Walk": ("Book", {"pages": "655", "published": "2003-02-14", "price_usd": "21.00"}),
    "Mira Holt": ("Author", {"birth_date": "1950-06-06"}),
    "Jon Vale": ("Author", {"birth_date": "1971-09-09"}),
    **{year: ("Year", {}) for year in ("1999", "2004", "2012")},
}
TRIPLES = [
    ("Anna Berg", "plays_for", "Rovers"),
    ("Bela Kun", "plays_for", "Rovers"),
    ("Carl Dunn", "plays_for", "Lions"),
    ("Dora Ek", "plays_for", "Falcons"),
    ("Rovers", "plays_at", "North Park"),
    ("Lions", "plays_at", "River Ground"),
    ("Falcons", "plays_at", "River Ground"),
    ("The Quiet Sea", "written_by", "Mira Holt"),
    ("Winter Light", "written_by", "Mira Holt"),
    ("A Long Walk", "written_by", "Jon Vale"),
    ("North Park", "opened_in", "1999"),
    ("River Ground", "opened_in", "2004"),
]


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    columns = sorted({key for _, values in ENTITIES.values() for key in values})
    entities = {"id": list(ENTITIES), "name": list(ENTITIES), "type": [type for type, _ in ENTITIES.values()]}
    entities |= {column: [values.get(column) for _, values in ENTITIES.values()] for column in columns}  # type: ignore[misc]
    triples = dict(zip(("subject", "relation", "object"), map(list, zip(*TRIPLES, strict=True)), strict=True))
    out = tmp_path_factory.mktemp("values") / "values.clew"
    clew.build(Staged(pa.table(triples), entities=pa.table(entities)), out=out)
    with Resources(out) as resources:
        assert resources.parser is not None, "run `clew models get english`"
        yield Asker(resources)


def given(answer: Answer) -> Any:
    if answer.abstained is not None:
        return None
    return answer.value if answer.value is not None else [item.name for item in answer.items]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How tall is Anna Berg?", 181),
        ("What is Carl Dunn's height?", 190),
        ("height of Dora Ek", 168),
        ("How many goals did Bela Kun score?", 41),
        ("How many members do the Rovers have?", 2300),
        ("How many spectators does North Park hold?", 31000),
        ("How much does Winter Light cost?", 8.99),
        ("How many pages does A Long Walk have?", 655),
        ("When were the Lions founded?", 1921),
        ("In what year was River Ground opened?", 2004),
        ("When was Bela Kun born?", ["1999-07-30"]),
        ("What is the capacity of the stadium of the Falcons?", 12500),
        ("What is the average height of the players of the Rovers?", 178),
    ],
)
def test_a_value_is_an_answer(asker: Asker, question: str, expected: Any) -> None:
    answer = asker.ask(question)
    assert given(answer) == expected
    assert answer.certainty == "sure"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which players are taller than 1.75 m?", ["Anna Berg", "Carl Dunn"]),
        ("Which players are taller than 6 feet?", ["Carl Dunn"]),
        ("players over 180 cm tall", ["Anna Berg", "Carl Dunn"]),
        ("Which players were born before 1995?", ["Anna Berg", "Carl Dunn"]),
        ("Which players were born in the nineties?", ["Anna Berg", "Bela Kun"]),
        ("Which players were born between 1990 and 2000?", ["Anna Berg", "Bela Kun"]),
        ("Which players of the Rovers were born after 1995?", ["Bela Kun"]),
        ("Which players taller than 1.75 m do not play for the Rovers?", ["Carl Dunn"]),
        ("Which teams founded before 1950 do not play at River Ground?", ["Rovers"]),
        ("teams founded after 1900", ["Falcons", "Lions"]),
        ("Which teams have at least two thousand members?", ["Lions", "Rovers"]),
        ("Which teams have more members than the Rovers?", ["Lions"]),
        ("Which stadiums were opened after 2000?", ["River Ground"]),
        ("Which stadiums have a capacity of more than 20,000?", ["North Park"]),
        ("Which books cost less than 10 dollars?", ["Winter Light"]),
        ("Which books by authors born before 1960 have more than 300 pages?", ["The Quiet Sea"]),
        ("How many players are shorter than 180 cm?", 2),
        ("Does Bela Kun have more than 50 goals?", False),
        ("Is Carl Dunn taller than Anna Berg?", True),
    ],
)
def test_a_value_is_a_condition(asker: Asker, question: str, expected: Any) -> None:
    answer = asker.ask(question)
    assert (sorted(found) if isinstance(found := given(answer), list) else found) == expected
    assert answer.certainty == "sure"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the youngest player?", ["Dora Ek"]),
        ("Who is the oldest player of the Rovers?", ["Anna Berg"]),
        ("Who is taller, Anna Berg or Carl Dunn?", ["Carl Dunn"]),
        ("Which of the Lions and the Falcons has more members?", ["Lions"]),
        ("Which player scored the most goals?", ["Bela Kun"]),
        ("the two tallest players", ["Carl Dunn", "Anna Berg"]),
        ("top 2 players by goals", ["Bela Kun", "Dora Ek"]),
        ("Which team is the oldest?", ["Rovers"]),
        ("What is the second oldest team?", ["Lions"]),
        ("What is the longest book by Mira Holt?", ["The Quiet Sea"]),
        ("What is the most expensive book?", ["A Long Walk"]),
        ("cheapest book", ["Winter Light"]),
        ("Which stadium has the largest capacity?", ["North Park"]),
        ("What is the newest stadium?", ["River Ground"]),
        ("What are the first 2 youngest players?", ["Dora Ek", "Bela Kun"]),  # not those born first
    ],
)
def test_a_value_is_an_order(asker: Asker, question: str, expected: list[str]) -> None:
    answer = asker.ask(question)
    assert given(answer) == expected
    assert answer.certainty == "sure"


def test_a_word_that_only_the_linker_takes_for_an_attribute_makes_a_doubtful_answer(asker: Asker) -> None:
    answer = asker.ask("What is the population of Rovers?")
    assert answer.abstained is not None or answer.certainty == "doubtful"


@pytest.mark.parametrize(
    "question",
    [
        "How heavy is Anna Berg?",
        "Where was Anna Berg born?",
        "When did Anna Berg retire?",
        "How tall is North Park?",
        "Who is the best player?",
        "Which team is the richest?",
        "How old are the Rolling Stones?",
        "Which players weigh more than 80 kg?",
        "How many pages does Anna Berg have?",
        "Which stadium has the lowest team?",  # no count of teams
    ],
)
def test_what_no_attribute_says_is_declined(asker: Asker, question: str) -> None:
    assert asker.ask(question).abstained is not None


@pytest.mark.parametrize(
    "question",
    ["What is the tallest stadium?", "When was Winter Light translated?", "Which midfielders play for the Rovers?"],
)
def test_what_only_a_sketch_takes_for_an_attribute_or_a_type_is_doubtful(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    if answer.abstained is None:  # in 8 bits one processor is a little surer than another
        assert answer.certainty == "doubtful"
        assert "a second reader" in " ".join(answer.interpretation)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which strikers play for the Rovers?", ["Bela Kun"]),
        ("How many strikers are there?", 2),
        ("Is Anna Berg a goalkeeper?", True),
        ("Is Anna Berg a striker?", False),
        ("Who is the tallest striker?", ["Bela Kun"]),
        ("Which players are not strikers?", ["Anna Berg", "Carl Dunn"]),
        ("Which team does the goalkeeper play for?", ["Rovers"]),
        ("What is Anna Berg's position?", ["goalkeeper"]),
    ],
)
def test_few_values_sort_entities_into_classes(asker: Asker, question: str, expected: Any) -> None:
    assert given(asker.ask(question)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which author wrote the longest book?", ["Jon Vale"]),
        ("Which team has the tallest player?", ["Lions"]),
        ("At which stadium do teams founded before 1950 play?", ["North Park", "River Ground"]),
        ("Who wrote books with more than 600 pages?", ["Jon Vale"]),
        ("At which stadium does the oldest team play?", ["North Park"]),
    ],
)
def test_the_value_may_be_of_something_else_than_the_answer(asker: Asker, question: str, expected: list[str]) -> None:
    assert given(asker.ask(question)) == expected


def test_the_sentence_has_the_value_with_its_unit_and_the_query_shows_how(asker: Asker) -> None:
    answer = asker.ask("How tall is Anna Berg?")
    assert answer.text == "Anna Berg: height 181 cm."
    assert answer.kind == "value"
    assert "height_cm" in answer.query
    assert asker.ask("teams founded after 1900").text == "2 teams founded from 1901: Falcons and Lions."
    assert asker.ask("Does Bela Kun have more than 50 goals?").text == "No: Bela Kun does not have goals above 50."


def test_the_query_of_an_answer_gives_the_answer_again(asker: Asker) -> None:
    for question in ("Which players are taller than 6 feet?", "Who is the youngest player?", "How tall is Anna Berg?"):
        answer = asker.ask(question)
        assert given(asker.ask_cypher(answer.query)) == given(answer), question


def test_age_is_not_worked_out_but_the_day_of_birth_is_given_in_doubt(asker: Asker) -> None:
    answer = asker.ask("How old is Anna Berg?")
    assert given(answer) == ["1994-03-12"]
    assert answer.certainty == "doubtful"


def test_a_superlative_where_a_column_of_statements_may_be_asked_for(tmp_path: Path) -> None:
    """Such a column belongs to a statement and has no entity that could be ordered."""
    triples = {"subject": ["Stoner", "Emma"], "relation": ["held_at"] * 2, "object": ["Old Town Reading Room"] * 2}
    triples |= {"subject_type": ["Book"] * 2, "object_type": ["Branch"] * 2, "qualifier:year": ["2001", "2005"]}
    entities = {"id": ["Old Town Reading Room", "Stoner", "Emma"], "name": ["Old Town Reading Room", "Stoner", "Emma"]}
    entities |= {"type": ["Branch", "Book", "Book"], "first_published": [None, "1965", "1815"]}
    clew.build(Staged(pa.table(triples), entities=pa.table(entities)), out=tmp_path / "held.clew")
    with Resources(tmp_path / "held.clew") as resources:
        answer = Asker(resources).ask("What year did the Old Town Reading Room first open its doors?")
    assert answer.abstained is not None
