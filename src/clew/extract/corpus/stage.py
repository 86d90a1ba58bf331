"""The first stage of extraction: files in, `corpus/documents.parquet` and `corpus/sentences.parquet` out.

Everything left out is counted by name. Work is kept in parts, so a killed run resumes with the next document; a
finished corpus of the same files and settings is not made again.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.extract.corpus.cues import CUES, FLAGS
from clew.extract.corpus.document import Document, make_storable
from clew.extract.corpus.readers import read_file
from clew.extract.corpus.screening import CorpusSettings, Screened, screen
from clew.extract.corpus.source_files import Input, SourceFile, source_files
from clew.extract.corpus.tables import DOCUMENTS, SENTENCES, STAGE, Rows
from clew.extract.corpus.word_lists import WORD_LISTS
from clew.extract.stage import PartFolder, write_counts
from clew.files import block_checksums
from clew.graph.staging import Problems
from clew.progress import Progress, silent

__all__ = ["CorpusCounts", "prepare_corpus"]

VERSION = 1  # of the rules by which sentences are found and judged: raised when they change
PART_DOCUMENTS, PART_CHARACTERS = 2000, 8 << 20
PUBMED_NOTE = "PubMed records are under NLM's terms; the copyright of an abstract may lie with its publisher"


@dataclass(slots=True)
class CorpusCounts:
    """What came in, what went out, and each reason for leaving something out."""

    files: int = 0
    documents: int = 0
    sentences: int = 0
    kept: int = 0  # sentences read further
    kept_words: int = 0
    sources: Counter[str] = field(default_factory=Counter)  # documents of each
    licenses: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)  # records and documents
    removed: Counter[str] = field(default_factory=Counter)  # sentences that are not in the table
    flagged: Counter[str] = field(default_factory=Counter)  # sentences that are in it
    examples: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "CorpusCounts":
        """Counts as `to_json` gave them."""
        counts = cls()
        for name, value in stored.items():
            setattr(counts, name, Counter(value) if isinstance(value, dict) else value)
        return counts

    def to_json(self) -> dict[str, Any]:
        """All counts by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def prepare_corpus(
    inputs: Iterable[Input | str | os.PathLike[str]],
    run: Path,
    *,
    settings: CorpusSettings | None = None,
    progress: Progress = silent,
) -> CorpusCounts:
    """Read files and folders into the corpus of a run directory; of duplicate documents the first is kept."""
    settings = settings or CorpusSettings()
    problems = Problems(on_error="skip")
    inputs = list(inputs)
    files = source_files(inputs, problems)
    work = STAGE.start(run, _identify(files, settings))
    if work.finished is not None:
        return CorpusCounts.from_json(work.finished)
    parts = work.parts()
    counts = _gather(files, parts, problems, settings, progress)
    if not counts.documents:
        parts.remove()
        raise InputError(_say_nothing_was_read(inputs, counts))
    with work.seal() as directory:
        parts.join("documents", directory / "documents.parquet", DOCUMENTS)
        parts.join("sentences", directory / "sentences.parquet", SENTENCES)
        write_counts(directory, counts.to_json())
    return counts


def _gather(
    files: Sequence[SourceFile], parts: PartFolder, problems: Problems, settings: CorpusSettings, progress: Progress
) -> CorpusCounts:
    """Screen every document that no finished part holds."""
    counts, at, done = CorpusCounts(files=len(files)), 0, 0
    _take_over(counts, problems)
    for note in parts.notes():  # the last one holds the sum
        counts, at, done = CorpusCounts.from_json(note["counts"]), note["file"], note["record"]
    known = _Known(parts)
    rows = Rows()
    _restore(problems, counts)
    for number, record, document in _documents(files, at, done, problems, counts):
        screened = screen(document, settings)
        reason = screened.reason or known.find_twin(document, screened.laid_out.text)
        if reason is not None:
            problems.add(reason, document.where, document.id)
        else:
            rows.add(document, screened)
            _count(counts, document, screened)
        if len(rows.documents) >= PART_DOCUMENTS or rows.characters >= PART_CHARACTERS:
            _take_over(counts, problems)
            parts.write(rows.tables(), {"file": number, "record": record, "counts": counts.to_json()})
            rows = Rows()
            progress("reading the corpus", counts.documents, None)
    _take_over(counts, problems)
    if rows.documents:
        parts.write(rows.tables(), {"file": len(files), "record": 0, "counts": counts.to_json()})
    progress("reading the corpus", counts.documents, counts.documents)
    return counts


def _documents(
    files: Sequence[SourceFile], at: int, done: int, problems: Problems, counts: CorpusCounts
) -> Iterator[tuple[int, int, Document]]:
    """Every document after record `done` of file number `at`, with both numbers."""
    for number in range(at, len(files)):
        documents = read_file(files[number], problems)
        skipped = done if number == at else 0
        for _ in islice(documents, skipped):
            pass
        if skipped:
            _restore(problems, counts)  # what was met on the way is in the counts already
        for record, document in enumerate(documents, start=skipped + 1):
            yield number, record, document


class _Known:
    """Ids and texts seen so far; texts that differ only in case and space are duplicates."""

    def __init__(self, parts: PartFolder) -> None:
        self.ids: set[str] = set()
        self.texts: set[bytes] = set()
        for table in parts.tables("documents", columns=["document", "text"]):
            self.ids.update(table["document"].to_pylist())
            self.texts.update(map(_fingerprint, table["text"].to_pylist()))

    def find_twin(self, document: Document, text: str) -> str | None:
        """Why a document is not new; None if it is, and from now on it is known."""
        if document.id in self.ids:
            return "id met before"
        if (fingerprint := _fingerprint(text)) in self.texts:
            return "text met before"
        self.ids.add(document.id)
        self.texts.add(fingerprint)
        return None


def _fingerprint(text: str) -> bytes:
    return hashlib.blake2b(" ".join(text.lower().split()).encode(), digest_size=16).digest()


def _count(counts: CorpusCounts, document: Document, screened: Screened) -> None:
    counts.documents += 1
    counts.sentences += len(screened.sentences)
    counts.sources[document.source] += 1
    counts.licenses[document.license] += 1
    counts.removed.update(screened.removed)
    for sentence in screened.sentences:
        if sentence.kept:
            counts.kept += 1
            counts.kept_words += len(screened.laid_out.text[sentence.start : sentence.end].split())
        counts.flagged.update(flag for flag in FLAGS if getattr(sentence.flags, flag))


def _take_over(counts: CorpusCounts, problems: Problems) -> None:
    counts.left_out, counts.examples = Counter(problems.counts), [make_storable(each) for each in problems.examples]
    counts.notes = [PUBMED_NOTE] if "NLM terms" in counts.licenses else []


def _restore(problems: Problems, counts: CorpusCounts) -> None:
    problems.counts, problems.examples = Counter(counts.left_out), list(counts.examples)


def _identify(files: Sequence[SourceFile], settings: CorpusSettings) -> dict[str, str | int]:
    """What the corpus is made from: contents count, not where they lie."""
    found = hashlib.sha256()
    for file in files:
        given = file.given
        try:
            content = block_checksums(file.path)
        except OSError:
            content = ["unreadable"]  # which is counted when its turn comes
        found.update(json.dumps([file.name, given.source, given.license, given.format, content]).encode())
    return {
        "version": VERSION,
        "inputs": found.hexdigest(),
        "settings": json.dumps(asdict(settings), sort_keys=True),
        "cues": hashlib.sha256(CUES.path.read_bytes() + WORD_LISTS.read_bytes()).hexdigest(),
    }


def _say_nothing_was_read(inputs: Sequence[Input | str | os.PathLike[str]], counts: CorpusCounts) -> str:
    names = ", ".join(str(each.path if isinstance(each, Input) else each) for each in inputs[:3]) or "no input"
    more = f" and {len(inputs) - 3} more" if len(inputs) > 3 else ""
    reasons = ", ".join(f"{kind}: {count}" for kind, count in counts.left_out.most_common())
    first = f"; first: {counts.examples[0]}" if counts.examples else ""
    return f"no documents were read from {names}{more}: {reasons or 'nothing is in it'}{first}"
