"""`clew doctor`: what is whole is OK, what is not is named."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def copy(graph: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graph, tmp_path / "copy.clew"))


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_a_whole_graph_is_ok(run, graph: Path) -> None:
    ran = run("doctor", graph)
    assert (ran.code, ran.error) == (0, "")
    assert " is OK: " in ran.out
    assert "10 entities, 10 triples, 11 assertions" in ran.out
    report = run("doctor", graph, "--json").json
    assert list(report) == ["graph", "ok", "damage", "snapshot", "files", "blocks", "bytes", "counts"]
    assert (report["ok"], report["damage"]) == (True, [])
    assert report["files"] == len([f for f in graph.rglob("*") if f.is_file()]) - 1


def files(graph: Path) -> list[str]:
    return [f.relative_to(graph).as_posix() for f in sorted(graph.rglob("*")) if f.is_file() and f.stat().st_size]


def test_a_flipped_bit_in_any_file_is_named(run, graph: Path, tmp_path: Path) -> None:
    for number, name in enumerate(files(graph)):
        if name == "manifest.json":
            continue
        copy = Path(shutil.copytree(graph, tmp_path / str(number)))
        flip(copy / name, (copy / name).stat().st_size // 2)
        ran = run("doctor", copy)
        assert ran.code == 1, name
        assert f"{name}: block 0 (bytes 0 to " in ran.out, name
        assert " is damaged: " in ran.out.splitlines()[-1]
        report = run("doctor", copy, "--json")
        assert report.code == 1
        assert not report.json["ok"]
        assert report.json["damage"][0].startswith(f"{name}: block 0 ")


def test_a_damaged_manifest_is_named(run, copy: Path) -> None:
    flip(copy / "manifest.json", 200)
    ran = run("doctor", copy)
    assert ran.code == 1
    assert "manifest.json" in ran.error + ran.out
    assert "Traceback" not in ran.error


def test_missing_and_short_files_are_all_named(run, copy: Path) -> None:
    (copy / "names.arrow").unlink()
    with open(copy / "entities.arrow", "r+b") as file:
        file.truncate(10)
    ran = run("doctor", copy, "--json")
    assert ran.code == 1
    assert sorted(sentence.split(":")[0] for sentence in ran.json["damage"]) == ["entities.arrow", "names.arrow"]
    assert ran.json["counts"] is None
    assert "restore the files named above" in run("doctor", copy).out


def test_what_is_no_graph_is_an_error(run, tmp_path: Path) -> None:
    ran = run("doctor", tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert "is not a Clew graph" in ran.error
