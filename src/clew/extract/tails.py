"""From predictions to tails: each query's likeliest phrases, found by the decoder or formed by a helper model.

Written is run/tails; blocks of queries are kept as parts, so that a killed run goes on with the next.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from clew.errors import InputError
from clew.extract.asking import read_asked
from clew.extract.chains import PAD, SLOTS
from clew.extract.combine import Combiner
from clew.extract.decoder import Decoder, Phrase, Slots, make_slots
from clew.extract.heads import read_heads
from clew.extract.parts import PartFolder, make_table, seal_checksum
from clew.extract.phrases import find_phrases
from clew.extract.predictions import open_predictor, part_of, read_predictions
from clew.extract.queries import Queries, read_queries
from clew.extract.sequences import read_sequences
from clew.extract.signatures import Signatures
from clew.extract.stage_files import finished_counts, read_stage_table, write_stage
from clew.extract.texts import document_texts, sequence_texts
from clew.extract.trie import Trie
from clew.extract.wordpiece import Vocabulary, open_vocabulary
from clew.graph import Graph
from clew.lm import LanguageModel
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.extract.prediction import Predictor

__all__ = ["TAILS", "DecoderSettings", "make_lexicon", "prepare_tails", "read_tails"]

STAGE = "tails"
TAILS = pa.schema(
    [
        ("query", pa.int32()),
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("relation", pa.string()),
        ("tail", pa.string()),
        ("log_prob", pa.float32()),
        ("length", pa.int8()),
        ("rank", pa.int16()),
        ("decoder", pa.string()),
    ]
)
PART_QUERIES = 2000
PART_ASKED = 50  # with a helper model, which takes seconds for each


@dataclass(frozen=True, slots=True)
class DecoderSettings:
    """Where tails are looked for, and how many of a query are kept.

    `in_order` scores them anew with the model, each token given those before it: better, and slower by the number of
    tails and of their tokens. `tokens` and `formed` are what a helper model is shown of a query, and may form.
    """

    width: int = 32
    most: int = 8
    lexicon: bool = True  # names of the seed's entities of the right types
    text: bool = True  # phrases of the sequence itself
    in_order: bool = False
    tokens: int = 20
    formed: int = 3


def prepare_tails(
    run: Path,
    graph: Graph,
    *,
    model: Path,
    settings: DecoderSettings | None = None,
    helper: LanguageModel | None = None,
    device: str | None = None,
    progress: Progress = silent,
) -> dict[str, int]:
    """Write run/tails from the predictions of a run; returns what was counted."""
    run, settings = Path(run), settings or DecoderSettings()
    identity = {
        **asdict(settings),
        "predictions": seal_checksum(run / "predictions"),
        "graph": graph.manifest.snapshot,
        "helper": "none" if helper is None else helper.identity,
    }
    if (counted := finished_counts(run / STAGE, identity)) is not None:
        return counted
    parts = PartFolder(run / STAGE, identity)
    predictions = read_predictions(run)
    size = PART_QUERIES if helper is None else PART_ASKED
    work = _Work(run, graph, settings, helper, open_predictor(model, device=device) if settings.in_order else None)
    for start in range(parts.finished * size, predictions.num_rows, size):
        progress("making tails", start, predictions.num_rows)
        block = predictions.slice(start, size)
        table, counts = work.make(block, start)
        parts.write({STAGE: table}, counts)
    progress("making tails", predictions.num_rows, predictions.num_rows)
    total = sum((Counter(note) for note in parts.notes()), Counter[str]())
    table = pa.concat_tables([TAILS.empty_table(), *parts.tables(STAGE)])
    counts = {"queries": predictions.num_rows, "tails": table.num_rows, **dict(total)}
    write_stage(run / STAGE, identity, {STAGE: table}, counts, what="tails")
    parts.remove()
    return counts


def read_tails(run: Path) -> pa.Table:
    """The tails of a run."""
    return read_stage_table(Path(run) / STAGE)


def make_lexicon(graph: Graph, types: set[str], vocabulary: Vocabulary) -> dict[str, Trie]:
    """The names of a graph's entities of some types, in small letters as tails are, by type."""
    names, kinds = graph.entities["name"].to_pylist(), graph.entities["type"].to_pylist()
    by_type: dict[str, list[str]] = {}
    for name, kind in zip(names, kinds, strict=True):
        if kind in types:
            by_type.setdefault(kind, []).append(name.lower())
    return {kind: Trie(listed, vocabulary.encode(listed)) for kind, listed in by_type.items()}


class _Work:
    """Everything that blocks of queries share; what is large is read once."""

    def __init__(
        self,
        run: Path,
        graph: Graph,
        settings: DecoderSettings,
        helper: LanguageModel | None,
        predictor: "Predictor | None",
    ) -> None:
        self._settings, self._predictor = settings, predictor
        self._vocabulary = open_vocabulary(run / "sequences" / "tokenizer.json")
        asked, self._signatures = read_asked(run)
        self._heads = read_heads(run)
        self._queries = read_queries(run / "queries")
        self._combiner = None
        if helper is not None:
            self._combiner = Combiner(helper, self._vocabulary, tokens=settings.tokens, most=settings.formed)
            self._texts = sequence_texts(run)
            return
        types = {type for name in set(asked["relation"].to_pylist()) for type in self._signatures.object_types(name)}
        lexicon = make_lexicon(graph, types, self._vocabulary) if settings.lexicon else {}
        self._decoder = Decoder(self._vocabulary, lexicon=lexicon, width=settings.width, most=settings.most)
        self._phrases = _SequencePhrases(run, self._heads, self._vocabulary) if settings.text else None

    def make(self, block: pa.Table, start: int) -> tuple[pa.Table, dict[str, int]]:
        """The tails of some queries, and what was counted."""
        slots = _slots_of(block)
        counts: Counter[str] = Counter()
        if self._combiner is not None:
            phrases, counts = self._combined(self._combiner, block, slots)
        else:
            phrases = self._decoded(block, slots)
            if self._predictor is not None:
                phrases = _score_in_order(self._predictor, part_of(self._queries, start, start + len(slots)), phrases)
        counts["queries without a tail"] += sum(not each for each in phrases)
        counts.update(f"tails from {phrase.place}" for each in phrases for phrase in each)
        return make_table(list(_rows(block, phrases)), TAILS), dict(counts)

    def _decoded(self, block: pa.Table, slots: Sequence[Slots]) -> list[list[Phrase]]:
        kinds = self._heads["type"].take(block["head"]).to_pylist()
        relations = block["relation"].to_pylist()
        types = [_object_types(self._signatures, name, kind) for name, kind in zip(relations, kinds, strict=True)]
        tries = None if self._phrases is None else [self._phrases.of(row) for row in block["sequence"].to_pylist()]
        return self._decoder.decode(slots, types=types, texts=tries)

    def _combined(
        self, combiner: Combiner, block: pa.Table, slots: Sequence[Slots]
    ) -> tuple[list[list[Phrase]], Counter[str]]:
        combiner.counts.clear()
        heads = self._heads["text"].take(block["head"]).to_pylist()
        rows = zip(slots, heads, block["relation"].to_pylist(), block["sequence"].to_pylist(), strict=True)
        phrases = [
            combiner.combine(each, head=head, relation=relation, sequence=self._texts[sequence])
            for each, head, relation, sequence in rows
        ]
        return phrases, Counter({f"helper: {name}": count for name, count in combiner.counts.items()})


class _SequencePhrases:
    """The phrases of each sequence as a trie: its mentions and noun-like runs of words, as the text spells them."""

    def __init__(self, run: Path, heads: pa.Table, vocabulary: Vocabulary) -> None:
        sequences, texts = read_sequences(run), document_texts(run)
        self._sequences, self._texts, self._pieces = sequences, texts, vocabulary.pieces
        places = zip(*(heads[name].to_pylist() for name in ("sequence", "first", "last")), strict=True)
        self._mentions: dict[int, list[tuple[int, int]]] = {}
        for sequence, first, last in places:
            if last - first <= SLOTS:
                self._mentions.setdefault(sequence, []).append((first, last))
        self._at, self._trie = -1, Trie([], [])

    def of(self, sequence: int) -> Trie:
        """The phrases of one sequence; the last one is kept, for queries come by sequence."""
        if sequence != self._at:
            self._at, self._trie = sequence, self._make(sequence)
        return self._trie

    def _make(self, sequence: int) -> Trie:
        row = self._sequences.slice(sequence, 1).to_pylist()[0]
        tokens, starts, ends = row["tokens"], row["starts"], row["ends"]
        found = find_phrases([self._pieces[token] for token in tokens], starts, ends)
        ranges = list(dict.fromkeys((*self._mentions.get(sequence, ()), *found)))
        text = self._texts[row["document"]]
        spelt = [" ".join(text[starts[first] : ends[last - 1]].lower().split()) for first, last in ranges]
        return Trie(spelt, [tokens[first:last] for first, last in ranges])


def _object_types(signatures: Signatures, relation: str, subject: str | None) -> tuple[str, ...]:
    return signatures.object_types(relation, subject=subject) or signatures.object_types(relation)


def _slots_of(block: pa.Table) -> list[Slots]:
    tokens = block["tokens"].combine_chunks().flatten().to_numpy()
    log_probs = block["log_probs"].combine_chunks().flatten().to_numpy().astype(np.float32)
    rows = block.num_rows
    if not rows or len(tokens) % (rows * SLOTS):
        raise InputError(f"predictions hold the best tokens of {SLOTS} slots for each query: predict them again")
    return [
        make_slots(*each)
        for each in zip(tokens.reshape(rows, SLOTS, -1), log_probs.reshape(rows, SLOTS, -1), strict=True)
    ]


def _score_in_order(
    predictor: "Predictor", queries: Queries, phrases: Sequence[Sequence[Phrase]]
) -> list[list[Phrase]]:
    """The same phrases with log-probabilities of tokens given those before them, ranked anew."""
    from clew.extract.prediction import Tails

    listed = [(at, phrase) for at, each in enumerate(phrases) for phrase in each]
    if not listed:
        return [[] for _ in phrases]
    tokens = np.full((len(listed), SLOTS), PAD, np.int64)
    for row, (_, phrase) in enumerate(listed):
        tokens[row, : len(phrase.tokens)] = phrase.tokens
    owners = np.array([at for at, _ in listed], np.int64)
    lengths = np.array([len(phrase.tokens) for _, phrase in listed], np.int64)
    scores = predictor.score_tails(queries, Tails(owners, tokens, lengths), left_to_right=True)
    ranked: list[list[Phrase]] = [[] for _ in phrases]
    for (at, phrase), score in zip(listed, scores, strict=True):
        ranked[at].append(Phrase(phrase.text, phrase.tokens, float(score), phrase.place))
    return [sorted(each, key=lambda phrase: (-phrase.log_prob, phrase.tokens)) for each in ranked]


def _rows(block: pa.Table, phrases: Sequence[Sequence[Phrase]]) -> Iterator[tuple[int | str | float, ...]]:
    columns = (block[name].to_pylist() for name in ("query", "head", "sequence", "relation"))
    for about, each in zip(zip(*columns, strict=True), phrases, strict=True):
        for rank, phrase in enumerate(each):
            yield (*about, phrase.text, phrase.log_prob, len(phrase.tokens), rank, phrase.place)
