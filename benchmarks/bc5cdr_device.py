"""Fine-tuning on BC5CDR in several settings, on a machine with a GPU, and what train says of them.

    python -m benchmarks.bc5cdr_device ask --data DATA --model MODEL --out ARRAYS --run RUN --graph SEED --mesh MESH
    python -m benchmarks.bc5cdr_device learn --model MODEL --arrays ARRAYS --out OUT --grid losses
    python -m benchmarks.bc5cdr_device learn --model MODEL --arrays ARRAYS --also found=ARRAYS/found --out OUT \\
        --loss share --whole-names --seed 0 --dev
    python -m benchmarks.bc5cdr_device teach --model MODEL --lessons RUN/examples --taught MODEL2 --out OUT \\
        --score lessons=RUN/examples
    python -m benchmarks.bc5cdr_device weigh --model MODEL2 --queries RUN/queries --out OUT/weights.npy
    python -m benchmarks.bc5cdr_device compare --arrays ARRAYS --data DATA OUT/*

`ask` writes the questions about gold mentions and, under ARRAYS/found, about those that a run found; of MODEL it needs
tokenizer.json and relations.json, which the chains of a run have as well. `learn` needs torch, NumPy and safetensors
only; it writes train.npy (each fold by a model that did not see it), dev.npy where --dev says so, and settings.json for
every setting, and the scores of further questions (--also) in folders of their own. `compare` prints the
cross-validated figures of train; dev is scored apart, by `clew eval extraction bc5cdr --scores`, once for each
configuration.
"""

import argparse
import json
import logging
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from clew.errors import ClewError
from clew.evaluate.extraction.bc5cdr_finetuning import finetune_and_score
from clew.extract.predict.predictor import Predictor
from clew.extract.predict.query_arrays import read_query_arrays
from clew.extract.ranking.batches import read_examples
from clew.extract.ranking.finetuning import finetune_model, score_rows
from clew.extract.ranking.settings import LOSSES, RankingSettings

START = RankingSettings(epochs=8, together=True, tokens=8192)
GRIDS: dict[str, dict[str, RankingSettings]] = {
    "losses": {loss: replace(START, loss=loss) for loss in LOSSES},
    "rates": {
        f"document-{epochs}-{rate:g}": replace(START, loss="document", epochs=epochs, rate=rate)
        for epochs in (6, 12)
        for rate in (2e-4, 4e-4, 8e-4)
    },
    "guards": {
        "whole-names": replace(START, by_token=False),
        "no-root-masks": replace(START, root_share=0.0),
        "dropout-0.2": replace(START, dropout=0.2),
        "alone": replace(START, together=False, tokens=16_384),
        "naming-1": replace(START, naming=1.0),
    },
    "distant": {"distant": replace(START, epochs=0, together=False)},
}


def ask(options: argparse.Namespace) -> None:
    """The questions of both settings, for a model's tokenizer and relations."""
    from clew.evaluate.extraction.bc5cdr_arrays import make_bc5cdr_arrays
    from clew.evaluate.extraction.bc5cdr_found import find_mentions
    from clew.evaluate.extraction.pubtator import read_pubtator
    from clew.graph import Graph

    tokenizer = options.model / "tokenizer.json"
    relations = json.loads((options.model / "relations.json").read_text("utf-8"))
    train, dev = (read_pubtator(options.data / "bc5cdr" / f"cdr_{part}.pubtator.gz") for part in ("train", "dev"))
    counts = {"gold": make_bc5cdr_arrays(train, dev, options.out, tokenizer=tokenizer, relations=relations)}
    if options.run is not None:
        seed, mesh = Graph(options.graph), None if options.mesh is None else Graph(options.mesh)
        parts = (find_mentions(part, options.run, seed, mesh=mesh) for part in (train, dev))
        out = options.out / "found"
        counts["found"] = make_bc5cdr_arrays(*parts, out, tokenizer=tokenizer, relations=relations, learnt=False)
    print(json.dumps(counts, indent=1))


def learn(options: argparse.Namespace) -> None:
    """Every setting of the grid, or the one that the options state."""
    stated = {name: getattr(options, name) for name in ("loss", "epochs", "rate", "dropout", "naming", "root_share")}
    single = replace(START, **{name: value for name, value in stated.items() if value is not None})
    if options.alone:
        single = replace(single, together=False, tokens=16_384)
    if options.whole_names:
        single = replace(single, by_token=False)
    also = {name: Path(folder) for name, folder in (each.split("=", 1) for each in options.also)}
    seeds = tuple(range(options.seeds)) if options.seed is None else (options.seed,)
    grid = GRIDS[options.grid] if options.grid else {options.name: single}
    for name, settings in grid.items():
        begun = time.monotonic()
        out = options.out / name
        finetune_and_score(options.model, options.arrays, settings, out, also=also, seeds=seeds, dev=options.dev)
        print(f"{name}: {time.monotonic() - begun:.1f} s", flush=True)


def teach_model(options: argparse.Namespace) -> None:
    """Choosing tails among the mentions of a sequence, learnt from the seed; the model goes to --taught.

    What is scored is asked as prediction asks: every query alone.
    """
    begun = time.monotonic()
    settings = RankingSettings(rate=options.rate, epochs=options.epochs, seed=options.seed)
    learnt = finetune_model(options.model, options.lessons, settings, options.taught, without_fold=options.fold)
    print(f"taught: {time.monotonic() - begun:.1f} s", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, folder in (each.split("=", 1) for each in options.score):
        asked = read_examples(Path(folder))
        scores = np.zeros(asked.rows, np.float32)
        score_rows(learnt.model, asked, np.arange(len(asked)), scores)
        np.save(options.out / f"{name}.npy", scores.astype(np.float16))
    print(f"scored too: {time.monotonic() - begun:.1f} s", flush=True)


def weigh(options: argparse.Namespace) -> None:
    """How a model weighs the mentions of queries: `clew.extract.predictions.take_predictions` reads it."""
    begun = time.monotonic()
    queries = read_query_arrays(options.queries)
    found = Predictor.open(options.model).answer(queries, 0)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    np.save(options.out, found.weights.astype(np.float16))
    print(f"{len(queries):,} queries weighed: {time.monotonic() - begun:.1f} s", flush=True)


def compare(options: argparse.Namespace) -> None:
    """Cross-validated figures of train, best first."""
    from clew.evaluate.extraction.bc5cdr_choice import choose, cross_validate, weigh_in_all_ways
    from clew.evaluate.extraction.bc5cdr_ways import read_asked
    from clew.evaluate.extraction.pairs import score_pairs
    from clew.evaluate.extraction.pubtator import read_pubtator

    abstracts = read_pubtator(options.data / "bc5cdr" / "cdr_train.pubtator.gz")
    induces = {each.document: each.induces for each in abstracts}
    asked = read_asked(options.arrays / "scoring-train")
    gold = np.array([pair[1:] in induces[pair[0]] for pair in asked.pairs])
    total = sum(map(len, induces.values()))
    rows = []
    for folder in options.scores:
        weighed = weigh_in_all_ways(asked, np.load(folder / "train.npy", allow_pickle=False))
        figures = score_pairs(abstracts, cross_validate(asked, weighed, induces), resamples=1000)
        choice = choose(weighed, gold, total=total)
        said = {"scores": str(folder), "way": str(choice.way), "F1 chosen": round(choice.f1, 4)}
        measured = (("precision", figures.precision), ("recall", figures.recall), ("F1", figures.f1))
        rows.append(said | {key: round(each.mean, 4) for key, each in measured} | {"low": round(figures.f1.low, 4)})
    for row in sorted(rows, key=lambda each: -each["F1"]):
        print(json.dumps(row))


def make_parser() -> argparse.ArgumentParser:
    """The options of every part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    asking, learning, teaching, weighing, comparing = map(
        parts.add_parser, ("ask", "learn", "teach", "weigh", "compare")
    )
    needed = (
        (asking, ("--data", "--model", "--out")),
        (learning, ("--model", "--arrays", "--out")),
        (teaching, ("--model", "--lessons", "--taught", "--out")),
        (weighing, ("--model", "--queries", "--out")),
        (comparing, ("--arrays", "--data")),
    )
    for each, names in needed:
        for name in names:
            each.add_argument(name, type=Path, required=True)
    for name in ("--run", "--graph", "--mesh"):
        asking.add_argument(name, type=Path)
    learning.add_argument("--grid", choices=GRIDS)
    learning.add_argument("--name", default="single")
    learning.add_argument("--seeds", type=int, default=1, help="so many, whose scores are averaged")
    learning.add_argument("--seed", type=int, help="this one alone")
    learning.add_argument("--also", action="append", default=[], metavar="NAME=FOLDER", help="what is scored too")
    learning.add_argument("--dev", action="store_true")
    learning.add_argument("--alone", action="store_true")
    learning.add_argument("--whole-names", action="store_true", help="weigh names by their whole log-probability")
    learning.add_argument("--loss", choices=LOSSES)
    learning.add_argument("--epochs", type=int)
    for name in ("--rate", "--dropout", "--naming", "--root-share"):
        learning.add_argument(name, type=float)
    teaching.add_argument("--score", action="append", default=[], metavar="NAME=FOLDER")
    teaching.add_argument("--fold", type=int, help="leave this fold out, to be scored")
    teaching.add_argument("--rate", type=float, default=START.rate)
    teaching.add_argument("--epochs", type=int, default=4)
    teaching.add_argument("--seed", type=int, default=0)
    comparing.add_argument("scores", type=Path, nargs="+")
    done = ((asking, ask), (learning, learn), (teaching, teach_model), (weighing, weigh), (comparing, compare))
    for each, do in done:
        each.set_defaults(do=do)
    return parser


def main() -> int:
    """Do what the command line says."""
    options = make_parser().parse_args()
    logging.basicConfig(level=logging.INFO, format="%(relativeCreated)6d ms %(message)s")
    try:
        options.do(options)
    except ClewError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
