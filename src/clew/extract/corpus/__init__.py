"""Text to learn from: files of many kinds in, documents and their sentences with offsets out.

prepare_corpus(["pubmed21n1298.xml.gz", "notes/"], Path("run")); read_sentences(Path("run"))
"""

from clew.extract.corpus.screening import CorpusSettings
from clew.extract.corpus.source_files import FORMATS, Input
from clew.extract.corpus.stage import CorpusCounts, prepare_corpus
from clew.extract.corpus.tables import read_documents, read_sentences

__all__ = [
    "FORMATS",
    "CorpusCounts",
    "CorpusSettings",
    "Input",
    "prepare_corpus",
    "read_documents",
    "read_sentences",
]
