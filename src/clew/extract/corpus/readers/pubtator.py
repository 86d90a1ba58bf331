"""PubTator files: `id|t|title`, `id|a|abstract`, then lines of annotations, which are not read here.

Annotations count their offsets in title, one character, abstract: the text is kept to the letter so that they hold.
"""

import re
from collections.abc import Iterator

from clew.extract.corpus.document import Document
from clew.extract.corpus.source_files import SourceFile, read_lines
from clew.graph.staging import Problems

__all__ = ["read"]

SOURCE, LICENSE = "PubTator", "unknown"
TEXT = re.compile(r"([^\s|]+)\|([ta])\|(.*)\Z", re.DOTALL)


def read(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """One document for each title; its abstract follows on a later line with the same id."""
    title: tuple[str, str, str] | None = None  # id, text, place
    passages: list[str] = []
    with file.open() as stream:
        for number, line in read_lines(stream, file.name, problems):
            where = f"{file.name}:{number}"
            try:
                found = TEXT.match(line.decode().removesuffix("\n").removesuffix("\r"))
            except UnicodeDecodeError:
                problems.add("not UTF-8", where, "the line is left out")
                continue
            if found is None:
                continue  # an annotation, a relation or an empty line
            identifier, part, text = found.groups()
            if part == "t":
                if title is not None:
                    yield _document(title, passages, file)
                title, passages = (identifier, text, where), []
            elif title is None or title[0] != identifier:
                problems.add("abstract without title", where, identifier)
            else:
                passages.append(text)
    if title is not None:
        yield _document(title, passages, file)


def _document(title: tuple[str, str, str], passages: list[str], file: SourceFile) -> Document:
    identifier, text, where = title
    return Document(
        id=f"PMID:{identifier}" if identifier.isdecimal() else identifier,
        title=text,
        passages=tuple(passages),
        source=file.given.source or SOURCE,
        license=file.given.license or LICENSE,
        where=where,
        exact=True,
    )
