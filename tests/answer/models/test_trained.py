"""What a trained model is shown: a graph in brief, and a question with parameters for its names."""

import pytest

from clew.answer.models.schema_grammar import Placeholder
from clew.answer.models.shown_schema import DAY, NUMBER, TEXT, Field, Join, ShownSchema
from clew.answer.models.trained import INSTRUCTION, MOST_VALUES, brief, masked, messages_for
from clew.answer.reading.question import Anchor

MANY = tuple(f"style {number}" for number in range(MOST_VALUES + 1))
SHOWN = ShownSchema(
    (
        Join("Beer", "BREWED_BY", "Brewery"),
        Join("Cider", "BREWED_BY", "Brewery"),
        Join("Cider", "BREWED_BY", "Farm"),
        Join("Brewery", "SUPPLIES", "Brewery"),
    ),
    {"Beer": "beer", "Cider": "cider", "Brewery": "brewery", "Farm": "farm"},
    {
        "Beer": (
            Field("strength", NUMBER, ("4.2", "5.1")),
            Field("tapped", DAY, ("2021-03-04",)),
            Field("colour", TEXT, ("dark",), ("dark", "pale")),
            Field("style", TEXT, MANY[:3], MANY),
            Field("best before", TEXT),
        ),
        "Brewery": (Field("motto", TEXT, values=MANY[1:]), Field("history", TEXT, values=("x" * 31, "short"))),
        "Farm": (),
    },
    {"SUPPLIES": (Field("q_since", NUMBER, ("1999",)), Field("q_term", TEXT, values=("long", "short")))},
    {},
)


def test_a_graph_in_brief() -> None:
    assert brief(SHOWN).splitlines() == [
        "beer: strength (4.2), tapped (2021-03-04), colour (dark, pale), style, `best before`",
        f"brewery: motto ({', '.join(MANY[1:])}), history",  # twelve short texts are listed, thirteen are not
        "(beer|cider)-[:BREWED_BY]->(brewery|farm)",
        "(brewery)-[:SUPPLIES]->(brewery) with q_since (1999), q_term (long, short)",
    ]


def test_the_question_stands_behind_the_graph() -> None:
    system, user = messages_for(SHOWN, "Who brews $beer1?")
    assert (system.role, system.content) == ("system", INSTRUCTION)
    assert (user.role, user.content) == ("user", f"{brief(SHOWN)}\n\nQuestion: Who brews $beer1?")


def anchor(text: str, part: str) -> Anchor:
    start = text.index(part)
    return Anchor(start, start + len(part), part, ())


@pytest.mark.parametrize(
    ("text", "named", "asked"),
    [
        ("Who brews Amber Ale?", {"Amber Ale": ["beer1"]}, "Who brews $beer1?"),
        ("Who brews Amber?", {"Amber": ["beer1", "town1"]}, "Who brews $beer1 or $town1?"),
        (  # in the order of the question, not in that of the names
            "Does Ann brew Amber Ale?",
            {"Amber Ale": ["beer1"], "Ann": ["person1"]},
            "Does $person1 brew $beer1?",
        ),
        ("  Who \n brews\tAmber Ale ? ", {"Amber Ale": ["beer1"]}, "Who brews $beer1 ?"),
        ("Who brews Amber Ale?", {"Amber Ale": ["beer1"], "Ale": ["drink1"]}, "Who brews $beer1?"),  # one in the other
        ("Who brews Amber Ale?", {"Amber Ale": []}, "Who brews Amber Ale?"),  # of no type of the graph
        ("Who brews?", {}, "Who brews?"),
    ],
)
def test_parameters_stand_for_names(text: str, named: dict[str, list[str]], asked: str) -> None:
    held = {anchor(text, part): [Placeholder(each, (), part) for each in own] for part, own in named.items()}
    assert masked(text, held) == asked
