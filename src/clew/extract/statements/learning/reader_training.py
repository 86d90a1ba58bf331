"""Trains the reader of pairs of a trained statement model, and fits how both readings make one probability.

It learns from gold and from pairs that somebody read against their sentences. Documents that the statement model held
out are left out here too: their gold gives the combination of each relation and its thresholds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.facts.review import read_verdicts
from clew.extract.statements.calibration import Calibration, Scored, probabilities
from clew.extract.statements.combining import fit_combination, pair_features
from clew.extract.statements.config import OUTPUTS
from clew.extract.statements.examples import Example
from clew.extract.statements.gold import GoldDocument, Mention, is_held_out
from clew.extract.statements.learning.fitting import Settings, check_device, score_examples
from clew.extract.statements.learning.pair_reader import PairReader, ReaderSettings, fit_reader, read_pairs
from clew.extract.statements.learning.storage import TrainedModel
from clew.extract.statements.marking import Marker
from clew.extract.statements.relations import STATED, best_threshold, pairs_of

__all__ = ["PairRow", "ReadPair", "gold_rows", "read_labels", "read_rows", "train_reader"]

Target = tuple[int, int, int]  # which of neither, help and harm a label leaves open
NEITHER, HELP, HARM, RELATED, NO_HELP, NO_HARM = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0)
SAYS: Mapping[str, Target] = {
    "helps": HELP, "harms": HARM, "neither": NEITHER, "related": RELATED, "not helps": NO_HELP, "not harms": NO_HARM,
}  # fmt: skip
OF_VERDICT: Mapping[tuple[str, str], str] = {  # of a relation and what a reader said of it
    ("treats", "right"): "helps",
    ("treats", "wrong"): "not helps",
    ("induces", "right"): "harms",
    ("induces", "wrong"): "not harms",
    ("associated_with", "right"): "related",
    ("associated_with", "wrong"): "neither",
    ("affects", "right"): "related",
    ("affects", "wrong"): "neither",
    ("interacts_with", "right"): "related",
    ("interacts_with", "wrong"): "neither",
}
READ_WEIGHT, UNRELATED_WEIGHT = 1.5, 0.3
SIGNS: Mapping[str, Target] = {"positive_correlation": HARM, "negative_correlation": HELP, "induces": HARM}
COLUMNS = ["document", "subject", "object", "says"]


@dataclass(frozen=True, slots=True)
class PairRow:
    """The sentences of a pair as tokens, the outcomes that its label leaves open, and how much it counts."""

    document: str
    tokens: NDArray[np.int64]
    target: Target
    weight: float


@dataclass(frozen=True, slots=True)
class ReadPair:
    """What the sentences of a document say of two entities: a key of `SAYS`."""

    document: str
    subject: str
    object: str
    says: str


def read_labels(path: Path) -> list[ReadPair]:
    """Pairs from a table with tabs (document, subject, object, says), or from the verdicts of `clew extract review`."""
    if Path(path).suffix == ".jsonl":
        verdicts = ((each, OF_VERDICT.get((each.relation, each.verdict))) for each in read_verdicts(Path(path)))
        return [
            ReadPair(each.document.removeprefix("PMID:"), each.subject, each.object, says)
            for each, says in verdicts
            if says is not None
        ]
    try:
        header, *lines = Path(path).read_text("utf-8").splitlines() or [""]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    if header.split("\t") != COLUMNS:
        raise InputError(f"{path} begins with {header[:60]!r}: expected the columns {', '.join(COLUMNS)}, with tabs")
    found = []
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS) or cells[3] not in SAYS:
            raise InputError(f"{path}, line {number}: expected four cells, the last one of {', '.join(SAYS)}")
        found.append(ReadPair(cells[0].removeprefix("PMID:"), *cells[1:]))
    return found


def gold_rows(marker: Marker, documents: Iterable[GoldDocument]) -> list[PairRow]:
    """The pairs of gold documents that a relation is read for; an association without a sign leaves it open."""
    found: list[PairRow] = []
    for document in documents:
        example = marker.mark_gold(document)
        names = (None, *OUTPUTS[document.corpus])
        for relation in (each for each in STATED if each.corpus == document.corpus):
            numbers = pairs_of(example.marked, relation)
            for tokens, label in zip(_texts(marker, document, example, numbers), example.labels[numbers], strict=True):
                name = names[label]
                unrelated = NO_HARM if document.corpus == "bc5cdr" else NEITHER  # BC5CDR annotates harm alone
                target = unrelated if name is None else SIGNS.get(name, RELATED)
                found.append(PairRow(document.id, tokens, target, 1.0 if name else UNRELATED_WEIGHT))
    return found


def read_rows(
    marker: Marker,
    labels: Iterable[ReadPair],
    texts: Mapping[str, str],
    mentions: Callable[[str], Sequence[Mention]],
) -> list[PairRow]:
    """Read pairs of these texts by document; those whose names are not found in their text are left out."""
    found: list[PairRow] = []
    of: dict[str, list[ReadPair]] = {}
    for each in labels:
        if each.document in texts:
            of.setdefault(each.document, []).append(each)
    for document, pairs in of.items():
        named = mentions(texts[document])
        known = {identifier for mention in named for identifier in mention.ids}
        there = [each for each in pairs if each.subject in known and each.object in known]
        cut = marker.pair_texts(texts[document], named, [(each.subject, each.object) for each in there])
        found += [
            PairRow(document, tokens, SAYS[each.says], READ_WEIGHT) for each, tokens in zip(there, cut, strict=True)
        ]
    return found


def train_reader(
    trained: TrainedModel,
    documents: Sequence[GoldDocument],
    marker: Marker,
    settings: ReaderSettings,
    *,
    read: Sequence[PairRow] = (),
) -> TrainedModel:
    """The model with a reader that begins with its encoder, and combinations in the record of its training."""
    check_device(settings.device)
    torch.manual_seed(settings.seed)
    share = float(trained.training["settings"]["held_out"])
    kept_back = [is_held_out(each.id, share=share) for each in documents]
    rows = [*gold_rows(marker, compress(documents, (not each for each in kept_back))), *read]
    rows = [each for each in rows if not is_held_out(each.document, share=share)]
    held_out = list(compress(documents, kept_back))
    if not rows or not held_out:
        raise InputError(
            f"{len(rows)} pairs to learn from and {len(held_out)} held-out documents: train the statement model on a"
            " corpus with both"
        )
    reader = PairReader(trained.model.config)
    reader.encoder.load_state_dict(trained.model.encoder.state_dict())
    targets, weights = np.array([each.target for each in rows], np.float32), [each.weight for each in rows]
    fit_reader(reader, [each.tokens for each in rows], targets, np.array(weights, np.float32), settings)
    record = {
        **trained.training,
        **_combine(trained, reader, marker, held_out, settings.device),
        "reader": {**asdict(settings), "pairs": len(rows), "read_pairs": len(read)},
    }
    return replace(trained, reader=reader.cpu().eval(), training=record)


def _combine(
    trained: TrainedModel, reader: PairReader, marker: Marker, documents: Sequence[GoldDocument], device: str
) -> dict[str, Any]:
    """Combinations and thresholds of the relations that the reader reads, from held-out documents."""
    examples = [marker.mark_gold(each) for each in documents]
    model = trained.model.to(torch.device(device))
    scored = {corpus: iter(each) for corpus, each in score_examples(model, examples, Settings(device=device)).items()}
    judged = [(*each, next(scored[each[1].corpus])) for each in zip(documents, examples, strict=True)]
    trained.model.cpu()
    combinations: dict[str, Any] = {}
    thresholds = dict(trained.training["relations"])
    for relation in STATED:
        calibration = Calibration(**trained.training["calibration"][relation.corpus])
        columns = [1 + OUTPUTS[relation.corpus].index(name) for name in relation.outputs]
        features, holds, apart = [], [], []
        for document, example, scores in (each for each in judged if each[0].corpus == relation.corpus):
            numbers = pairs_of(example.marked, relation)
            if len(numbers):
                said = read_pairs(reader, _texts(marker, document, example, numbers), device).astype(np.float64)
                features.append(_features(scores, numbers, calibration, said))
                holds += np.isin(scores.labels[numbers], columns).tolist()
                apart += scores.apart[numbers].tolist()
        if not any(holds):
            continue
        given, true = np.concatenate(features), np.array(holds, bool)
        combination = fit_combination(given, true)
        combinations[relation.name] = asdict(combination)
        thresholds[relation.name] = asdict(best_threshold(combination.probability(given), true, np.array(apart, bool)))
    return {"combinations": combinations, "relations": thresholds}


def _features(
    scored: Scored, numbers: NDArray[np.int64], calibration: Calibration, read: NDArray[np.float64]
) -> NDArray[np.float64]:
    apart = scored.apart[numbers]
    return pair_features(probabilities(scored.scores[numbers], calibration, apart), read, apart)


def _texts(
    marker: Marker, document: GoldDocument, example: Example, numbers: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    marked = example.marked
    ends = [(marked.entities[one], marked.entities[other]) for one, other in marked.pairs[numbers]]
    return marker.pair_texts(document.text, document.mentions, ends)
