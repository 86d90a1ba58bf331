"""What the graph part of GraphMERT adds to a pretrained start, measured by the statements that are read with it.

MiniLM goes on with masked words and span boundaries over the chains of a run, in three ways: with leaves and H-GAT
(GraphMERT), with leaves and without H-GAT, and without leaves (no graph). Each encoder, and MiniLM itself, then learns
the gold of BC5CDR and BioRED with the same head, data, epochs and seeds. Chains are those of `clew extract prepare RUN
TEXTS --seed-graph SEED --size small --tokenizer minilm/tokenizer.json`; attention does not decay, since the statement
model has none of that. prepare and score run here, train on a machine with torch and a GPU.

    python -m benchmarks.extraction.graph_part prepare --run RUN --data DATA --start minilm \
        --hierarchy weights/small/seed --out inputs
    python -m benchmarks.extraction.graph_part train --inputs inputs --out OUT --processes 12
    python -m benchmarks.extraction.graph_part score --data DATA --start minilm --hierarchy weights/small/seed \
        --results OUT --json graph_part.json
"""

import argparse
import json
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch

from clew.extract.chains.graphs import Chains
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.start import LAYER_PARTS, config_of_start
from clew.extract.statements.calibration import Scored, calibrate
from clew.extract.statements.config import OUTPUTS
from clew.extract.statements.examples import Example, MarkedDocument, load_examples, save_examples
from clew.extract.statements.gold import is_held_out
from clew.extract.statements.learning.encoder import Encoder
from clew.extract.statements.learning.fitting import Settings, fit, score_examples, start_model
from clew.extract.statements.relations import choose_thresholds
from clew.extract.training.pretraining import Trainer
from clew.extract.training.settings import TrainingSettings

ARRAYS = (
    "roots", "offsets", "leaf_sequence", "leaf_root", "head_first", "head_last", "leaf_relation", "tail", "tail_length"
)  # fmt: skip
NO_TEXTS, NO_LEAVES, NO_HGAT, WHOLE = "start alone", "no graph", "no H-GAT", "GraphMERT"
ARMS = (WHOLE, NO_HGAT, NO_LEAVES, NO_TEXTS)
SEEDS = 3
RATE = 3e-4
LEAF_SHARE = 0.8  # as `clew extract train` masks them


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process finds its inputs and leaves its scores, and how much it does."""

    inputs: Path
    out: Path
    device: str
    steps: int | None
    epochs: float
    gold_epochs: int
    sequences: int


def prepare(run: Path, data: Path, start: Path, hierarchy: Path, out: Path) -> None:
    """Chains, the start in half precision, and marked gold; labels of the development sets are not in it."""
    from safetensors.torch import load_file, save_file

    from clew.extract.chains.graphs import read_chains
    from clew.extract.statements.gold import read_development, read_training
    from clew.extract.statements.hierarchy import read_hierarchy
    from clew.extract.statements.marking import Marker

    (out / "start").mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json"):
        (out / "start" / name).write_bytes((start / name).read_bytes())
    halves = {name: tensor.half() for name, tensor in load_file(start / "model.safetensors").items()}
    save_file(halves, out / "start" / "model.safetensors")
    chains = read_chains(run / "chains")
    np.savez_compressed(out / "chains.npz", **{name: getattr(chains, name) for name in ARRAYS})
    (out / "chains.json").write_text(json.dumps({"relations": chains.relations, "tokenizer": chains.tokenizer}))
    marker = Marker.for_start(start, has_narrower=read_hierarchy(hierarchy).has_narrower)
    save_examples(out / "train.npz", [marker.mark_gold(each) for each in read_training(data)])
    development = map(marker.mark_gold, read_development(data))
    save_examples(out / "dev.npz", [replace(each, labels=np.zeros_like(each.labels), missed=0) for each in development])


def train(place: Place, processes: int, arms: Sequence[str], seeds: int) -> None:
    """Every way with every seed; each leaves its scores when it is done."""
    place.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(train_one, place, arm, seed) for seed in range(seeds) for arm in arms]
        for job in as_completed(jobs):
            print(job.result(), flush=True)


def train_one(place: Place, arm: str, seed: int) -> dict[str, Any]:
    """The encoder of one way, then gold: the scores of the development sets, calibrated on held-out documents."""
    began = monotonic()
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model = start_model(place.inputs / "start")
    losses: dict[str, float] = {}
    if arm != NO_TEXTS:
        read, losses = pretrain(place, arm, seed)
        copy_encoder(read, model.encoder, place)
        del read
    read_texts = monotonic()
    settings = Settings(epochs=place.gold_epochs, seed=seed, device=place.device)
    gold = load_examples(place.inputs / "train.npz")
    kept_back = [each for each in gold if is_held_out(each.document, share=settings.held_out)]
    fit(model, [each for each in gold if not is_held_out(each.document, share=settings.held_out)], settings)
    record = {
        "arm": arm,
        "seed": seed,
        "losses": losses,
        "seconds": [round(read_texts - began, 1), round(monotonic() - read_texts, 1)],
    }
    arrays = {
        f"{part}.{corpus}.{at}": each.scores
        for part, examples in (("held_out", kept_back), ("dev", load_examples(place.inputs / "dev.npz")))
        for corpus, rows in score_examples(model, examples, settings).items()
        for at, each in enumerate(rows)
    }
    name = f"{ARMS.index(arm)}-{seed}"
    np.savez_compressed(place.out / f"{name}.npz", **arrays)
    (place.out / f"{name}.json").write_text(json.dumps(record) + "\n")
    return record


def pretrain(place: Place, arm: str, seed: int, *, rate: float = RATE) -> tuple[GraphMert, dict[str, float]]:
    """GraphMERT from the start on, over the chains or over their roots alone; and its last losses."""
    chains = _chains(place, leaves=arm != NO_LEAVES)
    config = config_of_start(place.inputs / "start", vocabulary=chains.vocabulary, relations=len(chains.relations))
    config = replace(config, leaf_share=LEAF_SHARE, hgat=arm == WHOLE, decay="none")
    on_gpu = place.device.startswith("cuda")
    settings = TrainingSettings(
        steps=place.steps, epochs=place.epochs, sequences=place.sequences, rate=rate,
        last_rate=min(rate, 1e-5), seed=seed, device=place.device,
        compiled=False, captured=False, workers=1 if on_gpu else 0,
    )  # fmt: skip
    trainer = Trainer(chains, config, settings, start_from=place.inputs / "start")
    trainer.run(trainer.steps)
    last = trainer.history[-1]
    return trainer.model.cpu(), {"steps": trainer.steps, **{name: last[name] for name in ("root", "boundary", "leaf")}}


def copy_encoder(given: GraphMert, encoder: Encoder, place: Place) -> None:
    """Words, positions and layers of a trained GraphMERT into the encoder of a statement model, in place."""
    ours = json.loads(json.loads((place.inputs / "chains.json").read_text())["tokenizer"])["model"]["vocab"]
    theirs = json.loads((place.inputs / "start" / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    both = [(ours[piece], row) for piece, row in theirs.items() if piece in ours]
    state, mine = encoder.state_dict(), given.state_dict()
    state["words.weight"][[row for _, row in both]] = mine["embedding.words.weight"][[number for number, _ in both]]
    positions = mine["embedding.position.weight"] - state["segment"]
    state["positions.weight"][1 : 1 + len(positions)] = positions
    for kind in ("weight", "bias"):
        state[f"norm.{kind}"] = mine[f"embedding.norm.{kind}"]
        for number in range(given.config.layers):
            there, here = f"encoder.layers.{number}", f"layers.{number}"
            split = mine[f"{there}.qkv.{kind}"].chunk(3)
            state |= {
                f"{here}.{name}.{kind}": each for name, each in zip(("query", "key", "value"), split, strict=True)
            }
            for name, part in LAYER_PARTS.items():
                state[f"{here}.{name}.{kind}"] = mine[f"{there}.{part}.{kind}"]
    encoder.load_state_dict(state)


def _chains(place: Place, *, leaves: bool) -> Chains:
    with np.load(place.inputs / "chains.npz") as file:
        arrays = {name: file[name] for name in ARRAYS}
    if not leaves:
        arrays |= {name: arrays[name][:0] for name in ARRAYS[2:]}
    about = json.loads((place.inputs / "chains.json").read_text())
    return Chains(**arrays, relations=tuple(about["relations"]), tokenizer=about["tokenizer"])


def score(data: Path, start: Path, hierarchy: Path, results: Path) -> dict[str, Any]:
    """Figures of every way and seed on both development sets, calibrated on held-out documents, and their means."""
    from benchmarks.extraction.self_training import _Scored
    from clew.evaluate.statements import evaluate_statements
    from clew.extract.statements.gold import read_development, read_training
    from clew.extract.statements.hierarchy import read_hierarchy
    from clew.extract.statements.marking import Marker

    documents = read_development(data)
    marker = Marker.for_start(start, has_narrower=read_hierarchy(hierarchy).has_narrower)
    kept_back = [each for each in read_training(data) if is_held_out(each.id, share=Settings().held_out)]
    held_out = [marker.mark_gold(each) for each in kept_back]
    found: dict[str, list[dict[str, Any]]] = {arm: [] for arm in ARMS}
    for path in sorted(results.glob("?-?.json")):
        record = json.loads(path.read_text())
        with np.load(path.with_suffix(".npz")) as file:
            arrays = {name: file[name] for name in file.files}
        training = calibrate_on(held_out, arrays)
        scores = {name.removeprefix("dev."): each for name, each in arrays.items() if name.startswith("dev.")}
        model = _Scored(marker, scores, [each.corpus for each in documents], training)
        found[record["arm"]].append({**record, "figures": evaluate_statements(model, documents)})
    return {arm: {"mean": _mean(rows), "seeds": rows} for arm, rows in found.items() if rows}


def calibrate_on(examples: Sequence[Example], arrays: dict[str, Any]) -> dict[str, Any]:
    """Calibration and thresholds by the scores of held-out documents."""
    read: dict[str, list[tuple[MarkedDocument, Scored]]] = {corpus: [] for corpus in OUTPUTS}
    for each in examples:
        scores = arrays[f"held_out.{each.corpus}.{len(read[each.corpus])}"]
        read[each.corpus].append((each.marked, Scored(scores, each.labels, each.marked.apart, each.missed)))
    calibration = {corpus: calibrate([each for _, each in pairs]) for corpus, pairs in read.items()}
    return {
        "calibration": {corpus: asdict(each) for corpus, each in calibration.items()},
        "relations": choose_thresholds(read, calibration),
    }


def _mean(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    of = {
        "bc5cdr_f1": [row["figures"]["bc5cdr"]["f1"] for row in rows],
        "biored_f1": [row["figures"]["biored"]["f1"] for row in rows],
        "help_or_harm": [row["figures"]["help_or_harm"]["accuracy"] for row in rows],
    }
    return {name: round(float(np.mean(values)), 4) for name, values in of.items()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("prepare", "train", "score"))
    for name in ("--run", "--data", "--start", "--hierarchy", "--inputs", "--out", "--results", "--json"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--steps", type=int, help="of pre-training, instead of epochs")
    parser.add_argument("--epochs", type=float, default=6)
    parser.add_argument("--sequences", type=int, default=256, help="in a batch of pre-training, about")
    parser.add_argument("--gold-epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args(arguments)
    if given.action == "prepare":
        prepare(given.run, given.data, given.start, given.hierarchy, given.out)
    elif given.action == "train":
        amounts = given.steps, given.epochs, given.gold_epochs, given.sequences
        place = Place(given.inputs, given.out, given.device, *amounts)
        train(place, given.processes, ARMS, given.seeds)
    else:
        report = score(given.data, given.start, given.hierarchy, given.results)
        for arm, each in report.items():
            print(arm, each["mean"], [row["figures"]["bc5cdr"]["f1"] for row in each["seeds"]])
        if given.json:
            from benchmarks.report import write_json

            write_json(given.json, report)


if __name__ == "__main__":
    main()
