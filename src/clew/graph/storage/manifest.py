"""The manifest of a snapshot: written last, so a folder without one is no snapshot.

It names the format version, the counts, the widths of the numbers, every file with its size and block checksums,
where the statements came from, and its own checksum.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from clew.checksums import (
    FileRecord,
    check_inside,
    checksum_of,
    damaged_blocks,
    describe_block,
    json_text,
    read_object,
    read_records,
    size_fault,
)
from clew.errors import DamagedGraph, FormatError
from clew.files import BLOCK_BYTES, open_regular, write_text
from clew.graph.staging import Source
from clew.progress import Progress, silent, track

__all__ = [
    "FORMAT_VERSIONS",
    "MANIFEST",
    "BlockCheck",
    "DeltaRecord",
    "Manifest",
    "Segment",
    "Widths",
    "find_damage",
    "read_manifest",
]

MANIFEST = "manifest.json"
FORMAT = "clew-graph"
FORMAT_VERSIONS = (1, 2)  # 1: one segment; 2: any number of them, or a delta
COUNTS = ("entities", "triples", "assertions", "pairs", "names", "relations", "types")
RELATION_TYPES = ("uint16", "int32")
MOST_SAID = 200  # characters of an error that quotes a manifest


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
class DeltaRecord:
    """Rows that replace rows of a base (`clew.graph.updates`).

    `base` has the counts of the base alone, `stored` how many numbers were ever given to entities and triples, and
    `lengths` those of the arrays and tables in the folder.
    """

    folder: str
    base: Mapping[str, int]  # by COUNTS
    stored: Mapping[str, int]  # entities, triples
    lengths: Mapping[str, int]


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
    parent: str | None = None  # the snapshot that this one updates
    partitioning: str | None = None  # the strategy that chose the segments, if there are several
    delta: DeltaRecord | None = None
    changes: Mapping[str, int] = field(default_factory=dict)  # what the update changed, by kind

    @property
    def format_version(self) -> int:
        """The lowest version that can describe this graph."""
        return 1 if len(self.segments) == 1 and self.delta is None else 2

    @property
    def base(self) -> Mapping[str, int]:
        """The counts of the base alone."""
        return self.counts if self.delta is None else self.delta.base

    @property
    def snapshot(self) -> str:
        """A name for exactly this content: it changes with any byte of any file, and with sources and counts."""
        folders = [(each.folder, each.first_entity, each.entities) for each in self.segments]
        parts: list[Any] = [dict(self.counts), asdict(self.widths), folders, [asdict(each) for each in self.sources]]
        if self.delta is not None:
            parts.append(asdict(self.delta))
        digest = hashlib.sha256(json.dumps([self.format_version, self.parent, *parts], sort_keys=True).encode())
        for name in sorted(self.files):
            record = self.files[name]
            digest.update(f"\0{name}\0{record.size}\0{''.join(record.sha256)}".encode())
        return digest.hexdigest()[:16]

    def write(self, directory: Path) -> None:
        """Write manifest.json; this is what turns a folder into a snapshot."""
        body = {"format": FORMAT, "format_version": self.format_version, "snapshot": self.snapshot, **asdict(self)}
        write_text(directory / MANIFEST, json_text(body))


def read_manifest(directory: Path) -> Manifest:
    """Read and check manifest.json: that it is one, of a known version, unaltered, and that every file has its size."""
    manifest = _manifest(directory, _read_body(directory)[0])
    for name, record in manifest.files.items():
        if fault := size_fault(directory / name, record.size):
            raise DamagedGraph(f"{directory / name} {fault}: restore it or build the graph again")
    return manifest


def find_damage(directory: Path, *, whole: set[object] | None = None, progress: Progress = silent) -> list[str]:
    """Every file, and every block of a file, that is not as the manifest says, each as a sentence that names it.

    Needs a manifest that can be read; a graph that cannot be opened for other reasons can still be looked through.
    Files that were found whole are noted in `whole`, and not read again under another name.
    """
    body, text = _read_body(directory)
    found = []
    if text != json_text(body):  # the same words spaced differently are no reason not to open, but they were altered
        found.append(f"{MANIFEST}: block 0 (bytes 0 to {len(text.encode()) - 1}) differs")
    files = _manifest(directory, body).files
    for name, record in track(files.items(), "comparing checksums", progress, total=len(files)):
        known = whole is not None and (identity := _identity(directory / name, record)) in whole
        damage = [] if known else damaged_blocks(directory, name, record)
        if whole is not None and not damage:
            whole.add(identity)
        found.extend(damage)
    return found


def _identity(path: Path, record: FileRecord) -> object:
    """What two names of one file, listed with the same checksums, have in common."""
    try:
        status = path.stat()
    except OSError:
        return path
    return status.st_dev, status.st_ino, record


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
            with open_regular(self.path) as file:
                file.seek(number * BLOCK_BYTES)
                return hashlib.sha256(file.read(BLOCK_BYTES)).hexdigest()
        except OSError as error:
            raise DamagedGraph(f"cannot read {self.path}: {error.strerror or error}") from error


def _read_body(directory: Path) -> tuple[dict[str, Any], str]:
    """The manifest as JSON, less its checksum, and as text."""
    path = directory / MANIFEST
    try:
        body, text = read_object(path)
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:  # bad UTF-8 or bad JSON
        raise DamagedGraph(f"{path} is damaged (not JSON): build the graph again") from error
    if body.get("format") != FORMAT:
        raise FormatError(f"{path} is not the manifest of a Clew graph")
    version = body.get("format_version")
    if type(version) is not int or version not in FORMAT_VERSIONS:
        raise FormatError(
            f"{path} says graph format {version!r}, this version of Clew reads formats "
            f"{' and '.join(map(str, FORMAT_VERSIONS))}: upgrade Clew or build the graph again"
        )
    stated = body.pop("checksum", None)
    if stated != checksum_of(body):
        raise DamagedGraph(f"{path} is damaged (its checksum differs): build the graph again")
    return body, text


def _manifest(directory: Path, body: Mapping[str, Any]) -> Manifest:
    try:
        manifest = Manifest(
            counts=body["counts"],
            widths=Widths(**body["widths"]),
            segments=tuple(Segment(**segment) for segment in body["segments"]),
            files=read_records(body["files"]),
            sources=tuple(Source(**source) for source in body["sources"]),
            problems=body["problems"],
            created_by=body["created_by"],
            parent=body["parent"],
            partitioning=body.get("partitioning"),
            delta=None if body.get("delta") is None else DeltaRecord(**body["delta"]),
            changes=body.get("changes", {}),
        )
        _check(manifest)
        if body["format_version"] != manifest.format_version:
            with_delta = "a delta" if manifest.delta is not None else "no delta"
            raise ValueError(f"format {body['format_version']} with {len(manifest.segments)} segments and {with_delta}")
        if body["snapshot"] != manifest.snapshot:
            raise ValueError(f"it is called {body['snapshot']!r}, its content makes it {manifest.snapshot!r}")
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise DamagedGraph(
            f"{directory / MANIFEST} is not a whole manifest ({_short(error)}): build the graph again"
        ) from error
    return manifest


def _check(manifest: Manifest) -> None:
    """Raise ValueError unless every number and name of the manifest can be relied on."""
    if not all(
        type(counts[name]) is int and counts[name] >= 0
        for counts in (manifest.counts, manifest.base)
        for name in COUNTS
    ):
        raise ValueError("a count is not a whole number")
    if manifest.delta is not None:
        _check_delta(manifest.delta)
    widths = manifest.widths
    if not {widths.entity, widths.offset, widths.triple} <= {"int32", "int64"} or widths.relation not in RELATION_TYPES:
        raise ValueError(f"unknown widths {widths}")
    _check_segments(manifest)
    for source in manifest.sources:
        texts = (source.version, source.license, source.url, source.attribution, source.name)
        if not all(type(each) is str or each is None for each in texts[:-1]) or type(source.name) is not str:
            raise ValueError("a source is not described by text")
        if type(source.curated) is not bool:
            raise ValueError(f"whether {source.name} is curated is neither true nor false")
    noted = [*manifest.problems.values(), *manifest.changes.values()]
    if not all(type(count) is int for count in noted) or type(manifest.created_by) is not str:
        raise ValueError("odd notes on the build")
    if not all(each is None or type(each) is str for each in (manifest.parent, manifest.partitioning)):
        raise ValueError("an odd parent or partitioning")


def _check_segments(manifest: Manifest) -> None:
    """Raise ValueError unless the segments hold every entity, one range after another."""
    after = 0
    for segment in manifest.segments:
        check_inside(segment.folder)
        if type(segment.entities) is not int or segment.entities < 0 or segment.first_entity != after:
            raise ValueError("segments that are not one range of entities after another")
        after += segment.entities
    if not manifest.segments or after != manifest.base["entities"]:
        raise ValueError("segments that do not hold every entity")
    if len({segment.folder for segment in manifest.segments}) < len(manifest.segments):
        raise ValueError("two segments in one folder")


def _check_delta(delta: DeltaRecord) -> None:
    check_inside(delta.folder)
    numbers = [*delta.stored.values(), *delta.lengths.values()]
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("a length in a delta is not a whole number")
    if any(delta.stored[name] < delta.base[name] for name in ("entities", "triples")):
        raise ValueError("a delta with fewer numbers than its base")


def _short(error: Exception) -> str:
    said = ascii(error)
    return said if len(said) <= MOST_SAID else said[:MOST_SAID] + "…"
