"""The two tables of a corpus: one row a document, one row a sentence."""

from pathlib import Path

import pyarrow as pa

from clew.extract.corpus.document import Document
from clew.extract.corpus.screening import Screened
from clew.extract.stage import Stage, make_table

__all__ = ["DOCUMENTS", "SENTENCES", "STAGE", "Rows", "read_documents", "read_sentences"]

STAGE = Stage("corpus", "prepare", "documents and their sentences", headline=("documents", "kept"))
DOCUMENTS = pa.schema([(name, pa.string()) for name in ("document", "title", "text", "source", "license")])
SENTENCES = pa.schema(
    [
        ("document", pa.string()),
        ("sentence", pa.int32()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("negated", pa.bool_()),
        ("speculative", pa.bool_()),
        ("animal", pa.bool_()),
        ("kept", pa.bool_()),
    ]
)


class Rows:
    """Rows of both tables, gathered until a part is full."""

    def __init__(self) -> None:
        self.documents: list[tuple[str, ...]] = []
        self.sentences: list[tuple[str | int | bool, ...]] = []
        self.characters = 0

    def add(self, document: Document, screened: Screened) -> None:
        """Add a document and its sentences."""
        laid_out = screened.laid_out
        self.documents.append((document.id, laid_out.title, laid_out.text, document.source, document.license))
        self.characters += len(laid_out.text)
        for number, each in enumerate(screened.sentences):
            flags = each.flags
            row = (document.id, number, each.start, each.end, flags.negated, flags.speculative, flags.animal, each.kept)
            self.sentences.append(row)

    def tables(self) -> dict[str, pa.Table]:
        """Both tables by name."""
        return {"documents": make_table(self.documents, DOCUMENTS), "sentences": make_table(self.sentences, SENTENCES)}


def read_documents(run: Path) -> pa.Table:
    """The documents of a run: document, title, text, source, license."""
    return STAGE.read_table(run, "documents")


def read_sentences(run: Path) -> pa.Table:
    """The sentences of a run: document, sentence, start, end, negated, speculative, animal, kept."""
    return STAGE.read_table(run, "sentences")
