"""Head discovery: which stretches of each sequence name an entity of the seed graph.

Documents are searched for the longest names (`Linker.detect`), so that an abbreviation counts wherever it is defined;
a name belongs to the sequence whose tokens spell it. Gene symbols count only in their own capitals, two letters and
common English words not at all. Mentions that somebody marked can be given and go before what is found.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from clew.errors import InputError
from clew.extract.corpus.tables import read_documents
from clew.extract.mentions.linking import link_heads
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.spans import SequenceTokens, Span
from clew.extract.stage import Stage, make_table
from clew.link import Candidate, Linker, Mention
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

if TYPE_CHECKING:
    from clew.embed import Encoder

__all__ = [
    "HEADS",
    "STAGE",
    "Head",
    "HeadChooser",
    "HeadSettings",
    "find_heads",
    "prepare_heads",
    "read_heads",
    "stop_names",
]

STAGE = Stage("heads", "prepare", "mentions of seed entities", reads=("sequences",), headline=("heads",))
HEADS = pa.schema(
    [
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("first", pa.int16()),
        ("last", pa.int16()),  # exclusive
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("text", pa.string()),
        ("entity", pa.string()),
        ("type", pa.string()),
        ("score", pa.float32()),
        ("method", pa.string()),
    ]
)
GIVEN = "given"  # method of a mention that somebody marked
GENE = "Gene"
CAPITALS, LETTERS = 2, 3  # of a word that is a symbol
DOCUMENTS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """What counts as a head: `shortest` is the fewest letters of a name that the text itself does not define."""

    shortest: int = 3
    stop_names: bool = True  # leave out names that are common English words

    def __post_init__(self) -> None:
        if self.shortest < 1:
            raise InputError(f"shortest is at least 1, not {self.shortest}")


@dataclass(frozen=True, slots=True)
class Head:
    """A head before it is placed: its span in the document, and its entity."""

    start: int
    end: int
    text: str
    entity: str | None
    type: str | None
    score: float
    method: str


def prepare_heads(
    run: Path,
    graph: GraphEngine,
    *,
    settings: HeadSettings | None = None,
    mentions: pa.Table | None = None,
    encoder: "Encoder | None" = None,
    progress: Progress = silent,
) -> dict[str, int]:
    """Find the heads of a run's sequences and write run/heads; returns the counts.

    `mentions` (columns document, start, end, entity, type) are taken as they are; of an entity any id or
    cross-reference of the graph may be given. Those without one are linked by similarity (`linking`), which an
    encoder improves.
    """
    settings = settings or HeadSettings()
    given = 0 if mentions is None else mentions.num_rows
    work = STAGE.start(run, {"settings": settings, "graph": graph.snapshot.id, "mentions": given})
    if work.finished is not None:
        return work.finished
    linker = Linker(graph, progress=progress)
    sequences = SequenceTokens(read_sequences(run).select(["document", "starts", "ends"]))
    documents = read_documents(run).select(["document", "text"])
    parts = work.parts()
    for at in range(parts.finished * DOCUMENTS_AT_ONCE, documents.num_rows, DOCUMENTS_AT_ONCE):
        progress("finding heads", at, documents.num_rows)
        some = documents.slice(at, DOCUMENTS_AT_ONCE)
        table, counts = find_heads(some, sequences, linker, settings=settings, mentions=mentions)
        if table["entity"].null_count:
            table = link_heads(table, linker, encoder=encoder)
            counts["heads that stay without an entity"] = table["entity"].null_count
        parts.write({"heads": table}, counts)
    table = pa.concat_tables([HEADS.empty_table(), *parts.tables("heads")]).sort_by(
        [("sequence", "ascending"), ("first", "ascending")]
    )
    table = table.set_column(0, HEADS.field("head"), pa.array(np.arange(table.num_rows, dtype=np.int32)))
    total = sum((Counter(note) for note in parts.notes()), Counter[str]())
    work.write({STAGE.name: table}, total)
    progress("finding heads", documents.num_rows, documents.num_rows)
    return dict(total)


def read_heads(run: Path) -> pa.Table:
    """The heads of a run."""
    return STAGE.read_table(run)


def find_heads(
    documents: pa.Table,
    sequences: SequenceTokens,
    linker: Linker,
    *,
    settings: HeadSettings | None = None,
    mentions: pa.Table | None = None,
) -> tuple[pa.Table, dict[str, int]]:
    """The heads of some documents (columns document, text) in the order of their sequences, and the counts."""
    chooser = HeadChooser(linker, settings or HeadSettings())
    given = _given(mentions, linker)
    counts: Counter[str] = Counter()
    rows: list[tuple[object, ...]] = []
    for document, text in zip(documents["document"].to_pylist(), documents["text"].to_pylist(), strict=True):
        if document not in sequences.rows:
            counts["documents without a sequence"] += 1
            continue
        heads = _with_given(chooser.heads(text, counts), given.get(document, {}), text)
        placed = sequences.place(document, [(head.start, head.end) for head in heads])
        for head, place in zip(heads, placed, strict=True):
            if place is None:
                counts["outside the sequences, or not on the borders of tokens"] += 1
                continue
            counts[f"heads: {head.method}"] += 1
            about = (head.start, head.end, head.text, head.entity, head.type, head.score, head.method)
            rows.append((len(rows), *place, *about))
    counts["heads"] = len(rows)
    return make_table(rows, HEADS), dict(counts)


class HeadChooser:
    """Decides which of the mentions in a text are heads, and what each means; names repeat, so verdicts are kept."""

    def __init__(self, linker: Linker, settings: HeadSettings) -> None:
        self._linker = linker
        self._settings = settings
        self._verdicts: dict[tuple[str, str | None], Candidate | str] = {}

    def heads(self, text: str, counts: Counter[str]) -> list[Head]:
        """The heads of one text in its order; rejected mentions are counted by reason."""
        found = []
        for mention in self._linker.detect(text, marks=False):
            verdict = self._verdict(mention)
            if isinstance(verdict, str):
                counts[verdict] += 1
            else:
                found.append(
                    Head(
                        mention.start,
                        mention.end,
                        mention.text,
                        verdict.id,
                        verdict.type,
                        verdict.score,
                        verdict.stage,
                    )
                )
        return found

    def _verdict(self, mention: Mention) -> Candidate | str:
        key = mention.text, mention.abbreviation_of
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = self._verdicts[key] = self._judge(mention)
        return verdict

    def _judge(self, mention: Mention) -> Candidate | str:
        """What a mention means, or why it is no head."""
        best = mention.linked.best
        assert best is not None  # detection keeps no others
        alternatives = (best, *mention.linked.alternatives)
        if mention.abbreviation_of is None:
            if sum(map(str.isalnum, mention.text)) < self._settings.shortest:
                return "too short"
            if self._settings.stop_names and mention.text.casefold() in stop_names():
                return "too common a word"
            if (chosen := next(filter(partial(_is_written, mention.text), alternatives), None)) is None:
                return "symbol in other capitals"
            return chosen
        return best


def _is_written(text: str, candidate: Candidate) -> bool:
    """Whether a text may mean that name: a gene's symbol, or one such as GAVE or POTs, only as it is written."""
    word = candidate.matched
    capitals = word.isalpha() and sum(map(str.isupper, word)) >= CAPITALS
    symbol = " " not in word and (candidate.type == GENE or word.isupper() or capitals)
    return not symbol or text in (word, f"{word}s") or (candidate.type == GENE and _is_variant(text, word))


def _is_variant(text: str, symbol: str) -> bool:
    """Whether a gene's symbol is written as that of a mouse or with a small letter: Nrf2, mTOR, PlGF."""
    if text.casefold() != symbol.casefold():
        return False
    letters, capitals = sum(map(str.isalpha, text)), sum(map(str.isupper, text))
    return letters >= LETTERS and capitals > 0 and (capitals >= CAPITALS or any(map(str.isdigit, text)))


@cache
def stop_names() -> frozenset[str]:
    """Names that are common English words, in lower case."""
    lines = Path(__file__).with_name("stop_names.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split("|") if word)


def _given(mentions: pa.Table | None, linker: Linker) -> dict[str, dict[Span, tuple[str | None, str | None]]]:
    """Marked mentions by document and place, with the leading ids of their entities."""
    found: dict[str, dict[Span, tuple[str | None, str | None]]] = {}
    if mentions is None:
        return found
    missing = {"document", "start", "end", "entity", "type"} - set(mentions.column_names)
    if missing:
        raise InputError(f"the table of mentions lacks the columns {', '.join(sorted(missing))}")
    for row in mentions.to_pylist():
        entity, kind = _known(row["entity"], linker), row["type"]
        found.setdefault(row["document"], {})[row["start"], row["end"]] = (entity, kind)
    return found


def _known(identifier: str | None, linker: Linker) -> str | None:
    if identifier is None:
        return None
    forms = linker.index.find_id(identifier)
    return linker.id_of(forms[0].entity) if forms else None


def _with_given(heads: list[Head], given: Mapping[Span, tuple[str | None, str | None]], text: str) -> list[Head]:
    """Given mentions of which something is known, what overlaps none of them, then the other given ones."""
    if not given:
        return heads
    marked = [
        Head(start, end, text[start:end], entity, kind, 1.0, GIVEN)
        for (start, end), (entity, kind) in sorted(given.items())
    ]
    sure = [head for head in marked if head.entity is not None or head.type is not None]
    taken = sure + [head for head in heads if not any(_overlaps(head, each) for each in sure)]
    rest = [head for head in marked if head not in sure and not any(_overlaps(head, each) for each in taken)]
    return sorted([*taken, *rest], key=lambda head: head.start)


def _overlaps(one: Head, other: Head) -> bool:
    return one.start < other.end and other.start < one.end
