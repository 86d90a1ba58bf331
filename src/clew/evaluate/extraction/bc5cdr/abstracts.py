"""Abstracts with gold mentions and relations, from PubTator files as BC5CDR comes in.

A file goes in, `Abstract`s come out. A mention keeps the MeSH ids it stands for: ids of −1 (nothing in MeSH fits) are
dropped, composite ids ("D1|D2") split. Offsets are those of title + " " + abstract, and are checked.
"""

from dataclasses import dataclass, field
from pathlib import Path

from clew.errors import InputError
from clew.extract.corpus.readers.pubtator import Annotated, parse
from clew.extract.corpus.source_files import UNREADABLE, read_lines, source_files
from clew.graph.staging import Problems

__all__ = ["Abstract", "Mentioned", "read_abstracts"]

CHEMICAL, DISEASE, INDUCES = "Chemical", "Disease", "CID"
NO_RECORD = "-1"
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


def read_abstracts(path: Path | str) -> list[Abstract]:
    """The abstracts of a PubTator file, plain or gzipped, in order."""
    problems = Problems()
    try:
        (file,) = source_files([path], problems)
        with file.open() as stream:
            documents = list(parse(read_lines(stream, str(path), problems), str(path), problems))
    except UNREADABLE as error:
        raise InputError(f"cannot read {path} as a PubTator file: {error}") from error
    if problems.examples:
        raise InputError(f"cannot read {path} as a PubTator file: {problems.examples[0]}")
    if not documents:
        raise InputError(f"{path} holds no PubTator document: expected lines number|t|title and number|a|abstract")
    return [_abstract(each) for each in documents]


def _abstract(document: Annotated) -> Abstract:
    if not document.passages:
        raise InputError(f"{document.where}: document {document.id} has a title and no line {document.id}|a|abstract")
    mentions, induces = [], set()
    for cells in document.annotations:
        if len(cells) == 4 and cells[1] == INDUCES:
            induces.add((cells[2], cells[3]))
        elif len(cells) >= 5 and cells[1].isdigit() and cells[2].isdigit():
            mentions.append(_mention(cells, document.text, document.where))
    ordered = tuple(sorted(mentions, key=lambda each: each.start))
    return Abstract(document.id, document.title, document.text, ordered, frozenset(induces))


def _mention(cells: list[str], text: str, place: str) -> Mentioned:
    start, end = int(cells[1]), int(cells[2])
    if text[start:end] != cells[3]:
        raise InputError(f"{place}: characters {start} to {end} are {text[start:end]!r}, the file says {cells[3]!r}")
    ids = cells[5].split("|") if len(cells) > 5 else []
    return Mentioned(start, end, cells[3], cells[4], tuple(each for each in ids if each and each != NO_RECORD))
