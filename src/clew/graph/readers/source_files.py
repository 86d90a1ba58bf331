"""The files a reader is given: whether they are there, opening them, and one clear sentence when they cannot be."""

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from clew.errors import InputError
from clew.unpacking import open_unpacked

__all__ = [
    "BY_SUFFIX",
    "FOREIGN",
    "LONGEST_LINE",
    "check_file",
    "open_bytes",
    "plain_suffix",
    "read_line",
    "reading",
    "unreadable",
]

KGX_NAMES = "name KGX files NAME_nodes.jsonl and NAME_edges.jsonl, or convert it to a table"
FOREIGN = {  # suffix → what it is, what to do
    ".gml": ("a GML network", "read it with networkx.read_gml and pass the network to clew.build (docs/formats.md)"),
    ".json": ("JSON that is no OBO graph", KGX_NAMES),
    ".jsonl": ("JSON Lines", KGX_NAMES),
    ".xlsx": ("an Excel workbook", "save the sheet as CSV"),
    ".xls": ("an Excel workbook", "save the sheet as CSV"),
    ".n3": ("Notation3", "save it as Turtle (.ttl)"),
    ".ofn": ("OWL in functional syntax", "convert it to RDF/XML or OBO (robot convert --output x.obo)"),
    ".omn": ("OWL in Manchester syntax", "convert it to RDF/XML or OBO (robot convert --output x.obo)"),
    ".owx": ("OWL/XML", "convert it to RDF/XML or OBO (robot convert --output x.obo)"),
}
BY_SUFFIX = {  # suffix → the format of READERS that has it alone
    **dict.fromkeys((".nt", ".nq", ".ttl", ".trig", ".rdf", ".owl", ".jsonld"), "rdf"),
    ".obo": "obo",
    ".graphml": "graphml",
    ".rrf": "umls",
}
PACKED = (".gz", ".bz2")
LONGEST_LINE = 64 << 20  # bytes
UNREADABLE = (OSError, EOFError, zlib.error, pa.ArrowException)


def check_file(path: str | os.PathLike[str]) -> Path:
    """The path, once it is known to be a file."""
    path = Path(path)
    if path.is_dir():
        inside = sorted(entry.name for entry in path.iterdir())
        found = f"it holds {', '.join(inside[:8])}{', …' if len(inside) > 8 else ''}" if inside else "it is empty"
        raise InputError(f"{path} is a directory, expected a file ({found}); pass the file, or a list of files")
    if not path.exists():
        raise InputError(f"there is no file {path}")
    if not path.is_file():  # a pipe would block for ever and a device may never end; both can be read only once
        raise InputError(f"{path} is a {_kind(path)}, expected a regular file: save what it gives to a file first")
    return path


def _kind(path: Path) -> str:
    mode = path.stat().st_mode
    return "named pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"


def plain_suffix(path: Path) -> str:
    """The suffix that tells the format: ".tsv" for "edges.tsv" and for "edges.TSV.gz" or ".bz2"."""
    return Path(path.stem if path.suffix.lower() in PACKED else path.name).suffix.lower()


def open_bytes(path: Path) -> BinaryIO:
    """The file's bytes, unpacked within bounds when its name ends in .gz or .bz2."""
    return open_unpacked(path) if path.suffix.lower() in PACKED else path.open("rb")


def read_line(stream: BinaryIO, path: Path) -> bytes:
    """One line; a longer one than `LONGEST_LINE` is an error, before it fills the memory."""
    line = stream.readline(LONGEST_LINE)
    if len(line) == LONGEST_LINE:
        raise InputError(f"{path} has a line of more than {LONGEST_LINE >> 20} MiB: it is no table of text")
    return line


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever goes wrong while reading a file into one sentence."""
    try:
        yield
    except UNREADABLE as error:
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise InputError(f"{path} cannot be read as {kind}: {reason}") from error


def unreadable(path: Path, readable: str) -> InputError:
    """The error for a file that is no table: the name of its format where the suffix tells it."""
    if plain_suffix(path) in BY_SUFFIX:
        name = BY_SUFFIX[plain_suffix(path)]
        return InputError(f"{path} has the format {name} and is no table: leave format= out, or say format={name!r}")
    what, advice = FOREIGN.get(plain_suffix(path), ("", ""))
    if what:
        return InputError(f"{path} is {what}, which Clew does not read yet: {advice}")
    return InputError(f"the format of {path} cannot be told from its name: expected {readable}")
