"""The manifest: written last, so a directory without one is no graph.

It names the format version, the counts, the widths of the numbers, every file with its size and block checksums,
where the statements came from, and its own checksum.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from stat import S_ISREG
from typing import Any

from clew.errors import DamagedGraph, FormatError
from clew.files import BLOCK_BYTES, block_checksums, write_text
from clew.graph.staging import Source
from clew.progress import Progress, silent, track

__all__ = [
    "FORMAT_VERSION",
    "MANIFEST",
    "BlockCheck",
    "FileRecord",
    "Manifest",
    "Segment",
    "Widths",
    "damaged_blocks",
    "describe_block",
    "find_damage",
    "read_manifest",
    "record_files",
]

MANIFEST = "manifest.json"
FORMAT = "clew-graph"
FORMAT_VERSION = 1
COUNTS = ("entities", "triples", "assertions", "pairs", "names", "relations", "types")
RELATION_TYPES = ("uint16", "int32")


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

    counts: Mapping[str, int]  # by COUNTS
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
        write_text(directory / MANIFEST, _text({"format": FORMAT, "snapshot": self.snapshot, **asdict(self)}))


def _text(body: Mapping[str, Any]) -> str:
    return json.dumps({**body, "checksum": _checksum(body)}, indent=1) + "\n"


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
    manifest = _manifest(directory, _read_body(directory)[0])
    for name, record in manifest.files.items():
        if fault := _size_fault(directory / name, record.size):
            raise DamagedGraph(f"{directory / name} {fault}: restore it or build the graph again")
    return manifest


def find_damage(directory: Path, *, progress: Progress = silent) -> list[str]:
    """Every file, and every block of a file, that is not as the manifest says, each as a sentence that names it.

    Needs a manifest that can be read; a graph that cannot be opened for other reasons can still be looked through.
    """
    body, text = _read_body(directory)
    found = []
    if text != _text(body):  # the same words spaced differently are no reason not to open, but they were altered
        found.append(f"{MANIFEST}: block 0 (bytes 0 to {len(text.encode()) - 1}) differs")
    files = _manifest(directory, body).files
    for name, record in track(files.items(), "comparing checksums", progress, total=len(files)):
        found.extend(damaged_blocks(directory, name, record))
    return found


def damaged_blocks(directory: Path, name: str, record: FileRecord) -> list[str]:
    """What of one file differs from the manifest, each block a sentence."""
    try:
        fault = _size_fault(directory / name, record.size)
        checksums = block_checksums(directory / name) if fault is None else []
    except OSError as error:
        fault = f"cannot be read ({error.strerror or error})"
    if fault is not None:
        return [f"{name}: {fault}"]
    return [
        f"{name}: {describe_block(number, record)} differs"
        for number, (is_, was) in enumerate(zip(checksums, record.sha256, strict=True))
        if is_ != was
    ]


def describe_block(number: int, record: FileRecord) -> str:
    """A block of a file in words.

    >>> describe_block(0, FileRecord(100, ("…",)))
    'block 0 (bytes 0 to 99)'
    """
    return f"block {number} (bytes {number * BLOCK_BYTES} to {min((number + 1) * BLOCK_BYTES, record.size) - 1})"


class BlockCheck:
    """Compares the blocks of one file with their checksums before anything relies on them, each block once."""

    def __init__(self, directory: Path, name: str, record: FileRecord) -> None:
        self.path = directory / name
        self.record = record
        self._good: set[int] = set()

    def __call__(self, start: int, end: int) -> None:
        """Raise `DamagedGraph` unless bytes `start` to `end` (excluded) lie in blocks that are as they were written."""
        wanted = set(range(start // BLOCK_BYTES, -(-min(end, self.record.size) // BLOCK_BYTES))) - self._good
        if not wanted:
            return
        for number in sorted(wanted):
            if self._checksum(number) != self.record.sha256[number]:
                block = describe_block(number, self.record)
                raise DamagedGraph(f"{self.path}: {block} differs: restore the file or build the graph again")
        self._good |= wanted

    def _checksum(self, number: int) -> str:
        try:
            with open(self.path, "rb", buffering=0) as file:
                file.seek(number * BLOCK_BYTES)
                return hashlib.sha256(file.read(BLOCK_BYTES)).hexdigest()
        except OSError as error:
            raise DamagedGraph(f"cannot read {self.path}: {error.strerror or error}") from error


def _size_fault(path: Path, size: int) -> str | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return "is missing from the graph"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"
    if not S_ISREG(found.st_mode):
        return "is not a file"
    return None if found.st_size == size else f"has {found.st_size} bytes, the manifest says {size}"


def _read_body(directory: Path) -> tuple[dict[str, Any], str]:
    """The manifest as JSON, less its checksum, and as text."""
    path = directory / MANIFEST
    try:
        text = path.read_bytes().decode("utf-8")
        body = json.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        what = "is not a Clew graph: it has no manifest.json" if directory.is_dir() else "is not a Clew graph directory"
        what = what if directory.exists() else "does not exist"
        raise FormatError(f"{directory} {what}; make one with `clew build`") from None
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # bad UTF-8 or bad JSON
        raise DamagedGraph(f"{path} is damaged (not JSON): build the graph again") from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise FormatError(f"{path} is not the manifest of a Clew graph")
    if body.get("format_version") != FORMAT_VERSION:
        raise FormatError(
            f"{path} says graph format {body.get('format_version')!r}, this version of Clew reads format "
            f"{FORMAT_VERSION}: upgrade Clew or build the graph again"
        )
    stated = body.pop("checksum", None)
    if stated != _checksum(body):
        raise DamagedGraph(f"{path} is damaged (its checksum differs): build the graph again")
    return body, text


def _manifest(directory: Path, body: Mapping[str, Any]) -> Manifest:
    try:
        manifest = Manifest(
            counts=body["counts"],
            widths=Widths(**body["widths"]),
            segments=tuple(Segment(**segment) for segment in body["segments"]),
            files={name: FileRecord(record["size"], tuple(record["sha256"])) for name, record in body["files"].items()},
            sources=tuple(Source(**source) for source in body["sources"]),
            problems=body["problems"],
            created_by=body["created_by"],
            parent=body["parent"],
        )
        _check(manifest)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DamagedGraph(
            f"{directory / MANIFEST} is not a whole manifest ({error!r}): build the graph again"
        ) from error
    return manifest


def _check(manifest: Manifest) -> None:
    """Raise ValueError unless every number and name of the manifest can be relied on."""
    numbers = [*(manifest.counts[name] for name in COUNTS), *(record.size for record in manifest.files.values())]
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("a count or size is not a whole number")
    widths = manifest.widths
    if not {widths.entity, widths.offset, widths.triple} <= {"int32", "int64"} or widths.relation not in RELATION_TYPES:
        raise ValueError(f"unknown widths {widths}")
    if [(each.first_entity, each.entities) for each in manifest.segments] != [(0, manifest.counts["entities"])]:
        raise ValueError("not one segment that holds every entity")
    for name in (*manifest.files, *(segment.folder for segment in manifest.segments)):
        parts = PurePosixPath(name).parts
        if not parts or name != "/".join(parts) or ".." in parts or "\0" in name:
            raise ValueError(f"{name!r} is not a path inside the graph")
    for name, record in manifest.files.items():
        if len(record.sha256) != -(-record.size // BLOCK_BYTES):
            raise ValueError(f"{name} has {record.size} bytes and {len(record.sha256)} checksums")
