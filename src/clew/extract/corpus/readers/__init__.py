"""Readers of corpora: each turns one file into documents, and counts by name what it has to leave out."""

from collections.abc import Iterator
from dataclasses import replace

from clew.errors import InputError
from clew.extract.corpus.document import Document, make_storable
from clew.extract.corpus.source_files import UNREADABLE, SourceFile, tell_format
from clew.graph.staging import Problems
from clew.registry import Entry, Registry

__all__ = ["READERS", "read_file"]

READERS = Registry(
    "corpus format",
    {
        "pubmed": Entry("clew.extract.corpus.readers.pubmed:read", "PubMed or MEDLINE XML"),
        "pubtator": Entry("clew.extract.corpus.readers.pubtator:read", "PubTator: id|t|title, id|a|abstract"),
        "pubmedqa": Entry("clew.extract.corpus.readers.pubmedqa:read", "PubMedQA JSON: the contexts"),
        "jsonl": Entry("clew.extract.corpus.readers.json_lines:read", "one object a line: id, title, text"),
        "csv": Entry("clew.extract.corpus.readers.tables:read_csv", "a table with a column text"),
        "tsv": Entry("clew.extract.corpus.readers.tables:read_tsv", "a table with a column text"),
        "parquet": Entry("clew.extract.corpus.readers.tables:read_parquet", "a table with a column text"),
        "text": Entry("clew.extract.corpus.readers.plain:read", "plain text, a document a file"),
        "blocks": Entry("clew.extract.corpus.readers.plain:read_blocks", "plain text, blank lines between documents"),
    },
)


def read_file(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """The documents of one file; whatever cannot be read of it becomes a counted problem, never an exception."""
    try:
        file.check_size()
        for document in READERS.load(tell_format(file))(file, problems):
            yield replace(
                document,
                id=make_storable(document.id),
                source=make_storable(document.source),
                license=make_storable(document.license),
            )
    except InputError as error:
        problems.add("unknown format", str(file.path), str(error))
    except UNREADABLE as error:  # after the documents that stood before the damage
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        problems.add("unreadable file", str(file.path), reason)
