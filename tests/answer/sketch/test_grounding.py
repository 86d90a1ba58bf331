"""Sketches grounded in a small graph: phrases find relations, nouns types, and what nothing fits is reported."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from benchmarks.questions.training.notation import read_line

from answer.sketch.conftest import asked
from clew.answer import Asker
from clew.answer.kept import lexical_of
from clew.answer.names.meanings import Anchor, Meaning
from clew.answer.sketch.build import build
from clew.answer.sketch.ground import ground
from clew.answer.sketch.reading import _weighty_left, split_facts
from clew.answer.sketch.sketch import show
from clew.answer.sketch.things import Unmet

Find = Callable[[Asker, str], object]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Which genes go with [Beals syndrome]? => list x; x:genes; x <go with> [Beals syndrome]", ["G:2"]),
        ("diseases that show [Arachnodactyly] => list x; x:diseases; x <show> [Arachnodactyly]", ["D:1", "D:2", "D:3"]),
        (
            "diseases with [Arachnodactyly] but not [Myopia] nor [Ectopia lentis] => list x; x:diseases; "
            "x <with> [Arachnodactyly]; not x <with> [Myopia]; not x <with> [Ectopia lentis]",
            ["D:2", "D:3"],
        ),
        (
            "diseases with [Arachnodactyly] but not [Myopia] or [Ectopia lentis] => list x; x:diseases; "
            "x <with> [Arachnodactyly]; not (x <with> [Myopia]; x <with> [Ectopia lentis])",
            ["D:2", "D:3"],
        ),
        (
            "genes associated with a disease with [Myopia] => list x; x:genes; x <associated with> y; y:disease; "
            "y <with> [Myopia]",
            ["G:3"],
        ),
        ("How many diseases have [Arachnodactyly]? => count x; x:diseases; x <have> [Arachnodactyly]", 3),
        ("Does [Beals syndrome] have [Myopia]? => yesno; [Beals syndrome] <have> [Myopia]", False),
        (
            "Which gene is associated with the most diseases? => "
            "list x; x:gene; x <associated with> y; y:diseases; most y",
            ["G:1"],
        ),
        (
            "genes associated with at least 2 diseases => list x; x:genes; x <associated with> y; y:diseases; #y >= 2",
            ["G:1"],
        ),
        (
            "genes associated with at least 1 disease => list x; x:genes; x <associated with> y; y:disease; #y = 1",
            ["G:1", "G:2", "G:3"],
        ),
        (
            "diseases with [Myopia] or [Thoracic scoliosis] => list x; x:diseases; "
            "(x <with> [Myopia] or x <with> [Thoracic scoliosis])",
            ["D:3", "D:4"],
        ),
    ],
)
def test_what_a_sketch_finds(find: Find, clinic: Asker, line: str, expected: object) -> None:
    assert find(clinic, line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "Who discovered [FBN1]? => list x; x <discovered> [FBN1]",
        "What is the price of [FBN1]? => value [FBN1].<price>",
        "Which genes repair [Myopia] in dogs? => list x; x:genes; x <repair> [Myopia] {<in> = dogs}",
    ],
)
def test_what_nothing_fits_has_no_plan(find: Find, clinic: Asker, line: str) -> None:
    assert find(clinic, line) is None


HIRED = {"Ada": "2001", "Ben": "2010", "Cleo": "1995", "Dora": "2019"}
PEOPLE = {"Ada": "Doctor", "Ben": "Nurse", "Cleo": "Doctor", "Dora": "Nurse"}
PLACES = {"Lister Ward": "Ward", "West Wing": "Wing", "Leith": "City", "Scotland": "Country", "Marlow": "City"}
STATED = [
    ("Ada", "works_on", "Lister Ward", "2005", "80"),
    ("Ben", "works_on", "Lister Ward", "2012", "50"),
    ("Dora", "works_on", "Lister Ward", "2020", "20"),
    ("Ada", "supervises", "Cleo", None, None),
    ("Cleo", "supervises", "Ada", None, None),
    ("Lister Ward", "part_of", "West Wing", None, None),
    ("West Wing", "located_in", "Leith", None, None),
    ("Leith", "located_in", "Scotland", None, None),
    ("Ada", "place_of_birth", "Marlow", None, None),
]


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    types = PEOPLE | PLACES
    entities = {"id": list(types), "name": list(types), "type": list(types.values())}
    entities["hired"] = [HIRED.get(name) for name in types]
    columns = ("subject", "relation", "object", "qualifier:since", "qualifier:share")
    yield from asked(tmp_path_factory.mktemp("wards"), entities, columns, STATED)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Who works on [Lister Ward]? => list x; x <works on> [Lister Ward]", ["Ada", "Ben", "Dora"]),
        ("Which nurses work on [Lister Ward]? => list x; x:nurses; x <work on> [Lister Ward]", ["Ben", "Dora"]),
        (
            "Who works on [Lister Ward] since after 2010? => list x; x <works on> [Lister Ward] {<since> > 2010}",
            ["Ben", "Dora"],
        ),
        (
            "Who came to work on [Lister Ward] later than 2012? => "
            "list x; x <work on> [Lister Ward] {<later than> > 2012}",
            ["Dora"],
        ),
        (
            "Who works on [Lister Ward] with a share over 50? => list x; x <works on> [Lister Ward] {<share> > 50}",
            ["Ada"],
        ),
        (
            "Who is it that works on [Lister Ward] in this database? => "
            "list x; x <works on> [Lister Ward] {<in this database>}",
            ["Ada", "Ben", "Dora"],
        ),
        (
            "Which doctors supervise somebody hired earlier than they were? => "
            "list x; x:doctors; x <supervise> y; y.<hired> < x.<hired>",
            ["Ada"],
        ),
        (
            "Which doctors supervise somebody newer than themselves? => "  # newer is hired later
            "list x; x:doctors; x <supervise> y; y.<newer> < x.<newer>",
            ["Cleo"],
        ),
        (
            "Which nurses were not hired before 2015? => list x; x:nurses; not x.<hired before> < 2015",
            ["Dora"],
        ),
        (
            "Who works on a ward in [Scotland]? => list x; x <works on> y; y:ward; y <in> [Scotland]",
            ["Ada", "Ben", "Dora"],
        ),
    ],
)
def test_what_a_sketch_says_of_statements_and_places(find: Find, wards: Asker, line: str, expected: object) -> None:
    assert find(wards, line) == expected


def test_where_somebody_was_born_is_no_whole_that_they_are_a_part_of(find: Find, wards: Asker) -> None:
    assert find(wards, "Who supervises [Marlow]? => list x; x <supervises> [Marlow]") is None


TROUPE = {
    "Ann Orr": "Person", "Bo Lund": "Person", "Cy Marsh": "Person", "Hamlet": "Work", "Twelfth Night": "Work",
    "Hamlet 2019": "Production", "Twelfth Night 2021": "Production", "The Barn": "Venue", "The Forum": "Venue",
    "The Mill": "Venue",
}  # fmt: skip
TOWNS = {"The Barn": ("Coldwater", "yes"), "The Forum": ("Marsh End", "no"), "The Mill": ("Coldwater", "no")}
PLAYED = [
    ("Ann Orr", "directs", "Hamlet 2019", None),
    ("Bo Lund", "directs", "Twelfth Night 2021", None),
    ("Bo Lund", "acts_in", "Hamlet 2019", "Horatio"),
    ("Cy Marsh", "acts_in", "Twelfth Night 2021", "Malvolio"),
    ("Hamlet 2019", "stages", "Hamlet", None),
    ("Twelfth Night 2021", "stages", "Twelfth Night", None),
    ("Hamlet 2019", "shown_at", "The Barn", None),
    ("Twelfth Night 2021", "shown_at", "The Forum", None),
]


@pytest.fixture(scope="module")
def troupe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    names = list(TROUPE)
    entities = {"id": names, "name": names, "type": list(TROUPE.values())}
    entities["town"] = [TOWNS.get(name, (None, None))[0] for name in names]
    entities["night service"] = [TOWNS.get(name, (None, None))[1] for name in names]
    columns = ("subject", "relation", "object", "qualifier:part")
    yield from asked(tmp_path_factory.mktemp("troupe"), entities, columns, PLAYED)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Who directed [Hamlet]? => list x; x <directed> [Hamlet]", ["Ann Orr"]),  # a production that stages it
        ("What was [Hamlet] directed by? => list x; [Hamlet] <directed by> x", ["Ann Orr"]),
        ("Which works does [Bo Lund] direct? => list x; x:works; [Bo Lund] <direct> x", ["Twelfth Night"]),
        ("Which bosses direct [Hamlet 2019]? => list x; x:bosses; x <direct> [Hamlet 2019]", ["Ann Orr"]),  # a person
        ("Which venues are in Coldwater? => list x; x:venues; x <are in> y; y:Coldwater", ["The Barn", "The Mill"]),
        (
            "Which venues do not offer a night service? => list x; x:venues; not x <offer> y; not y:night service",
            ["The Forum", "The Mill"],
        ),
        ("Who has acted as Malvolio? => list x; x <acted> y; y:Malvolio", ["Cy Marsh"]),
        (
            "Who has acted as Ophelia? => list x; x <acted> y; y:Ophelia",
            ["Bo Lund", "Cy Marsh"],
        ),  # the word is reported
    ],
)
def test_grounding_is_lenient_where_words_are_clear(find: Find, troupe: Asker, line: str, expected: object) -> None:
    assert find(troupe, line) == expected


def test_a_fact_that_names_a_thing_between_two_others_is_two() -> None:
    _, words, sketch = read_line("Who sells wine from [Spain]? => list x; x <sells wine from> [Spain]")
    found = split_facts(sketch, lambda at: words[at].text == "wine")
    assert found is not None
    assert show(found, words) == "list x; x <sells> u; u:wine; u <from> [Spain]"
    assert split_facts(sketch, lambda at: False) is None


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Which five players do best? => list x; x:players", ["five"]),
        ("Which teams have two thousand fans? => list x; x:teams; x <have> y; #y = two; y:fans", ["thousand"]),
        ("Which teams have more fans than two thousand? => list x; x:teams; x.<fans> > two thousand", []),
        ("Which one plays for [Rovers]? => list x; x <plays for> [Rovers]", []),
    ],
)
def test_a_number_that_a_sketch_does_not_use_is_left_out(line: str, left: list[str]) -> None:
    _, words, sketch = read_line(line)
    assert [words[at].text for at in _weighty_left(sketch, words)] == left


def test_an_alternative_to_what_is_denied_has_no_plan(clinic: Asker) -> None:
    line = (
        "diseases with [Myopia] but not [Scoliosis] or [Ectopia lentis] => list x; x:diseases; x <with> [Myopia]; "
        "not x <with> [Scoliosis]; x <with> [Ectopia lentis]"
    )
    _, words, sketch = read_line(line)
    *others, last = sketch.statements
    sketch = replace(sketch, statements=(*others, replace(last, other=True)))
    anchors = [
        Anchor(word.start, word.end, word.text, (Meaning("Phenotype", (id,), word.text, 1.0, "name"),))
        for word, id in zip((each for each in words if each.name is not None), ("P:5", "P:3", "P:2"), strict=True)
    ]
    grounded, _ = ground(sketch, words, anchors, lexical_of(clinic.resources))
    assert grounded
    assert all(isinstance(build(each, words, anchors, lexical_of(clinic.resources)), Unmet) for each in grounded)
