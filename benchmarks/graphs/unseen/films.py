"""Films with at least 60 reviews by directors of at least seven such films, and the people who made them.

Years, minutes and numbers of awards are entities too. Casts are cut to people who recur, studios to two
films or more.
"""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from benchmarks.graphs.unseen.tables import Tables, written
from benchmarks.graphs.wheels import Wheel

__all__ = ["WHEELS", "read_films"]

WHEELS = (
    Wheel(
        "bokeh_sampledata", "2026.1", "BSD-3-Clause", "f40331a40ca30c64a1c1471835aad9006b61b0d9731a3f649ee8cbbf48d3822f"
    ),
)
QUERY = """
    select imdbID, Title, Year, omdb.Rating, Runtime, Genre, Director, Writer, omdb."Cast", Language, Country, Awards,
        Oscars, Production
    from omdb join tomatoes on omdb.ID = tomatoes.ID
    where Reviews >= 60 and Genre != '' and Director != '' and Production != '' and omdb."Cast" != ''
        and Year is not null and Runtime is not null and imdbID is not null
    order by omdb.ID
"""
PREFIXES = {"country": "c_", "genre": "g_", "language": "lang_", "mpaa_rating": "mpaa_", "continent": "cont_"}
NUMBERED = {"studio": "studio", "person": "person", "award": "aw"}  # ids by order of appearance
LISTED = (  # column, relation, type
    ("Director", "directed_by", "person"),
    ("Writer", "writtenBy", "person"),
    ("Cast", "film__starring", "person"),
    ("Genre", "film__genre", "genre"),
    ("Production", "produced_by_studio", "studio"),
    ("Country", "country_of_origin", "country"),
    ("Language", "inLanguage", "language"),
)
RATINGS = ("R", "PG-13", "PG", "NC-17", "G")
FILMS_OF_A_DIRECTOR, FILMS_OF_AN_ACTOR, FILMS_OF_A_STUDIO = 7, 4, 2
SUFFIXES = ("Jr.", "Inc.", "Ltd.")  # behind a comma that separates no names
Film = dict[str, Any]


def read_films(wheels: Sequence[ZipFile], data: Path) -> Tables:
    """The tables of the graph from the wheel's database."""
    films = _films(wheels[0].read("bokeh_sampledata/_data/movies.db"))
    words = written("films")
    tables = Tables()
    for film in films:
        tables.entity(film["imdbID"], film["Title"], "film", words["synonyms"]["film"].get(film["Title"], ()))
    ids: dict[tuple[str, str], str] = {}

    def entity(type: str, name: str) -> str:
        if (type, name) not in ids:
            number = 1 + sum(each == type for each, _ in ids)
            ids[type, name] = f"{NUMBERED[type]}{number:04}" if type in NUMBERED else _plain_id(type, name)
        return tables.entity(ids[type, name], name, type, words["synonyms"].get(type, {}).get(name, ()))

    for film in films:
        for relation, type, name in _statements(film):
            tables.triple(film["imdbID"], relation, entity(type, name))
    continents = {country: continent for continent, each in words["continents"].items() for country in each}
    for type, name in list(ids):
        if type == "country" and name in continents:
            tables.triple(ids[type, name], "on_continent", entity("continent", continents[name]))
    return tables


def _films(database: bytes) -> list[Film]:
    """The chosen films, each once, with lists of the names that are kept."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(database)
        connection.row_factory = sqlite3.Row
        films: list[Film] = [dict(row) for row in connection.execute(QUERY)]
    for film in films:
        film |= {column: _names(film[column]) for column, _, _ in LISTED}
    directed = Counter(name for film in films for name in film["Director"])
    films = [film for film in films if any(directed[name] >= FILMS_OF_A_DIRECTOR for name in film["Director"])]
    once: dict[str, Film] = {}
    for film in films:
        once.setdefault(film["imdbID"], film)
    films = list(once.values())
    crew = {name for film in films for name in (*film["Director"], *film["Writer"])}
    played = Counter(name for film in films for name in film["Cast"])
    produced = Counter(name for film in films for name in film["Production"])
    for film in films:
        film["Cast"] = [name for name in film["Cast"] if played[name] >= FILMS_OF_AN_ACTOR or name in crew]
        film["Production"] = [name for name in film["Production"] if produced[name] >= FILMS_OF_A_STUDIO]
    return films


def _names(cell: str | None) -> list[str]:
    names = (" ".join(each.split()) for each in (cell or "").split(","))
    return list(dict.fromkeys(each for each in names if each and each not in SUFFIXES))


def _plain_id(type: str, name: str) -> str:
    if type not in PREFIXES:  # a year, minutes or a number
        return name
    return PREFIXES[type] + name.lower().replace(" ", "_").replace("'", "").replace("-", "")


def _statements(film: Film) -> list[tuple[str, str, str]]:
    """Relation, type and name of everything that a film is linked to."""
    found = [(relation, type, name) for column, relation, type in LISTED for name in film[column]]
    if film["Rating"] in RATINGS:
        found.append(("hasMPAArating", "mpaa_rating", film["Rating"]))
    found += [("releasedIn", "year", str(film["Year"])), ("runtime_min", "minutes", str(int(film["Runtime"])))]
    if film["Oscars"]:
        found += [("won_award", "award", "Academy Award"), ("oscar_wins", "number", str(film["Oscars"]))]
    if "Nominated" in (film["Awards"] or ""):
        found.append(("nominated_for", "award", "Academy Award"))
    return found
