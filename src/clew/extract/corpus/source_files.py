"""The files of a corpus: finding them in folders, opening them unpacked and as UTF-8, and telling their format apart.

What a file is, is read off its first bytes, never off its name alone: gzip, UTF-16 and a declared XML encoding are
undone here, so that readers see plain UTF-8.
"""

import codecs
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from clew.errors import InputError
from clew.graph.staging import Problems
from clew.unpacking import check_whole, open_unpacked

__all__ = [
    "FORMATS",
    "LONGEST",
    "UNREADABLE",
    "Input",
    "SourceFile",
    "Stream",
    "read_lines",
    "source_files",
    "tell_format",
]

SNIFF = 64 << 10  # bytes looked at to tell a format
LONGEST = 32 << 20  # bytes of one record or line, and characters of one document; more is left out, and counted
UNREADABLE = (OSError, EOFError, zlib.error)
WIDE = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
PUBMED = re.compile(rb"<(?:PubmedArticle|MedlineCitation)(?:Set)?[\s>]")
PUBTATOR = re.compile(rb"\A\s*[^\s|]+\|[ta]\|")
PUBMEDQA = re.compile(rb'"CONTEXTS"\s*:\s*\[')
WRITTEN = re.compile(r"utf-(?:16|32)|iso8859|cp\d|koi8|mac-|gb|big5|shift_jis|euc_")
TABLES = {".csv": "csv", ".tsv": "tsv"}
FORMATS = ("pubmed", "pubtator", "pubmedqa", "jsonl", "csv", "tsv", "parquet", "text", "blocks")


Stream = io.BufferedReader


@dataclass(frozen=True, slots=True)
class Input:
    """A file or folder to read, with source and licence for documents that state none."""

    path: Path
    source: str | None = None
    license: str | None = None
    format: str | None = None  # one of FORMATS; None: detected

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"no corpus format is called {self.format!r}: known: {', '.join(FORMATS)}")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of an input; `name` is how its documents are called where they have no ids."""

    path: Path
    name: str
    given: Input

    def open(self) -> Stream:
        """The content: unpacked, as UTF-8, without a byte order mark."""
        stream = open_unpacked(self.path) if self._is_gzip() else self.path.open("rb")
        try:
            start = stream.peek(256)[:256]
            stream.read(len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0)
            encoding = _encoding(start)
        except BaseException:
            stream.close()
            raise
        return stream if encoding is None else io.BufferedReader(_Recoded(stream, encoding))

    def check_size(self) -> None:
        """Refuse a file that unpacks to more than it may; damage is for its reader to find."""
        with suppress(*UNREADABLE):
            if self._is_gzip():
                check_whole(self.path)

    def _is_gzip(self) -> bool:
        with self.path.open("rb") as packed:
            return packed.read(2) == b"\x1f\x8b"


def source_files(inputs: Iterable[Input | str | os.PathLike[str]], problems: Problems) -> list[SourceFile]:
    """All files of the inputs in order, those of a folder by name; hidden ones are not looked at."""
    found: list[SourceFile] = []
    for each in inputs:
        given = each if isinstance(each, Input) else Input(Path(each))
        path = Path(given.path)
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file() and not _hidden(file, path))
            if not inside:
                problems.add("empty folder", str(path), "no files in it")
            found += (SourceFile(file, file.relative_to(path).as_posix(), given) for file in inside)
        elif path.is_file():
            found.append(SourceFile(path, path.name, given))
        else:
            if path.exists():
                raise InputError(f"{path} is a pipe or a device, expected a file or folder: save it to a file first")
            raise InputError(f"there is no file or folder {path}")
    return found


def tell_format(file: SourceFile) -> str:
    """One of FORMATS by the first bytes of a file; raises `InputError` where it is none of them."""
    if file.given.format is not None:
        return file.given.format
    with file.open() as stream:
        start = stream.read1(SNIFF)
    suffix = Path(file.path.stem if file.path.suffix.lower() == ".gz" else file.path.name).suffix.lower()
    first = start.lstrip()[:1]
    if start.startswith(b"PAR1"):
        return "parquet"
    if b"\0" in start:
        raise InputError("neither text nor Parquet: it holds NUL bytes")
    if PUBTATOR.match(start):
        return "pubtator"
    if first == b"<":
        if PUBMED.search(start) is None:
            raise InputError("XML or HTML without PubMed records: expected <PubmedArticle> or <MedlineCitation>")
        return "pubmed"
    if first == b"{":
        return "pubmedqa" if PUBMEDQA.search(start) else "jsonl"
    if first == b"[":
        raise InputError("a JSON array: expected one JSON object a line")
    return TABLES.get(suffix, "text")


def read_lines(stream: Stream, name: str, problems: Problems) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, from 1; one longer than LONGEST is left out without ever being held whole."""
    number = 0
    while line := stream.readline(LONGEST):
        number += 1
        if len(line) == LONGEST and not line.endswith(b"\n") and (rest := stream.readline(LONGEST)):
            while rest and not rest.endswith(b"\n"):
                rest = stream.readline(LONGEST)
            problems.add("line too long", f"{name}:{number}", f"more than {LONGEST} bytes")
            continue
        yield number, line


class _Recoded(io.RawIOBase):
    """A stream in another encoding, read as UTF-8; what cannot be decoded becomes U+FFFD."""

    def __init__(self, stream: Stream, encoding: str) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._left:
            block = self._stream.read(SNIFF)
            self._left = self._decoder.decode(block, final=not block).encode("utf-8", "replace")
            if not block:
                break
        taken = min(len(buffer), len(self._left))
        buffer[:taken], self._left = self._left[:taken], self._left[taken:]
        return taken

    def close(self) -> None:
        self._stream.close()
        super().close()


def _encoding(start: bytes) -> str | None:
    """What to decode from before the content is UTF-8; None where it should be already."""
    for mark, encoding in WIDE.items():
        if start.startswith(mark):
            return encoding
    declared = DECLARED.match(start)
    if declared is None:
        return None
    with suppress(LookupError):
        name = codecs.lookup(declared[1].decode()).name
        if name in ("utf-8", "ascii"):
            return None
        if WRITTEN.match(name):  # not such codecs as "zlib" or "idna"
            return name
    raise InputError(f"its XML declares the encoding {declared[1].decode()!r}, which cannot be read")


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)
