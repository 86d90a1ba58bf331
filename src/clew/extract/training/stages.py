"""The training stages of a run: pre-training on its chains, then fine-tuning to rank candidate tails."""

from dataclasses import dataclass, replace
from pathlib import Path

from clew.extract.chains.graphs import read_chains
from clew.extract.chains.leaves import STAGE as CHAINS
from clew.extract.ranking.examples import STAGE as EXAMPLES
from clew.extract.ranking.settings import RankingSettings
from clew.extract.stage import Stage, read_counts
from clew.extract.training.settings import TrainingSettings
from clew.progress import Progress, silent

__all__ = ["MODEL", "PRETRAINED", "ModelSettings", "train_stages"]

PRETRAINED = Stage("pretrained", "train", "the pre-trained encoder", reads=("chains",))
MODEL = Stage("model", "train", "the fine-tuned encoder", reads=("pretrained", "examples"))


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model's size by name, and what of its config a run sets; None leaves the default.

    Most leaves are masked: with the paper's 0.15, a model has seen a fifth as many after as many steps.
    """

    size: str = "small"
    leaf_share: float = 0.8
    dropout: float | None = None
    start: str | None = None  # a directory with a BERT, whose shape and weights the model begins with


def train_stages(
    run: Path,
    *,
    model: ModelSettings,
    training: TrainingSettings,
    ranking: RankingSettings,
    progress: Progress = silent,
) -> None:
    """Pre-train and fine-tune the model of a run: run/pretrained and run/model."""
    _pretrain(run, model, training, progress)
    if not read_counts(EXAMPLES.check(run))["queries with a tail"]:
        ranking = replace(ranking, epochs=0)  # the seed states nothing between entities mentioned together
    work = MODEL.start(run, {"settings": ranking})
    if work.finished is not None:
        return
    from clew.extract.ranking.finetuning import finetune_model

    work.checkpoint()
    finetune_model(
        PRETRAINED.directory(run),
        EXAMPLES.directory(run),
        ranking,
        work.directory,
        identity=work.identity,
        device=training.device,
        progress=progress,
    )


def _pretrain(run: Path, model: ModelSettings, training: TrainingSettings, progress: Progress) -> None:
    work = PRETRAINED.start(run, {"model": model, "settings": training.identity()})
    if work.finished is not None:
        return
    from clew.extract.model.config import make_config
    from clew.extract.model.start import config_of_start
    from clew.extract.training.pretraining import train

    chains = read_chains(CHAINS.check(run))
    counts = {"vocabulary": chains.vocabulary, "relations": len(chains.relations)}
    start = None if model.start is None else Path(model.start)
    config = make_config(model.size, **counts) if start is None else config_of_start(start, **counts)
    config = replace(config, leaf_share=model.leaf_share)
    if model.dropout is not None:
        config = replace(config, dropout=model.dropout)
    work.checkpoint()
    train(chains, config, training, work.directory, identity=work.identity, start_from=start, progress=progress)
