"""The manifest: written last, so a directory without one is no graph.

It names the format version, the counts, the widths of the numbers, every file with its size and block checksums,
where the statements came from, and its own checksum.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from clew.errors import DamagedGraph, FormatError
from clew.files import BLOCK_BYTES, block_checksums, write_text
from clew.graph.staging import Source

__all__ = ["FORMAT_VERSION", "MANIFEST", "FileRecord", "Manifest", "Segment", "Widths", "read_manifest", "record_files"]

MANIFEST = "manifest.json"
FORMAT = "clew-graph"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Size and SHA-256 of each 4 MiB block of one file."""

    size: int
    sha256: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A range of entities whose rows live together in one folder."""

    folder: str
    first_entity: int
    entities: int


@dataclass(frozen=True, slots=True)
class Widths:
    """NumPy types of the numbers on disk: 32 bits while they fit."""

    entity: str = "int32"
    offset: str = "int32"
    relation: str = "uint16"
    triple: str = "int32"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What stands in manifest.json."""

    counts: Mapping[str, int]  # entities, triples, assertions, pairs, relations, types
    widths: Widths
    segments: tuple[Segment, ...]
    files: Mapping[str, FileRecord]
    sources: tuple[Source, ...] = ()
    problems: Mapping[str, int] = field(default_factory=dict)  # rows left out when the graph was built, by kind
    created_by: str = ""
    parent: str | None = None
    format_version: int = FORMAT_VERSION

    @property
    def snapshot(self) -> str:
        """A name for exactly this content: it changes when any byte of any file does."""
        digest = hashlib.sha256()
        for name in sorted(self.files):
            digest.update(name.encode())
            digest.update("".join(self.files[name].sha256).encode())
        return digest.hexdigest()[:16]

    def write(self, directory: Path) -> None:
        """Write manifest.json; this is what turns a directory into a graph."""
        body = {"format": FORMAT, "snapshot": self.snapshot, **asdict(self)}
        write_text(directory / MANIFEST, json.dumps({**body, "checksum": _checksum(body)}, indent=1) + "\n")


def _checksum(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def record_files(directory: Path) -> dict[str, FileRecord]:
    """Size and checksums of every file below a directory, by relative name."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {
        path.relative_to(directory).as_posix(): FileRecord(path.stat().st_size, tuple(block_checksums(path)))
        for path in files
    }


def read_manifest(directory: Path) -> Manifest:
    """Read and check manifest.json: that it is one, of a known version, unaltered, and that every file has its size."""
    body = _read_body(directory)
    try:
        manifest = Manifest(
            counts={name: int(count) for name, count in body["counts"].items()},
            widths=Widths(**body["widths"]),
            segments=tuple(Segment(**segment) for segment in body["segments"]),
            files={name: FileRecord(record["size"], tuple(record["sha256"])) for name, record in body["files"].items()},
            sources=tuple(Source(**source) for source in body["sources"]),
            problems=body["problems"],
            created_by=body["created_by"],
            parent=body["parent"],
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DamagedGraph(f"{directory / MANIFEST} is not a whole manifest ({error!r}): build the graph again") from error
    for name, record in manifest.files.items():
        _check_size(directory / name, record.size)
    return manifest


def _read_body(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    try:
        body = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        what = "is not a Clew graph: it has no manifest.json" if directory.is_dir() else "is not a Clew graph directory"
        what = what if directory.exists() else "does not exist"
        raise FormatError(f"{directory} {what}; make one with `clew build`") from None
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:  # bad UTF-8 or bad JSON
        raise DamagedGraph(f"{path} is damaged (not JSON): build the graph again") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise FormatError(f"{path} is not the manifest of a Clew graph")
    if body.get("format_version") != FORMAT_VERSION:
        raise FormatError(
            f"{directory} has graph format {body.get('format_version')!r}, this version of Clew reads format "
            f"{FORMAT_VERSION}: upgrade Clew or build the graph again"
        )
    stated = body.pop("checksum", None)
    if stated != _checksum(body):
        raise DamagedGraph(f"{path} is damaged (its checksum differs): build the graph again")
    return body


def _check_size(path: Path, size: int) -> None:
    try:
        found = path.stat().st_size
    except OSError as error:
        raise DamagedGraph(f"{path} is missing from the graph: restore it or build the graph again") from error
    if found != size:
        raise DamagedGraph(f"{path} has {found} bytes, the manifest says {size}: restore it or build the graph again")


def damaged_blocks(directory: Path, name: str, record: FileRecord) -> list[str]:
    """The blocks of one file that differ from the manifest, each as a sentence."""
    found = block_checksums(directory / name)
    return [
        f"{name}: block {number} (bytes {number * BLOCK_BYTES} to {min((number + 1) * BLOCK_BYTES, record.size) - 1}) differs"
        for number, (is_, was) in enumerate(zip(found, record.sha256, strict=False))
        if is_ != was
    ]
