"""Derived data: kept beside the graph or in the cache, proved before it is used, and never written through a link."""

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.app.derived import rebuild
from clew.errors import DamagedGraph, DerivedError, GraphError
from clew.graph.storage.damage import find_derived_damage
from clew.graph.storage.snapshots import snapshot_folder
from clew.link import Linker
from clew.link.names import indexing
from clew.link.names.indexing import build_names, open_or_build, write_names
from clew.link.names.name_index import index_path, open_index
from clew.sealed import SEAL
from clew.store import embedded
from clew.store.embedded import FILE, EmbeddedStore, build_embedded, open_or_build_embedded
from clew.store.store import open_store

NAME = "MATCH (g:Gene) RETURN g.name ORDER BY g.name"
NOBODY = 65534


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home").chmod(0o777)
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def path(tmp_path: Path, home: Path) -> Path:
    names = ["FBN1", "COL2A1", *(f"gene {number}" for number in range(2_000))]
    rows = {
        "subject": [f"G:{number}" for number in range(len(names))],
        "subject_name": names,
        "subject_type": ["Gene"] * len(names),
        "relation": ["causes"] * len(names),
        "object": ["D:1"] * len(names),
        "object_name": ["Marfan syndrome"] * len(names),
        "object_type": ["Disease"] * len(names),
    }
    clew.build(pa.table(rows), out=tmp_path / "g.clew")
    return tmp_path / "g.clew"


@contextmanager
def rights_given_up(*folders: Path) -> Iterator[None]:
    """As somebody who may only read these folders; the cache can be written to."""
    modes = {folder: folder.stat().st_mode for folder in folders}
    outside = [each for each in folders[0].parents if each.owner() == folders[0].owner() and each.name]
    for each in outside:
        each.chmod(each.stat().st_mode | 0o011)
    for each in folders:
        each.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for each, mode in modes.items():
            each.chmod(mode)


def alter(file: Path, old: bytes, new: bytes) -> None:
    content = file.read_bytes()
    assert old in content
    file.write_bytes(content.replace(old, new))


class TestAltered:
    """The reproductions: each was answered from the altered file, and `doctor` said OK."""

    def test_a_name_replaced_in_the_embedded_store(self, path: Path) -> None:
        graph = clew.open(path)
        alter(build_embedded(graph) / FILE, b"FBN1", b"FAKE")
        assert "derived" in find_derived_damage(path)[0]
        with pytest.raises(DerivedError, match=r"damaged: block 0 .* differs: run `clew cypher .* --load"):
            EmbeddedStore(graph)
        with open_store("embedded", graph, build=True) as store:  # as `ask` and `cypher` open it: built again
            assert store.run(NAME).rows[1] == ("FBN1",)
        assert find_derived_damage(path) == []

    def test_zeros_in_the_name_index(self, path: Path) -> None:
        graph = clew.open(path)
        open_or_build(graph)
        for name in sorted(file.name for file in index_path(graph).iterdir() if file.stat().st_size > 4_500):
            file = index_path(graph) / name
            content = file.read_bytes()
            middle = len(content) // 2 - 2048
            file.write_bytes(content[:middle] + bytes(4096) + content[middle + 4096 :])
            if file.read_bytes() == content:
                continue
            assert find_derived_damage(path), name
            with pytest.raises(DerivedError, match=r"differs|cannot be read"):
                open_index(graph)
            assert Linker(graph).link("FBN1").best.id == "G:0"  # built again

    def test_a_log_beside_the_database_is_not_replayed(self, path: Path) -> None:
        graph = clew.open(path)
        folder = build_embedded(graph)
        (folder / f"{FILE}.wal").write_bytes(b"\1" * 4096)
        with pytest.raises(DerivedError, match=r"store\.lbug\.wal is not part of the store"):
            EmbeddedStore(graph)

    def test_a_damaged_graph_is_not_derived_from(self, path: Path) -> None:
        alter(snapshot_folder(path) / "entities.arrow", b"FBN1", b"FAKE")
        graph = clew.open(path)
        for build in (build_embedded, open_or_build):
            with pytest.raises(DamagedGraph, match=r"is damaged: entities\.arrow"):
                build(graph)


def test_of_two_who_need_it_at_once_one_builds_and_the_other_waits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    for module, name in ((indexing, "build_names"), (embedded, "build_embedded")):
        monkeypatch.setattr(module, name, counted(getattr(module, name), built))
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(open_or_build, [clew.open(path) for _ in range(4)]))
        stores = list(pool.map(open_or_build_embedded, [clew.open(path) for _ in range(4)]))
    assert sorted(built) == ["build_embedded", "build_names"]
    assert len({index.form_count for index in opened}) == 1
    for store in stores:
        store.close()


def counted(build: Callable[..., Any], built: list[str]) -> Callable[..., Any]:
    """A builder that says that it was called."""

    def build_and_tell(*arguments: Any, **options: Any) -> Any:
        built.append(build.__name__)
        return build(*arguments, **options)

    return build_and_tell


class TestPlaces:
    def test_a_graph_that_is_only_read_can_be_asked(self, path: Path, home: Path) -> None:
        with rights_given_up(path):
            graph = clew.open(path)
            build_embedded(graph)
            assert Linker(graph).link("FBN1").best.id == "G:0"
        with open_store("embedded", graph) as store:
            assert store.run(NAME).rows[:2] == [("COL2A1",), ("FBN1",)]
        kept = home / "derived" / graph.snapshot.id
        assert sorted(each.name for each in kept.iterdir() if each.is_dir()) == ["ladybug", "names"]
        before = {each: each.stat().st_mtime_ns for each in kept.rglob("*")}
        again = clew.open(path)
        open_store("embedded", again).close()
        open_index(again)
        assert {each: each.stat().st_mtime_ns for each in kept.rglob("*")} == before
        assert not (path / "derived").exists()

    def test_damage_beside_a_graph_that_is_only_read(self, path: Path, home: Path) -> None:
        graph = clew.open(path)
        open_or_build(graph)
        beside = index_path(graph)
        alter(beside / "form_text.npy", b"FBN1", b"FAKE")
        with rights_given_up(path, beside.parent):
            assert Linker(clew.open(path)).link("FBN1").best.id == "G:0"
            assert index_path(graph) == home / "derived" / graph.snapshot.id / "names"
        assert len(find_derived_damage(path)) == 1  # what lies beside it is damaged still, and not used

    def test_what_a_stranger_derived_is_built_again_where_it_cannot_be_removed(self, path: Path, home: Path) -> None:
        """Forged with its seal, and read-only: what is built from the graph itself comes first."""
        graph = clew.open(path)
        arrays = build_names(graph)
        forged = bytes(arrays["form_text"]).replace(b"FBN1", b"FAKE")
        write_names(graph, arrays | {"form_text": np.frombuffer(forged, np.uint8)})
        beside = index_path(graph)
        with rights_given_up(path, beside.parent, beside):
            assert find_derived_damage(path) == []
            assert rebuild(str(path)) == ["names"]
            assert b"FBN1" in (index_path(graph) / "form_text.npy").read_bytes()
        assert b"FAKE" in (beside / "form_text.npy").read_bytes()
        assert index_path(graph) == home / "derived" / graph.snapshot.id / "names"

    @pytest.mark.parametrize("depth", range(3))
    def test_nothing_is_written_or_read_through_a_link(
        self, path: Path, home: Path, tmp_path: Path, depth: int
    ) -> None:
        graph = clew.open(path)
        (tmp_path / "target").mkdir()
        link = [path / "derived", path / "derived" / graph.snapshot.id, path / "derived" / graph.snapshot.id / "names"]
        link[depth].parent.mkdir(parents=True, exist_ok=True)
        link[depth].symlink_to(tmp_path / "target")
        open_or_build(graph)
        assert list((tmp_path / "target").iterdir()) == []
        assert index_path(graph) == home / "derived" / graph.snapshot.id / "names"

    def test_a_user_without_a_home(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("CLEW_HOME", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)

        def nowhere() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", nowhere)
        graph = clew.open(path)
        assert Linker(graph).link("FBN1").best.id == "G:0"
        assert index_path(graph) == path / "derived" / graph.snapshot.id / "names"
        (path / "derived").rename(path / "was")
        (path / "derived").write_text("in the way")
        assert Linker(graph).link("FBN1").best.id == "G:0"  # in memory
        with pytest.raises(GraphError, match="derived"):
            build_embedded(graph)

    def test_each_snapshot_has_its_own(self, path: Path) -> None:
        old = clew.open(path)
        assert Linker(old).link("FBN1").best.id == "G:0"
        rows = {"subject": ["X:7"], "subject_name": ["FBN1"], "relation": ["r"], "object": ["X:8"]}
        new = clew.build(pa.table(rows), out=path, overwrite=True)
        assert Linker(new).link("FBN1").best.id == "X:7"
        assert Linker(old).link("FBN1").best.id == "G:0"
        with open_store("embedded", old, build=True) as before, open_store("embedded", new, build=True) as after:
            assert len(before.run(NAME)) == 2002
            assert after.run("MATCH (n) RETURN n.id ORDER BY n.id").rows == [("X:7",), ("X:8",)]

    def test_an_index_stays_what_it_was_when_it_is_replaced(self, path: Path) -> None:
        graph = clew.open(path)
        index = open_or_build(graph)
        shutil.rmtree(index_path(graph))
        row = index.find("fbn1")
        assert row is not None
        assert [form.text for form in index.forms(row)] == ["FBN1"]
        index.trigrams, index.phrases  # noqa: B018

    def test_a_lost_seal_is_made_good(self, path: Path) -> None:
        graph = clew.open(path)
        for build in (build_embedded, open_or_build):
            build(graph)
        for kind in ("ladybug", "names"):
            (graph.snapshot.derived(kind) / SEAL).unlink()
        build_embedded(graph)
        assert Linker(graph).link("FBN1").best.id == "G:0"
