"""Snapshots: a reader keeps what it opened, whole to its end, whatever is built beside it."""

import gc
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.errors import DamagedGraph, FormatError, GraphError, GraphReplaced
from clew.graph.storage import snapshots
from clew.graph.storage.damage import find_all_damage
from clew.graph.storage.manifest import find_damage
from clew.graph.storage.snapshots import CURRENT, SNAPSHOTS, current_snapshot, prune, snapshot_folder, snapshots_of

ROUNDS = 8


def rows(round_: int, *, entities: int = 41) -> pa.Table:
    """Every entity leads to the next one; ids, names and order differ from round to round, sizes do not."""
    ids = [f"R{round_}:{(at * (2 * round_ + 3)) % entities:03d}" for at in range(entities)]
    return pa.table({"subject": ids, "relation": ["next"] * entities, "object": ids[1:] + ids[:1]})


def build(path: Path, round_: int, **options: int) -> clew.Engine:
    return clew.build(rows(round_), out=path, overwrite=True, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    build(tmp_path / "g.clew", 0)
    return tmp_path / "g.clew"


class TestReadersUnderRebuild:
    def test_whatever_is_asked_first_the_rest_comes_from_the_same_snapshot(self, path: Path) -> None:
        firsts: list[Callable[[clew.Engine], object]] = [
            lambda engine: engine.find("R"),
            lambda engine: engine.hop([0]),
            lambda engine: engine.degree([0]),
            lambda engine: len(engine.hop_batch([[0]], 2)),
            lambda engine: engine.assertions(0),
            lambda engine: engine.describe([0]),
            lambda engine: None,
        ]
        for round_, use in enumerate(firsts, start=1):
            engine, expected = clew.open(path), current_snapshot(path)
            use(engine)
            build(path, round_)
            assert current_snapshot(path) != expected
            prefix = engine.describe([0])["id"][0].as_py().split(":")[0]
            found = [each["id"] for each in engine.hop([0], 3).entities.to_pylist()]
            found += [each["id"] for each in engine.hop_batch([[1], [2]], 2)[0].entities.to_pylist()]
            found += [row["id"] for row in engine.describe(range(40)).to_pylist()]
            found += [hit.id for hit in engine.find(prefix, limit=5)]
            engine.degree([0])
            engine.assertions(3)
            engine.details([0])
            assert {each.split(":")[0] for each in found} == {prefix}
            assert engine.snapshot.id == expected

    def test_a_snapshot_that_is_read_stays_until_its_reader_ends(self, path: Path) -> None:
        engine, old = clew.open(path), snapshot_folder(path)
        result = engine.hop([0])
        build(path, 1)
        build(path, 2)
        assert old.is_dir()
        assert len(snapshots_of(path)) == 2  # the one between was read by nobody
        del engine
        gc.collect()
        assert prune(path) == []  # the result still reads names from it
        assert len(result.entities) == 1
        del result
        gc.collect()
        assert prune(path) == [old.name]
        assert snapshots_of(path) == [current_snapshot(path)]

    def test_a_reader_in_another_process(self, path: Path) -> None:
        program = (
            "import sys, clew; engine = clew.open(sys.argv[1]); print(engine.snapshot.id, flush=True); input(); "
            "print(*(row['id'] for row in engine.hop([0], 5).entities.to_pylist()))"
        )
        with subprocess.Popen(
            [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as reader:
            assert reader.stdin is not None
            assert reader.stdout is not None
            old = reader.stdout.readline().strip()
            build(path, 1)
            assert (path / SNAPSHOTS / old).is_dir()
            reader.stdin.write("\n")
            reader.stdin.flush()
            assert reader.stdout.readline().startswith("R0:")
        assert prune(path) == [old]

    def test_a_snapshot_removed_by_force_is_one_sentence(self, path: Path) -> None:
        """As on a system without locks, or with `rm`."""
        uses = {
            "hop": lambda engine: engine.hop([0]),
            "names": lambda engine: engine.find("R0:001"),
            "details": lambda engine: engine.details([0]),
            "degree": lambda engine: engine.degree([0]),
            "assertions": lambda engine: engine.assertions(0),
            "verify": lambda engine: engine.verify(),
        }
        for round_, (name, use) in enumerate(uses.items(), start=1):
            engine = clew.open(path)
            old = snapshot_folder(path)
            build(path, round_)
            shutil.rmtree(old)
            with pytest.raises(GraphReplaced, match=r"g\.clew: this graph was replaced; open it again"):
                use(engine)
            assert clew.open(path).snapshot.id != old.name, name

    def test_opening_while_others_build_never_fails(self, path: Path) -> None:
        stop, faults = threading.Event(), []

        def read() -> None:
            while not stop.is_set():
                try:
                    engine = clew.open(path)
                    found = {row["id"].split(":")[0] for row in engine.hop([0], 2).entities.to_pylist()}
                    found |= {row["id"].split(":")[0] for row in engine.describe(range(40)).to_pylist()}
                    assert len(found) == 1
                except BaseException as error:
                    faults.append(repr(error))

        readers = [threading.Thread(target=read) for _ in range(3)]
        for each in readers:
            each.start()
        for round_ in range(1, ROUNDS):
            build(path, round_)
        stop.set()
        for each in readers:
            each.join()
        assert faults == []


class TestBuilding:
    def test_the_same_content_is_the_same_snapshot(self, path: Path) -> None:
        before = snapshot_folder(path)
        inode = (before / "schema.json").stat().st_ino
        build(path, 0)
        assert snapshot_folder(path) == before
        assert (before / "schema.json").stat().st_ino == inode
        assert sorted(each.name for each in path.iterdir()) == [CURRENT, SNAPSHOTS]

    def test_everything_is_on_disk_before_it_is_current(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        synced: list[tuple[int, bool]] = []
        path = tmp_path / "g.clew"
        monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append((os.fstat(descriptor).st_ino, path.exists())))
        build(path, 0)
        whole = {each.stat().st_ino for each in (path, *path.rglob("*"))}
        assert len(whole) > 20
        assert whole <= {number for number, named in synced if not named}

    def test_a_damaged_snapshot_is_mended_by_the_same_content(self, path: Path) -> None:
        folder = snapshot_folder(path)
        with open(folder / "entities.arrow", "r+b") as file:
            file.seek(100)
            file.write(b"damage")
        build(path, 0)
        assert snapshot_folder(path) == folder
        assert find_damage(folder) == []

    def test_as_many_as_wanted_are_kept(self, path: Path) -> None:
        names = [current_snapshot(path)]
        for round_ in range(1, 4):
            build(path, round_, keep=2)
            names.append(current_snapshot(path))
        assert set(snapshots_of(path)) == set(names[1:])
        assert set(prune(path, keep=1)) == {names[1]}

    def test_one_without_a_manifest_is_removed(self, path: Path) -> None:
        old = snapshot_folder(path)
        build(path, 1, keep=1)
        (old / "manifest.json").unlink()
        assert any("manifest.json" in sentence for sentence in find_all_damage(path))
        assert prune(path) == [old.name]
        assert find_all_damage(path) == []

    def test_without_locks_only_an_order_removes(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        old = current_snapshot(path)
        monkeypatch.setattr(snapshots, "lock", lambda descriptor, *, shared=False: None)
        build(path, 1)
        assert old in snapshots_of(path)
        assert prune(path, unsure=True) == [old]

    def test_what_was_derived_goes_with_its_snapshot(self, path: Path) -> None:
        for name in (current_snapshot(path), "0123456789abcdef", "mine"):
            (path / "derived" / name / "names").mkdir(parents=True)
        build(path, 1)
        assert [each.name for each in (path / "derived").iterdir()] == ["mine"]

    def test_two_builders_at_once(self, path: Path) -> None:
        builders = [threading.Thread(target=build, args=(path, round_)) for round_ in range(1, 5)]
        for each in builders:
            each.start()
        for each in builders:
            each.join()
        engine = clew.open(path, verify=True)
        assert engine.describe([0])["id"][0].as_py()[:2] in ("R1", "R2", "R3", "R4")
        assert not [each for each in path.iterdir() if each.name.startswith(".")]

    def test_two_builders_of_a_new_graph(self, tmp_path: Path) -> None:
        faults: list[str] = []

        def make(round_: int) -> None:
            try:
                clew.build(rows(round_), out=tmp_path / "new.clew")
            except GraphError as error:
                faults.append(str(error))

        builders = [threading.Thread(target=make, args=(round_,)) for round_ in range(2)]
        for each in builders:
            each.start()
        for each in builders:
            each.join()
        clew.open(tmp_path / "new.clew", verify=True)
        assert len(faults) <= 1
        assert [each for each in faults if "already exists" not in each] == []
        assert [each.name for each in tmp_path.iterdir()] == ["new.clew"]

    def test_only_a_graph_or_an_empty_directory_is_built_over(self, tmp_path: Path, path: Path) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.txt").write_text("years of work")
        with pytest.raises(GraphError, match="has no CURRENT beside a folder snapshots, so it is not replaced"):
            build(tmp_path / "mine", 1)
        with pytest.raises(GraphError, match="already exists"):
            clew.build(rows(1), out=path)
        (tmp_path / "empty").mkdir()
        build(tmp_path / "empty", 1)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["empty", "g.clew", "mine"]

    def test_a_linked_folder_of_snapshots_is_not_written_to(self, path: Path, tmp_path: Path) -> None:
        (path / SNAPSHOTS).rename(tmp_path / "elsewhere")
        (path / SNAPSHOTS).symlink_to(tmp_path / "elsewhere")
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(GraphError, match="is not replaced"):
            build(path, 1)
        assert sorted(tmp_path.rglob("*")) == before
        clew.open(path)


class TestOddDirectories:
    def test_a_graph_of_the_older_layout_is_named_as_such(self, path: Path) -> None:
        (snapshot_folder(path) / "manifest.json").rename(path / "manifest.json")
        (path / CURRENT).unlink()
        with pytest.raises(FormatError, match=r"older format .*: build it again"):
            clew.open(path)

    @pytest.mark.parametrize("content", ["", "../../etc", "0123", "x" * 100, "0123456789ABCDEF", "\udcff", "a/b"])
    def test_current_names_a_snapshot_or_nothing(self, path: Path, content: str) -> None:
        (path / CURRENT).write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(GraphError, match=r"CURRENT") as error:
            clew.open(path)
        assert "\n" not in str(error.value)

    def test_a_missing_snapshot(self, path: Path) -> None:
        shutil.rmtree(snapshot_folder(path))
        with pytest.raises(FormatError, match=r"CURRENT names a snapshot without a manifest \(.*manifest\.json\)"):
            clew.open(path)

    @pytest.mark.parametrize("name", [CURRENT, "manifest.json", "schema.json", "entities.arrow"])
    @pytest.mark.parametrize("kind", ["pipe", "zero", "loop", "huge"])
    def test_files_that_are_none_are_one_sentence_at_once(self, path: Path, name: str, kind: str) -> None:
        file = path / CURRENT if name == CURRENT else snapshot_folder(path) / name
        file.unlink()
        if kind == "pipe":
            os.mkfifo(file)
        elif kind == "huge":
            with open(file, "wb") as sparse:
                sparse.truncate(1 << 40)
        else:
            file.symlink_to("/dev/zero" if kind == "zero" else file)
        with pytest.raises(GraphError, match=name) as error:
            clew.open(path)
        assert "\n" not in str(error.value)
        if name not in (CURRENT, "manifest.json"):
            assert isinstance(error.value, DamagedGraph)


def test_derived_data_is_removed_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A builder may be killed while it removes them, and the same snapshot be built again."""
    names = path / "derived" / current_snapshot(path) / "names"
    names.mkdir(parents=True)
    (names / "seal.json").write_text("{}")

    def ended_early(folder: Path, **_: object) -> None:
        for seal in Path(folder).rglob("seal.json"):
            seal.unlink()

    monkeypatch.setattr(shutil, "rmtree", ended_early)
    build(path, 1)
    assert not names.exists()
