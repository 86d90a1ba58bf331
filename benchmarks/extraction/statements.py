"""Statement models trained by several recipes and seeds on a GPU machine without data sets; development stays at home.

prepare (here): marked documents, the start in 8 bits, rows of tokens. train (there): every recipe and seed as its own
process; results, scores of the development documents (no labels are sent) and the first seed of the recipe that is best
on held-out training documents. score (here): the development scores against gold, once, into a log.

    python benchmarks/extraction/statements.py prepare --data DATA --start minilm --texts FILE.xml.gz --out inputs
    python benchmarks/extraction/statements.py train --inputs inputs --out OUT --recipe plain: --recipe alone:compare=0
    python benchmarks/extraction/statements.py score --data DATA --start minilm --results OUT --log dev.jsonl
"""

import argparse
import json
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from clew.extract.statements.calibration import Calibration
from clew.extract.statements.config import OUTPUTS, columns_of
from clew.extract.statements.examples import MarkedDocument, load_examples, save_examples
from clew.extract.statements.gold import GoldDocument, read_development, read_training

SEEDS = (0, 1, 2)
PART = 15 << 20  # bytes of a file that comes back
COLUMNS = sum(1 + len(relations) for relations in OUTPUTS.values())


def prepare(data: Path, start: Path, texts: list[str], out: Path) -> None:
    """Everything that training needs, in few bytes."""
    import torch
    from safetensors.torch import load_file, save_file

    from clew.extract.model.quantised import pack
    from clew.extract.statements.learning.masked_words import MaskedWordSettings
    from clew.extract.statements.learning.texts import cut_texts, read_texts
    from clew.extract.statements.marking import Marker

    (out / "start").mkdir(parents=True, exist_ok=True)
    marker = Marker.for_start(start)
    save_examples(out / "train.npz", [marker.mark_gold(each) for each in read_training(data)])
    development = [marker.mark_gold(each) for each in read_development(data)]
    save_examples(out / "dev.npz", [replace(each, labels=np.zeros_like(each.labels), missed=0) for each in development])
    for name in ("config.json", "tokenizer.json"):
        (out / "start" / name).write_bytes((start / name).read_bytes())
    floats = {name: each for name, each in load_file(start / "model.safetensors").items() if each.is_floating_point()}
    save_file(pack(floats, torch.int8), out / "start" / "packed.safetensors")
    if texts:
        kept_back = {each.id for each in read_development(data)}
        length = MaskedWordSettings().length
        rows = cut_texts(read_texts(texts, without=kept_back), start / "tokenizer.json", length=length)
        np.savez_compressed(out / "rows.npz", rows=rows.astype(np.uint16))


def train_all(inputs: Path, out: Path, recipes: dict[str, str], device: str, seeds: tuple[int, ...]) -> None:
    """Every recipe and seed at once; what comes back lies flat in `out`."""
    from safetensors.torch import load_file, save_file

    from clew.extract.model.quantised import unpack

    save_file(unpack(load_file(inputs / "start" / "packed.safetensors")), inputs / "start" / "model.safetensors")
    work = inputs / "trained"
    running = []
    for name, options in recipes.items():
        for seed in seeds:
            where = ("--inputs", str(inputs), "--out", str(work / f"{name}-{seed}"), "--device", device)
            what = ("--recipe", f"{name}:{options}", "--seeds", str(seed))
            running.append(subprocess.Popen([sys.executable, __file__, "one", *where, *what]))
    failed = [each.args for each in running if each.wait()]
    found = {each.name: json.loads((each / "record.json").read_text()) for each in sorted(work.iterdir())}
    scores = {name: np.load(work / name / "scores.npy") for name in found}
    (out / "results.json").write_text(json.dumps({"trained": found, "failed": [str(each) for each in failed]}) + "\n")
    np.savez_compressed(out / "scores.npz", **scores)
    best = max(recipes, key=lambda name: _held_out(found, name, seeds))
    content = (work / f"{best}-{seeds[0]}" / "exported" / "model.onnx").read_bytes()
    for number, first in enumerate(range(0, len(content), PART)):
        (out / f"{best}-{seeds[0]}.onnx.{number}").write_bytes(content[first : first + PART])


def train_one(inputs: Path, out: Path, options: str, device: str, seed: int) -> None:
    """One recipe and seed: its record, its development scores and its exported model."""
    import torch

    from clew.extract.statements.learning.export import export
    from clew.extract.statements.learning.fitting import Settings, train
    from clew.extract.statements.learning.fitting import score_examples as score
    from clew.extract.statements.learning.masked_words import MaskedWordSettings

    given = dict(each.split("=", 1) for each in options.split(",") if each)
    word_epochs = int(given.pop("word_epochs", 0))
    settings = replace(Settings(seed=seed, device=device), **_typed(given))
    rows = np.load(inputs / "rows.npz")["rows"].astype(np.int32) if word_epochs else None
    words = MaskedWordSettings(epochs=max(1, word_epochs), seed=seed, device=device)
    trained = train(load_examples(inputs / "train.npz"), inputs / "start", settings, rows=rows, words=words)
    here = replace(settings, device="cuda" if torch.cuda.is_available() else "cpu")
    development = load_examples(inputs / "dev.npz")
    scored = score(trained.model.to(here.device), development, here)
    export(out / "exported", replace(trained, model=trained.model.cpu()))
    queues = {corpus: iter(documents) for corpus, documents in scored.items()}
    columns = []
    for example in development:
        wide = np.zeros((len(example.labels), COLUMNS), np.float32)
        wide[:, columns_of(example.corpus)] = next(queues[example.corpus]).scores
        columns.append(wide)
    np.save(out / "scores.npy", np.concatenate(columns))
    (out / "record.json").write_text(json.dumps(dict(trained.training)) + "\n")


class _Scored:
    """The development scores of a model, in the order of the documents, in place of the model."""

    def __init__(self, marker: Any, scores: np.ndarray, calibration: dict[str, dict[str, float]]) -> None:
        self.marker, self._scores, self._at = marker, scores, 0
        self.calibration = {corpus: Calibration(**each) for corpus, each in calibration.items()}

    def score(self, marked: MarkedDocument) -> np.ndarray:
        first, self._at = self._at, self._at + len(marked.pairs)
        return self._scores[first : self._at]


def score_all(data: Path, start: Path, results: Path, log: Path) -> dict[str, Any]:
    """Figures of every recipe and seed on both development sets, appended to the log."""
    from clew.evaluate.statements import evaluate_statements
    from clew.extract.statements.marking import Marker

    trained = json.loads((results / "results.json").read_text())["trained"]
    documents: list[GoldDocument] = read_development(data)
    marker = Marker.for_start(start)
    found: dict[str, Any] = {}
    with np.load(results / "scores.npz") as scores:
        for name, record in trained.items():
            found[name] = evaluate_statements(_Scored(marker, scores[name], record["calibration"]), documents)  # type: ignore[arg-type]
            with log.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"name": name, **found[name]}) + "\n")
    return found


def _held_out(found: dict[str, Any], recipe: str, seeds: tuple[int, ...]) -> float:
    scores = [found[name]["held_out_scores"] for seed in seeds if (name := f"{recipe}-{seed}") in found]
    return float(np.mean([each["bc5cdr"]["f1"] for each in scores])) if scores else -1.0


def _typed(given: dict[str, str]) -> dict[str, Any]:
    """Options of a recipe as the settings want them."""
    from clew.extract.statements.learning.fitting import Settings

    defaults = {each.name: each.default for each in fields(Settings)}
    return {
        name: bool(int(text)) if isinstance(defaults[name], bool) else type(defaults[name])(text)
        for name, text in given.items()
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("prepare", "train", "one", "score"))
    for name in ("--data", "--start", "--inputs", "--out", "--results", "--log"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--texts", nargs="*", default=[])
    parser.add_argument("--recipe", action="append", default=[], help="NAME:setting=value,…; word_epochs=N too")
    parser.add_argument("--seeds", type=int, nargs="*", default=list(SEEDS))
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args(arguments)
    recipes = dict(each.partition(":")[::2] for each in given.recipe or ["plain:"])
    if given.action == "prepare":
        prepare(given.data, given.start, given.texts, given.out)
    elif given.action == "train":
        given.out.mkdir(parents=True, exist_ok=True)
        train_all(given.inputs, given.out, recipes, given.device, tuple(given.seeds))
    elif given.action == "one":
        ((_, options),) = recipes.items()
        train_one(given.inputs, given.out, options, given.device, given.seeds[0])
    else:
        for name, each in score_all(given.data, given.start, given.results, given.log).items():
            print(name, each["bc5cdr"]["f1"], each["biored"]["f1"], each["help_or_harm"]["accuracy"])


if __name__ == "__main__":
    main()
