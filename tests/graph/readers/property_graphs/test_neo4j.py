"""CSV files of neo4j-admin: typed headers, headers in files of their own, id spaces, arrays, bad values."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.errors import InputError
from clew.graph.readers import recognise, stage
from clew.graph.staging import Problems, Staged


def entities(staged: Staged) -> dict[str, dict[str, Any]]:
    assert staged.entities is not None
    return {row["id"]: row for row in staged.entities.to_pylist()}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


MOVIES = {  # the example of Neo4j's manual, with a header file and two parts
    "movies-header.csv": "movieId:ID(Movie),title,year:int,:LABEL\n",
    "movies-part1.csv": 'tt1,"The Matrix",1999,Movie\n',
    "movies-part2.csv": 'tt2,"The Matrix, Reloaded",2003,Movie;Sequel\n',
    "actors.csv": "personId:ID(Person),name,born:date,aliases:string[],:LABEL,skip:IGNORE\n"
    'keanu,"Keanu Reeves",1964-09-02,Neo;The One,Actor,x\n1,Someone,,,Actor,\n',
    "roles.csv": ":START_ID(Person),role,confidence:double,:END_ID(Movie),:TYPE\n"
    "keanu,Neo,0.9,tt1,ACTED_IN\nkeanu,Neo,,tt2,ACTED_IN\n",
}


def test_headers_spaces_types_and_arrays(tmp_path: Path) -> None:
    folder = write(tmp_path, MOVIES)
    assert recognise(folder) == "neo4j"
    problems = Problems()
    staged = stage(folder, problems=problems)
    found = entities(staged)
    assert set(found) == {"Movie:tt1", "Movie:tt2", "Person:keanu", "Person:1"}
    assert found["Movie:tt2"]["name"] == "The Matrix, Reloaded"
    assert found["Movie:tt2"]["year"] == 2003
    assert (found["Movie:tt2"]["type"], found["Movie:tt2"]["categories"]) == ("Movie", ["Movie", "Sequel"])
    assert found["Person:keanu"]["aliases"] == ["Neo", "The One"]
    assert found["Person:keanu"]["born"] == date(1964, 9, 2)
    assert "skip" not in found["Person:keanu"]
    first, second = staged.triples.to_pylist()
    assert (first["subject"], first["relation"], first["object"]) == ("Person:keanu", "ACTED_IN", "Movie:tt1")
    assert (first["qualifier:role"], first["confidence"], second["confidence"]) == ("Neo", 0.9, None)
    assert staged.triple_origin(1).endswith("roles.csv:3")
    files = stage([tmp_path / name for name in MOVIES], problems=Problems())
    assert entities(files) == found


def test_bad_rows_are_reported(tmp_path: Path) -> None:
    files = MOVIES | {"movies-part1.csv": "tt1,The Matrix,soon,Movie\ntt3,too,1,many,Movie\n"}
    problems = Problems("skip")
    staged = stage(write(tmp_path, files), problems=problems)
    assert entities(staged)["Movie:tt1"]["year"] is None
    assert problems.counts == {"malformed row": 1, "malformed value": 1}
    assert any("movies-part1.csv:1: malformed value: year:int is 'soon'" in each for each in problems.examples)
    assert any("movies-part1.csv:2: malformed row: 5 fields, expected 4" in each for each in problems.examples)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"nodes.csv": "a:ID\n1\n"}, "no file of relationships"),
        ({"edges.csv": ":START_ID,:END_ID,:TYPE\n1,2,r\n"}, "no file of nodes"),
        ({"nodes.csv": "a:ID,b:number\n1,2\n"}, "'b:number' has no type of neo4j-admin"),
        ({"nodes.csv": "a:ID\n1\n", "edges.csv": ":START_ID,:END_ID\n1,1\n"}, "no column :TYPE"),
        ({"nodes.csv": "a:ID\n1\n", "more.csv": "x,y\n"}, "has no header of neo4j-admin"),
    ],
)
def test_what_is_no_import(tmp_path: Path, files: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        stage(write(tmp_path, files), problems=Problems())


def test_one_id_space_stays_plain_and_builds(tmp_path: Path) -> None:
    files = {"n.csv": "id:ID(X){label:Gene},name\n1,a\n2,b\n", "r.csv": ":START_ID(X);:END_ID(X);:TYPE\n1;2;near\n"}
    graph = clew.build(write(tmp_path, files), out=tmp_path / "out.clew")
    assert list(graph.hop("1")) == ["2"]
    assert graph.schema.types == {"Gene": 2}
