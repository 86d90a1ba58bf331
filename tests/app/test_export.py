"""`clew export`: files that another program, or Clew, can read again."""

from pathlib import Path

import pytest

import clew
from clew.graph import read_entities


@pytest.mark.parametrize("format", ["kgx", "kgx-jsonl", "parquet"])
def test_export(run, graph: Path, tmp_path: Path, format: str) -> None:
    out = tmp_path / "out"
    ran = run("export", graph, "--to", format, "--out", out, "--json")
    assert (ran.code, ran.error) == (0, "")
    assert list(ran.json) == ["graph", "to", "out", "files", "left_out"]
    on_disk = {file.relative_to(out).as_posix(): file.stat().st_size for file in out.rglob("*") if file.is_file()}
    assert {file["name"]: file["bytes"] for file in ran.json["files"]} == on_disk
    again = run("export", graph, "--to", format, "--out", out)
    assert again.code == 1
    assert "--overwrite" in again.error
    assert "wrote 10 triples" in run("export", graph, "--to", format, "--out", out, "--overwrite").out


def test_what_is_exported_can_be_built_again(run, graph: Path, tmp_path: Path) -> None:
    run("export", graph, "--to", "kgx-jsonl", "--out", tmp_path / "kgx")
    assert run("build", tmp_path / "kgx", "--out", tmp_path / "again.clew").code == 0
    was, is_ = clew.open(graph), clew.open(tmp_path / "again.clew")
    assert set(is_.hop("G:1", relations="causes")) == set(was.hop("G:1", relations="causes"))
    again, before = (read_entities(each, ("name",))["name"].to_pylist() for each in (is_, was))
    assert sorted(again) == sorted(before)


def test_unknown_format(run, graph: Path, tmp_path: Path) -> None:
    ran = run("export", graph, "--to", "parket", "--out", tmp_path / "out")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean 'parquet'" in ran.error


def test_damage_is_never_passed_on(run, graph: Path, tmp_path: Path) -> None:
    import shutil

    copy = Path(shutil.copytree(graph, tmp_path / "copy.clew"))
    (assertions,) = copy.glob("snapshots/*/assertions.arrow")
    content = bytearray(assertions.read_bytes())
    content[len(content) // 2] ^= 1
    assertions.write_bytes(content)
    ran = run("export", copy, "--to", "kgx", "--out", tmp_path / "out")
    assert ran.code == 1
    assert "assertions.arrow" in ran.error
    assert not (tmp_path / "out").exists()
