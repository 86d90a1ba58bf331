"""Fine-tuning on BC5CDR: the tails are names of a document's diseases.

Each fold of train is scored by a model that did not learn from it, so that thresholds are honest, and dev by one that
learnt from all of train. Needs torch, NumPy and safetensors, nothing else.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from clew.extract.model.attention import pick_kernel
from clew.extract.model.storage import read_model
from clew.extract.teaching.finetuning import finetune, score_rows
from clew.extract.teaching.lessons import read_lessons
from clew.extract.teaching.settings import FineTuning
from clew.extract.training import pick_device
from clew.files import write_text
from clew.progress import Progress, silent

__all__ = ["finetune_and_score"]

FOLDS = 5


def finetune_and_score(
    model: Path,
    arrays: Path,
    settings: FineTuning,
    out: Path,
    *,
    seeds: Sequence[int] = (0,),
    dev: bool = True,
    device: str | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Fine-tune with each seed and write the mean scores: train.npy, by folds, and dev.npy unless not asked for."""
    chosen = pick_device(device)
    saved = read_model(model, kernel=pick_kernel(chosen), device=chosen)
    train = read_lessons(arrays / "scoring-train")
    held_back = read_lessons(arrays / "scoring-dev") if dev else None
    train_scores, dev_scores = [], []
    for seed in seeds:
        one = replace(settings, seed=seed)
        scores = np.zeros(train.rows, np.float32)
        for fold in range(FOLDS):
            progress(f"fine-tuning without fold {fold}", fold, FOLDS)
            learnt = finetune(saved, train, one, without_fold=fold).model
            queries = np.flatnonzero(train.fold == fold)
            score_rows(learnt, train, queries, scores, together=settings.together)
        train_scores.append(scores)
        if held_back is not None:
            learnt = finetune(saved, train, one).model
            found = np.zeros(held_back.rows, np.float32)
            score_rows(learnt, held_back, np.arange(len(held_back)), found, together=settings.together)
            dev_scores.append(found)
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "train.npy", np.mean(train_scores, axis=0, dtype=np.float32))
    if dev_scores:
        np.save(out / "dev.npy", np.mean(dev_scores, axis=0, dtype=np.float32))
    said = {**asdict(settings), "seeds": list(seeds), "model": str(model)}
    write_text(out / "settings.json", json.dumps(said, indent=1) + "\n")
    return said
