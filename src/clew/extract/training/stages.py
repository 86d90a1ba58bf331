"""Training of a run: pre-training on its chains, run/pretrained, then teaching with its lessons, run/model.

What is finished with the same settings and inputs is kept, and what was killed goes on from its checkpoint.
"""

import json
import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from clew.errors import DerivedError
from clew.extract.chains.graphs import read_chains
from clew.extract.ranking.settings import RankingSettings
from clew.extract.run.settings import RunSettings, read_trained, write_trained
from clew.extract.stage import read_counts, seal_checksum
from clew.progress import Progress, silent
from clew.sealed import check_seal

__all__ = ["train_stages"]

log = logging.getLogger(__name__)
PRETRAINED, EXAMPLES, MODEL = "pretrained", "examples", "model"
Stated = dict[str, Any]


def train_stages(
    run: Path,
    settings: RunSettings,
    *,
    licences: Sequence[str] = (),
    device: str | None = None,
    progress: Progress = silent,
) -> None:
    """Pre-train and fine-tune the model of a run; `licences` are those of what it learns from."""
    read = {name: seal_checksum(run / name) for name in ("chains", EXAMPLES)}
    _pretrain(run, settings, read["chains"], licences, device, progress)
    teaching = settings.teaching
    if not read_counts(run / EXAMPLES)["queries with a tail"]:
        teaching = replace(teaching, epochs=0)  # the seed knows nothing of what stands together in the texts
    identity = {PRETRAINED: seal_checksum(run / PRETRAINED), EXAMPLES: read[EXAMPLES], **_stated(teaching)}
    if _is_sealed(run / MODEL, identity):
        return
    from clew.extract.ranking.finetuning import finetune_model

    _drop_other(run / f"{MODEL}.checkpoint", identity)
    finetune_model(
        run / PRETRAINED,
        run / EXAMPLES,
        teaching,
        run / MODEL,
        identity=identity,
        device=device,
        progress=progress,
    )


def _pretrain(
    run: Path, settings: RunSettings, chains: str, licences: Sequence[str], device: str | None, progress: Progress
) -> None:
    given = settings.training
    wanted = {"chains": chains, "size": settings.size, **asdict(given)}
    done = _is_sealed(run / PRETRAINED, {})
    if done and read_trained(run) == {**wanted, PRETRAINED: seal_checksum(run / PRETRAINED)}:
        return
    from clew.extract.model.config import make_config
    from clew.extract.training.pretraining import Settings, train

    learnt = read_chains(run / "chains")
    config = make_config(settings.size, vocabulary=learnt.vocabulary, relations=len(learnt.relations))
    config = replace(config, leaf_share=given.leaf_share)
    if given.dropout is not None:
        config = replace(config, dropout=given.dropout)
    how = Settings(
        steps=given.steps,
        epochs=given.epochs,
        sequences=given.batch,
        rate=given.rate,
        seed=given.seed,
        device=device,
        checkpoint_every=given.checkpoint_every,
        licences=tuple(licences),
    )
    if read_trained(run) != wanted:
        _remove(run / f"{PRETRAINED}.checkpoint")
    write_trained(run, wanted)  # what a checkpoint is of, too
    train(learnt, config, how, run / PRETRAINED, progress=progress)
    write_trained(run, {**wanted, PRETRAINED: seal_checksum(run / PRETRAINED)})


def _stated(teaching: RankingSettings) -> Stated:
    """Settings as the identity of a stage has them."""
    return {name: "none" if value is None else value for name, value in asdict(teaching).items()}


def _is_sealed(stage: Path, identity: Mapping[str, Any]) -> bool:
    try:
        check_seal(stage, dict(identity), what=f"the model at {stage}", remedy="clew extract train")
    except DerivedError:
        return False
    return True


def _drop_other(checkpoint: Path, identity: Mapping[str, Any]) -> None:
    """Remove a checkpoint of teaching that was made from another model or lessons, or with other settings."""
    try:
        stated = json.loads((checkpoint / "state.json").read_text("utf-8"))["settings"]
    except (OSError, ValueError, KeyError):
        stated = {}
    if any(stated.get(name) != value for name, value in identity.items()):
        _remove(checkpoint)


def _remove(checkpoint: Path) -> None:
    """A checkpoint of something else is put out of the way."""
    if checkpoint.is_dir():
        log.info("%s was made with other settings or inputs: training begins anew", checkpoint)
        shutil.rmtree(checkpoint, ignore_errors=True)
