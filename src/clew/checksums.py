"""Files listed with the size and SHA-256 of every 4 MiB block, and JSON that states its own checksum.

Manifests of graphs and seals of derived data are such JSON files with such lists; both may come from strangers.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from stat import S_ISREG
from typing import Any

from clew.files import BLOCK_BYTES, block_checksums, read_regular

__all__ = [
    "FileRecord",
    "check_inside",
    "checksum_of",
    "damaged_blocks",
    "describe_block",
    "json_text",
    "read_object",
    "read_records",
    "record_file",
    "record_files",
    "size_fault",
]

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Size and SHA-256 of each 4 MiB block of one file."""

    size: int
    sha256: tuple[str, ...]


def record_files(directory: Path) -> dict[str, FileRecord]:
    """Size and checksums of every file below a directory, by relative name."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): record_file(path) for path in files}


def record_file(path: Path) -> FileRecord:
    """Size and checksums of one file."""
    return FileRecord(path.stat().st_size, tuple(block_checksums(path)))


def read_records(listed: Mapping[str, Any]) -> dict[str, FileRecord]:
    """Records as they were listed in JSON; raises ValueError, TypeError or the like where they are none."""
    records = {name: FileRecord(each["size"], tuple(each["sha256"])) for name, each in listed.items()}
    for name, record in records.items():
        check_inside(name)
        if type(record.size) is not int or record.size < 0:
            raise ValueError(f"the size of {name} is not a whole number")
        if len(record.sha256) != -(-record.size // BLOCK_BYTES) or not all(type(each) is str for each in record.sha256):
            raise ValueError(f"{name} has {record.size} bytes and {len(record.sha256)} checksums")
    return records


def check_inside(name: str) -> None:
    """Raise ValueError unless a name is a plain relative path, so that it stays inside the directory that lists it."""
    parts = PurePosixPath(name).parts
    if not parts or name != "/".join(parts) or parts[0] == "/" or ".." in parts or "\0" in name:
        raise ValueError(f"{name!r} is not a path inside the directory")
    name.encode()  # half a surrogate pair is no name


def size_fault(path: Path, size: int) -> str | None:
    """What is wrong with a file before it is read: missing, not regular, or of another size."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"
    if not S_ISREG(found.st_mode):
        return "is not a file"
    return None if found.st_size == size else f"has {found.st_size} bytes, not {size}"


def damaged_blocks(directory: Path, name: str, record: FileRecord) -> list[str]:
    """What of one file differs from its record, each block a sentence."""
    try:
        fault = size_fault(directory / name, record.size)
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


def json_text(body: Mapping[str, Any]) -> str:
    """A JSON object that ends with its own checksum."""
    return json.dumps({**body, "checksum": checksum_of(body)}, indent=1) + "\n"


def checksum_of(body: Mapping[str, Any]) -> str:
    """The SHA-256 of a JSON object, however it is spaced."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def read_object(path: Path) -> tuple[Object, str]:
    """The JSON object in a file, and its text; raises OSError, or ValueError where it is none."""
    try:
        text = read_regular(path).decode("utf-8")
        body = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(body, dict):
        raise ValueError("not an object")
    return body, text
