"""Trained statement models on disk: float weights, config, tokenizer and the record of their training, sealed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from clew.errors import DerivedError
from clew.extract.statements.config import read_config
from clew.extract.statements.learning.judge import Judge
from clew.extract.statements.learning.pair_reader import PairReader
from clew.files import write_text
from clew.json_files import read_json, read_text
from clew.sealed import check_seal, new_sealed

__all__ = ["TrainedModel", "read_trained", "write_trained"]

WHAT = "a statement model"
REMEDY = "clew statements train"
WEIGHTS, READER = "weights.safetensors", "reader.safetensors"
CONFIG, TOKENIZER, TRAINING = "config.json", "tokenizer.json", "training.json"


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A model, the content of its tokenizer.json, the record of its training, and a reader of pairs if it has one."""

    model: Judge
    tokenizer: str
    training: Mapping[str, Any]
    reader: PairReader | None = None


def write_trained(path: Path, trained: TrainedModel) -> None:
    """Write a trained model in place of one that was there."""
    with new_sealed(Path(path), {"format": 1}, what=WHAT) as directory:
        for name, part in ((WEIGHTS, trained.model), (READER, trained.reader)):
            if part is not None:
                state = {key: tensor.detach().cpu().contiguous() for key, tensor in part.state_dict().items()}
                save_file(state, directory / name)
        write_text(directory / CONFIG, trained.model.config.to_json())
        write_text(directory / TOKENIZER, trained.tokenizer)
        write_text(directory / TRAINING, json.dumps(dict(trained.training), indent=1) + "\n")


def read_trained(path: Path) -> TrainedModel:
    """A trained model, ready to judge on the CPU."""
    path = Path(path)
    check_seal(path, {"format": 1}, what=f"the statement model at {path}", remedy=REMEDY)
    try:
        config, training = read_config(read_text(path / CONFIG)), read_json(path / TRAINING)
        tokenizer, stored = read_text(path / TOKENIZER), (path / WEIGHTS).stat().st_size
        wide = config.vocabulary * config.width + config.layers * config.width * (config.width + config.inner)
        if wide > stored:
            raise ValueError(f"config.json describes about {wide:,} parameters, but the weights have {stored:,} bytes")
        model = Judge(config)
        model.load_state_dict(load_file(path / WEIGHTS))
        reader = PairReader(config) if (path / READER).is_file() else None
        if reader is not None:
            reader.load_state_dict(load_file(path / READER))
            reader.eval()
    except (OSError, ValueError, TypeError, SafetensorError, RuntimeError) as error:
        said = str(error).splitlines()[0]
        raise DerivedError(f"the model at {path} cannot be read ({said}): run `{REMEDY}`") from error
    return TrainedModel(model.eval(), tokenizer, training, reader)
