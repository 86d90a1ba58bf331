"""What sketches mean: parts that nouns play, values, times and exceptions, in a graph of a film studio."""

from collections.abc import Callable, Iterator

import pytest
from benchmarks.questions.training.notation import read_line

from answer.sketch.conftest import asked
from clew.answer import Asker
from clew.answer.hearing.hearing import _affirmed, forbids
from clew.answer.kept import lexical_of
from clew.answer.sketch.reading import _as_value
from clew.answer.sketch.sketch import show

Find = Callable[[Asker, str], object]
FILMS = {  # minutes, season, genre, language
    "Salt Road": (95, 2011, "comedy", "Turkish"),
    "The Ferry": (140, 2014, "drama", "French"),
    "Low Tide": (110, 2018, "comedy", "French"),
}
PEOPLE = {"Ada Ruiz": 1960, "Ben Okoro": 1975, "Cleo Lund": 1982, "Dora Falk": 1950}
OTHERS = {"Golden Reel": "Prize", "Lyric House": "Cinema", "Kino Nord": "Cinema"}
STATED = [
    ("Ada Ruiz", "person.directs.film", "Salt Road", None, None, None),
    ("Ada Ruiz", "person.acts.film", "Salt Road", None, None, None),
    ("Ada Ruiz", "person.directs.film", "The Ferry", None, None, None),
    ("Ben Okoro", "person.directs.film", "Low Tide", None, None, None),
    ("Cleo Lund", "person.acts.film", "The Ferry", None, None, None),
    ("Cleo Lund", "person.acts.film", "Low Tide", None, None, "minor"),
    ("Dora Falk", "person.acts.film", "Low Tide", None, None, "major"),
    ("Salt Road", "film.awarded.prize", "Golden Reel", "2012-05-20", None, None),
    ("Salt Road", "film.shown.cinema", "Lyric House", "2011-03-01", "4", None),
    ("The Ferry", "film.shown.cinema", "Lyric House", "2015-09-12", "12", None),
    ("Low Tide", "film.shown.cinema", "Kino Nord", "2018-01-05", "9", None),
    ("Golden Reel", "prize.part.of", "Lyric House", None, None, None),
]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    names = [*FILMS, *PEOPLE, *OTHERS]
    films = [FILMS.get(name, (None, None, None, None)) for name in names]
    entities = {
        "id": names,
        "name": names,
        "type": ["film" if name in FILMS else "person" if name in PEOPLE else OTHERS[name].lower() for name in names],
        "born": [PEOPLE.get(name) for name in names],
        **{key: [each[at] for each in films] for at, key in enumerate(("minutes", "season", "genre", "language"))},
    }
    columns = ("subject", "relation", "object", "qualifier:date", "qualifier:evenings", "qualifier:part")
    yield from asked(tmp_path_factory.mktemp("studio"), entities, columns, STATED)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # a relation is called by its middle: its ends only repeat types
        ("Who acts in [Low Tide]? => list x; x <acts in> [Low Tide]", ["Cleo Lund", "Dora Falk"]),
        ("Who directs [Low Tide]? => list x; x <directs> [Low Tide]", ["Ben Okoro"]),
        # a noun that names no type is a part in a relation, and in that one
        ("directors born before 1970 => list x; x:directors; x.<born> < 1970", ["Ada Ruiz"]),
        ("directors who act in [Salt Road] => list x; x:directors; x <act in> [Salt Road]", ["Ada Ruiz"]),
        # older is earlier
        ("people older than [Ben Okoro] => list x; x:people; x.<older> > [Ben Okoro]", ["Ada Ruiz", "Dora Falk"]),
        ("Who is older, [Ada Ruiz] or [Dora Falk]? => pick x of [Ada Ruiz], [Dora Falk]; max x.<older>", ["Dora Falk"]),
        # values and their units
        ("films with minutes under two hours => list x; x:films; x.<minutes> < two", ["Low Tide", "Salt Road"]),
        ("Turkish-language films => list x; x is <Turkish-language>; x:films", ["Salt Road"]),
        ("minutes of the earliest film => value x.<minutes>; x:film; min x.<earliest>", ["95"]),
        # a number of things, each with a value: conditions inside what is counted
        (
            "people who direct at least 2 films longer than 90 minutes => "
            "list x; x:people; x <direct> y; #y >= 2; y:films; y.<minutes> > 90",
            ["Ada Ruiz"],
        ),
        # several things are asked for: attributes, others, what statements say
        (
            "minutes and genre of films directed by [Ben Okoro] => "
            "list x, x.<minutes>, x.<genre>; x:films; x <directed by> [Ben Okoro]",
            ["Low Tide | 110, comedy"],
        ),
        (
            "films and who directs them => list x, y; x:films; y <directs> x",
            ["Low Tide | Ben Okoro", "Salt Road | Ada Ruiz", "The Ferry | Ada Ruiz"],
        ),
        (
            "minutes and season of [Low Tide] => value [Low Tide].<minutes>, [Low Tide].<season>",
            ["110 | 2018"],
        ),
        # two numbers of one thing, of which one may be none, and of two that are named
        (
            "people who act in more films than they direct => "
            "list x; x:people; x <act in> y; y:films; x <direct> z; #y > #z",
            ["Cleo Lund", "Dora Falk"],
        ),
        (
            "people who act in as many films as they direct => "
            "list x; x:people; x <act in> y; y:films; x <direct> z; #y = #z",
            [],
        ),
        (
            "How many people direct more films than they act in? => "
            "count x; x:people; x <direct> y; y:films; x <act in> z; #y > #z",
            2,
        ),
        (
            "Does [Ada Ruiz] direct more films than [Ben Okoro]? => "
            "yesno; [Ada Ruiz] <direct> y; y:films; [Ben Okoro] <direct> z; #y > #z",
            True,
        ),
        (
            "Does [Dora Falk] direct more films than [Ben Okoro]? => "
            "yesno; [Dora Falk] <direct> y; y:films; [Ben Okoro] <direct> z; #y > #z",
            False,
        ),
        (
            "Are more films shown at [Lyric House] than at [Kino Nord]? => "
            "yesno; x:films; x <shown at> [Lyric House]; y <shown at> [Kino Nord]; #x > #y",
            True,
        ),
        (
            "people who act in more films than [Ada Ruiz] => "
            "list x; x:people; x <act in> y; y:films; [Ada Ruiz] <act in> z; #y > #z",
            ["Cleo Lund"],
        ),
        # values inside what is denied
        (
            "people who act in no films of comedy => list x; x:people; not (x <act in> y; y:films; y is <comedy>)",
            ["Ben Okoro"],
        ),
        # times of statements: by words, by months, and of a thing where statements have none
        (
            "films shown at [Lyric House] since 2015 => list x; x:films; x <shown at> [Lyric House] {<since> = 2015}",
            ["The Ferry"],
        ),
        (
            "films shown at [Lyric House] before June 2011 => "
            "list x; x:films; x <shown at> [Lyric House] {<before> < June 2011}",
            ["Salt Road"],
        ),
        (
            "films that [Ada Ruiz] directed after 2012 => list x; x:films; [Ada Ruiz] <directed> x {<after> > 2012}",
            ["The Ferry"],
        ),
        # the only number that a statement has
        (
            "films shown at [Lyric House] more than ten times => "
            "list x; x:films; x <shown at> [Lyric House] {<times> > ten}",
            ["The Ferry"],
        ),
        # a word beside a relation that is a value of its statements
        ("people with a minor act in [Low Tide] => list x; x:people; x <minor act in> [Low Tide]", ["Cleo Lund"]),
        # two things that may be one
        (
            "people who act in a film shown at [Kino Nord] and in a film that is a comedy => list x; x:people; "
            "x <act in> y; y:film; y <shown at> [Kino Nord]; x <act in> z; z is <comedy>",
            ["Cleo Lund", "Dora Falk"],
        ),
        # others than one that is named
        (
            "people who act in films other than [Low Tide] => "
            "list x; x:people; x <act in> y; y:films; not y <other than> [Low Tide]",
            ["Ada Ruiz", "Cleo Lund"],
        ),
    ],
)
def test_what_a_sketch_means(find: Find, studio: Asker, line: str, expected: object) -> None:
    assert find(studio, line) == expected


def test_a_comparison_with_words_that_are_no_time_is_no_plan(find: Find, studio: Asker) -> None:
    sketch = "list x; x:films; x <shown at> [Lyric House] {<before> < the war}"
    assert find(studio, f"films shown at [Lyric House] before the war => {sketch}") is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "Which film drew the most viewers? => list x; x:film; x <drew> y; y:viewers; most y",
            "list x; x:film; max x.<viewers>",
        ),
        (
            "cinemas with more than 100 seats => list x; x:cinemas; x <with> y; y:seats; #y > 100",
            "list x; x:cinemas; x.<seats> > 100",
        ),
        ("Who acts in most films by [Ada]? => list x; x <acts in> y; y:films; y <by> [Ada]; most y", ""),
    ],
)
def test_what_is_counted_may_be_a_value(line: str, expected: str) -> None:
    _, words, sketch = read_line(line)
    valued = _as_value(sketch)
    assert (show(valued, words) if valued is not None else "") == expected


def test_one_of_two_names_of_different_types_is_of_the_type_that_is_said(find: Find, studio: Asker) -> None:
    sketch = "pick x of [Salt Road], [Ben Okoro]; x:film; x <mended> [Golden Reel]"
    assert find(studio, f"Which film, [Salt Road] or [Ben Okoro], mended [Golden Reel]? => {sketch}") == ["Salt Road"]


def test_what_must_not_be_is_stated_and_not_denied() -> None:
    text, words, sketch = read_line(
        "Which drugs must not be given to people with [asthma]? => "
        "list x; x:drugs; not (x <given to> y; y:people; y <with> [asthma])"
    )
    assert forbids(text)
    assert not forbids("Which drugs are not given to people with asthma?")
    stated = show(_affirmed(sketch, text, words), words)
    assert stated == "list x; x:drugs; x <must not..given to> y; y:people; y <with> [asthma]"


@pytest.mark.parametrize(("said", "much"), [("looks the least old", True), ("looks the most old", False)])
def test_two_words_of_an_order_come_before_one(said: str, much: bool, studio: Asker) -> None:
    # much of a year of birth is not old
    found = lexical_of(studio.resources).attributes(said, ["person"])
    assert (found[0][0].key, found[0][2]) == ("born", much)
