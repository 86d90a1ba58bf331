"""PubMed XML (PubmedArticleSet, or MEDLINE's older MedlineCitationSet), record by record.

The stream is cut at the tags of its records and each is parsed alone: memory stays small, a broken record costs only
itself, and since no record comes with a document type, no entity can be declared, fetched or expanded.
"""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from clew.extract.corpus.document import Document
from clew.extract.corpus.source_files import SourceFile, Stream
from clew.graph.staging import Problems

__all__ = ["read"]

SOURCE, LICENSE = "PubMed", "NLM terms"
BLOCK = 1 << 20
LONGEST_RECORD = 8 << 20  # bytes; the longest author lists take about two million
OPENING = re.compile(rb"<(PubmedArticle|MedlineCitation)(?=[\s>])")
CONTROLS = bytes.maketrans(bytes(set(range(32)) - {9, 10, 13}), b" " * 29)  # which XML does not allow


def read(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """Title and abstract of every record that has an abstract, a passage for each of its sections.

    PubMed's own text is free under NLM's terms, but the copyright of an abstract may lie with its publisher.
    """
    with file.open() as stream:
        for number, record in enumerate(_records(stream, file.name, problems), start=1):
            where = f"{file.name}, record {number}"
            try:
                article = ElementTree.fromstring(record.translate(CONTROLS))
            except (ElementTree.ParseError, ValueError) as error:
                problems.add("broken XML", where, str(error))
                continue
            document = _document(article, where, file)
            if document is None:
                problems.add("record without PMID", where, "no document can be cited by it")
            elif not document.passages:
                problems.add("no abstract", where, document.id)
            else:
                yield document


def _records(stream: Stream, name: str, problems: Problems) -> Iterator[bytes]:
    """The bytes of each record; the first record decides which tag bounds them."""
    opening, closing = OPENING, b""
    held, count, cut_short = b"", 0, False
    while block := stream.read1(BLOCK):  # what stands before damage is read before it is met
        held += block
        at = 0
        while found := opening.search(held, at):
            at = found.start()
            if not closing:
                opening, closing = re.compile(rb"<(%s)(?=[\s>])" % found[1]), b"</%s>" % found[1]
            end = held.find(closing, at)
            if end < 0:
                break
            count += 1
            yield held[at : end + len(closing)]
            at = end + len(closing)
        cut_short = found is not None
        if not cut_short:
            at = max(at, len(held) - 32)  # a tag may stand across two blocks
        elif len(held) - at > LONGEST_RECORD:
            problems.add("record too long", name, f"no end within {LONGEST_RECORD} bytes after record {count}")
            at, cut_short = len(held) - 32, False
        held = held[at:]
    if cut_short:
        problems.add("broken XML", name, f"the file ends within the record after record {count}")


def _document(article: ElementTree.Element, where: str, file: SourceFile) -> Document | None:
    citation = article if article.tag == "MedlineCitation" else article.find("MedlineCitation")
    number = (citation.findtext("PMID") or "").strip() if citation is not None else ""
    if citation is None or not number.isdecimal():
        return None
    title = _text(citation.find("Article/ArticleTitle"))
    if title.startswith("[") and title.rstrip(".").endswith("]"):  # how PubMed marks a translated title
        title = title.rstrip(".")[1:-1]
    sections = (_text(section) for section in citation.findall("Article/Abstract/AbstractText"))
    headings = {heading.text for heading in citation.findall("MeshHeadingList/MeshHeading/DescriptorName")}
    return Document(
        id=f"PMID:{number}",
        title=title,
        passages=tuple(section for section in sections if section),
        source=file.given.source or SOURCE,
        license=file.given.license or LICENSE,
        where=where,
        language=citation.findtext("Article/Language"),
        animal="Animals" in headings and "Humans" not in headings if headings else None,
    )


def _text(element: ElementTree.Element | None) -> str:
    """All text of an element on one line, its mark-up (italics, raised and lowered letters) left out."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
