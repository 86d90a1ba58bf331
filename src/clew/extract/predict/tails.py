"""From predictions to tails: each query's mentions, and phrases found by the decoder or formed by a helper model.

A query that the model answers with [NONE] has no tail. Written is run/tails; blocks of queries are kept as parts, so
that a killed run resumes with the next.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.extract.chains.graphs import SLOTS
from clew.extract.mentions.heads import read_heads
from clew.extract.mentions.phrases import Range, cuts, find_phrases
from clew.extract.predict.both_directions import inverse_shares, mention_shares
from clew.extract.predict.combine import Combiner
from clew.extract.predict.confidence import prefers_none, rank_tails
from clew.extract.predict.decoder import MENTION, PLACES, Decoder, Phrase, Slots, make_slots
from clew.extract.predict.predictions import read_predictions
from clew.extract.predict.queries import read_queries
from clew.extract.predict.trie import Trie
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.texts import document_texts, sequence_texts
from clew.extract.sequences.vocabulary import Vocabulary, open_vocabulary
from clew.extract.stage import Stage, make_table
from clew.graph import GraphContents, read_entities
from clew.lm import LanguageModel
from clew.progress import Progress, silent

__all__ = ["STAGE", "TAILS", "DecoderSettings", "make_lexicon", "prepare_tails", "read_tails"]

STAGE = Stage("tails", "predict", "tails as phrases", reads=("predictions",), headline=("tails",))
TAILS = pa.schema(
    [
        ("query", pa.int32()),
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("relation", pa.string()),
        ("tail", pa.string()),
        ("log_prob", pa.float32()),
        ("confidence", pa.float32()),
        ("length", pa.int8()),
        ("rank", pa.int16()),
        ("decoder", pa.string()),  # the place, or the helper model
        ("mention", pa.int32()),  # the row of the heads that the tail is, where it is one
    ]
)
PART_QUERIES = 2000
PART_ASKED = 50  # with a helper model, which takes seconds for each


@dataclass(frozen=True, slots=True)
class DecoderSettings:
    """Where tails are looked for, what each place counts, and how many of a query are kept.

    A tail's confidence is its share among what may be the tail, times the weight of its place; where the weight is 0
    nothing is looked for. The weights are the largest at which the first tail is right as often as with mentions alone,
    on training examples that were held out. With `both_ways`, the share is the mean of the tail's and of the head's
    where the tail is asked the inverse. With `none`, a query whose [NONE] scores higher than its mentions has no
    tail. `tokens` and `formed` are what a helper model is shown of a query, and may form.
    """

    width: int = 32
    most: int = 8
    mention: float = 1.0  # linked mentions of the sequence, whose types fit
    sequence: float = 0.01  # other phrases of the sequence
    lexicon: float = 0.003  # names of the seed's entities of the right types
    beam: float = 0.003  # beam search over the most probable tokens
    both_ways: bool = True
    none: bool = True
    tokens: int = 20
    formed: int = 3

    def __post_init__(self) -> None:
        if not all(0 <= weight <= 1 for weight in self.places.values()):
            raise InputError("the weight of a place where tails are found lies between 0 and 1")

    @property
    def places(self) -> dict[str, float]:
        """The weight of each place."""
        return {name: getattr(self, name) for name in PLACES}


def prepare_tails(
    run: Path,
    graph: GraphContents,
    *,
    settings: DecoderSettings | None = None,
    helper: LanguageModel | None = None,
    progress: Progress = silent,
) -> dict[str, int]:
    """Write run/tails from the predictions of a run; returns the counts."""
    run, settings = Path(run), settings or DecoderSettings()
    told = "none" if helper is None else helper.identity
    work = STAGE.start(run, {"settings": settings, "graph": graph.snapshot.id, "helper": told})
    if work.finished is not None:
        return work.finished
    parts = work.parts()
    predictions = read_predictions(run)
    size = PART_QUERIES if helper is None else PART_ASKED
    finder = _TailFinder(run, graph, predictions, settings, helper)
    for start in range(parts.finished * size, predictions.num_rows, size):
        progress("making tails", start, predictions.num_rows)
        block = predictions.slice(start, size)
        table, counts = finder.find(block, start)
        parts.write({STAGE.name: table}, counts)
    progress("making tails", predictions.num_rows, predictions.num_rows)
    total = sum((Counter(note) for note in parts.notes()), Counter[str]())
    table = pa.concat_tables([TAILS.empty_table(), *parts.tables(STAGE.name)])
    counts = {"queries": predictions.num_rows, "tails": table.num_rows, **dict(total)}
    work.write({STAGE.name: table}, counts)
    return counts


def read_tails(run: Path) -> pa.Table:
    """The tails of a run."""
    return STAGE.read_table(run)


def make_lexicon(graph: GraphContents, types: set[str], vocabulary: Vocabulary) -> dict[str, Trie]:
    """The names of a graph's entities of some types, in small letters as tails are, by type."""
    entities = read_entities(graph, ("name", "type"))
    names, kinds = entities["name"].to_pylist(), entities["type"].to_pylist()
    by_type: dict[str, list[str]] = {}
    for name, kind in zip(names, kinds, strict=True):
        if kind in types:
            by_type.setdefault(kind, []).append(name.lower())
    return {kind: Trie(listed, vocabulary.encode(listed)) for kind, listed in by_type.items()}


class _TailFinder:
    """Everything that blocks of queries share; what is large is read once."""

    def __init__(
        self,
        run: Path,
        graph: GraphContents,
        predictions: pa.Table,
        settings: DecoderSettings,
        helper: LanguageModel | None,
    ) -> None:
        self._settings = settings
        self._vocabulary = open_vocabulary(run / "sequences" / "tokenizer.json")
        self._asked, self._signatures = read_queries(run)
        self._heads = read_heads(run)
        self._mentions = None
        if settings.mention:
            inverses = self._signatures.both_ways if settings.both_ways else {}
            self._mentions = _Mentions(run, self._asked, self._heads, predictions, inverses)
        self._combiner = None
        self._phrases = None
        if helper is not None:
            self._combiner = Combiner(helper, self._vocabulary, tokens=settings.tokens, most=settings.formed)
            self._texts = sequence_texts(run)
            return
        relations = set(self._asked["relation"].to_pylist())
        types = {type for name in relations for type in self._signatures.object_types(name)}
        lexicon = make_lexicon(graph, types, self._vocabulary) if settings.lexicon else {}
        self._decoder = Decoder(
            self._vocabulary, lexicon=lexicon, width=settings.width, most=settings.most, beam=settings.beam > 0
        )
        if settings.sequence:
            self._phrases = _SequencePhrases(run, self._heads, self._vocabulary)

    def find(self, block: pa.Table, start: int) -> tuple[pa.Table, dict[str, int]]:
        """The tails of some queries, and the counts."""
        slots = _slots_of(block)
        counts: Counter[str] = Counter()
        if self._combiner is not None:
            found, counts = self._combined(self._combiner, block, slots)
        else:
            found = self._decoded(block, slots) if slots else [[] for _ in range(block.num_rows)]
        none = [None if not each else float(each[0]) for each in block["scores"].to_pylist()]
        if self._mentions is not None:
            mentions = self._mentions.of(block, start)
            found = [[*some, *others] for some, others in zip(mentions, found, strict=True)]
        ranked: list[list[Phrase]] = []
        for nothing, phrases in zip(none, found, strict=True):
            if self._settings.none and phrases and prefers_none(nothing, phrases):
                counts["queries whose answer is none"] += 1
                ranked.append([])
            else:
                ranked.append(rank_tails(nothing, phrases, places=self._settings.places, most=self._settings.most))
        counts["queries without a tail"] += sum(not each for each in ranked)
        counts.update(f"tails from {phrase.place}" for each in ranked for phrase in each)
        return make_table(list(_rows(block, ranked)), TAILS), dict(counts)

    def _decoded(self, block: pa.Table, slots: Sequence[Slots]) -> list[list[Phrase]]:
        kinds = self._heads["type"].take(block["head"]).to_pylist()
        relations = block["relation"].to_pylist()
        types = [self._signatures.types_of_tails(*each) for each in zip(relations, kinds, strict=True)]
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


class _Mentions:
    """The mentions that may be tails, with the model's scores."""

    def __init__(
        self, run: Path, asked: pa.Table, heads: pa.Table, predictions: pa.Table, inverses: Mapping[str, str]
    ) -> None:
        tokens = read_sequences(run)["tokens"].combine_chunks()
        self._starts, self._roots = tokens.offsets.to_numpy(), tokens.values.to_numpy()
        listed = asked["mentions"].combine_chunks()
        self._rows = listed.flatten()
        self._offsets = np.concatenate(([0], np.cumsum(pc.list_value_length(listed).to_numpy())))
        self._heads = heads.select(["sequence", "first", "last", "text"])
        lengths = pc.subtract(heads["last"], heads["first"]).take(self._rows).to_numpy()
        weights = predictions["scores"].combine_chunks().flatten().to_numpy()
        shares = mention_shares(weights, np.diff(self._offsets), lengths)
        self._inverse_shares = inverse_shares(asked, heads, shares, inverses)

    def of(self, block: pa.Table, start: int) -> list[list[Phrase]]:
        """Those of some queries, from number `start` on."""
        begin, end = self._offsets[[start, start + block.num_rows]].tolist()
        rows = self._heads.take(self._rows.slice(begin, end - begin))
        columns = [rows[name].to_pylist() for name in rows.column_names]
        back = [None if np.isnan(share) else share for share in self._inverse_shares[begin:end].tolist()]
        mentions = zip(*columns, self._rows.slice(begin, end - begin).to_pylist(), back, strict=True)
        return [
            [self._phrase(weight, *next(mentions)) for weight in weights[1:]] for weights in block["scores"].to_pylist()
        ]

    def _phrase(
        self, weight: float, sequence: int, first: int, last: int, text: str, mention: int, back: float | None
    ) -> Phrase:
        begin = self._starts[sequence]
        tokens = tuple(self._roots[begin + first : begin + last].tolist())
        return Phrase(" ".join(text.lower().split()), tokens, weight, MENTION, mention=mention, inverse_share=back)


class _SequencePhrases:
    """The phrases of each sequence that are no linked mentions, as a trie, spelt as the text spells them.

    A phrase that cuts a mention is half a name, and left out.
    """

    def __init__(self, run: Path, heads: pa.Table, vocabulary: Vocabulary) -> None:
        sequences, texts = read_sequences(run), document_texts(run)
        self._sequences, self._texts, self._pieces = sequences, texts, vocabulary.pieces
        linked = heads.filter(heads["entity"].is_valid())
        places = zip(*(linked[name].to_pylist() for name in ("sequence", "first", "last")), strict=True)
        self._mentions: dict[int, list[Range]] = {}
        for sequence, first, last in places:
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
        mentions = self._mentions.get(sequence, ())
        found = find_phrases([self._pieces[token] for token in tokens], starts, ends)
        ranges = [each for each in found if each not in mentions and not any(cuts(each, other) for other in mentions)]
        text = self._texts[row["document"]]
        spelt = [" ".join(text[starts[first] : ends[last - 1]].lower().split()) for first, last in ranges]
        return Trie(spelt, [tokens[first:last] for first, last in ranges])


def _slots_of(block: pa.Table) -> list[Slots]:
    """Of each query, unless only mentions were scored."""
    tokens = block["tokens"].combine_chunks().flatten().to_numpy()
    log_probs = block["log_probs"].combine_chunks().flatten().to_numpy().astype(np.float32)
    rows = block.num_rows
    if not len(tokens):
        return []
    if len(tokens) % (rows * SLOTS):
        raise InputError(f"predictions hold the best tokens of {SLOTS} slots for each query: predict them again")
    return [
        make_slots(*each)
        for each in zip(tokens.reshape(rows, SLOTS, -1), log_probs.reshape(rows, SLOTS, -1), strict=True)
    ]


def _rows(block: pa.Table, phrases: Sequence[Sequence[Phrase]]) -> Iterator[tuple[Any, ...]]:
    columns = (block[name].to_pylist() for name in ("query", "head", "sequence", "relation"))
    for about, each in zip(zip(*columns, strict=True), phrases, strict=True):
        for rank, phrase in enumerate(each):
            how = (phrase.log_prob, phrase.confidence, len(phrase.tokens), rank, phrase.place, phrase.mention)
            yield (*about, phrase.text, *how)
