"""PubTator files: `id|t|title`, `id|a|abstract`, then tab-separated lines of annotations and relations.

Annotations count their offsets in title, one character, abstract: the text is kept to the letter so that they hold. As
a corpus only the text is read; `parse` also gives the annotations.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from clew.extract.corpus.document import Document
from clew.extract.corpus.source_files import SourceFile, read_lines
from clew.graph.staging import Problems

__all__ = ["Annotated", "parse", "read"]

SOURCE, LICENSE = "PubTator", "unknown"
TEXT = re.compile(r"([^\s|]+)\|([ta])\|(.*)\Z", re.DOTALL)


@dataclass(slots=True)
class Annotated:
    """A document of a PubTator file: its passages after the title, and the cells of its annotation lines."""

    id: str
    title: str
    where: str  # of the title
    passages: list[str] = field(default_factory=list)
    annotations: list[list[str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What offsets of annotations count in."""
        return " ".join([self.title, *self.passages])


def parse(lines: Iterable[tuple[int, bytes]], name: str, problems: Problems) -> Iterator[Annotated]:
    """The documents in numbered lines: one for each title, with what follows it under the same id."""
    document: Annotated | None = None
    for number, line in lines:
        where = f"{name}:{number}"
        try:
            written = line.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            problems.add("not UTF-8", where, "the line is left out")
            continue
        found = TEXT.match(written)
        if found is None:
            cells = written.split("\t")
            if document is not None and cells[0] == document.id and len(cells) > 1:
                document.annotations.append(cells)
            continue
        identifier, part, text = found.groups()
        if part == "t":
            if document is not None:
                yield document
            document = Annotated(identifier, text, where)
        elif document is None or document.id != identifier:
            problems.add("abstract without title", where, identifier)
        else:
            document.passages.append(text)
    if document is not None:
        yield document


def read(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """One document for each title; its abstract follows on a later line with the same id."""
    with file.open() as stream:
        for each in parse(read_lines(stream, file.name, problems), file.name, problems):
            yield Document(
                id=f"PMID:{each.id}" if each.id.isdecimal() else each.id,
                title=each.title,
                passages=tuple(each.passages),
                source=file.given.source or SOURCE,
                license=file.given.license or LICENSE,
                where=each.where,
                exact=True,
            )
