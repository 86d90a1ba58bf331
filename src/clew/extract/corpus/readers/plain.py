"""Plain text in UTF-8: a document a file, or a document for each block between blank lines."""

from collections.abc import Iterator

from clew.extract.corpus.document import Document
from clew.extract.corpus.readers.fields import UNKNOWN_LICENSE, paragraphs
from clew.extract.corpus.source_files import LONGEST, SourceFile, read_lines
from clew.graph.staging import Problems

__all__ = ["read", "read_blocks"]


def read(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """The whole file as one document, its paragraphs as passages."""
    with file.open() as stream:
        content = stream.read(LONGEST + 1)
    if len(content) > LONGEST:
        problems.add("document too long", file.name, f"more than {LONGEST} bytes; as blocks it could be read in pieces")
        return
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        problems.add("not UTF-8", file.name, f"byte {error.start + 1} fits no character")
        return
    yield _document(file.name, paragraphs(text), file.name, file)


def read_blocks(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """A document for each block of lines; it is called by the file's name and its number."""
    held: list[str] = []
    first, size, count = 1, 0, 0
    with file.open() as stream:
        for number, line in read_lines(stream, file.name, problems):
            try:
                text = line.decode().strip()
            except UnicodeDecodeError:
                problems.add("not UTF-8", f"{file.name}:{number}", "the line is left out")
                continue
            if text:
                first = first if held else number
                held.append(text)
                size += len(text)
            if held and (not text or size > LONGEST):
                count += 1
                yield _document(f"{file.name}#{count}", (" ".join(held),), f"{file.name}:{first}", file)
                held, size = [], 0
    if held:
        yield _document(f"{file.name}#{count + 1}", (" ".join(held),), f"{file.name}:{first}", file)


def _document(identifier: str, passages: tuple[str, ...], where: str, file: SourceFile) -> Document:
    return Document(
        id=identifier,
        title="",
        passages=passages,
        source=file.given.source or file.name,
        license=file.given.license or UNKNOWN_LICENSE,
        where=where,
    )
