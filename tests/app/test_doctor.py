"""`clew doctor`: what is whole is OK, what is not is named."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from clew.checksums import json_text, record_files
from clew.graph.storage.snapshots import snapshot_folder
from graph.storage.test_signature import COMMENT, Signer


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
    assert list(report) == [
        "graph", "ok", "damage", "signature", "rebuilt", "snapshot", "files", "blocks", "bytes", "counts",
    ]  # fmt: skip
    assert (report["ok"], report["damage"]) == (True, [])
    assert report["files"] == len(files(graph)) - 1


def files(graph: Path) -> list[str]:
    folder = snapshot_folder(graph)
    return [f.relative_to(folder).as_posix() for f in sorted(folder.rglob("*")) if f.is_file() and f.stat().st_size]


def test_a_flipped_bit_in_any_file_is_named(run, graph: Path, tmp_path: Path) -> None:
    for number, name in enumerate(files(graph)):
        if name == "manifest.json":
            continue
        copy = Path(shutil.copytree(graph, tmp_path / str(number)))
        file = snapshot_folder(copy) / name
        flip(file, file.stat().st_size // 2)
        ran = run("doctor", copy)
        assert ran.code == 1, name
        assert f"{name}: block 0 (bytes 0 to " in ran.out, name
        assert " is damaged: " in ran.out.splitlines()[-1]
        report = run("doctor", copy, "--json")
        assert report.code == 1
        assert not report.json["ok"]
        assert report.json["damage"][0].startswith(f"{name}: block 0 ")


def test_a_damaged_manifest_is_named(run, copy: Path) -> None:
    flip(snapshot_folder(copy) / "manifest.json", 200)
    ran = run("doctor", copy)
    assert ran.code == 1
    assert "manifest.json" in ran.error + ran.out
    assert "Traceback" not in ran.error


def test_missing_and_short_files_are_all_named(run, copy: Path) -> None:
    folder = snapshot_folder(copy)
    (folder / "names.arrow").unlink()
    with open(folder / "entities.arrow", "r+b") as file:
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


# ---- derived data, snapshots -----------------------------------------------------------------------------------


def derive(run, graph: Path) -> Path:
    """Make an index of names and a store; returns their folder."""
    assert run("index", graph, "--no-vectors").code == 0
    assert run("cypher", graph, "--load").code == 0
    return graph / "derived" / run("info", graph, "--json").json["snapshot"]


def test_damage_to_any_derived_file_is_named_and_mended(run, copy: Path) -> None:
    derived = derive(run, copy)
    assert run("doctor", copy).code == 0
    for file in sorted(each for each in derived.rglob("*") if each.is_file()):
        content = file.read_bytes()
        flip(file, len(content) // 2)
        ran = run("doctor", copy)
        assert ran.code == 1, file
        assert file.relative_to(copy).as_posix() in ran.out, file
        assert "--rebuild-derived" in ran.out.splitlines()[-1]
        file.write_bytes(content)
    flip(derived / "names" / "form_text.npy", -1)
    report = run("doctor", copy, "--rebuild-derived", "--json").json
    assert (report["ok"], report["rebuilt"]) == (True, ["ladybug", "names"])
    assert run("doctor", copy).code == 0


def test_derived_data_of_a_stranger_is_built_again(run, copy: Path) -> None:
    """Forged with its seal, so that no checksum tells; only building it again does."""
    derived = derive(run, copy)
    names = derived / "names" / "form_text.npy"
    names.write_bytes(names.read_bytes().replace(b"Marfan", b"Forged"))
    seal = json.loads((names.parent / "seal.json").read_text())
    del seal["checksum"]
    seal["files"]["form_text.npy"] = asdict(record_files(names.parent)["form_text.npy"])
    (names.parent / "seal.json").write_text(json_text(seal))
    assert run("doctor", copy).code == 0
    assert run("doctor", copy, "--rebuild-derived").code == 0
    assert b"Forged" not in names.read_bytes()
    assert b"Marfan" in names.read_bytes()


def test_nothing_is_derived_from_a_damaged_graph(run, copy: Path) -> None:
    derived = derive(run, copy)
    flip(snapshot_folder(copy) / "entities.arrow", 600)
    ran = run("doctor", copy, "--rebuild-derived", "--json")
    assert (ran.code, ran.json["rebuilt"]) == (1, None)
    assert derived.is_dir()


def test_older_snapshots_are_checked_and_removed(run, copy: Path, tmp_path: Path) -> None:
    old = snapshot_folder(copy)
    (tmp_path / "rows.csv").write_text("subject,relation,object\na,r,b\n")
    assert run("build", tmp_path / "rows.csv", "--out", copy, "--overwrite", "--keep", "1").code == 0
    flip(old / "entities.arrow", 600)
    ran = run("doctor", copy)
    assert ran.code == 1
    assert f"snapshots/{old.name}/entities.arrow: block 0" in ran.out
    assert run("gc", copy, "--json").json["removed"] == [old.name]
    assert run("doctor", copy).code == 0


def test_doctor_verifies(run, copy: Path) -> None:
    signer, path, folder = Signer(), copy, snapshot_folder(copy)
    assert run("doctor", path, "--key", signer.key).code == 1
    signer.sign(folder)
    ran = run("doctor", path, "--key", signer.key)
    assert ran.code == 0
    assert "signed with the key" in ran.out
    report = run("doctor", path, "--key", signer.key, "--json").json
    assert report["signature"] == {"key": signer.id[::-1].hex().upper(), "comment": COMMENT}
    ran = run("doctor", path, "--key", Signer().key)
    assert ran.code == 1
    assert "do not trust it" in ran.out
