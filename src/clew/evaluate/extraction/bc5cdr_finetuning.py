"""Fine-tuning on BC5CDR: the tails are names of a document's diseases.

Each fold of train is scored by a model that did not learn from it, so that thresholds are honest, and dev by one that
learnt from all of train. Needs torch, NumPy and safetensors, nothing else.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.extract.model.attention import pick_kernel
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.storage import read_model
from clew.extract.ranking.batches import Examples, read_examples
from clew.extract.ranking.finetuning import finetune, score_rows
from clew.extract.ranking.settings import RankingSettings
from clew.extract.training.pretraining import pick_device
from clew.files import write_text
from clew.progress import Progress, silent

__all__ = ["finetune_and_score"]

FOLDS = 5


def finetune_and_score(
    model: Path,
    arrays: Path,
    settings: RankingSettings,
    out: Path,
    *,
    also: Mapping[str, Path] | None = None,
    seeds: Sequence[int] = (0,),
    dev: bool = True,
    device: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fine-tune with each seed and write the mean scores: train.npy, by folds, and dev.npy unless not asked for.

    The same models also score the questions in other folders, from which nothing is learnt: to `out`/name for each.
    """
    chosen = pick_device(device)
    saved = read_model(model, kernel=pick_kernel(chosen), device=chosen)
    asked = [
        _Asked(arrays, out, dev=dev),
        *(_Asked(folder, out / name, dev=dev) for name, folder in (also or {}).items()),
    ]
    lessons = asked[0].parts["train"]
    for seed in seeds:
        one = replace(settings, seed=seed)
        for fold in range(FOLDS):
            progress(f"fine-tuning without fold {fold}", fold, FOLDS)
            learnt = finetune(saved, lessons, one, without_fold=fold).model
            for each in asked:
                each.score("train", learnt, settings, fold=fold)
        if dev:
            learnt = finetune(saved, lessons, one).model
            for each in asked:
                each.score("dev", learnt, settings)
    for each in asked:
        each.write(len(seeds))
    said = {**asdict(settings), "seeds": list(seeds), "model": str(model)}
    write_text(out / "settings.json", json.dumps(said, indent=1) + "\n")
    return said


class _Asked:
    """A folder of questions, and the sums of the scores that several models gave them."""

    def __init__(self, folder: Path, out: Path, *, dev: bool) -> None:
        self.out = out
        self.parts: dict[str, Examples] = {
            part: read_examples(folder / f"scoring-{part}") for part in (("train", "dev") if dev else ("train",))
        }
        self.sums: dict[str, NDArray[np.float64]] = {part: np.zeros(each.rows) for part, each in self.parts.items()}

    def score(self, part: str, model: GraphMert, settings: RankingSettings, *, fold: int | None = None) -> None:
        """Add what a model says of all questions of a part, or of a fold of them."""
        asked = self.parts[part]
        queries = np.arange(len(asked)) if fold is None else np.flatnonzero(asked.fold == fold)
        scores = np.zeros(asked.rows, np.float32)
        score_rows(model, asked, queries, scores, together=settings.together)
        self.sums[part] += scores

    def write(self, models: int) -> None:
        """Write the means over so many models."""
        self.out.mkdir(parents=True, exist_ok=True)
        for part, total in self.sums.items():
            np.save(self.out / f"{part}.npy", (total / models).astype(np.float32))
