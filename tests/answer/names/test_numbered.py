"""Names with numbers as people say them: found only where one entity has the noun, the number and the other words."""

from pathlib import Path

import pytest

from clew.answer.lexicon.words import Words
from clew.answer.names.numbered import BY_NUMBER
from clew.answer.reading.question import understand
from clew.link import Linker
from clew.store.layout import lay_out
from link.named_graphs import Entity, write

ENTITIES: list[Entity] = [
    ("SH:1", "Bake Off", "Show", ["Great British Bake Off", "GBBO"], []),
    ("SH:2", "Drag Race", "Show", [], []),
    *((f"BO:{n}", f"Bake Off Series {n}", "Series", [], []) for n in range(1, 7)),
    *((f"BO:5.{n}", f"Bake Off Series 5 Episode {n}", "Episode", [f"GBBO S5E{n}"], []) for n in range(1, 5)),
    *((f"DR:{n}", f"Drag Race Season {n}", "Series", [], []) for n in (2, 3, 7)),
    ("E:1", "Reunited! (Season 7)", "Episode", [], []),
    ("Q:1", "Violet", "Queen", [], []),
    ("Q:2", "Elliott with 2 Ts", "Queen", [], []),
    ("W:3", "Ward 3 Spine", "Unit", [], []),
    ("W:4", "Ward 04 Knee", "Unit", ["Knees"], []),
    ("W:5", "Fifth Ward", "Unit", [], []),
    ("R:12", "Room 12", "Room", [], []),
    ("P:2", "Ember Phase II", "Study", [], []),
    ("P:1", "Ember Phase I", "Study", [], []),
    ("T:1", "Boreal-1", "Trial", [], []),
    ("T:2", "Boreal-2", "Trial", [], []),
    ("T:3", "Calypso-1", "Trial", [], []),
    ("C:50", "Class 50 Kite", "Engine", [], []),
    ("M:1", "Survey 2012", "Mission", [], []),
    ("D:1", "Loss of chromosome 8", "Study", [], []),
    ("D:2", "Brannan syndrome 4", "Study", [], []),
    ("D:3", "Chromosome 9 short arm deletion", "Study", [], []),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(write(ENTITIES, Path(tmp_path_factory.mktemp("numbered")) / "numbered.clew"))


def names(text: str, linker: Linker) -> list[tuple[str, str]]:
    """What a question names, and by which words."""
    anchors = understand(text, linker, Words(lay_out(linker.engine))).anchors
    return [(anchor.text, *anchor.meanings[0].ids) for anchor in anchors]


@pytest.mark.parametrize(
    ("text", "said", "id"),
    [
        ("Who won the sixth series of Bake Off?", "sixth series of Bake Off", "BO:6"),
        ("who won the 6th series of bake off", "6th series of bake off", "BO:6"),
        ("Who won Bake Off's sixth series?", "Bake Off's sixth series", "BO:6"),
        ("who was in series six of the great british bake off?", "series six of the great british bake off", "BO:6"),
        ("who took the crown in season 7 of drag race?", "season 7 of drag race", "DR:7"),
        ("which of the season 7 girls never had to sing", "season 7", "DR:7"),  # a number in brackets is no name's own
        ("who was it in series 5, episode 4 of Bake Off?", "series 5, episode 4 of Bake Off", "BO:5.4"),
        ("who came top in gbbo series 5 episode 2", "gbbo series 5 episode 2", "BO:5.2"),
        ("Who left in the first episode of Bake Off series 5?", "first episode of Bake Off series 5", "BO:5.1"),
        (
            "who went home in the second episode of the fifth bake off series",
            "second episode of the fifth bake off series",
            "BO:5.2",
        ),
        ("who left in the very first episode of series 5?", "very first episode of series 5", "BO:5.1"),
        ("Who works on the third ward?", "third ward", "W:3"),
        ("When did the third ward open?", "third ward", "W:3"),
        ("Who works on ward four?", "ward four", "W:4"),
        ("Who works on ward number 5?", "ward number 5", "W:5"),
        ("Who sleeps in room twelve?", "room twelve", "R:12"),
        ("Who leads phase 2 of Ember?", "phase 2 of Ember", "P:2"),
        ("Who leads the second phase of Ember?", "second phase of Ember", "P:2"),
        ("Who leads the Boreal trial 2?", "Boreal trial 2", "T:2"),  # its type is the noun
        ("Who leads the second trial?", "second trial", "T:2"),
        ("Who has syndrome 4?", "syndrome 4", "D:2"),
        ("Where is the class fifty?", "class fifty", "C:50"),
    ],
)
def test_one_entity_has_noun_and_number(linker: Linker, text: str, said: str, id: str) -> None:
    assert names(text, linker) == [(said, id)]


@pytest.mark.parametrize(
    "text",
    [
        "Which units have at least 3 wards?",
        "Which units have 3 wards?",
        "Which shows ran for over 5 series?",
        "Which shows ran for more than six series?",
        "Which units had two rooms, which twelve?",
        "Which studies began in 2012?",
        "Which queens have 2 crowns?",
        "Which queens are there with 2 crowns?",  # Elliott with 2 Ts
        "Which patients need ward 3 or higher?",
        "Who was on wards 3 to 5?",
        "Who was on wards 3 and 4?",
        "Who got class 50%?",
        "Who got class 50.5?",
        "Which ward I saw was it?",
        "Which queens came back for a second season?",
        "Who won her third season?",
        "What was the third ward that opened?",
        "Which was the third ward to close?",
        "When did the third ward opened by Ann close?",
        "When did the third ward that Ann opened close?",
        f"Who works on ward {'3' * 9000}?",
        "Who won in the third season won by a man?",
        "Who won series 3?",  # of Bake Off, or the series called Drag Race Season 3
        "Who leads the first trial?",  # Boreal-1 or Calypso-1
        "Who won season 1?",
        "Who was in the series 5 times?",
        "Is the ward 3 metres wide?",
        "Who works on the third ward of Endeavour?",
        "Who watched Junior Ward 3?",
        "Who leads chromosome 8?",  # what it is a loss of
        "Who leads chromosome 9?",  # less than half of a name
        "Who has cowdell syndrome 4?",
        "Who is in ward 3 trousers?",
    ],
)
def test_amounts_orders_and_several_are_no_names(linker: Linker, text: str) -> None:
    assert names(text, linker) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who won the second season of Bake Off?", [("Bake Off", "SH:1")]),  # the only second season is of Drag Race
        ("Did Violet win season 3?", [("Violet", "Q:1"), ("season 3", "DR:3")]),
        ("Was Violet season 3 winner?", [("Violet", "Q:1")]),
        ("Who won Bake Off Series 4?", [("Bake Off Series 4", "BO:4")]),
        ("Who was in season 2 and season 3?", [("season 2", "DR:2"), ("season 3", "DR:3")]),
        ("Who left in episode 9 of season 3?", [("season 3", "DR:3")]),  # 9 is left over
        ("Who left in week 3 of the fifth series of Bake Off?", [("fifth series of Bake Off", "BO:5")]),
    ],
)
def test_names_beside_numbers(linker: Linker, text: str, found: list[tuple[str, str]]) -> None:
    assert names(text, linker) == found


def test_a_numbered_name_says_why_it_is_one(linker: Linker) -> None:
    (anchor,) = understand("Who works on the third ward?", linker, Words(lay_out(linker.engine))).anchors
    (meaning,) = anchor.meanings
    assert (meaning.type, meaning.name, meaning.score) == ("Unit", "Ward 3 Spine", BY_NUMBER)
    assert "'third ward'" in meaning.reason
