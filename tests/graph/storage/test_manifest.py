"""The manifest: what it says is checked before anything relies on it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from clew.checksums import json_text, record_files
from clew.errors import ClewError, DamagedGraph, FormatError
from clew.files import BLOCK_BYTES
from clew.graph import Graph, Source
from clew.graph.storage.manifest import MANIFEST, BlockCheck, find_damage, read_manifest
from clew.graph.storage.snapshots import CURRENT, snapshot_folder

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    table = pa.table({"subject": ["a", "b"], "relation": ["r", "s"], "object": ["b", "c"], "source": ["S", "T"]})
    sources = [Source("S", "1", "CC0", "https://s.example", "thank S", curated=True)]
    clew.build(table, sources=sources, out=tmp_path / "g.clew")
    return tmp_path / "g.clew"


@pytest.fixture
def folder(path: Path) -> Path:
    return snapshot_folder(path)


def change(folder: Path, alter: Change) -> None:
    """Alter the manifest as if it had been written so: its own checksum is right."""
    body = json.loads((folder / MANIFEST).read_text())
    del body["checksum"]
    alter(body)
    (folder / MANIFEST).write_text(json_text(body))


def put(*keys: Any, value: Any) -> Change:
    def alter(body: dict[str, Any]) -> None:
        inner: Any = body
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value

    return alter


def segment(first: int, entities: int) -> dict[str, Any]:
    return {"folder": f"segments/{first:04}", "first_entity": first, "entities": entities}


def drop(key: str) -> Change:
    return lambda body: body.pop(key)  # type: ignore[no-any-return]


class TestWhatItSays:
    def test_counts_sources_and_files(self, folder: Path) -> None:
        manifest = read_manifest(folder)
        assert dict(manifest.counts) == {
            "entities": 3,
            "triples": 2,
            "assertions": 2,
            "pairs": 2,
            "names": 3,
            "relations": 2,
            "types": 1,
        }
        assert manifest.sources == (Source("S", "1", "CC0", "https://s.example", "thank S", curated=True),)
        found = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
        assert set(manifest.files) == found - {MANIFEST}
        assert manifest.created_by == f"clew {clew.__version__}"
        assert manifest.problems == {}

    def test_the_snapshot_names_the_content(self, folder: Path, tmp_path: Path) -> None:
        table = pa.table({"subject": ["a", "b"], "relation": ["r", "s"], "object": ["b", "c"], "source": ["S", "U"]})
        other = clew.build(table, out=tmp_path / "other.clew")
        manifest = read_manifest(folder)
        assert manifest.snapshot != other.snapshot.id
        assert manifest.snapshot == json.loads((folder / MANIFEST).read_text())["snapshot"] == folder.name

    def test_it_is_not_among_its_own_files(self, folder: Path) -> None:
        records = record_files(folder)
        del records[MANIFEST]
        assert records == dict(read_manifest(folder).files)

    def test_what_is_said_about_the_files_is_content_too(self, folder: Path) -> None:
        """Which sources count as curated changes answers, so it makes another snapshot; who built it does not."""
        manifest = read_manifest(folder)
        assert replace(manifest, sources=(Source("S", "1"),)).snapshot != manifest.snapshot
        assert replace(manifest, parent=manifest.snapshot).snapshot != manifest.snapshot
        assert replace(manifest, created_by="someone", problems={"dangling": 1}).snapshot == manifest.snapshot


class TestRefusals:
    @pytest.mark.parametrize(
        "alter",
        [
            *(drop(key) for key in ("counts", "widths", "segments", "files", "sources", "problems", "parent")),
            put("counts", "entities", value=-1),
            put("counts", "entities", value="3"),
            put("counts", "entities", value=3.0),
            put("counts", "entities", value=True),
            put("counts", value={}),
            put("counts", value=[]),
            put("widths", "entity", value="float64"),
            put("widths", "entity", value="object"),
            put("widths", "entity", value=["int32"]),
            put("widths", "relation", value="int8"),
            put("widths", "colour", value="int32"),
            put("segments", value=[]),
            put("segments", value=None),
            put("segments", 0, "entities", value=2),
            put("segments", 0, "folder", value="../elsewhere"),
            put("segments", 0, "folder", value=7),
            put("segments", 0, "first_entity", value=1),
            put("segments", 0, "entities", value=True),
            put("format_version", value=2),
            put("partitioning", value=7),
            put("segments", value=[segment(0, 1), segment(1, 2)]),  # two segments are format 2
            put("segments", value=[segment(0, 2), segment(1, 2)]),
            put("files", "../../etc/passwd", value={"size": 0, "sha256": []}),
            put("files", "/etc/passwd", value={"size": 0, "sha256": []}),
            put("files", "a/../b", value={"size": 0, "sha256": []}),
            put("files", "a//b", value={"size": 0, "sha256": []}),
            put("files", "", value={"size": 0, "sha256": []}),
            put("files", "nul\0", value={"size": 0, "sha256": []}),
            put("files", "half \ud800", value={"size": 0, "sha256": []}),
            put("files", value={"schema.json": {"size": 1, "sha256": [7]}}),
            put("snapshot", value="0123456789abcdef"),
            put("snapshot", value=None),
            put("files", "schema.json", "size", value=None),
            put("files", "schema.json", "sha256", value=[]),
            put("files", "schema.json", value=7),
            put("sources", value=[{"nome": "S"}]),
            put("sources", 0, "name", value=[]),
            put("sources", 0, "license", value={}),
            put("sources", 0, "curated", value="yes"),
            put("problems", value={"dangling": "many"}),
            put("problems", value=[]),
            put("created_by", value=7),
            put("parent", value=[[]]),
        ],
    )
    def test_a_manifest_that_cannot_be_relied_on(self, path: Path, folder: Path, alter: Change) -> None:
        change(folder, alter)
        for act, where in ((clew.open, path), (find_damage, folder)):
            with pytest.raises(DamagedGraph, match=r"manifest\.json is not a whole manifest") as error:
                act(where)  # type: ignore[operator]
            assert "\n" not in str(error.value)

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            (b"", "not JSON"),
            (b"{", "not JSON"),
            (b"\xff\xfe", "not JSON"),
            (b"[" * 100_000, "not JSON"),
            (b"[]", "not JSON"),
            (b"null", "not JSON"),
            (b'{"format": "other"}', "not the manifest of a Clew graph"),
            (b'{"format": "clew-graph"}', "says graph format None, this version of Clew reads formats 1 and 2"),
            (b'{"format": "clew-graph", "format_version": 3}', "says graph format 3, .*: upgrade Clew"),
            (b'{"format": "clew-graph", "format_version": true}', "says graph format True, .*: upgrade Clew"),
            (b'{"format": "clew-graph", "format_version": 1}', "its checksum differs"),
            (b'{"format": "clew-graph", "format_version": 1, "checksum": NaN}', "its checksum differs"),
        ],
    )
    def test_garbage(self, path: Path, folder: Path, content: bytes, expected: str) -> None:
        (folder / MANIFEST).write_bytes(content)
        with pytest.raises(ClewError, match=expected) as error:
            clew.open(path)
        assert isinstance(error.value, FormatError | DamagedGraph)
        assert "\n" not in str(error.value)

    def test_what_is_no_graph(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        (tmp_path / "folder").mkdir()
        for name, expected in (
            ("nothing", "does not exist"),
            ("folder", r"is not a Clew graph: it has no CURRENT"),
            ("file", "is not a Clew graph directory"),
            ("file/below", "does not exist"),
        ):
            with pytest.raises(FormatError, match=expected):
                clew.open(tmp_path / name)

    def test_a_schema_that_does_not_fit(self, path: Path, folder: Path) -> None:
        """A forger gives the snapshot the name of its content."""

        def alter(body: dict[str, Any]) -> None:
            body["counts"]["relations"] = 7
            body["snapshot"] = replace(read_manifest(folder), counts=body["counts"]).snapshot
            (path / CURRENT).write_text(body["snapshot"])

        change(folder, alter)
        folder.rename(snapshot_folder(path))
        with pytest.raises(DamagedGraph, match=r"schema\.json does not fit the manifest"):
            clew.open(path)

    def test_a_snapshot_under_the_name_of_another(self, path: Path, folder: Path) -> None:
        (path / CURRENT).write_text("0123456789abcdef")
        folder.rename(snapshot_folder(path))
        with pytest.raises(DamagedGraph, match=f"0123456789abcdef holds another snapshot, {folder.name}"):
            clew.open(path)


class TestDamage:
    def test_none(self, path: Path, folder: Path) -> None:
        assert find_damage(folder) == []
        Graph(path, verify=True).require_whole()

    def test_every_file_is_named_even_when_the_graph_cannot_be_opened(self, path: Path, folder: Path) -> None:
        (folder / "id_hash.npy").unlink()
        (folder / "schema.json").write_text("{}")
        (folder / "names.arrow").unlink()
        (folder / "names.arrow").mkdir()
        content = bytearray((folder / "entities.arrow").read_bytes())
        content[100] ^= 4
        (folder / "entities.arrow").write_bytes(content)
        assert find_damage(folder) == [
            f"entities.arrow: block 0 (bytes 0 to {len(content) - 1}) differs",
            "id_hash.npy: is missing",
            "names.arrow: is not a file",
            f"schema.json: has 2 bytes, not {read_size(folder, 'schema.json')}",
        ]

    def test_a_manifest_spaced_differently_opens_and_is_reported(self, path: Path, folder: Path) -> None:
        text = (folder / MANIFEST).read_text()
        (folder / MANIFEST).write_text(text.replace("\n ", "\n\t", 1))
        assert clew.open(path)._graph.damage() == [f"manifest.json: block 0 (bytes 0 to {len(text) - 1}) differs"]
        with pytest.raises(DamagedGraph, match=r"is damaged: manifest\.json: block 0"):
            clew.open(path, verify=True)

    def test_the_block_is_named(self, tmp_path: Path) -> None:
        content = bytes(2 * BLOCK_BYTES + 5)
        (tmp_path / "big").write_bytes(content)
        record = record_files(tmp_path)["big"]
        altered = bytearray(content)
        altered[BLOCK_BYTES + 1] = 1
        (tmp_path / "big").write_bytes(altered)
        check = BlockCheck(tmp_path, "big", record)
        check(0, BLOCK_BYTES)
        check(2 * BLOCK_BYTES, 2 * BLOCK_BYTES + 5)
        expected = rf"block 1 \(bytes {BLOCK_BYTES} to {2 * BLOCK_BYTES - 1}\) differs"
        for start, end in ((BLOCK_BYTES, BLOCK_BYTES + 1), (0, len(content)), (BLOCK_BYTES - 1, BLOCK_BYTES + 1)):
            with pytest.raises(DamagedGraph, match=expected):
                check(start, end)


def read_size(folder: Path, name: str) -> int:
    return int(json.loads((folder / MANIFEST).read_text())["files"][name]["size"])
