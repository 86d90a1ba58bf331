"""The second stage: sentences in, sequences of at most 128 tokens out, each token with its place in the document.

Whole kept sentences of one document are packed in order; a sentence that is longer than a sequence is cut between
words. Written are `sequences/sequences.parquet` and the tokenizer.json that made it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from clew.errors import InputError
from clew.extract.corpus.tables import read_documents, read_sentences
from clew.extract.sequences.tokenizer import (
    CONTINUES,
    TOKENIZER,
    UNKNOWN,
    VOCABULARY_SIZE,
    encode,
    load_tokenizer,
    save_tokenizer,
    train_tokenizer,
)
from clew.extract.stage import PartFolder, Stage, make_table, read_counts, write_counts
from clew.files import block_checksums
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["SEQUENCES", "STAGE", "SequenceSettings", "Tokens", "pack", "prepare_sequences", "read_sequences"]

STAGE = Stage(
    "sequences", "prepare", "token sequences and the tokenizer", reads=("corpus",), headline=("sequences", "tokens")
)
VERSION = 1
PART_DOCUMENTS = 2000
SEQUENCES = pa.schema(
    [
        ("sequence", pa.int32()),
        ("document", pa.string()),
        ("tokens", pa.list_(pa.uint16())),
        ("starts", pa.list_(pa.int32())),
        ("ends", pa.list_(pa.int32())),
    ]
)


@dataclass(frozen=True, slots=True)
class SequenceSettings:
    """How long a sequence is, and where its vocabulary comes from: the corpus, or a tokenizer.json."""

    length: int = 128  # tokens
    vocabulary_size: int = VOCABULARY_SIZE
    tokenizer: str | None = None  # path

    def __post_init__(self) -> None:
        if not 8 <= self.length <= 1024:
            raise InputError(f"a sequence has 8 to 1024 tokens, not {self.length}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens with their places in a document's text."""

    ids: list[int]
    starts: list[int]
    ends: list[int]

    def __len__(self) -> int:
        return len(self.ids)


def prepare_sequences(
    run: Path, *, settings: SequenceSettings | None = None, progress: Progress = silent
) -> dict[str, Any]:
    """Make the sequences of a run from its corpus; returns the counts."""
    settings = settings or SequenceSettings()
    work = STAGE.start(run, _identify(settings))
    if work.finished is not None:
        return work.finished
    documents, sentences = read_documents(run), read_sentences(run)
    if not documents.num_rows or not any(sentences["kept"].to_pylist()):
        raise InputError(_say_nothing_was_kept(run))
    parts = work.parts()
    tokenizer = _find_tokenizer(parts, documents, sentences, settings, progress)
    counts = _write_parts(parts, tokenizer, documents, sentences, settings, progress)
    with work.seal() as directory:
        parts.join(STAGE.name, directory / f"{STAGE.name}.parquet", SEQUENCES)
        save_tokenizer(tokenizer, directory / TOKENIZER)
        write_counts(directory, counts)
    return dict(counts)


def read_sequences(run: Path) -> pa.Table:
    """The sequences of a run: sequence, document, tokens, starts, ends."""
    return STAGE.read_table(run)


def pack(sentences: Iterable[Tokens], length: int, continues: frozenset[int]) -> Iterator[Tokens]:
    """Fill sequences of at most `length` tokens with sentences in order; `continues` are tokens that go on a word.

    >>> [each.ids for each in pack([Tokens([7, 8], [0, 2], [1, 3]), Tokens([9, 9], [4, 6], [5, 7])], 3, frozenset())]
    [[7, 8], [9, 9]]
    """
    held = Tokens([], [], [])
    for sentence in sentences:
        for piece in _cut(sentence, length, continues):
            if len(held) + len(piece) > length:
                yield held
                held = Tokens([], [], [])
            held.ids.extend(piece.ids)
            held.starts.extend(piece.starts)
            held.ends.extend(piece.ends)
    if len(held):
        yield held


def _cut(sentence: Tokens, length: int, continues: frozenset[int]) -> Iterator[Tokens]:
    first = 0
    while len(sentence) - first > length:
        last = first + length
        while last > first and sentence.ids[last] in continues:
            last -= 1
        last = last if last > first else first + length  # one word longer than a sequence
        yield _slice(sentence, first, last)
        first = last
    if first < len(sentence):
        yield _slice(sentence, first, len(sentence))


def _slice(tokens: Tokens, first: int, last: int) -> Tokens:
    return Tokens(tokens.ids[first:last], tokens.starts[first:last], tokens.ends[first:last])


def _write_parts(
    parts: PartFolder,
    tokenizer: "Tokenizer",
    documents: pa.Table,
    sentences: pa.Table,
    settings: SequenceSettings,
    progress: Progress,
) -> dict[str, int]:
    """Every part that is not there yet; the counts of all."""
    counts: Counter[str] = Counter(documents=0, sequences=0, tokens=0, unknown=0, cut_sentences=0)
    for note in parts.notes():  # the last one holds the sum
        counts = Counter(note)
    continues = frozenset(number for entry, number in tokenizer.get_vocab().items() if entry.startswith(CONTINUES))
    spans = _KeptSpans(sentences)
    for at in range(parts.finished * PART_DOCUMENTS, documents.num_rows, PART_DOCUMENTS):
        block = documents.slice(at, PART_DOCUMENTS)
        rows: list[tuple[int, str, list[int], list[int], list[int]]] = []
        for document, tokens in _encode_documents(block, spans, tokenizer):
            counts["cut_sentences"] += sum(len(each) > settings.length for each in tokens)
            for packed in pack(tokens, settings.length, continues):
                rows.append((counts["sequences"], document, packed.ids, packed.starts, packed.ends))
                counts["sequences"] += 1
                counts["tokens"] += len(packed)
                counts["unknown"] += packed.ids.count(UNKNOWN)
        counts["documents"] += block.num_rows
        parts.write({STAGE.name: make_table(rows, SEQUENCES)}, counts)
        progress("making sequences", at + block.num_rows, documents.num_rows)
    return {**counts, "vocabulary": tokenizer.get_vocab_size()}


def _encode_documents(
    block: pa.Table, spans: "_KeptSpans", tokenizer: "Tokenizer"
) -> Iterator[tuple[str, list[Tokens]]]:
    """Each document of a block with the tokens of its kept sentences."""
    names, texts = block["document"].to_pylist(), block["text"].to_pylist()
    places = [spans.of(name) for name in names]
    wanted = (text[start:end] for text, found in zip(texts, places, strict=True) for start, end in found)
    encoded = encode(tokenizer, wanted)
    for name, found in zip(names, places, strict=True):
        tokens = []
        for start, _ in found:
            ids, offsets = next(encoded)
            visible = [(number, a + start, b + start) for number, (a, b) in zip(ids, offsets, strict=True) if a < b]
            if visible:
                tokens.append(Tokens(*map(list, zip(*visible, strict=True))))
        yield name, tokens


class _KeptSpans:
    """The kept sentences of each document; the table lists a document's sentences together."""

    def __init__(self, sentences: pa.Table) -> None:
        kept = sentences.filter(sentences["kept"])
        self._starts, self._ends = kept["start"].to_numpy(), kept["end"].to_numpy()
        names = kept["document"].combine_chunks().dictionary_encode()
        bounds = names.indices.to_numpy()
        self._first = {name: bisect_left(bounds, number) for number, name in enumerate(names.dictionary.to_pylist())}
        self._last = dict(pairwise([*self._first.values(), len(bounds)]))

    def of(self, document: str) -> list[tuple[int, int]]:
        """Start and end of each kept sentence of a document, in order."""
        if (first := self._first.get(document)) is None:
            return []
        last = self._last[first]
        return list(zip(self._starts[first:last].tolist(), self._ends[first:last].tolist(), strict=True))


def _find_tokenizer(
    parts: PartFolder, documents: pa.Table, sentences: pa.Table, settings: SequenceSettings, progress: Progress
) -> "Tokenizer":
    """The one given, the one an earlier attempt has trained, or a new one."""
    if settings.tokenizer is not None:
        return load_tokenizer(Path(settings.tokenizer))
    stored = parts.path / TOKENIZER
    if not stored.is_file():
        progress("training the tokenizer", 0, None)
        spans = _KeptSpans(sentences)
        pairs = zip(documents["document"].to_pylist(), documents["text"].to_pylist(), strict=True)
        texts = [text[start:end] for name, text in pairs for start, end in spans.of(name)]
        save_tokenizer(train_tokenizer(texts, vocabulary_size=settings.vocabulary_size), stored)
    return load_tokenizer(stored)


def _identify(settings: SequenceSettings) -> dict[str, str | int]:
    given = None if settings.tokenizer is None else Path(settings.tokenizer)
    if given is not None and not given.is_file():
        raise InputError(f"there is no file {given}")
    return {
        "version": VERSION,
        "length": settings.length,
        "vocabulary_size": settings.vocabulary_size,
        "tokenizer": "" if given is None else " ".join(block_checksums(given)),
    }


def _say_nothing_was_kept(run: Path) -> str:
    counts = read_counts(Path(run) / "corpus")
    flagged = ", ".join(f"{flag}: {count}" for flag, count in counts["flagged"].items())
    return (
        f"none of the {counts['sentences']} sentences in the corpus of {run} was kept ({flagged}): "
        "prepare it again and keep them (--keep)"
    )
