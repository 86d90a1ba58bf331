"""A small graph with names that break careless programs, and a way to run the command line on it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.app.cli.main import main

NEWLINE, QUOTES, WIDE = "Two\nlines\tand a tab", 'Quote "d" <b>&amp;\'</b>', "手指 🖐 wide"
ENTITIES = [
    ("G:1", "FBN1", "Gene"),
    ("G:2", "Other gene", "Gene"),
    ("D:1", "Marfan syndrome", "Disease"),
    ("D:2", NEWLINE, "Disease"),
    ("D:3", QUOTES, "Disease"),
    ("P:1", "Arachnodactyly", "Phenotype"),
    ("P:2", WIDE, "Phenotype"),
    ("P:3", "Same", "Phenotype"),
    ("P:4", "Same", "Phenotype"),
    ("X:1", "Lonely\x1b[31m", "Other"),
]
TRIPLES = [  # subject, relation, object, source, evidence, valid_to, frequency, negated
    ("G:1", "causes", "D:1", "A", ["PMID:11", "https://example.org/?a=1&b=2"], None, None, None),
    ("G:1", "causes", "D:2", "B", ["PMID:12"], "2001-01-01", None, None),
    ("G:1", "causes", "D:3", "A", [], None, None, None),
    ("D:1", "has", "P:1", "A", ["PMID:13"], None, "P:3", None),
    ("D:1", "has", "P:1", "B", ["PMID:14", "javascript:alert(1)"], None, "often", None),
    ("D:2", "has", "P:1", "B", ["PMID:15"], None, None, None),
    ("D:3", "has", "P:1", "A", ["PMID:16"], None, None, None),
    ("D:1", "has", "P:2", "A", ["PMID:17"], None, None, None),
    ("D:1", "lacks", "P:3", "A", ["PMID:18"], None, None, None),
    ("G:2", "near", "G:1", "A", ["PMID:19"], None, None, None),
    ("D:1", "is_a", "D:3", "A", ["PMID:20"], None, None, None),
]


@dataclass(frozen=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    error: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run `clew` with some arguments, away from a terminal."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("CLEW_DEBUG", raising=False)
    monkeypatch.setattr("clew.app.cli.asking.ask.PATIENCE", 60.0)  # whatever the machine is busy with

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(each) for each in arguments])
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """triples.parquet and entities.parquet."""
    directory = tmp_path_factory.mktemp("tables")
    ids, names, types = zip(*ENTITIES, strict=True)
    pq.write_table(pa.table({"id": ids, "name": names, "type": types}), directory / "entities.parquet")
    subject, relation, object_, source, evidence, valid_to, frequency, negated = zip(*TRIPLES, strict=True)
    columns = {
        "subject": pa.array(subject),
        "relation": pa.array(relation),
        "object": pa.array(object_),
        "source": pa.array(source),
        "evidence": pa.array(evidence, pa.list_(pa.string())),
        "valid_to": pa.array(valid_to, pa.string()),
        "qualifier:frequency": pa.array(frequency, pa.string()),
        "negated": pa.array(negated, pa.bool_()),
    }
    pq.write_table(pa.table(columns), directory / "triples.parquet")
    return directory


@pytest.fixture(scope="session")
def built_graph(tables: Path) -> Path:
    """The graph that the command line builds from the tables."""
    out = tables / "small.clew"
    built = main(
        ["build", str(tables / "triples.parquet"), "--entities", str(tables / "entities.parquet"), "--out", str(out),
         "--symmetric", "near", "--negated", "lacks", "--transitive", "is_a", "--curated-source", "A"]
    )  # fmt: skip
    assert built == 0
    return out


@pytest.fixture
def graph(built_graph: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of it: commands leave indexes and stores in a graph."""
    return copytree(built_graph, tmp_path_factory.mktemp("graph") / "small.clew")
