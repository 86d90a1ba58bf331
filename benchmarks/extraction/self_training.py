"""The recipe of the shipped statement model, on a GPU machine with torch and without data sets.

prepare (here) writes marked gold, tagged gold, tokens of texts and the start. train (there): masked words, a tagger,
teachers for every fold that is left out, their guesses about the texts, students on these and on gold; the development
scores, the calibration by the left-out folds and the exported first student come back. score (here): the development
scores against gold, into a log.

    python -m benchmarks.extraction.self_training prepare --data DATA --start minilm --hierarchy weights/small/seed \
        --texts pubmed20n0014.xml.gz pubmed21n1298.xml.gz --out inputs
    python -m benchmarks.extraction.self_training train --inputs inputs --out OUT --processes 14
    python -m benchmarks.extraction.self_training score --data DATA --start minilm --hierarchy weights/small/seed \
        --results OUT --log dev.jsonl
"""

import argparse
import hashlib
import json
import multiprocessing
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from clew.extract.statements.calibration import Calibration, Scored, calibrate, f1_of
from clew.extract.statements.config import OUTPUTS, columns_of
from clew.extract.statements.examples import Example, MarkedDocument, load_examples, save_examples
from clew.extract.statements.learning.export import export
from clew.extract.statements.learning.fitting import Settings, fit, score_examples, start_model, words_of
from clew.extract.statements.learning.guesses import Guessed, Text, guess, mark_text
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.masked_words import MaskedWordSettings, continue_pretraining
from clew.extract.statements.learning.storage import TrainedModel
from clew.extract.statements.learning.tagging import (
    TaggedDocument,
    Tagger,
    TagSettings,
    find_mentions,
    fit_tagger,
    tags_of,
)
from clew.extract.statements.learning.trimming import trim_vocabulary
from clew.extract.statements.pairing import Layout
from clew.extract.statements.prediction import StatementModel
from clew.extract.statements.relations import Threshold, choose_thresholds

FOLDS, SEEDS, RARE = 4, 3, 2
COLUMNS = sum(1 + len(relations) for relations in OUTPUTS.values())
MOST_PAIRS, LONGEST, GENES_TOO = 120, 640, 0.27  # of the texts that are guessed about; the share marked with genes
TEACHERS = (  # from the encoder of masked words, or from the start itself
    (True, Settings(rate=5e-5, seed=0, held_out=0)),
    (True, Settings(rate=5e-5, seed=1, held_out=0)),
    (False, Settings(rate=8e-5, seed=2, held_out=0)),
    (True, Settings(rate=8e-5, seed=3, held_out=0)),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process finds its inputs and leaves its work, and how much it does."""

    inputs: Path
    work: Path
    device: str = "cuda"
    word_epochs: int = 20
    texts: int = 13_000
    epochs: int = 10  # of teachers
    guess_epochs: int = 3
    gold_epochs: int = 6


def prepare(data: Path, start: Path, hierarchy: Path, texts: Sequence[str], out: Path) -> None:
    """Everything that training needs; labels of the development sets are not in it."""
    from clew.extract.corpus.sentences import split_passage
    from clew.extract.statements.gold import read_development, read_training
    from clew.extract.statements.hierarchy import read_hierarchy
    from clew.extract.statements.learning.texts import read_texts
    from clew.extract.statements.marking import Marker

    (out / "start").mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (out / "start" / name).write_bytes((start / name).read_bytes())
    marker = Marker.for_start(start, has_narrower=read_hierarchy(hierarchy).has_narrower)
    gold, development = read_training(data), read_development(data)
    save_examples(out / "train.npz", [marker.mark_gold(each) for each in gold])
    hidden = [replace(each, labels=np.zeros_like(each.labels), missed=0) for each in map(marker.mark_gold, development)]
    save_examples(out / "dev.npz", hidden)
    tagged = []
    for each in gold:
        tokens, spans = marker.cut(each.text)
        tags = tags_of(len(tokens), marker.locate(each.text, each.mentions, spans), each.corpus)
        tagged.append({"id": each.id, "corpus": each.corpus, "tokens": tokens, "tags": tags.tolist()})
    (out / "tags.json").write_text(json.dumps(tagged))
    rows: list[tuple[list[int], list[int]]] = []
    for text in read_texts(texts, without={each.id for each in development}):
        tokens, spans = marker.cut(text)
        starts = [first for first, _ in spans]
        rows.append((tokens, sorted({0, *(bisect_left(starts, at) for at, _ in split_passage(text, 0, len(text)))})))
    np.savez_compressed(
        out / "texts.npz",
        tokens=np.concatenate([each for each, _ in rows]).astype(np.uint16),
        lengths=np.array([len(each) for each, _ in rows], np.int32),
        sentences=np.concatenate([each for _, each in rows]).astype(np.uint16),
        counts=np.array([len(each) for _, each in rows], np.int32),
    )


def train(place: Place, out: Path, processes: int) -> dict[str, Any]:
    """All steps; what comes back lies in `out`."""
    place.work.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:

        def run(task: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
            waiting = [pool.submit(task, place, *each) for each in arguments]
            return [each.result() for each in waiting]

        run(train_words, [()])
        run(mark_texts, [()])
        teachers = [(fold, number) for fold in range(FOLDS) for number in range(len(TEACHERS))]
        run(train_teacher, teachers)
        left_out = [(fold, 0) for fold in range(FOLDS)]
        run(train_student, [*left_out, *((None, seed) for seed in range(SEEDS))])
    return finish(place, out)


def train_words(place: Place) -> None:
    """The encoder after masked words."""
    model = start_model(place.inputs / "start")
    with np.load(place.inputs / "texts.npz") as texts:
        stream = np.insert(texts["tokens"].astype(np.int32), np.cumsum(texts["lengths"]), _pieces(place)["[SEP]"])
    settings = MaskedWordSettings(epochs=place.word_epochs, rate=3e-4, device=place.device)
    length = min(settings.length, len(stream))
    rows = stream[: len(stream) // length * length].reshape(-1, length)
    continue_pretraining(model.encoder, rows, settings, words_of(place.inputs / "start"))
    torch.save(model.encoder.state_dict(), place.work / "words.pt")


def mark_texts(place: Place) -> None:
    """Texts with a chemical and a disease, their mentions by a tagger."""
    pieces = _pieces(place)
    settings = TagSettings(pieces["[CLS]"], pieces["[SEP]"], device=place.device)
    documents = [
        TaggedDocument(each["id"], each["corpus"], np.array(each["tokens"]), np.array(each["tags"]))
        for each in json.loads((place.inputs / "tags.json").read_text())
    ]
    tagger = Tagger(_model(place, words=True).encoder)
    fit_tagger(tagger, documents, settings)
    texts = _texts(place)
    random = np.random.default_rng(0)
    order = random.permutation(len(texts)).tolist()
    found = find_mentions(tagger, [texts[each].tokens for each in order], settings)
    layout = Layout(settings.begin, settings.end, len(pieces), 1024)
    brackets = pieces.get("(", -1), pieces.get(")", -1)

    def marked() -> Iterable[Any]:
        for number, mentions in zip(order, found, strict=True):
            if {"chemical", "disease"} <= {kind for _, _, kind in mentions}:
                genes_too = random.random() < GENES_TOO
                kept = [each for each in mentions if genes_too or each[2] in ("chemical", "disease")]
                document = mark_text(texts[number], kept, layout, brackets=brackets)
                if 0 < len(document.pairs) <= MOST_PAIRS and len(document.tokens) <= LONGEST:
                    yield document

    torch.save(list(islice(marked(), place.texts)), place.work / "marked.pt")


def train_teacher(place: Place, fold: int, number: int) -> None:
    """A teacher that has not seen a fold, and what it guesses about the texts."""
    words, settings = TEACHERS[number]
    settings = replace(settings, epochs=place.epochs, device=place.device)
    torch.manual_seed(settings.seed)
    model = _model(place, words=words)
    fit(model, [each for each in _gold(place) if fold_of(each.document) != fold], settings)
    marked = torch.load(place.work / "marked.pt", weights_only=False)
    shares = [each.shares for each in guess([model], marked, place.device, batch=16)]
    np.save(place.work / f"guess-{fold}-{number}.npy", np.concatenate(shares) if shares else np.zeros((0, 1)))


def train_student(place: Place, fold: int | None, seed: int) -> None:
    """A student of the teachers that have not seen a fold (None: of all), then of gold without that fold."""
    torch.manual_seed(seed)
    folds = range(FOLDS) if fold is None else (fold,)
    files = [place.work / f"guess-{each}-{number}.npy" for each in folds for number in range(len(TEACHERS))]
    shares = np.mean([np.load(each) for each in files], axis=0).astype(np.float32)
    guessed: list[Guessed] = []
    at = 0
    for document in torch.load(place.work / "marked.pt", weights_only=False):
        guessed.append(Guessed.of(document, shares[at : at + len(document.pairs)]))
        at += len(document.pairs)
    settings = Settings(seed=seed, device=place.device, held_out=0)
    model = _model(place, words=True)
    if guessed:
        fit(model, guessed, replace(settings, epochs=place.guess_epochs, batch=16, rate=1e-4))
    gold = _gold(place)
    last = replace(settings, epochs=place.gold_epochs, rate=2.5e-5, head_rate=1.5e-4)
    fit(model, [each for each in gold if fold is None or fold_of(each.document) != fold], last)
    if fold is None:
        torch.save(model.cpu().state_dict(), place.work / f"student-{seed}.pt")
        scored = score_examples(model.to(place.device), load_examples(place.inputs / "dev.npz"), last)
        torch.save(scored, place.work / f"dev-{seed}.pt")
    else:
        kept_back = [each for each in gold if fold_of(each.document) == fold]
        torch.save((kept_back, score_examples(model, kept_back, last)), place.work / f"fold-{fold}.pt")


def finish(place: Place, out: Path) -> dict[str, Any]:
    """Calibrate by the left-out folds, trim the vocabulary and export the first student."""
    read: dict[str, list[tuple[Any, Scored]]] = {corpus: [] for corpus in OUTPUTS}
    for fold in range(FOLDS):
        documents, scored = torch.load(place.work / f"fold-{fold}.pt", weights_only=False)
        for corpus in OUTPUTS:
            mine = (each.marked for each in documents if each.corpus == corpus)
            read[corpus] += zip(mine, scored[corpus], strict=True)
    calibration = {corpus: calibrate([each for _, each in pairs]) for corpus, pairs in read.items()}
    training = {
        "calibration": {corpus: asdict(each) for corpus, each in calibration.items()},
        "relations": choose_thresholds(read, calibration),
        "left_out": {
            corpus: dict(f1_of([each for _, each in pairs], calibration[corpus])) for corpus, pairs in read.items()
        },
    }
    model = _model(place, words=False)
    model.load_state_dict(torch.load(place.work / "student-0.pt"))
    tokenizer = (place.inputs / "start" / "tokenizer.json").read_text("utf-8")
    with np.load(place.inputs / "texts.npz") as texts:
        used = set(np.flatnonzero(np.bincount(texts["tokens"]) >= RARE).tolist())
    used |= {token for each in json.loads((place.inputs / "tags.json").read_text()) for token in each["tokens"]}
    export(out / "statements", trim_vocabulary(TrainedModel(model.cpu().eval(), tokenizer, training), used))
    for seed in range(SEEDS):
        scored = torch.load(place.work / f"dev-{seed}.pt", weights_only=False)
        arrays = {f"{corpus}.{at}": each.scores for corpus, rows in scored.items() for at, each in enumerate(rows)}
        np.savez_compressed(out / f"dev-{seed}.npz", **arrays)
    (out / "training.json").write_text(json.dumps(training, indent=1) + "\n")
    return training


class _Scored(StatementModel):
    """The development scores of a student, in the order of the documents, in place of a session."""

    def __init__(self, marker: Any, arrays: dict[str, Any], corpora: Sequence[str], training: dict[str, Any]) -> None:
        super().__init__(
            None,
            marker,
            {corpus: Calibration(**each) for corpus, each in training["calibration"].items()},
            {name: Threshold(**each) for name, each in training["relations"].items()},
        )
        self._next = iter(
            (corpus, arrays[f"{corpus}.{corpora[:at].count(corpus)}"]) for at, corpus in enumerate(corpora)
        )
        self._last: tuple[MarkedDocument, Any] | None = None

    def score(self, marked: MarkedDocument) -> Any:
        """The scores of the next document, or of the last one again; of its own corpus only."""
        if self._last is None or self._last[0] is not marked:
            corpus, scores = next(self._next)
            wide = np.zeros((len(marked.pairs), COLUMNS), np.float32)
            wide[:, columns_of(corpus)] = scores
            self._last = marked, wide
        return self._last[1]


def score(data: Path, start: Path, hierarchy: Path, results: Path, log: Path) -> list[dict[str, Any]]:
    """Figures of every student on both development sets, appended to the log."""
    from clew.evaluate.statements import evaluate_statements
    from clew.extract.statements.gold import read_development
    from clew.extract.statements.hierarchy import read_hierarchy
    from clew.extract.statements.marking import Marker

    documents = read_development(data)
    marker = Marker.for_start(start, has_narrower=read_hierarchy(hierarchy).has_narrower)
    training = json.loads((results / "training.json").read_text())
    found = []
    for path in sorted(results.glob("dev-*.npz")):
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        model = _Scored(marker, arrays, [each.corpus for each in documents], training)
        found.append({"name": path.stem, **evaluate_statements(model, documents)})
        with log.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(found[-1]) + "\n")
    return found


def fold_of(document: str) -> int:
    """The fold that a training abstract is left out with: by a hash of its id, so the same one in every corpus."""
    return int.from_bytes(hashlib.sha256(b"fold" + document.encode()).digest()[:4], "big") % FOLDS


def _model(place: Place, *, words: bool) -> Judge:
    model = start_model(place.inputs / "start")
    if words:
        model.encoder.load_state_dict(torch.load(place.work / "words.pt"))
    return model


def _gold(place: Place) -> list[Example]:
    return load_examples(place.inputs / "train.npz")


def _pieces(place: Place) -> dict[str, int]:
    return dict(json.loads((place.inputs / "start" / "tokenizer.json").read_text("utf-8"))["model"]["vocab"])


def _texts(place: Place) -> list[Text]:
    with np.load(place.inputs / "texts.npz") as file:
        columns = {name: file[name].astype(np.int64) for name in file.files}
    ends, last = np.cumsum(columns["lengths"]), np.cumsum(columns["counts"])
    return [
        Text(columns["tokens"][end - length : end], columns["sentences"][stop - count : stop])
        for end, length, stop, count in zip(ends, columns["lengths"], last, columns["counts"], strict=True)
    ]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("prepare", "train", "score"))
    for name in ("--data", "--start", "--hierarchy", "--inputs", "--out", "--results", "--log"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--texts", nargs="*", default=[])
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args(arguments)
    if given.action == "prepare":
        prepare(given.data, given.start, given.hierarchy, given.texts, given.out)
    elif given.action == "score":
        for each in score(given.data, given.start, given.hierarchy, given.results, given.log):
            print(each["name"], each["bc5cdr"]["f1"], each["biored"]["f1"], each["help_or_harm"]["accuracy"])
    else:
        found = train(Place(given.inputs, given.inputs / "work", given.device), given.out, given.processes)
        print(json.dumps(found["left_out"], indent=1))


if __name__ == "__main__":
    main()
