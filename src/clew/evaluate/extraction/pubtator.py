"""Abstracts with gold mentions and relations, from PubTator files as BC5CDR comes in.

A file goes in, `Abstract`s come out. A mention keeps the MeSH ids it stands for: ids of −1 (nothing in MeSH fits) are
dropped, composite ids ("D1|D2") split. Offsets are those of title + " " + abstract, and are checked.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from clew.errors import InputError

__all__ = ["Abstract", "Mentioned", "read_pubtator"]

CHEMICAL, DISEASE, INDUCES = "Chemical", "Disease", "CID"
NO_RECORD = "-1"
GZIP = b"\x1f\x8b"
Pair = tuple[str, str]  # chemical, disease


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A gold mention: where it stands, what it says, its type and the records it stands for (none: MeSH has none)."""

    start: int
    end: int
    text: str
    type: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Abstract:
    """A document with its gold; `text` is the title, a space and the abstract."""

    document: str
    title: str
    text: str = field(repr=False)
    mentions: tuple[Mentioned, ...] = field(repr=False)  # in order of their start
    induces: frozenset[Pair]

    def of_type(self, kind: str) -> tuple[Mentioned, ...]:
        """Mentions of a type that stand for at least one record."""
        return tuple(each for each in self.mentions if each.type == kind and each.ids)

    def ids(self, kind: str) -> tuple[str, ...]:
        """Records of a type, each once, in order of their first mention."""
        return tuple(dict.fromkeys(identifier for each in self.of_type(kind) for identifier in each.ids))

    def pairs(self) -> list[Pair]:
        """Every chemical with every disease of the document: the candidates."""
        diseases = self.ids(DISEASE)
        return [(chemical, disease) for chemical in self.ids(CHEMICAL) for disease in diseases]


def read_pubtator(path: Path | str) -> list[Abstract]:
    """The abstracts of a PubTator file, plain or gzipped, in order."""
    try:
        content = Path(path).read_bytes()
        lines = (gzip.decompress(content) if content.startswith(GZIP) else content).decode("utf-8").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path} as a PubTator file: {error}") from error
    return [_abstract(block, f"{path}, line {first}") for first, block in _blocks(lines)]


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Documents stand apart by empty lines; each with the number of its first line."""
    block: list[str] = []
    first = 1
    for number, line in enumerate(lines, start=1):
        if line := line.rstrip("\r"):
            first = first if block else number
            block.append(line)
        elif block:
            yield first, block
            block = []
    if block:
        yield first, block


def _abstract(block: list[str], place: str) -> Abstract:
    if len(block) < 2 or block[0].count("|") < 2 or block[1].count("|") < 2:
        raise InputError(f"{place}: a document begins with a line number|t|title and a line number|a|abstract")
    document, _, title = block[0].split("|", 2)
    text = f"{title} {block[1].split('|', 2)[2]}"
    mentions, induces = [], set()
    for line in block[2:]:
        cells = line.split("\t")
        if len(cells) == 4 and cells[1] == INDUCES:
            induces.add((cells[2], cells[3]))
        elif len(cells) >= 5 and cells[1].isdigit() and cells[2].isdigit():
            mentions.append(_mention(cells, text, place))
    return Abstract(document, title, text, tuple(sorted(mentions, key=lambda each: each.start)), frozenset(induces))


def _mention(cells: list[str], text: str, place: str) -> Mentioned:
    start, end = int(cells[1]), int(cells[2])
    if text[start:end] != cells[3]:
        raise InputError(f"{place}: characters {start} to {end} are {text[start:end]!r}, the file says {cells[3]!r}")
    ids = cells[5].split("|") if len(cells) > 5 else []
    return Mentioned(start, end, cells[3], cells[4], tuple(each for each in ids if each and each != NO_RECORD))
