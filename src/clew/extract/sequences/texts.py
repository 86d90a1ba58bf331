"""The texts of a run: documents by their ids, and the words of each sequence."""

from pathlib import Path

from clew.extract.corpus.tables import read_documents
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.spans import SequenceTokens

__all__ = ["document_texts", "sequence_texts"]


def document_texts(run: Path) -> dict[str, str]:
    """Every document's text by its id."""
    documents = read_documents(run)
    return dict(zip(documents["document"].to_pylist(), documents["text"].to_pylist(), strict=True))


def sequence_texts(run: Path) -> list[str]:
    """The words of every sequence, in the order of their numbers."""
    sequences, texts = read_sequences(run), document_texts(run)
    tokens = SequenceTokens(sequences)
    return [tokens.text(row, texts[name]) for row, name in enumerate(sequences["document"].to_pylist())]
