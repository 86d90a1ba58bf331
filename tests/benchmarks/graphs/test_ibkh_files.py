"""Generated iBKH files: the paper's counts, the same for the same seed, whole or absent, read as they were meant."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import clew
from benchmarks.graphs import ibkh_files
from clew.errors import GraphError, InputError
from clew.graph.readers import ibkh
from clew.graph.staging import Problems
from ibkh_oracle import read_slowly

ENTITIES, TRIPLES = 658, 30_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ibkh_files.Written]:
    directory = tmp_path_factory.mktemp("generated") / "ibkh"
    return directory, ibkh_files.write_files(directory, entities=ENTITIES, triples=TRIPLES)


def test_the_paper_in_full() -> None:
    assert (ibkh_files.ENTITIES, ibkh_files.TRIPLES) == (65_828, 3_004_166)


def test_counts_are_what_was_asked_for(made, tmp_path: Path) -> None:
    directory, written = made
    assert sum(written.entities.values()) == ENTITIES
    assert sum(written.triples.values()) == TRIPLES
    for name, rows in written.rows.items():
        assert len((directory / name).read_text("utf-8").splitlines()) == rows + 1
    clew.build(directory, out=tmp_path / "graph.clew")
    graph = clew.open(tmp_path / "graph.clew")
    assert (graph.counts["entities"], graph.counts["triples"]) == (ENTITIES, TRIPLES)
    assert graph.schema.types == written.entities
    assert len(graph.schema.relations) == 14


def test_the_reader_finds_what_a_slow_one_finds(made) -> None:
    directory, _ = made
    staged = ibkh.read(directory, problems=Problems())
    columns = (staged.triples[name].to_pylist() for name in ("subject", "relation", "object", "source"))
    assert Counter(zip(*columns, strict=True)) == read_slowly(directory)


def test_names_are_unique_and_awkward(made) -> None:
    directory, written = made
    for file, type in (("disease_vocab.csv", "Disease"), ("drug_vocab.csv", "Drug"), ("pathway_vocab.csv", "Pathway")):
        with open(directory / file, encoding="utf-8", newline="") as stream:
            names = [row["name"] for row in csv.DictReader(stream)]
        assert len(set(names)) == len(names) == written.entities[type]
        if type == "Disease":
            assert "Alzheimer's disease" in names
            assert any('"' in name for name in names)
            assert any("," in name for name in names)


def test_degrees_have_a_heavy_tail(made) -> None:
    directory, _ = made
    with open(directory / "D_SE_res.csv", encoding="utf-8", newline="") as stream:
        degree = Counter(row["Drug"] for row in csv.DictReader(stream))
    values = np.sort(np.array(list(degree.values())))[::-1]
    assert values[: len(values) // 10].sum() > 0.25 * values.sum()  # of a flat graph the first tenth would have 0.18


def test_is_a_has_no_cycles(made) -> None:
    directory, _ = made
    with open(directory / "di_di_res.csv", encoding="utf-8", newline="") as stream:
        above: dict[str, set[str]] = {}
        for row in csv.DictReader(stream):
            if row["is_a"] == "1":
                above.setdefault(row["Disease_1"], set()).add(row["Disease_2"])
    while above:
        free = [start for start, ends in above.items() if not ends & above.keys()]
        assert free, f"in a cycle: {sorted(above)}"
        for start in free:
            del above[start]


def test_a_seed_gives_the_same_files_and_another_gives_others(made, tmp_path: Path) -> None:
    directory, _ = made
    for seed, same in ((7, True), (8, False)):
        ibkh_files.write_files(tmp_path / str(seed), entities=ENTITIES, triples=TRIPLES, seed=seed)
        for file in directory.iterdir():
            equal = file.read_bytes() == (tmp_path / str(seed) / file.name).read_bytes()
            assert equal == (same or file.name.endswith("_vocab.csv"))


def test_files_are_whole_or_absent(tmp_path: Path) -> None:
    def stop(task: str, done: int, total: int | None) -> None:
        if done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ibkh_files.write_files(tmp_path / "ibkh", entities=ENTITIES, triples=TRIPLES, progress=stop)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    with pytest.raises(GraphError, match="already exists"):
        ibkh_files.write_files(tmp_path / "there", entities=ENTITIES, triples=TRIPLES)


@pytest.mark.parametrize(("entities", "triples", "message"), [(10, 1000, "at least 100"), (200, 100_000, "too dense")])
def test_what_cannot_be_made(tmp_path: Path, entities: int, triples: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ibkh_files.write_files(tmp_path / "ibkh", entities=entities, triples=triples)
    assert list(tmp_path.iterdir()) == []


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["ibkh_files", str(tmp_path / "ibkh"), "--entities", "658", "--triples", "30000"]
    monkeypatch.setattr("sys.argv", arguments)
    assert ibkh_files.main() == 0
    assert capsys.readouterr().out == f"658 entities, 30000 triples in {tmp_path / 'ibkh'}\n"
    assert ibkh_files.main() == 2
    assert "error: " in capsys.readouterr().err
