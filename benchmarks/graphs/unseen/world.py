"""Countries, regions, cities, airports, languages and currencies.

Airports are those with an IATA code and "International" in their name; `borders` is stated in both directions.
"""

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from benchmarks.graphs.unseen.tables import Tables, slug, written
from benchmarks.graphs.wheels import Wheel

__all__ = ["WHEELS", "read_world"]

WHEELS = (
    Wheel("countryinfo", "1.0.1", "MIT", "b02f6f534f0a3b9cdc73fba7e08f247e39826acfa54bf080f8e4eba812066350"),
    Wheel("pycountry", "26.2.16", "LGPL-2.1", "115c4baf7cceaa30f59a4694d79483c9167dbce7a9de4d3d571c5f3ea77c305a"),
    Wheel("airportsdata", "20260905", "MIT", "d7eaa9a57d373b0adaaae0d52da2af0bb0edf73f7baa170f7c415d3342bf4868"),
)
LATIN = re.compile(r"[\x20-\u024F\u1E00-\u1EFF’ʻ\-]+")
BY_STATE = ("US", "CA", "AU")  # where cities of one name are told apart by their state
Record = dict[str, Any]


def read_world(wheels: Sequence[ZipFile], data: Path) -> Tables:
    """The tables of the graph from the three wheels."""
    countries, codes, airports = wheels
    words = written("world")
    nations = _nations(countries, words["left_out"])
    tables = Tables()
    for code, nation in nations.items():
        _add_country(tables, code, nation, words)
    _add_borders(tables, nations, words)
    _add_languages_and_currencies(tables, nations, codes, words)
    for code, nation in nations.items():
        _add_place(tables, code, nation)
    _add_airports(tables, nations, airports, words["cities"])
    return tables


def _nations(countries: ZipFile, left_out: Sequence[str]) -> dict[str, Record]:
    """The records of countries that have a currency, by their two-letter code."""
    names = sorted(each for each in countries.namelist() if re.fullmatch(r"countryinfo/data/[^/]+\.json", each))
    records: list[Record] = [json.loads(countries.read(name)) for name in names]
    kept = [each for each in records if each["name"] not in left_out and each.get("currencies")]
    return {each["ISO"]["alpha2"]: each for each in kept}


def _add_country(tables: Tables, code: str, nation: Record, words: Any) -> None:
    spellings = (each for each in nation.get("altSpellings", ()) if len(each) > 2 and LATIN.fullmatch(each))
    synonyms = [each.strip() for each in spellings if each != nation["ISO"]["alpha3"]]
    facts = {
        "population": nation.get("population") or None,
        "area_km2": nation.get("area") or None,
        "demonym": nation.get("demonym"),
    }
    synonyms += words["country_synonyms"].get(code, ())
    tables.entity(f"country:{code}", nation["name"], "Country", synonyms, properties=facts)


def _add_borders(tables: Tables, nations: dict[str, Record], words: Any) -> None:
    short = {nation["ISO"]["alpha3"]: code for code, nation in nations.items()} | {"IT": "IT"}
    for code, nation in nations.items():
        for other in nation.get("borders", ()):
            if other in short and [nation["ISO"]["alpha3"], other] not in words["borders_left_out"]:
                ends = (f"country:{code}", f"country:{short[other]}")
                tables.triple(ends[0], "borders", ends[1])
                tables.triple(ends[1], "borders", ends[0])


def _add_languages_and_currencies(tables: Tables, nations: dict[str, Record], codes: ZipFile, words: Any) -> None:
    languages: list[Record] = json.loads(codes.read("pycountry/databases/iso639-3.json"))["639-3"]
    by_code = {each["alpha_3"]: each for each in languages}
    by_code |= {each["alpha_2"]: each for each in languages if "alpha_2" in each}
    money = json.loads(codes.read("pycountry/databases/iso4217.json"))["4217"]
    currencies = {each["alpha_3"]: each["name"] for each in money} | words["old_currencies"]
    for code, nation in nations.items():
        for spoken in nation.get("languages", ()):
            if spoken in by_code:
                tables.triple(f"country:{code}", "official_language", _language(tables, by_code[spoken], words))
        for each in nation["currencies"]:
            if each in currencies:
                synonyms = [each, *words["currency_synonyms"].get(each, ())]
                currency = tables.entity(f"currency:{each}", currencies[each], "Currency", synonyms)
                tables.triple(f"country:{code}", "has_currency", currency)


def _language(tables: Tables, language: Record, words: Any) -> str:
    name = re.sub(r" \((macrolanguage|individual language)\)", "", language["name"])
    name = words["language_names"].get(name, name)
    inverted = language.get("inverted_name", "")
    plain = inverted != language["name"] and "macro" not in inverted and "1453" not in inverted
    synonyms = [*words["language_synonyms"].get(name, ()), inverted] if plain else []
    return tables.entity(f"lang:{language['alpha_3']}", name, "Language", synonyms)


def _add_place(tables: Tables, code: str, nation: Record) -> None:
    """Region, continent and capital of a country."""
    fine, coarse = nation.get("intermediateregion") or nation["subregion"], nation["region"]
    region = tables.entity(f"region:{slug(fine)}", fine, "Region")
    also = ["America"] if coarse == "Americas" else []
    tables.triple(f"country:{code}", "part_of", region)
    tables.triple(region, "part_of", tables.entity(f"continent:{slug(coarse)}", coarse, "Continent", also))
    capital = nation.get("capital")
    if isinstance(capital, list):
        capital = capital[0] if capital else None
    if capital:
        city = tables.entity(f"city:{code}-{slug(capital)}", capital, "City")
        tables.triple(f"country:{code}", "hasCapital", city)
        tables.triple(city, "located_in", f"country:{code}")


def _add_airports(tables: Tables, nations: dict[str, Record], airports: ZipFile, cities: dict[str, str]) -> None:
    for row in csv.DictReader(io.StringIO(airports.read("airportsdata/airports.csv").decode("utf-8"), newline="")):
        code, town = row["country"], row["city"]
        if not row["iata"] or "nternational" not in row["name"] or code not in nations or not town:
            continue
        feet = {"elevation_ft": round(float(row["elevation"])) if row["elevation"] else None}
        names = [row["iata"], row["icao"]]
        airport = tables.entity(f"airport:{row['iata']}", row["name"], "Airport", names, properties=feet)
        place = slug(town) or slug(row["name"])
        place = cities.get(f"{code}-{place}", place)
        city = f"city:{code}-{place}"
        if city not in tables.entities and code in BY_STATE and row["subd"]:
            city = f"city:{code}-{slug(row['subd'])}-{place}"
        tables.entity(city, town, "City")
        tables.triple(city, "located_in", f"country:{code}")
        tables.triple(airport, "serves", city)
        if row["tz"]:
            tables.triple(airport, "in_timezone", tables.entity(f"tz:{row['tz']}", row["tz"], "Timezone"))
