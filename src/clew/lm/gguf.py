"""The header of a GGUF file: whether it is valid and complete, and what it states about the model.

It is read before llama.cpp opens the file, so that a wrong or truncated file gives a clear error.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from clew.errors import MissingModel, ModelError

__all__ = ["Header", "read_header"]

MAGIC = b"GGUF"
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, ARRAY = 8, 9
MOST_ENTRIES, LONGEST_TEXT, LONGEST_ARRAY = 100_000, 1 << 26, 1 << 26
SKIP = 64  # longer arrays are vocabularies: their values are skipped


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of a model file."""

    values: Mapping[str, Any]

    @property
    def architecture(self) -> str:
        return str(self.values.get("general.architecture", "unknown"))

    @property
    def context(self) -> int | None:
        """The context length the model was trained with."""
        length = self.values.get(f"{self.architecture}.context_length")
        return int(length) if isinstance(length, int) else None


class _Broken(Exception):
    """A header that cannot be read, with the reason."""


def read_header(path: Path) -> Header:
    """The header of a GGUF file; raises `MissingModel` if there is no file, `ModelError` if it is not a whole GGUF."""
    path = Path(path)
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            return _read(file, size)
    except (FileNotFoundError, NotADirectoryError):
        raise MissingModel(f"there is no model file {path}: check the path, or run `clew models`") from None
    except OSError as error:
        raise ModelError(f"cannot read the model file {path}: {error.strerror or error}") from error
    except _Broken as error:
        raise ModelError(f"{path} is not a usable GGUF model: {error}") from None
    except (struct.error, UnicodeDecodeError, MemoryError, OverflowError):
        raise ModelError(f"{path} is not a usable GGUF model: its header is damaged or truncated") from None


def _read(file: IO[bytes], size: int) -> Header:
    magic = file.read(4)
    if magic != MAGIC:
        raise _Broken("it is empty" if not size else f"it begins with {magic!r}, not {MAGIC!r}")
    (version,) = struct.unpack("<I", file.read(4))
    if version not in (2, 3):
        raise _Broken(f"its format version is {version}; supported are 2 and 3")
    tensors, entries = struct.unpack("<QQ", file.read(16))
    if not 0 < tensors <= MOST_ENTRIES or not 0 < entries <= MOST_ENTRIES:
        raise _Broken(f"its header counts {tensors:,} tensors and {entries:,} values")
    values = {}
    for _ in range(entries):
        key = _text(file, size)
        (kind,) = struct.unpack("<I", file.read(4))
        values[key] = _value(file, kind, size)
    last = max(_tensor_offset(file, size) for _ in range(tensors))
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment <= 0:
        raise _Broken(f"its alignment is {alignment!r}")
    begin = -(-file.tell() // alignment) * alignment
    if begin + last >= size:
        raise _Broken(f"it has {size:,} bytes, but weights should start after byte {begin + last:,}: it is truncated")
    return Header(values)


def _text(file: IO[bytes], size: int) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > min(size, LONGEST_TEXT):
        raise _Broken("a text in its header is longer than the file")
    content = file.read(length)
    if len(content) < length:
        raise _Broken("its header is truncated")
    return content.decode("utf-8", "replace")


def _value(file: IO[bytes], kind: int, size: int) -> Any:
    if kind == TEXT:
        return _text(file, size)
    if kind != ARRAY:
        return _scalar(file, kind)
    inner, length = struct.unpack("<IQ", file.read(12))
    if length > min(size, LONGEST_ARRAY) or inner == ARRAY:
        raise _Broken("a list in its header is longer than the file")
    if inner == TEXT:
        kept = [_text(file, size) for _ in range(length)]
        return kept if length <= SKIP else None
    if inner not in SCALARS:
        raise _Broken(f"a value in its header has the unknown type {inner}")
    content = file.read(length * struct.calcsize("<" + SCALARS[inner]))
    return list(struct.unpack(f"<{length}{SCALARS[inner]}", content)) if length <= SKIP else None


def _scalar(file: IO[bytes], kind: int) -> Any:
    if kind not in SCALARS:
        raise _Broken(f"a value in its header has the unknown type {kind}")
    (value,) = struct.unpack("<" + SCALARS[kind], file.read(struct.calcsize("<" + SCALARS[kind])))
    return value


def _tensor_offset(file: IO[bytes], size: int) -> int:
    """The offset of the next tensor's weights after the header."""
    _text(file, size)
    (dimensions,) = struct.unpack("<I", file.read(4))
    if not 0 < dimensions <= 4:
        raise _Broken(f"a tensor has {dimensions:,} dimensions")
    file.read(8 * dimensions)
    _, offset = struct.unpack("<IQ", file.read(12))
    return int(offset)
